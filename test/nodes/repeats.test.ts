import { expect } from 'vitest'
import { z } from 'zod'
import { postInbound } from '../support/service-fixture.ts'
import { sharedNodes, test } from './open-nodes.ts'

const takeNodes = sharedNodes()

test('an event that another node has accepted is a repeat, where repeats are ignored', async () => {
  const [a, b] = await takeNodes()
  const Created = z.object({
    connectionId: z.string(),
    credentials: z.object({ inboundToken: z.string(), signingSecret: z.string() }),
  })
  const input = { name: 'A', persistEvents: true }
  const { connectionId, credentials } = Created.parse((await a.rest('POST', '/connections', input)).body)
  await a.rest('PATCH', `/connections/${connectionId}`, { ignoreRepeats: true })
  const at = Date.now()
  const post = async (node: typeof a, body: string) => {
    const inboundUrl = `${node.listenerUrl}/api/connect/${credentials.inboundToken}/events`
    return (await postInbound({ ...credentials, inboundUrl }, body, at)).status
  }
  expect(await post(a, '{"event":"one"}')).toBe(200)
  expect(await post(b, '{"event":"one"}')).toBe(200)
  expect(await Promise.all([post(a, '{"event":"two"}'), post(b, '{"event":"two"}')])).toEqual([200, 200])
  expect((await a.rest('GET', `/connections/${connectionId}/events`)).body).toMatchObject({
    events: [{ eventName: 'two' }, { eventName: 'one' }],
    nextBefore: null,
  })
})
