import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { OccurrencePage } from '#shared/model/activity.ts'
import { StoredEvent } from '#shared/model/inbound-event.ts'
import { RunDetails, RunPage } from '#shared/model/run.ts'
import { CheckedWorkflow, Workflow } from '#shared/model/workflow.ts'
import { hmacHex } from '../signing/sender.ts'
import { openFeed } from '../support/event-feed.ts'
import { createConnection, issuePaths, type Rest } from '../support/rest-client.ts'
import { postInbound, type ServiceFixture, startOfTests, startService } from '../support/service-fixture.ts'

const hour = 3_600_000
const triggerOf = (once?: object) => ({ type: 'external.event', connectionId: null, eventName: null, once })
const wait = { key: 'later', type: 'wait', seconds: 1000 }
const stop = { key: 'end', type: 'stop', outcome: 'succeeded' }

async function createWorkflow(rest: Rest, fields: object): Promise<Workflow> {
  const { body } = await rest('POST', '/workflows', {
    ...{ name: 'W', steps: [stop], trigger: triggerOf({ key: '{{order_id}}', hours: 2 }), ...fields },
  })
  return Workflow.parse(body)
}

async function open(fields: object = {}, connectionFields: object = {}) {
  const fixture = await startService()
  const { rest } = fixture
  const connection = await createConnection(rest, { persistEvents: true, ...connectionFields })
  const { workflowId } = await createWorkflow(rest, fields)
  const ids = async (query = '') =>
    RunPage.parse((await rest('GET', `/runs?workflowId=${workflowId}${query}`)).body).runs.map(
      ({ runId }) => runId,
    )
  /** Posts an event at a time of its own. Returns the newest event. */
  const post = async (data: object) => {
    fixture.clock.now += 1
    const body = JSON.stringify({ event: 'order.created', data })
    const { pathname } = new URL(connection.credentials.inboundUrl)
    // A restart changes the port.
    const inboundUrl = new URL(pathname, fixture.listenerUrl).href
    const to = { ...connection.credentials, inboundUrl }
    expect((await postInbound(to, body, fixture.clock.now)).status).toBe(200)
    const [item] = OccurrencePage.parse((await rest('GET', '/activity/list?kinds=event.accepted')).body).items
    if (item?.type !== 'event.accepted') throw new Error('No event was accepted.')
    return item
  }
  const detailsOf = async (runId: string) => RunDetails.parse((await rest('GET', `/runs/${runId}`)).body)
  return { fixture, connection, workflowId, ids, post, detailsOf }
}

const eventOf = async ({ rest }: ServiceFixture, connectionId: string, eventId: string) =>
  StoredEvent.parse((await rest('GET', `/connections/${connectionId}/events/${eventId}`)).body)

test('a later event with the same key starts nothing and names the run, until the key expires', async () => {
  const { fixture, connection, workflowId, ids, post, detailsOf } = await open()
  const { rest, clock } = fixture
  const other = await createWorkflow(rest, { trigger: triggerOf() })
  const first = await post({ order_id: 'ORD-1' })
  const [runId = ''] = await ids()
  const second = await post({ order_id: 'ORD-1', more: true })
  await post({ order_id: 'ORD-2' })
  expect(await ids()).toEqual([expect.any(String), runId])
  expect([first.duplicateOf, second.duplicateOf]).toEqual([null, runId])
  const { connectionId } = connection
  expect((await eventOf(fixture, connectionId, second.eventId)).duplicateOf).toBe(runId)
  expect((await eventOf(fixture, connectionId, first.eventId)).duplicateOf).toBeNull()
  expect(await detailsOf(runId)).toMatchObject({ duplicates: 1, emptyKey: false })
  // Another workflow starts as usual.
  const started = RunPage.parse((await rest('GET', `/runs?eventId=${second.eventId}`)).body).runs
  expect(started.map(run => run.workflowId)).toEqual([other.workflowId])

  await fixture.restart()
  expect((await post({ order_id: 'ORD-1' })).duplicateOf).toBe(runId)
  clock.now = startOfTests + 2 * hour + 1
  expect((await post({ order_id: 'ORD-1' })).duplicateOf).toBeNull()
  const runIds = await ids()
  expect(runIds).toHaveLength(3)

  // Neither a replay nor a test has a key.
  const replay = `/connections/${connectionId}/events/${second.eventId}/replay`
  expect((await rest('POST', replay)).status).toBe(200)
  expect(await ids()).toHaveLength(4)
  expect((await rest('POST', `/workflows/${workflowId}/test`, { eventId: second.eventId })).status).toBe(200)
  expect((await post({ order_id: 'ORD-1' })).duplicateOf).toBe(runIds[0])
})

test.each([true, false])('of 32 events at once, one starts a run (stored: %s)', async persistEvents => {
  const { fixture, connection, ids } = await open({ steps: [wait] }, { persistEvents })
  const feed = await openFeed(fixture)
  const bodies = Array.from({ length: 32 }, (_, index) =>
    JSON.stringify({ event: 'order.created', data: { order_id: 'ORD-1', index } }),
  )
  const answers = await Promise.all(
    bodies.map((body, index) => postInbound(connection.credentials, body, startOfTests + index)),
  )
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]))
  const runIds = await ids()
  expect(runIds).toHaveLength(1)
  const page = await fixture.rest('GET', '/activity/list?kinds=event.accepted&limit=200')
  const { items } = OccurrencePage.parse(page.body)
  const marks = items.flatMap(item => (item.type === 'event.accepted' ? [item.duplicateOf] : []))
  expect(marks.sort()).toEqual([null, ...Array(31).fill(runIds[0])])
  const live = []
  while (live.length < 32) {
    const item = await feed.next()
    if (item.type === 'event.accepted') live.push(item.duplicateOf)
  }
  expect(live.sort()).toEqual(marks)
  const [duplicate] = items
  if (duplicate?.type !== 'event.accepted') throw new Error('No event was accepted.')
  const event = await eventOf(fixture, connection.connectionId, duplicate.eventId)
  expect(event.duplicateOf).toBe(duplicate.duplicateOf)
})

test('an event without a value for the key starts a run, which says so', async () => {
  const { ids, post, detailsOf } = await open({ trigger: triggerOf({ key: 'a {{order_id}}', hours: 1 }) })
  expect((await post({})).duplicateOf).toBeNull()
  expect((await post({ order_id: '' })).duplicateOf).toBeNull()
  const runIds = await ids()
  expect(runIds).toHaveLength(2)
  for (const runId of runIds) expect(await detailsOf(runId)).toMatchObject({ emptyKey: true, duplicates: 0 })
})

test('the key can be a header of the request', async () => {
  const once = { key: '{{headers.webhook-id}}', hours: 1 }
  const { connection, ids } = await open({ trigger: triggerOf(once) })
  const { inboundUrl, signingSecret } = connection.credentials
  const body = '{"event":"order.created"}'
  for (const [index, id] of ['msg_1', 'msg_2', 'msg_1'].entries()) {
    const at = startOfTests + index
    const answer = await fetch(inboundUrl, {
      method: 'POST',
      body,
      headers: {
        'content-type': 'application/json',
        'Webhook-Id': id,
        'x-service-timestamp': String(at),
        'x-service-signature': `sha256=${hmacHex(signingSecret, `${at}.${body}`)}`,
      },
    })
    expect(answer.status).toBe(200)
  }
  expect(await ids()).toHaveLength(2)
})

test('the key stays when its run is cancelled, and goes with the workflow', async () => {
  const { fixture, workflowId, ids, post } = await open({ steps: [wait] })
  const { rest } = fixture
  await post({ order_id: 'ORD-1' })
  const [runId] = await ids()
  expect((await rest('POST', `/runs/${runId}/cancel`)).status).toBe(200)
  expect((await post({ order_id: 'ORD-1' })).duplicateOf).toBe(runId)
  expect((await rest('POST', `/runs/${runId}/retry`)).status).toBe(200)
  const Keys = z.object({ keys: z.number() })
  const database = new DatabaseSync(`${fixture.dataFolder}/events.sqlite`, { readOnly: true })
  try {
    const keys = () => Keys.parse(database.prepare('SELECT count(*) AS keys FROM kept_keys').get()).keys
    expect(keys()).toBe(1)
    await rest('DELETE', `/workflows/${workflowId}`)
    await expect.poll(keys).toBe(0)
  } finally {
    database.close()
  }
})

test('keys with different lone surrogates are different', async () => {
  const { ids, post } = await open()
  await post({ order_id: 'ORD-\ud800' })
  await post({ order_id: 'ORD-\ud801' })
  await post({ order_id: 'ORD-\ufffd' })
  expect(await ids()).toHaveLength(3)
  expect((await post({ order_id: 'ORD-\ud801' })).duplicateOf).toBe((await ids())[1])
})

test('a workflow says what is wrong with its key, and an export keeps it', async () => {
  const { fixture } = await open()
  const { rest } = fixture
  for (const once of [
    { key: '', hours: 1 },
    { key: 'order', hours: 1 },
    { key: '{{x}}', hours: 0 },
    { key: '{{x}}', hours: 721 },
    { key: '{{x}}' },
  ]) {
    const answer = await rest('POST', '/workflows', { name: 'W', trigger: triggerOf(once) })
    const field = once.key === '{{x}}' ? 'hours' : 'key'
    expect(issuePaths(answer)).toEqual([`trigger.once.${field}`])
    const workflow = { name: 'W', trigger: { type: 'external.event', once } }
    const imported = await rest('POST', '/workflows/import', { version: 1, workflow })
    expect(imported).toMatchObject({ status: 400, text: expect.stringContaining(`once.${field}`) })
  }
  const issuesOf = async (key: string) => {
    const { workflowId } = await createWorkflow(rest, { trigger: triggerOf({ key, hours: 1 }) })
    const { body } = await rest('GET', `/workflows/${workflowId}`)
    return CheckedWorkflow.parse(body).issues.map(({ code, stepKey, path }) => [code, stepKey, path])
  }
  const at = [null, 'trigger.once.key']
  expect(await issuesOf('{{order_id | upper}}')).toEqual([['invalid_variable', ...at]])
  expect(await issuesOf('{{steps.first.id}}')).toEqual([['unknown_step', ...at]])
  expect(await issuesOf('{{headers.Webhook-Id}}')).toEqual([['unknown_variable', ...at]])
  expect(await issuesOf('{{headers.webhook-id}}-{{order_id}}')).toEqual([])
  expect(await issuesOf('{{a}}-{{order_id}}{{ line }}')).toEqual([['unclear_key', ...at]])

  const once = { key: '{{order_id}}', hours: 720 }
  const { workflowId } = await createWorkflow(rest, { trigger: triggerOf(once) })
  const exported = await rest('GET', `/workflows/${workflowId}/export`)
  expect(exported.body).toMatchObject({ workflow: { trigger: { once } } })
  const imported = await rest('POST', '/workflows/import', exported.body)
  expect(imported.body).toMatchObject({ workflow: { trigger: { once } }, warnings: [] })
  const changed = await rest('PATCH', `/workflows/${workflowId}`, { trigger: triggerOf() })
  expect(Workflow.parse(changed.body).trigger.once).toBeUndefined()
})
