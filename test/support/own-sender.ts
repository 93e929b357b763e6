import { createHmac } from 'node:crypto'
import { z } from 'zod'
import { eventTextOf } from '#shared/model/sender/reading.ts'
import { Sender } from '#shared/model/sender/sender.ts'
import { type InboundFixtureOptions, startInbound } from './inbound-fixture.ts'
import { exchange } from './raw-http.ts'
import { pathOf } from './sender.ts'

const secret = 'a key of the provider'
const Answer = z.object({
  ...{ ok: z.boolean(), events: z.int().optional() },
  ...{ error: z.string().optional(), message: z.string().optional() },
})

/** Opens an inbound channel whose first connection takes the events of a template that signs the body. */
export async function openOwnSender(fields: object, options: InboundFixtureOptions = {}) {
  const fixture = await startInbound({ ownLog: true, ...options })
  const { token, connectionId } = fixture.connection
  await fixture.change({
    sender: Sender.parse({
      ...{ scheme: 'template', signatureHeader: 'x-sig', encoding: 'hex', signed: '{{body}}' },
      ...{ eventName: { path: 'type' }, ...fields },
    }),
    senderSecret: secret,
  })
  const stored = () => fixture.stored(connectionId)
  return {
    ...{ fixture, stored },
    /** Posts a body with its signature. @param query of the URL. */
    async post(body: string | Buffer, headers: Readonly<Record<string, string>> = {}, query = '') {
      const bytes = Buffer.from(body)
      const lines = [
        `POST ${pathOf(token)}${query} HTTP/1.1`,
        ...['Host: connect.example', `Content-Length: ${bytes.length}`],
        `X-Sig: ${createHmac('sha256', secret).update(bytes).digest('hex')}`,
        ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
      ]
      const head = Buffer.from(`${lines.join('\r\n')}\r\n\r\n`)
      const [answer] = await exchange(fixture, [Buffer.concat([head, bytes])])
      if (answer === undefined) throw new Error('There was no answer.')
      return { status: answer.status, ...Answer.parse(JSON.parse(answer.body)) }
    },
    kinds: () => fixture.outcomes.map(({ kind }) => kind),
    /** Returns the stored events as workflows get them, oldest first. */
    texts: async () => (await stored()).map(event => eventTextOf(event)).toReversed(),
    attempts: () => fixture.inbound.attempts.list(connectionId),
  }
}
