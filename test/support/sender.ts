import { createHmac } from 'node:crypto'

/** The credentials that a sender needs. */
export type SenderAccount = { readonly token: string; readonly secret: string }

/** Signs as the specification tells senders to, without the project's own code. */
export function signatureFor(secret: string, timestamp: string, body: string | Uint8Array): string {
  return `sha256=${createHmac('sha256', secret).update(`${timestamp}.`).update(body).digest('hex')}`
}

export function pathOf(token: string): string {
  return `/api/connect/${token}/events`
}

export type RequestOptions = {
  readonly method?: string
  readonly target?: string
  /** Bytes sent as the body; `signedBody` where other bytes were signed. */
  readonly body?: string | Uint8Array
  readonly signedBody?: string | Uint8Array
  /** The text of the timestamp header; `signedTimestamp` where another one was signed. Null leaves it out. */
  readonly timestamp?: string | null
  readonly signedTimestamp?: string
  /** The text of the signature header; null leaves it out. */
  readonly signature?: string | null
  /** Further header lines, in order, behind the usual ones. */
  readonly headers?: readonly string[]
  /** False leaves out Content-Length. */
  readonly contentLength?: number | false
}

/** A request in two pieces, head and body; together they are what goes over the wire. */
export type RawRequest = { readonly head: Buffer; readonly body: Buffer; readonly bytes: Buffer }

/** @param nowMs the time on the sender's clock, in milliseconds since 1970. */
export function signedRequest(
  account: SenderAccount,
  nowMs: number,
  options: RequestOptions = {},
): RawRequest {
  const body = Buffer.from(options.body ?? eventBody('order.created'))
  const timestamp = options.timestamp === undefined ? String(nowMs) : options.timestamp
  const signed = options.signedTimestamp ?? timestamp ?? String(nowMs)
  const signature =
    options.signature === undefined
      ? signatureFor(account.secret, signed, options.signedBody ?? body)
      : options.signature
  const length = options.contentLength ?? body.length
  const lines = [
    `${options.method ?? 'POST'} ${options.target ?? pathOf(account.token)} HTTP/1.1`,
    'Host: connect.example',
    'Content-Type: application/json',
    ...(length === false ? [] : [`Content-Length: ${length}`]),
    ...(timestamp === null ? [] : [`x-service-timestamp: ${timestamp}`]),
    ...(signature === null ? [] : [`x-service-signature: ${signature}`]),
    ...(options.headers ?? []),
  ]
  // Latin-1 is what goes over the wire: a test that wants UTF-8 in a header encodes it itself.
  const head = Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1')
  return { head, body, bytes: Buffer.concat([head, body]) }
}

export function eventBody(event: string, data: unknown = { orderId: 42 }): string {
  return JSON.stringify({ event, data })
}

/** The pieces as chunks of a chunked body, its end included. */
export function chunked(...pieces: readonly (string | Uint8Array)[]): Buffer {
  const chunks = pieces.map(piece => {
    const bytes = Buffer.from(piece)
    return Buffer.concat([Buffer.from(`${bytes.length.toString(16)}\r\n`), bytes, Buffer.from('\r\n')])
  })
  return Buffer.concat([...chunks, Buffer.from('0\r\n\r\n')])
}
