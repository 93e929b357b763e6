import { STATUS_CODES } from 'node:http'
import { type InboundErrorCode, inboundErrors } from '#shared/errors/inbound.ts'
import type { SenderAnswer } from '#shared/model/sender/challenge.ts'

/** A prepared response. node:http writes a raw header list without checking each field. */
export type Answer = {
  readonly status: number
  readonly rawHeaders: string[]
  /** A string, because node:http then writes head and body in one piece, which is much cheaper. */
  readonly body: string
}

const accepted = '{"ok":true}'

export const acceptedAnswer: Answer = { status: 200, rawHeaders: headersFor(accepted), body: accepted }

/** Returns the answer to a list of so many events. */
export function acceptedListAnswer(events: number): Answer {
  const body = JSON.stringify({ ok: true, events })
  return { status: 200, rawHeaders: headersFor(body), body }
}

const prepared = new Map<InboundErrorCode, Answer>()

/**
 * Returns the answer to a refused request. It says what is wrong, but never the expected value.
 *
 * @param detail a more specific message than the catalogue's.
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
  // Keys are fetched at most once a minute.
  if (code === 'keys_unavailable') rawHeaders.push('Retry-After', '60')
  return { status: inboundErrors[code].status, rawHeaders, body }
}

function headersFor(body: string): string[] {
  return ['Content-Type', 'application/json', 'Content-Length', String(Buffer.byteLength(body))]
}

/** Returns an answer with a plain text, which a browser must not take for a page: its sender may have chosen it. */
export function textAnswer(body: string): Answer {
  const length = String(Buffer.byteLength(body))
  const rawHeaders = ['Content-Type', 'text/plain; charset=utf-8', 'Content-Length', length]
  return { status: 200, rawHeaders: [...rawHeaders, 'X-Content-Type-Options', 'nosniff'], body }
}

/** Returns an answer without a body. @param header a name and its value, to be sent with it. */
export function bareAnswer(status: 200 | 204, header: readonly string[] = []): Answer {
  return { status, rawHeaders: status === 204 ? [...header] : [...header, 'Content-Length', '0'], body: '' }
}

/** Returns an answer with a JSON text. */
export function jsonAnswer(body: string): Answer {
  return { status: 200, rawHeaders: headersFor(body), body }
}

/** Returns the answer to an accepted event, for senders that want another than the usual one; null for that one. */
export function ownAnswer(answer: SenderAnswer): Answer | null {
  if (answer === 'json') return null
  if (answer === 'empty') return bareAnswer(204)
  if (answer === 'twiml') {
    const body = '<?xml version="1.0" encoding="UTF-8"?><Response/>'
    const length = String(Buffer.byteLength(body))
    return { status: 200, rawHeaders: ['Content-Type', 'text/xml', 'Content-Length', length], body }
  }
  return answer.text.startsWith('{') ? jsonAnswer(answer.text) : textAnswer(answer.text)
}

/** Returns a refusal as text for the socket, for requests that node:http could not parse. */
export function rawRefusal(code: InboundErrorCode): string {
  const { status, rawHeaders, body } = refusalAnswer(code)
  let head = `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nConnection: close\r\n`
  for (let index = 0; index < rawHeaders.length; index += 2)
    head += `${rawHeaders[index]}: ${rawHeaders[index + 1]}\r\n`
  return `${head}\r\n${body}`
}
