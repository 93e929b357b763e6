import type { Readable } from 'node:stream'
import { type Dispatcher, request } from 'undici'
import { readWhole } from '#main/lib/growing-buffer.ts'
import { newRequestId, type PostSigner, withQuery } from '#main/signing/sign-as.ts'

/** The listener's answers have a few hundred bytes, but a proxy in front of it may answer instead. */
const maxAnswerBytes = 1024 * 1024

/** Returns the body of an event as a sender would write it. The JSON in `dataText` stays unchanged. */
export function eventBody(event: string, dataText: string | undefined): string {
  return dataText === undefined
    ? JSON.stringify({ event })
    : `{"event":${JSON.stringify(event)},"data":${dataText}}`
}

/** An event to sign and to post. */
export type EventToPost = {
  readonly url: string
  /** The URL as the sender knows it, if it is posted to another one. */
  readonly knownUrl?: string
  readonly sign: PostSigner
  readonly body: string
  /** Those beside the signature. */
  readonly headers?: Readonly<Record<string, string>>
  /** Parameters of the URL that name the event. */
  readonly query?: Readonly<Record<string, string>>
  readonly dispatcher: Dispatcher
}

/**
 * Signs an event and posts it like an external system. Returns the answer's status, its JSON or else its text, and the
 * milliseconds from the first byte sent to the last received.
 *
 * @param nowMs milliseconds since 1970.
 * @throws undici's errors if there is no answer.
 */
export async function postEvent(event: EventToPost, nowMs: number) {
  const { sign, body, headers = {}, query = {}, dispatcher } = event
  const url = withQuery(event.url, query)
  const knownUrl = withQuery(event.knownUrl ?? event.url, query)
  const started = performance.now()
  const signed = sign(body, nowMs, { id: newRequestId(), url: knownUrl })
  const response = await request(withQuery(url, signed.query), {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers, ...signed.headers },
    body: signed.body,
    dispatcher,
  })
  const text = (await readAnswer(response.body)).toString('utf8')
  return { status: response.statusCode, body: parse(text), totalMs: performance.now() - started }
}

async function readAnswer(body: Readable): Promise<Buffer> {
  try {
    return await readWhole(body, maxAnswerBytes)
  } catch (error) {
    body.destroy()
    throw error
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
