import { z } from 'zod'
import { HourList } from '#shared/model/hour-statistics.ts'
import type { Figure } from './figures.ts'
import type { RunningService } from './processes.ts'
import { createSender, signedEvent } from './sender.ts'

type Service = Pick<RunningService, 'call'>

const events = 200
const refusals = 20
/** Requests at once. */
const atOnce = 8
const otherSecret = `whsec_${'b'.repeat(43)}=`

const Created = z.object({ connectionId: z.string() })
const Credentials = z.object({ inboundUrl: z.string(), signingSecret: z.string() })

/** The requests to a connection of its own. */
export type Sent = {
  readonly connectionId: string
  readonly accepted: number
  readonly refused: number
  /** When the last of it was answered, by `performance.now()`. */
  readonly at: number
}

/** Sends events, and requests with a wrong signature, to a new connection, to each node in turn. */
export async function sendToNew(nodes: readonly RunningService[], name: string): Promise<Sent> {
  const [first] = nodes
  if (first === undefined) throw new Error('No node runs.')
  const { connectionId } = Created.parse(await first.call('POST', '/connections', { name }))
  await first.call('PATCH', `/connections/${connectionId}/watch`, { refused: { enabled: false } })
  const { inboundUrl, signingSecret } = Credentials.parse(
    await first.call('GET', `/connections/${connectionId}/credentials`),
  )
  for (const { call } of nodes) await call('GET', `/connections/${connectionId}`)
  const sender = createSender()
  const statuses: (number | null)[] = []
  let next = 0
  async function send(): Promise<void> {
    for (let index = next++; index < events + refusals; index = next++) {
      const node = nodes[index % nodes.length] ?? first
      const signed = signedEvent(index < events ? signingSecret : otherSecret, name, { id: index })
      const url = new URL(new URL(inboundUrl).pathname, node?.line.listenerUrl).href
      statuses.push(await sender.post(url, signed))
    }
  }
  await Promise.all(Array.from({ length: atOnce }, send))
  await sender.close()
  const count = (status: number) => statuses.filter(one => one === status).length
  const [accepted, refused] = [count(200), count(401)]
  if (accepted + refused !== statuses.length) throw new Error(`Answers: ${statuses.join(' ')}.`)
  return { connectionId, accepted, refused, at: performance.now() }
}

/**
 * Compares the counts of hours with what was sent.
 *
 * @param isSaved whether all of it had to be saved when a process was killed.
 */
export async function checkHours(
  { call }: Service,
  all: readonly Sent[],
  isSaved: (sent: Sent) => boolean,
): Promise<Figure[]> {
  let [missing, tooMany, lost, expected] = [0, 0, 0, 0]
  for (const sent of all) {
    const { accepted, refused } = countsOf(
      await call('GET', `/statistics/hours?connectionId=${sent.connectionId}`),
    )
    const less = Math.max(0, sent.accepted - accepted) + Math.max(0, sent.refused - refused)
    if (isSaved(sent)) missing += less
    else lost += less
    tooMany += Math.max(0, accepted - sent.accepted) + Math.max(0, refused - sent.refused)
    expected += sent.accepted + sent.refused
  }
  const { accepted, refused } = countsOf(await call('GET', '/statistics/hours'))
  return [
    { name: 'events and refusals', value: expected },
    { name: 'of them not counted, but long enough before a kill', value: missing, must: 0 },
    { name: 'of them not counted, shortly before a kill', value: lost },
    { name: 'counted twice', value: tooMany, must: 0 },
    {
      name: 'counted for the service, but for no connection, or the other way',
      value: accepted + refused - (expected - missing - lost + tooMany),
      must: 0,
    },
  ]
}

function countsOf(answer: unknown): { readonly accepted: number; readonly refused: number } {
  const { hours } = HourList.parse(answer)
  const sum = (numbers: readonly number[]) => numbers.reduce((total, one) => total + one, 0)
  return {
    accepted: sum(hours.map(hour => hour.accepted)),
    refused: sum(hours.flatMap(hour => Object.values(hour.refused))),
  }
}
