import { expect } from 'vitest'
import { readMetrics, valueIn } from '../support/metrics-page.ts'
import { createConnection } from '../support/rest-client.ts'
import { adminToken, postInbound, type ServiceFixture } from '../support/service-fixture.ts'
import { openTwoNodes, test } from './open-nodes.ts'

async function metricsOf({ dashboardUrl }: ServiceFixture) {
  const headers = { authorization: `Bearer ${adminToken}` }
  const read = readMetrics(await (await fetch(`${dashboardUrl}/metrics`, { headers })).text(), 'text')
  return {
    of: (name: string, labels = {}) => valueIn(read, `custom_connection_${name}`, labels),
    samplesOf: (name: string) => read.get(`custom_connection_${name}`)?.samples ?? [],
  }
}

test('each node counts what it has received, and all tell the same of their storage', async () => {
  const [a, b] = await openTwoNodes({ service: { clock: Date.now } })
  const { connectionId, credentials } = await createConnection(a.rest, { persistEvents: true })
  const post = (node: ServiceFixture) =>
    postInbound(
      { ...credentials, inboundUrl: `${node.listenerUrl}/api/connect/${credentials.inboundToken}/events` },
      '{"event":"order.created"}',
      Date.now(),
    )
  for (const node of [a, a, a, b]) expect((await post(node)).status).toBe(200)
  const pages = [await metricsOf(a), await metricsOf(b)]
  const accepted = { connection_id: connectionId, outcome: 'accepted' }
  expect(pages.map(({ of }) => of('events_total', accepted))).toEqual([3, 1])
  const [ofA, ofB] = pages.map(({ samplesOf }) => samplesOf('build_info')[0]?.labels.node)
  expect(ofA).not.toBe(ofB)
  const { database } = a.service.machine
  for (const { of, samplesOf } of pages) {
    expect(of('runs', { state: 'waiting' })).toBe(0)
    if (database === null) continue
    expect(of('config_version')).toBeGreaterThan(0)
    expect(of('nodes', { state: 'ready' })).toBe(2)
    expect(of('storage_bytes', { store: 'database' })).toBeGreaterThan(0)
    const connections = samplesOf('database_connections')
    expect(connections.map(({ labels }) => labels.state)).toEqual(['used', 'idle', 'waiting'])
    expect(connections.reduce((sum, { value }) => sum + value, 0)).toBeGreaterThanOrEqual(5)
  }
})
