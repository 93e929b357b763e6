import { expect, test } from 'vitest'
import { sendSteps } from '#renderer/features/events/event-draft.ts'

test('the steps of a test event follow from its response', () => {
  const ok = { status: 200, body: { ok: true }, totalMs: 4, at: 0 }
  expect(sendSteps(ok, true).map(({ state }) => state)).toEqual(['done', 'done', 'done'])
  expect(sendSteps(ok, false).map(({ state }) => state)).toEqual(['done', 'skipped', 'done'])
  const disabled = { ok: false, error: 'connection_disabled', message: 'This connection is disabled.' }
  expect(sendSteps({ ...ok, status: 403, body: disabled }, true)).toEqual([
    { state: 'failed', text: 'This connection is disabled.' },
    { state: 'skipped', text: 'No trigger raised' },
  ])
  expect(sendSteps({ ...ok, status: 502, body: 'x' }, true)[0]?.text).toBe('The response was 502.')
})
