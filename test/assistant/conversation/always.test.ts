import { expect, test } from 'vitest'
import { z } from 'zod'
import { readTranscript } from '#main/assistant/conversation/stored-transcript.ts'
import { createAction } from '../../support/actions.ts'
import { startExternalSystem } from '../../support/external-system.ts'
import { createConnection } from '../../support/rest-client.ts'
import { call, say } from '../../support/scripted-model.ts'
import { sharedService } from '../../support/service-fixture.ts'
import { callsOf, startTalk, type Talk } from './fixtures.ts'

const cleanService = sharedService()
const refund = { order_id: 'ORD-1', amount: 25 }
const order = { name: 'order_id', type: 'string', description: 'The order', required: true }
const amount = { name: 'amount', type: 'number', description: 'In EUR', required: true }
const note = { name: 'note', type: 'string', description: 'Why', required: false }

/** A conversation in which a person has said “always” to create_refund. */
async function startAllowed(options: Parameters<typeof startTalk>[0] = {}) {
  const talk = await startTalk(options)
  talk.model.script([call(talk.names.refund, refund)], say('Refunded.'))
  await talk.send('Refund ORD-1.')
  const waiting = callsOf(await talk.until('asking'))[0]!
  await talk.decide(waiting, { decision: 'always' })
  const { always } = await talk.until('idle')
  expect(always).toEqual([talk.actions.refund.actionId])
  const { connectionId, actionId } = z
    .object({ connectionId: z.string(), actionId: z.string() })
    .parse(waiting)
  return {
    talk,
    connection: `/connections/${connectionId}`,
    action: `/connections/${connectionId}/actions/${actionId}`,
  }
}

/** Lets the model call a tool, create_refund by default. Returns the call as soon as it waits or has ended. */
async function callAgain(talk: Talk, given: object = refund, name = talk.names.refund) {
  talk.model.script([call(name, given)], say('Done.'))
  await talk.send('Again.')
  await expect.poll(async () => (await talk.now()).status).toMatch(/asking|idle/)
  return callsOf(await talk.now()).at(-1)
}

test.each<{ of: string; change: object; given?: object }>([
  { of: 'the method', change: { method: 'PUT' } },
  { of: 'the path', change: { path: '/all-refunds' } },
  { of: 'the fixed query of the path', change: { path: '/refunds?force=1' } },
  { of: 'the headers', change: { headers: { 'X-Force': 'true' } } },
  { of: 'a new parameter', change: { parameters: [order, amount, note] } },
  {
    of: 'the name of a parameter',
    change: { parameters: [order, { ...amount, name: 'sum' }] },
    given: { order_id: '1', sum: 1 },
  },
  {
    of: 'the type of a parameter',
    change: { parameters: [order, { ...amount, type: 'string' }] },
    given: { order_id: '1', amount: '1' },
  },
])('“always” ends with a change of $of', async ({ change, given }) => {
  const { talk, action } = await startAllowed({ at: await cleanService() })
  expect((await talk.rest('PATCH', action, change)).status).toBe(200)
  expect((await talk.now()).always).toEqual([])
  expect(await callAgain(talk, given)).toMatchObject({ state: 'asking', decision: null })
  expect(talk.system.requests).toHaveLength(1)
})

test.each([
  ['host', (_own: string, other: string) => other],
  ['path', (own: string) => `${own}/v2`],
])('“always” ends with a change of the %s of the base URL', async (_of, baseUrlOf) => {
  const { talk, connection } = await startAllowed({ at: await cleanService() })
  const elsewhere = await startExternalSystem()
  await talk.rest('PATCH', connection, { baseUrl: baseUrlOf(talk.system.url, elsewhere.url) })
  expect((await talk.now()).always).toEqual([])
  expect(await callAgain(talk)).toMatchObject({ state: 'asking' })
  expect([talk.system.requests.length, elsewhere.requests.length]).toEqual([1, 0])
})

test('“always” does not hold for the same action of a connection that was deleted and created again', async () => {
  const { talk, connection } = await startAllowed({ at: await cleanService() })
  await talk.rest('DELETE', connection)
  const { connectionId } = await createConnection(talk.rest, { name: 'Shop', baseUrl: talk.system.url })
  await createAction(talk.rest, connectionId, {
    ...{ name: 'Create refund', method: 'POST', path: '/refunds', parameters: [order, amount] },
  })
  expect((await talk.now()).always).toEqual([])
  const [tool] = z.array(z.object({ name: z.string() })).parse((await talk.rest('GET', '/tools')).body)
  expect(await callAgain(talk, refund, tool?.name)).toMatchObject({ state: 'asking' })
})

test('“always” never holds for a DELETE, also if the action becomes one', async () => {
  const { talk, action } = await startAllowed({ at: await cleanService() })
  await talk.rest('PATCH', action, { method: 'DELETE' })
  const waiting = await callAgain(talk)
  expect(waiting).toMatchObject({ state: 'asking' })
  const decided = await talk.ask('POST', `/calls/${waiting?.toolCallId}`, { decision: 'always' })
  expect(decided.body).toMatchObject({ code: 'always_not_allowed' })
})

test('“always” stays with a change of something else, and over a restart', async () => {
  const { talk, action, connection } = await startAllowed()
  for (const [path, change] of [
    [action, { name: 'Give money back', description: 'Other words.', responseMapping: { id: 'id' } }],
    [action, { isEnabled: false }],
    [action, { isEnabled: true }],
    [connection, { name: 'The shop', timeoutMs: 5000 }],
    [`${connection}/rotate-secret`, null],
  ] as const)
    await talk.rest(change === null ? 'POST' : 'PATCH', path, change ?? {})
  await talk.restart()
  expect((await talk.now()).always).toEqual([talk.actions.refund.actionId])
  expect(await callAgain(talk)).toMatchObject({ state: 'answered', decision: 'automatic' })
  await talk.rest('PATCH', action, { path: '/other' })
  await talk.restart()
  expect(await callAgain(talk)).toMatchObject({ state: 'asking' })
})

test('“always” stays when the value of a variable in a header changes', async () => {
  const talk = await startTalk({ at: await cleanService() })
  await talk.rest('PUT', '/environment/SHOP_KEY', { value: 'first-value' })
  const { connectionId, actionId } = { ...talk.actions.refund, connectionId: await connectionOf(talk) }
  const headers = { Authorization: 'Bearer {{SHOP_KEY}}' }
  await talk.rest('PATCH', `/connections/${connectionId}/actions/${actionId}`, { headers })
  await talk.decide((await callAgain(talk))!, { decision: 'always' })
  await talk.until('idle')
  await talk.rest('PUT', '/environment/SHOP_KEY', { value: 'second-value' })
  expect(await callAgain(talk)).toMatchObject({ state: 'answered', decision: 'automatic' })
})

async function connectionOf({ rest, names }: Talk): Promise<string> {
  const tools = z.array(z.object({ name: z.string(), connectionId: z.string() }))
  const found = tools.parse((await rest('GET', '/tools')).body).find(({ name }) => name === names.refund)
  return found?.connectionId ?? ''
}

test('“always” of a version that did not store what it was given for asks again', () => {
  const at = '2026-01-01T00:00:00.000Z'
  const head = { title: 'Old', isRenamed: false, createdAt: at, updatedAt: at, calls: 1, status: 'idle' }
  const stored = { number: 1, workspaceId: 'default', updated: 1, text: '', bytes: 0 }
  const read = (always: unknown) =>
    readTranscript({ ...stored, head: JSON.stringify({ ...head, agent: null, always }) }, [])
  expect(read(['act_a'])?.always).toEqual({})
  expect(read({ act_a: 'digest' })?.always).toEqual({ act_a: 'digest' })
})
