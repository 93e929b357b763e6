import { Agent, type Dispatcher, request } from 'undici'
import { signedHeaders } from '#main/signing/sign.ts'
import { SigningKey } from '#main/signing/signing-key.ts'

/** Milliseconds without an answer after which a request hangs: more than the service waits for its database. */
const hangMs = 6000

export type Signed = { readonly body: string; readonly headers: Readonly<Record<string, string>> }

/** Returns a signed event. */
export function signedEvent(secret: string, name: string, data: object): Signed {
  const body = JSON.stringify({ event: name, data })
  return { body, headers: { ...signedHeaders(new SigningKey(secret), Date.now(), body) } }
}

/** Sends signed events over as many connections as it needs. */
export type Sender = {
  /** Returns the status of the answer; null for a connection that ended, or on which nothing came in time. */
  post(url: string, event: Signed): Promise<number | null>
  close(): Promise<void>
}

/** @param silentMs milliseconds without an answer after which a request is given up. */
export function createSender(silentMs = hangMs): Sender {
  const dispatcher: Dispatcher = new Agent({ headersTimeout: silentMs })
  return {
    async post(url, { body, headers }) {
      try {
        const answer = await request(url, { method: 'POST', headers, body, dispatcher })
        await answer.body.dump()
        return answer.statusCode
      } catch {
        return null
      }
    },
    close: () => dispatcher.destroy(),
  }
}
