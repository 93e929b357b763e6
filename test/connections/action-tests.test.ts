import { expect, test } from 'vitest'
import { createActionTests } from '#main/connections/action-tests.ts'
import type { CallOutcome } from '#main/outbound/call.ts'
import { newConfig } from '#main/store/lowdb-config-store.ts'
import { exampleAction, exampleConnection, now, withConnections } from '../store/config-fixtures.ts'

const actions = Array.from({ length: 20 }, (_, index) => exampleAction(String(index)))
const config = withConnections(newConfig(now), exampleConnection('conn_1', { actions }))
const store = {
  snapshot: () => config,
  update: () => Promise.reject(new Error('not in this test')),
  onChange: () => () => {},
  close: () => Promise.resolve(),
}

function outcomeOf(text: string): CallOutcome {
  return {
    ok: true,
    request: { method: 'POST', url: 'https://api.example.com/', headers: {}, body: text },
    response: { status: 200, headers: {}, body: text, bytes: text.length },
    result: { text },
    mapped: null,
    timings: { totalMs: 1, dnsMs: 0, connectMs: 0, tlsMs: 0, firstByteMs: 1, downloadMs: 0 },
    error: null,
    environmentVariables: [],
  }
}

test('the tests of many actions together are bounded, the newest kept', () => {
  const tests = createActionTests(store, { resolve: () => undefined }, () => now)
  const text = 'x'.repeat(60 * 1024)
  for (let round = 0; round < 50; round++)
    for (const action of actions) tests.add('conn_1', action, { round, text }, outcomeOf(text))
  const kept = actions.flatMap(({ actionId }) => tests.list(actionId))
  const characters = kept.reduce((sum, one) => sum + JSON.stringify(one).length, 0)
  expect(characters).toBeLessThanOrEqual(32 * 1024 * 1024)
  expect(characters).toBeGreaterThan(30 * 1024 * 1024)
  for (const { actionId } of actions) expect(tests.list(actionId)[0]?.arguments.round).toBe(49)
})

test('a test that ends after its action was deleted is not kept', () => {
  const tests = createActionTests(store, { resolve: () => undefined }, () => now)
  tests.add('conn_1', exampleAction('gone'), {}, outcomeOf(''))
  tests.add('conn_gone', exampleAction('1'), {}, outcomeOf(''))
  expect([...tests.list('act_gone'), ...tests.list('act_1')]).toEqual([])
})
