import { STATUS_CODES } from 'node:http'
import { type InboundErrorCode, inboundErrors } from '#shared/errors/inbound.ts'

/** A response ready to be written: node:http takes the header list as it is, without looking at each field. */
export type Answer = {
  readonly status: number
  readonly rawHeaders: string[]
  /** Text and not bytes: node:http then writes head and body in one piece, which is much cheaper. */
  readonly body: string
}

const accepted = '{"ok":true}'

export const acceptedAnswer: Answer = { status: 200, rawHeaders: headersFor(accepted), body: accepted }

const prepared = new Map<InboundErrorCode, Answer>()

/**
 * The answer to a refused request (decisions: Inbound, error body). It says what is wrong, never what
 * would have been right.
 *
 * @param detail replaces the catalogue's sentence.
 */
export function refusalAnswer(code: InboundErrorCode, detail?: string): Answer {
  if (detail !== undefined) return make(code, detail)
  const known = prepared.get(code)
  if (known !== undefined) return known
  const answer = make(code, inboundErrors[code].message)
  prepared.set(code, answer)
  return answer
}

function make(code: InboundErrorCode, message: string): Answer {
  const body = JSON.stringify({ ok: false, error: code, message })
  const rawHeaders = headersFor(body)
  if (code === 'method_not_allowed') rawHeaders.push('Allow', 'POST')
  if (code === 'unavailable') rawHeaders.push('Retry-After', '5')
  return { status: inboundErrors[code].status, rawHeaders, body }
}

function headersFor(body: string): string[] {
  return ['Content-Type', 'application/json', 'Content-Length', String(Buffer.byteLength(body))]
}

/** The same as bytes for the socket, for requests that node:http could not parse; the connection then closes. */
export function rawRefusal(code: InboundErrorCode): string {
  const { status, rawHeaders, body } = refusalAnswer(code)
  let head = `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nConnection: close\r\n`
  for (let index = 0; index < rawHeaders.length; index += 2)
    head += `${rawHeaders[index]}: ${rawHeaders[index + 1]}\r\n`
  return `${head}\r\n${body}`
}
