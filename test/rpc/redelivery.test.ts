import { createHmac } from 'node:crypto'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { inboundPath } from '#main/inbound/route.ts'
import { createConnection } from '../support/rest-client.ts'
import { type ServiceFixture, startService } from '../support/service-fixture.ts'

const secret = 'secret-of-the-sender'
const Page = z.object({
  items: z.array(
    z.object({
      ...{ type: z.string(), eventId: z.string().optional() },
      redelivery: z.object({ of: z.string(), runs: z.int() }).optional(),
    }),
  ),
})
const Runs = z.object({
  runs: z.array(
    z.object({
      ...{ workflowId: z.string(), runId: z.string(), status: z.string() },
      eventId: z.string().nullable(),
    }),
  ),
})

const failing = [{ key: 'end', type: 'stop', outcome: 'failed', message: 'no' }]
const passing = [{ key: 'end', type: 'stop', outcome: 'succeeded' }]

type Sent = { readonly body?: string; readonly delivery?: string | null; readonly event?: string }

/** Opens a service with a connection of a sender. */
async function open(sender: object, persistEvents = true) {
  const fixture: ServiceFixture = await startService()
  const { rest } = fixture
  const { connectionId, credentials } = await createConnection(rest, { sender, persistEvents })
  await rest('PUT', `/connections/${connectionId}/sender/secret`, { secret })
  const trigger = { type: 'external.event', connectionId, eventName: null }
  return {
    fixture,
    async addWorkflow(name: string, steps: readonly object[], once?: object) {
      const input = { name, trigger: { ...trigger, ...(once && { once }) }, steps }
      const { status, body } = await rest('POST', '/workflows', input)
      expect(status).toBe(201)
      return z.object({ workflowId: z.string() }).parse(body).workflowId
    },
    /** Posts as GitHub does. */
    async post({ body = '{"ref":"main"}', delivery = 'd-1', event = 'push' }: Sent = {}) {
      const response = await fetch(fixture.listenerUrl + inboundPath(credentials.inboundToken), {
        method: 'POST',
        body,
        headers: {
          'X-GitHub-Event': event,
          'X-Hub-Signature-256': `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`,
          ...(delivery !== null && { 'X-GitHub-Delivery': delivery }),
        },
      })
      return response.status
    },
    activity: async () => Page.parse((await rest('GET', '/activity/list')).body).items,
    runs: async () => Runs.parse((await rest('GET', '/runs')).body).runs,
  }
}

const github = { scheme: 'github', redelivery: 'start' }

test('a redelivery starts again what failed and what has no run, and the activity says so', async () => {
  const { fixture, addWorkflow, post, activity, runs } = await open(github)
  const failed = await addWorkflow('Failing', failing)
  await addWorkflow('Passing', passing)
  expect(await post()).toBe(200)
  const first = (await activity()).find(({ type }) => type === 'event.accepted')
  const before = await runs()
  expect(before.map(({ status }) => status).sort()).toEqual(['failed', 'succeeded'])

  const added = await addWorkflow('Added', passing)
  expect(await post()).toBe(200)
  const isOfRepeat = ({ type }: { type: string }) => type === 'event.repeated'
  expect((await activity()).find(isOfRepeat)).toMatchObject({ redelivery: { of: first?.eventId, runs: 2 } })
  const after = await runs()
  expect(after).toHaveLength(3)
  expect(new Set(after.map(({ eventId }) => eventId))).toEqual(new Set([first?.eventId]))
  expect(after.find(({ workflowId }) => workflowId === added)).toBeDefined()
  // The failed run went on: it is the same.
  expect(after.find(({ workflowId }) => workflowId === failed)?.runId).toBe(
    before.find(({ workflowId }) => workflowId === failed)?.runId,
  )

  // The log knows the first event after a restart, too.
  await expect
    .poll(async () => (await runs()).map(({ status }) => status).sort())
    .toEqual(['failed', 'succeeded', 'succeeded'])
  await fixture.restart()
  expect(await post()).toBe(200)
  expect((await activity()).find(isOfRepeat)).toMatchObject({ redelivery: { of: first?.eventId, runs: 1 } })
  expect(await runs()).toHaveLength(3)
})

test('several at once start nothing twice', async () => {
  const { addWorkflow, post, runs } = await open(github)
  expect(await post()).toBe(200)
  await addWorkflow('Added', passing)
  expect(await Promise.all(Array.from({ length: 5 }, () => post()))).toEqual([200, 200, 200, 200, 200])
  expect(await runs()).toHaveLength(1)
})

test.each<[string, object, Sent, Sent]>([
  ['by default', { scheme: 'github' }, {}, {}],
  ['where the sender says so', { scheme: 'github', redelivery: 'ignore' }, {}, {}],
  ['of another delivery', github, {}, { delivery: 'd-2' }],
  ['without the id of the delivery', github, {}, { delivery: null }],
  ['of a first event without one', github, { delivery: null }, {}],
])('a repeat is ignored %s', async (_, sender, first, second) => {
  const { addWorkflow, post, activity, runs } = await open(sender)
  expect(await post(first)).toBe(200)
  await addWorkflow('Added', passing)
  expect(await post(second)).toBe(200)
  const [repeat] = await activity()
  expect(repeat?.type).toBe('event.repeated')
  expect(repeat?.redelivery).toBeUndefined()
  expect(await runs()).toEqual([])
})

test('a copy with another name, which is not signed, starts the first event again', async () => {
  const { addWorkflow, post, runs, fixture } = await open(github)
  expect(await post()).toBe(200)
  await addWorkflow('Added', passing)
  expect(await post({ event: 'delete' })).toBe(200)
  const [run] = await runs()
  expect((await fixture.rest('GET', `/runs/${run?.runId}`)).body).toMatchObject({ eventName: 'push' })
})

test('another body is another event', async () => {
  const { post, activity } = await open(github)
  await post()
  await post({ body: '{"ref":"next"}' })
  expect((await activity()).map(({ type }) => type)).toEqual(['event.accepted', 'event.accepted'])
})

test('of a connection that stores no events, a repeat is ignored', async () => {
  const { addWorkflow, post, activity } = await open(github, false)
  await addWorkflow('Failing', failing)
  await post()
  await post()
  expect((await activity()).filter(({ redelivery }) => redelivery !== undefined)).toEqual([])
})

test('the key of a workflow still counts', async () => {
  const { addWorkflow, post, runs, activity } = await open(github)
  const once = { key: '{{ref}}', hours: 1 }
  await addWorkflow('Once', passing, once)
  await post({ body: '{"ref":"main","n":1}' })
  await post({ body: '{"ref":"main","n":2}', delivery: 'd-2' })
  await post({ body: '{"ref":"main","n":2}', delivery: 'd-2' })
  expect(await runs()).toHaveLength(1)
  expect((await activity())[0]).toMatchObject({ type: 'event.repeated', redelivery: { runs: 0 } })
})
