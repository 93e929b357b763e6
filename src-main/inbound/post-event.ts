import type { Readable } from 'node:stream'
import { type Dispatcher, request } from 'undici'
import { readWhole } from '#main/lib/growing-buffer.ts'
import { signedHeaders } from '#main/signing/sign.ts'
import type { SigningKey } from '#main/signing/signing-key.ts'

/** The listener's answers have a few hundred bytes, but a proxy in front of it may answer instead. */
const maxAnswerBytes = 1024 * 1024

/** Returns the body of an event as a sender would write it. The JSON in `dataText` stays unchanged. */
export function eventBody(event: string, dataText: string | undefined): string {
  return dataText === undefined
    ? JSON.stringify({ event })
    : `{"event":${JSON.stringify(event)},"data":${dataText}}`
}

/**
 * Signs a body and posts it like an external system. Returns the answer's status, its JSON or else its text, and the
 * milliseconds from the first byte sent to the last received.
 *
 * @param nowMs milliseconds since 1970.
 * @throws undici's errors if there is no answer.
 */
export async function postEvent(
  url: string,
  key: SigningKey,
  body: string,
  nowMs: number,
  dispatcher: Dispatcher,
) {
  const started = performance.now()
  const response = await request(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...signedHeaders(key, nowMs, body) },
    body,
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
