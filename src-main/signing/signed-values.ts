import { hash } from 'node:crypto'
import { crc32 } from 'node:zlib'
import type { Place } from '#shared/model/sender/sender-template.ts'
import type { SignedPart } from '#shared/model/sender/signed-text.ts'
import { pathText } from '#shared/model/variable-path.ts'
import { type UnclearValue, unclearValue } from './clear-values.ts'
import { pathOf, placeText, queryOf, valuesAt } from './places.ts'
import type { PreparedTemplate } from './prepare-sender.ts'
import { byteText, fieldText, type ProofBody, sortedFormOf } from './proof-body.ts'
import { type HeadProblem, invalid, repeated, type SenderRequest, type Signed } from './sender-head.ts'

/**
 * Returns the text that the signature of a request covers. What is in its body is left empty while that is not read.
 *
 * @param timestamp as the request has it.
 */
export function readSigned(prepared: PreparedTemplate, request: SenderRequest, timestamp: string): Signed {
  const { before, after, hasBody, isApart, template } = prepared
  if (before.length === 0 && after.length === 0) return { problem: null, before: '', after: '', hasBody }
  let problem: HeadProblem | null = null

  function valueAt(place: Place): string {
    const values = valuesAt(place, request)
    const [value] = values ?? ['']
    const name = placeText(place)
    if (value === undefined) problem ??= invalid(`The signature covers the ${name}, which is missing.`)
    else if (values !== null && values.length > 1)
      problem ??= { ...invalid(`The ${name} was sent more than once.`), ...repeated }
    return value ?? ''
  }
  function textOf(part: SignedPart): string {
    switch (part.kind) {
      case 'text':
        return part.text
      case 'timestamp':
        return timestamp
      case 'id':
        return valueAt(prepared.id ?? { header: '' })
      case 'header':
        return valueAt({ header: part.name })
      case 'url':
        return request.url()
      case 'method':
        return request.method ?? 'POST'
      case 'path':
        return pathOf(request.url())
      case 'query':
        return queryOf(request.url())
      case 'setting':
        return byteText(ownSetting(template.settings, part.name))
      case 'body':
        return ''
      default:
        return request.body === undefined ? '' : textIn(request.body, part)
    }
  }
  function textIn(body: ProofBody, part: SignedPart): string {
    switch (part.kind) {
      case 'field':
        // Providers sign a missing field as an empty text.
        return !isApart && fieldText(body.root(), part.path) === undefined
          ? ''
          : valueAt({ path: pathText(part.path) })
      case 'line': {
        const text = fieldText(body.root(), part.path)
        return text === undefined ? '' : `${part.name}\n${byteText(text)}\n`
      }
      case 'sortedForm':
        return byteText(sortedFormOf(body.fields() ?? []))
      case 'bodyHash':
        return hash('sha256', body.bytes, 'hex')
      default:
        return String(crc32(body.bytes))
    }
  }

  const fill = (parts: readonly SignedPart[]) => parts.map(part => ({ part, text: textOf(part) }))
  const filled = { before: fill(before), after: fill(after) }
  const isIso = template.timestampUnit === 'iso'
  const unclear = isApart ? unclearValue(filled.before, filled.after, isIso) : null
  if (unclear !== null) problem ??= invalid(unclearText(unclear, prepared))
  const join = (parts: typeof filled.before) => parts.map(({ text }) => text).join('')
  return { before: join(filled.before), after: join(filled.after), hasBody, problem }
}

const ownSetting = (settings: Readonly<Record<string, string>> = {}, name: string) =>
  Object.hasOwn(settings, name) ? (settings[name] ?? '') : ''

function unclearText({ part, separator }: UnclearValue, { id, timestamp }: PreparedTemplate): string {
  return `${describe()} contains ${JSON.stringify(separator)}, which separates it from the rest of the signed text.`

  function describe(): string {
    if (part.kind === 'url' || part.kind === 'query') return 'The query of the URL'
    if (part.kind === 'path') return 'The path of the URL'
    if (part.kind === 'field' || part.kind === 'line') return `The field ${pathText(part.path)}`
    if (part.kind === 'sortedForm') return 'The form'
    const place = part.kind === 'header' ? { header: part.name } : part.kind === 'id' ? id : timestamp
    return place === null ? 'A value' : `The ${placeText(place)}`
  }
}
