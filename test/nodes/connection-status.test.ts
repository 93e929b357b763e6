import { expect } from 'vitest'
import { z } from 'zod'
import { ListedRow } from '#shared/model/connection-list.ts'
import { Statistics } from '#shared/model/statistics.ts'
import { createAction } from '../support/actions.ts'
import { eventually } from '../support/eventually.ts'
import { startExternalSystem } from '../support/external-system.ts'
import { createConnection } from '../support/rest-client.ts'
import { postInbound, type ServiceFixture } from '../support/service-fixture.ts'
import { openTwoNodes, test } from './open-nodes.ts'

const Page = z.object({ connections: z.array(ListedRow) })

test('the status of a connection is the same on every node, whichever has made its calls', async () => {
  const [a, b] = await openTwoNodes()
  const system = await startExternalSystem((_request, response) => void response.writeHead(500).end('{}'))
  const { connectionId, credentials } = await createConnection(a.rest, { baseUrl: system.url })
  const { toolName } = await createAction(a.rest, connectionId)
  const { body } = await a.rest('POST', '/workflows', {
    name: 'Look up',
    trigger: { type: 'external.event', connectionId, eventName: 'order.paid' },
    steps: [{ key: 'call', type: 'action', connectionId, toolName, arguments: {}, onFailure: 'stop' }],
  })
  const { workflowId } = z.object({ workflowId: z.string() }).parse(body)
  await eventually(async () => expect((await b.rest('GET', `/workflows/${workflowId}`)).status).toBe(200))
  const { pathname } = new URL(credentials.inboundUrl)
  async function post({ listenerUrl }: ServiceFixture, order: number) {
    const at = { ...credentials, inboundUrl: listenerUrl + pathname }
    const sent = await postInbound(at, `{"event":"order.paid","data":{"order":${order}}}`, Date.now())
    expect(sent.status).toBe(200)
  }
  for (let order = 0; order < 2; order++) for (const node of [a, b]) await post(node, order)
  for (const { rest } of [a, b])
    await eventually(async () => {
      const { connections } = Page.parse((await rest('GET', '/connections/rows?state=failing')).body)
      const status = { state: 'failing', cause: 'calls', count: 4, of: 4 }
      const runs = [{ workflowId, ended: 4, failed: 4 }]
      const lastHour = { accepted: 4, calls: 4, callsFailed: 4, callsNotMade: 0, runs }
      expect(connections).toMatchObject([{ connectionId, statistics: { status, lastHour } }])
      const listed = Statistics.parse((await rest('GET', '/statistics')).body)
      expect(listed.connections).toMatchObject([{ status }])
    })
})
