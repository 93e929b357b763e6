import { isUtf8 } from 'node:buffer'
import { valuesOf } from '#main/signing/places.ts'
import type { PreparedTemplate } from '#main/signing/prepare-sender.ts'
import { documentStart } from '#main/signing/proof-body.ts'
import { inboundErrors } from '#shared/errors/inbound.ts'
import { rootOf } from '#shared/model/sender/reading.ts'
import { encodingProblem, InvalidJson, readInnerJson, readJson } from './body.ts'
import { type BodyProblem, maxFormFields, type Read } from './body-problem.ts'
import { readMultipart } from './multipart.ts'
import { readXml } from './xml.ts'

/** The value of a body. */
export type BodyRoot = {
  readonly problem: BodyProblem | null
  /** Undefined beside a problem. */
  readonly root: unknown
  /** Whether it was read as form fields. */
  readonly isForm: boolean
  /**
   * The JSON that an event keeps instead of its body; null where it keeps the body as it was sent. A body that is neither
   * JSON nor a form is read once, when it arrives: what a stored event means cannot depend on the parser of a later
   * version, and nothing that lists or replays it needs one.
   */
  readonly text: string | null
}

const formType = /^application\/x-www-form-urlencoded *(?:;|$)/i

/**
 * Reads the value of a body. No signature covers Content-Type, so it never decides what signed bytes mean: JSON is JSON
 * whatever it says, and what is neither JSON nor in the format of the scheme stays invalid.
 */
export function readRoot(
  { template, readsForms }: Pick<PreparedTemplate, 'template' | 'readsForms'>,
  rawHeaders: readonly string[],
  body: Buffer,
): BodyRoot {
  const contentType = valuesOf(rawHeaders, 'content-type')[0] ?? ''
  const format = template.body
  // Files are not text.
  if (format === 'multipart' && !isUtf8(body)) return asJson(readMultipart(body, contentType))
  const problem = encodingProblem(body)
  if (problem !== null) return refuse({ code: 'invalid_json', detail: problem })
  const text = body.toString('utf8')
  const root = readJson(text)
  // JSON that is nested too deep is JSON, too.
  const isJson = !(root instanceof InvalidJson) || root.isTooDeep
  switch (format) {
    case 'text':
      // A number or a word in quotes is a text like any other.
      return isJson && typeof root === 'object' && root !== null ? json(root) : asJson({ root: { text } })
    case 'xml':
      return isJson ? json(root) : asJson(readXml(text))
    case 'multipart':
      return isJson ? json(root) : asJson(readMultipart(body, contentType))
    case 'json':
      return json(root)
    default: {
      // What begins as JSON or XML, and what only other parsers read, is not a form.
      if (isJson || documentStart.test(text)) return json(root)
      // A stored template without a format reads forms that say so, as before.
      if (format === undefined && !(readsForms && formType.test(contentType))) return json(root)
      return readForm(text)
    }
  }
}

const refuse = (problem: BodyProblem): BodyRoot => ({ problem, root: undefined, isForm: false, text: null })

function json(root: unknown): BodyRoot {
  if (root instanceof InvalidJson) return refuse({ code: 'invalid_json', detail: root.detail })
  return { problem: null, root, isForm: false, text: null }
}

function asJson(read: Read): BodyRoot {
  if ('problem' in read) return refuse(read.problem)
  return { problem: null, root: read.root, isForm: false, text: JSON.stringify(read.root) }
}

function readForm(text: string): BodyRoot {
  if (hasMoreFields(text, maxFormFields))
    return {
      ...refuse({ code: 'too_many_fields', detail: inboundErrors.too_many_fields.message }),
      isForm: true,
    }
  return { ...json(rootOf(text, true, readInnerJson)), isForm: true }
}

/** Returns whether a form has more than `most` fields, without decoding it. Empty ones do not count. */
function hasMoreFields(form: string, most: number): boolean {
  let count = 0
  for (let from = 0; from < form.length; ) {
    const next = form.indexOf('&', from)
    const end = next === -1 ? form.length : next
    if (end > from && ++count > most) return true
    from = end + 1
  }
  return false
}
