import { expect, it } from 'vitest'
import { RunPage } from '#shared/model/run.ts'
import { type CliService, createConnection, rest, serve, temporaryFolder } from '../support/cli-service.ts'
import { postInbound } from '../support/service-fixture.ts'

const once = { key: '{{order_id}}', hours: 1 }
const trigger = { type: 'external.event', connectionId: null, eventName: null, once }
const steps = [{ key: 'later', type: 'wait', seconds: 1000 }]
const runsOf = async (service: CliService) =>
  RunPage.parse((await rest(service, 'GET', '/runs?limit=200')).body).runs

it('starts one run of each key when senders retry their events after kill -9', async () => {
  const data = temporaryFolder()
  const killed = await serve(data)
  const { credentials } = await createConnection(killed, 'Shop')
  expect((await rest(killed, 'POST', '/workflows', { body: { name: 'W', trigger, steps } })).status).toBe(201)
  const { pathname } = new URL(credentials.inboundUrl)
  let sent = 0
  /** Posts an event with a timestamp of its own. Returns the status; null without an answer. */
  const post = async (service: CliService, order: number) => {
    const inboundUrl = new URL(pathname, service.listenerUrl).href
    const body = JSON.stringify({ event: 'order.created', data: { order_id: `ORD-${order}` } })
    const at = Date.now() + sent++
    return postInbound({ ...credentials, inboundUrl }, body, at).then(
      ({ status }) => status,
      () => null,
    )
  }
  expect(await post(killed, 0)).toBe(200)
  const orders = Array.from({ length: 100 }, (_, order) => order)
  const answers = orders.map(order => post(killed, order))
  await Promise.race(answers)
  killed.process.signal('SIGKILL')
  await killed.process.ended
  const statuses = await Promise.all(answers)

  const service = await serve(data)
  const before = await runsOf(service)
  expect(before.length).toBeGreaterThanOrEqual(statuses.filter(status => status === 200).length)
  expect(await Promise.all(orders.flatMap(order => [post(service, order), post(service, order)]))).toEqual(
    Array(200).fill(200),
  )
  const after = await runsOf(service)
  expect(after).toHaveLength(100)
  expect(new Set(after.map(({ subject }) => subject)).size).toBe(100)
  expect(after.map(({ runId }) => runId)).toEqual(expect.arrayContaining(before.map(({ runId }) => runId)))
})
