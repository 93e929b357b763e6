import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { createAssistantCalls } from '#main/history/assistant-calls.ts'
import { createCallHistory } from '#main/history/calls.ts'
import { createHistory } from '#main/history/history.ts'
import { kindOf, recalled, storageBounds } from '#main/history/kinds.ts'
import { idOf } from '#main/lib/sequence.ts'
import { newConfig } from '#main/storage/local/lowdb-config-store.ts'
import { openSqliteHistory } from '#main/storage/local/sqlite/sqlite-history.ts'
import type { StoredOccurrence } from '#main/storage/occurrence-storage.ts'
import { AssistantCall } from '#shared/model/assistant.ts'
import { CallRecord } from '#shared/model/call.ts'
import { exampleConnection, now, withConnections } from '../storage/config-fixtures.ts'
import { unhurried } from '../support/patience.ts'

const config = withConnections(newConfig(now), exampleConnection('conn_1'))
const at = new Date(now).toISOString()
const timings = { totalMs: 12.5, dnsMs: 0, connectMs: 1, tlsMs: 0, firstByteMs: 10, downloadMs: 1 }
const exchange = {
  request: { method: 'POST', url: 'https://shop.example/orders', headers: { a: 'b' }, body: '{"id":7}' },
  response: { status: 201, headers: {}, body: '{"n":1.50}', bytes: 10 },
  timings,
}

type Facts = { number: number; connectionId: string | null; actionId: string; [name: string]: unknown }

/** Returns a call as version 0.1.0 stored it, summary and details to the letter. */
function stored({ number, connectionId, actionId, ...facts }: Facts): StoredOccurrence {
  const who = { toolName: 'create_order', source: 'test', step: null, client: null, conversationId: null }
  const { toolName, source, step, client, conversationId } = { ...who, ...facts }
  const outcome = { status: 201, ok: true, code: null, totalMs: 12.5, responseBytes: 10 }
  const summary = { toolName, method: 'POST', ...outcome, source, step, client, conversationId }
  const ids = { callId: idOf('call_', number), at, connectionId, actionId, toolName }
  const given = '"arguments":{"total":12.50},"environmentVariables":["KEY"],"ok":true'
  const rest = JSON.stringify({ ...exchange, mapped: null, error: null, shortened: false }).slice(1, -1)
  const head = JSON.stringify({ ...ids, source, step, client, conversationId }).slice(1, -1)
  const details = `{${head},${given},${rest},"result":{"n":1.50}}`
  const subject = actionId
  return {
    ...{ number, kind: 'call', connectionId, subject, at: now, finding: null },
    ...{ summary: JSON.stringify(summary), details },
  }
}

const step = { runId: 'run_1', path: 'a.b' }
const client = { name: 'Claude', tokenId: 'tok_1', tokenName: 'Laptop', tool: 'shop_x1__create_order' }
const calls = [
  stored({ number: 1, connectionId: 'conn_1', actionId: 'act_1' }),
  stored({ number: 2, connectionId: 'conn_1', actionId: 'act_1', source: 'mcp', client }),
  stored({
    ...{ number: 3, connectionId: 'conn_1', actionId: 'act_http_step', toolName: 'http' },
    ...{ source: 'workflow', step },
  }),
  stored({
    ...{ number: 4, connectionId: null, actionId: 'act_form', toolName: 'open_refund' },
    ...{ source: 'conversation', conversationId: 'conv_1' },
  }),
]

test('calls that an earlier version stored are read, listed and shown as they were', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'cc-calls-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  const problems: string[] = []
  const storage = await openSqliteHistory({
    file: join(folder, 'history.sqlite'),
    bounds: storageBounds,
    ...unhurried,
    clock: () => now,
    onProblem: ({ message }) => problems.push(message),
    onNotice: notice => problems.push(notice),
  })
  await storage.write({ occurrences: calls, findings: [], now })
  const store = { snapshot: () => config, onChange: () => () => {} }
  const onProblem = (notice: string) => problems.push(notice)
  const history = createHistory({ storage, store, clock: () => now, onProblem })
  onTestFinished(() => history.stop())
  const callHistory = createCallHistory(history, store, { secrets: () => [] })

  for (const { number, connectionId, subject, details } of calls) {
    const actionId = subject === 'act_1' ? subject : null
    const call = await callHistory.get(idOf('call_', number))
    expect(CallRecord.parse(call)).toMatchObject({
      ...{ callId: idOf('call_', number), at, connectionId, actionId, ok: true, error: null, ...exchange },
      ...{ environmentVariables: ['KEY'], shortened: false, mapped: null },
    })
    expect(JSON.stringify([call?.arguments, call?.result])).toBe('[{"total":12.50},{"n":1.50}]')
    const { source, step, client, conversationId, toolName } = JSON.parse(details)
    expect(call).toMatchObject({ source, step, client, conversationId, toolName })
  }
  expect(calls.map(record => itemOf(record))).toMatchObject([
    { actionId: 'act_1', toolName: 'create_order', source: 'test', step: null, client: null },
    { actionId: 'act_1', source: 'mcp', client },
    { actionId: null, toolName: 'http', source: 'workflow', step },
    { actionId: null, toolName: 'open_refund', connectionId: null, conversationId: 'conv_1' },
  ])

  const tests = await callHistory.tests('conn_1', 'act_1')
  expect(tests.map(({ callId }) => callId)).toEqual([idOf('call_', 2), idOf('call_', 1)])
  expect(tests[0]).toMatchObject({ at, environmentVariables: ['KEY'], result: { ok: true, ...exchange } })
  expect(await callHistory.newest('conn_1')).toEqual([
    { actionId: 'act_1', at, ok: true, status: 201, code: null },
  ])
  expect(await callHistory.responseBytes(['conn_1'])).toEqual(new Map([['act_1', 10]]))
  const assistant = await createAssistantCalls(history, store).list({ limit: 10 })
  expect(assistant.calls.map(call => AssistantCall.parse(call))).toMatchObject([
    {
      ...{ callId: idOf('call_', 4), connectionId: null, actionId: null },
      ...{ name: 'open_refund', totalMs: 12.5 },
    },
    {
      ...{ callId: idOf('call_', 2), actionId: 'act_1', clientName: 'Claude', tokenId: 'tok_1' },
      ...{ tokenName: 'Laptop', name: 'shop_x1__create_order', toolName: 'create_order', method: 'POST' },
      ...{ ok: true, status: 201, code: null, reason: null, totalMs: 12.5 },
    },
  ])
  expect(JSON.stringify(assistant.calls.map(({ arguments: given }) => given))).toBe(
    '[{"total":12.50},{"total":12.50}]',
  )
  expect(problems).toEqual([])
})

function itemOf(record: StoredOccurrence) {
  const occurrence = recalled(record)
  if (occurrence === null) throw new Error('A record cannot be read.')
  const lookups = { isDeclared: () => true, diagnosisOf: () => null, notesOf: () => [] }
  return kindOf(occurrence).toItem(occurrence, { id: 'x', at }, lookups)
}
