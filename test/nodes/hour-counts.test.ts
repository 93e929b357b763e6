import { expect } from 'vitest'
import { HourList } from '#shared/model/hour-statistics.ts'
import { eventually } from '../support/eventually.ts'
import { createConnection } from '../support/rest-client.ts'
import { postInbound, type ServiceFixture } from '../support/service-fixture.ts'
import { openNodes, test } from './open-nodes.ts'

async function acceptedOf({ rest }: ServiceFixture, query = ''): Promise<number> {
  const { hours } = HourList.parse((await rest('GET', `/statistics/hours${query}`)).body)
  return hours.reduce((sum, { accepted }) => sum + accepted, 0)
}

test('the counts of hours of every node are those of all, each event once, also of a node that has stopped', async () => {
  const nodes = await openNodes(3)
  const [a, b, c] = nodes
  if (a === undefined || b === undefined || c === undefined) throw new Error('Three nodes were opened.')
  const { connectionId, credentials } = await createConnection(a.rest)
  const { pathname } = new URL(credentials.inboundUrl)
  for (const [index, { listenerUrl }] of nodes.entries())
    for (let time = 0; time <= index; time++) {
      const body = `{"event":"${index}-${time}"}`
      const answer = await postInbound(
        { ...credentials, inboundUrl: listenerUrl + pathname },
        body,
        Date.now(),
      )
      expect(answer.status).toBe(200)
    }
  for (const node of nodes)
    await eventually(async () => expect(await acceptedOf(node, `?connectionId=${connectionId}`)).toBe(6))
  await c.stop()
  for (const node of [a, b]) expect(await acceptedOf(node)).toBe(6)
})
