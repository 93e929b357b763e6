import { expect } from 'vitest'
import { createAction } from '../support/actions.ts'
import { startExternalSystem } from '../support/external-system.ts'
import { createConnection, errorCode } from '../support/rest-client.ts'
import { adminToken, postInbound } from '../support/service-fixture.ts'
import { openTwoNodes, test, withOther } from './open-nodes.ts'

test('a node that may have missed a change of the configuration does nothing by it', async () => {
  let isCurrent = true
  const [a, b] = await openTwoNodes({}, (storage, node) =>
    node === 0 ? storage : withOther(storage, { isCurrent: () => isCurrent }),
  )
  const { url: baseUrl } = await startExternalSystem()
  const { connectionId, credentials } = await createConnection(a.rest, { persistEvents: false, baseUrl })
  const { actionId } = await createAction(a.rest, connectionId)

  const post = async (node: typeof a, inboundToken = credentials.inboundToken) => {
    const inboundUrl = `${node.listenerUrl}/api/connect/${inboundToken}/events`
    const answer = await postInbound({ ...credentials, inboundUrl }, '{"event":"one"}', Date.now())
    // Behind a load balancer, the next connection reaches another node.
    expect(answer.headers.get('connection')).toBe(answer.status === 503 ? 'close' : 'keep-alive')
    return answer.status
  }
  const call = async (node: typeof a) => {
    const answer = await node.rest('POST', `/connections/${connectionId}/actions/${actionId}/test`, {})
    return answer.status === 200 ? 200 : errorCode(answer)
  }
  const mcp = async (node: typeof a) => {
    const headers = { authorization: `Bearer ${adminToken}`, 'content-type': 'application/json' }
    const init = { method: 'POST', headers, body: '{"jsonrpc":"2.0","id":1,"method":"none"}' }
    return (await fetch(`${node.dashboardUrl}/mcp`, init)).status === 503
  }
  const all = async (node: typeof a) => [
    await post(node),
    await post(node, 'A'.repeat(43)),
    await call(node),
    await mcp(node),
  ]
  const working = [200, 404, 200, false]
  expect([await all(a), await all(b)]).toEqual([working, working])
  isCurrent = false
  expect([await all(a), await all(b)]).toEqual([working, [503, 503, 'storage_unavailable', true]])
  isCurrent = true
  expect(await all(b)).toEqual(working)
})
