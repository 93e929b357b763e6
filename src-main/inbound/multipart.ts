import { isUtf8 } from 'node:buffer'
import { inboundErrors } from '#shared/errors/inbound.ts'
import { type BodyProblem, maxFormFields, type Read } from './body-problem.ts'

/** Bytes of the headers of a part. */
const maxPartHead = 8 * 1024
/** Bytes of the largest file whose contents are kept. */
const maxFile = 1024 * 1024

const boundaryParameter = /;\s*boundary=(?:"([^"\\\r\n]{1,70})"|([^\s;"]{1,70}))\s*(?:;|$)/i
const endOfHead = '\r\n\r\n'

/** A file of a form. */
type SentFile = {
  readonly name: string
  readonly type: string
  readonly size: number
  /** The contents in base64, of a file of up to 1 MiB. */
  readonly base64?: string
}

/**
 * Reads `multipart/form-data`: fields are texts, files have their name, type, size and contents, and a name that repeats
 * is a list. No signature covers the boundary in Content-Type, so the body itself must begin and end with it, and has one
 * meaning. Never throws.
 */
export function readMultipart(body: Buffer, contentType: string): Read {
  const found = boundaryParameter.exec(contentType)
  const boundary = found?.[1] ?? found?.[2]
  if (boundary === undefined || !/^multipart\/form-data\s*;/i.test(contentType))
    return refuse(
      'The header content-type must be multipart/form-data with a boundary of 1 to 70 characters.',
    )
  const start = Buffer.from(`--${boundary}\r\n`, 'latin1')
  const delimiter = Buffer.from(`\r\n--${boundary}`, 'latin1')
  if (!body.subarray(0, start.length).equals(start))
    return refuse('The body must begin with the boundary of the header content-type.')
  const values = new Map<string, (string | SentFile)[]>()
  let count = 0
  for (let at = start.length; ; ) {
    if (++count > maxFormFields)
      return { problem: { code: 'too_many_fields', detail: inboundErrors.too_many_fields.message } }
    // A part without headers has no name.
    const headEnd = body.subarray(at, at + maxPartHead).indexOf(endOfHead)
    if (headEnd === -1) return refuse(`The headers of part ${count} do not end within ${maxPartHead} bytes.`)
    const from = at + headEnd + endOfHead.length
    const to = body.indexOf(delimiter, from)
    if (to === -1) return refuse('The body has no end: its last line must be the boundary with -- around it.')
    const part = readPart(body.toString('utf8', at, at + headEnd), body.subarray(from, to))
    if (part === null) return refuse(`Part ${count} is not a named field in UTF-8, or a file.`)
    const same = values.get(part.name)
    if (same === undefined) values.set(part.name, [part.value])
    else same.push(part.value)
    at = to + delimiter.length
    const next = body.toString('latin1', at, at + 2)
    at += 2
    if (next === '\r\n') continue
    const rest = body.toString('latin1', at, at + 3)
    if (next !== '--' || (rest !== '' && rest !== '\r\n'))
      return refuse('After the last boundary, the body must end.')
    const fields = Array.from(values, ([name, all]): [string, unknown] => [
      name,
      all.length === 1 ? all[0] : all,
    ])
    return { root: Object.fromEntries(fields) }
  }
}

function refuse(detail: string): { readonly problem: BodyProblem } {
  return { problem: { code: 'invalid_json', detail } }
}

/** Returns a field or a file; null for a part without a name, and for a field that is not text. */
function readPart(head: string, content: Buffer): { name: string; value: string | SentFile } | null {
  const headers = new Map(
    head.split('\r\n').map(line => {
      const colon = line.indexOf(':')
      return [line.slice(0, colon).trim().toLowerCase(), line.slice(colon + 1).trim()]
    }),
  )
  const disposition = headers.get('content-disposition') ?? ''
  const name = parameterOf(disposition, 'name')
  if (name === null || !/^form-data\s*;/i.test(disposition)) return null
  const fileName = parameterOf(disposition, 'filename')
  if (fileName === null) return isUtf8(content) ? { name, value: content.toString('utf8') } : null
  const file = {
    name: fileName,
    type: headers.get('content-type') ?? 'application/octet-stream',
    size: content.length,
  }
  return { name, value: content.length > maxFile ? file : { ...file, base64: content.toString('base64') } }
}

/** Returns a parameter of Content-Disposition. Browsers write a quote and line breaks in it with a percent sign. */
function parameterOf(disposition: string, name: 'name' | 'filename'): string | null {
  const found = parameters[name].exec(disposition)
  const quoted = found?.[1]
  if (quoted === undefined) return found?.[2] ?? null
  return quoted
    .replace(/\\(["\\])/g, '$1')
    .replace(/%(22|0A|0D)/gi, (_escape, code: string) => String.fromCharCode(Number.parseInt(code, 16)))
}

const parameter = (name: string) =>
  new RegExp(String.raw`;\s*${name}=(?:"((?:[^"\\]|\\[^])*)"|([^\s;"]+))\s*(?:;|$)`, 'i')
const parameters = { name: parameter('name'), filename: parameter('filename') }
