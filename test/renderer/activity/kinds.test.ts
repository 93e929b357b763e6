import { expect, test } from 'vitest'
import { plainFacts, rowOf } from '#renderer/features/activity/kinds.ts'
import { accepted, at, attempted, called, rejected, stored } from './fixtures.ts'

const declared = new Set(['order.paid'])
const said = (...parameters: Parameters<typeof rowOf>) =>
  rowOf(...parameters)
    .details.map(({ text }) => text)
    .join(' · ')

test('an event shows its distinguishing field and its warnings', () => {
  expect(rowOf(accepted(1), declared)).toMatchObject({
    title: 'order.paid',
    status: 200,
    isBad: false,
    ms: 1.6,
  })
  expect(said(accepted(1), declared)).toBe('ORD-1')
  expect(said(accepted(1), new Set())).toBe('ORD-1 · Not declared')
  expect(said(accepted(1), null)).toBe('ORD-1')
  expect(said(accepted(1, { repeat: true, previousSecret: true }), declared)).toBe(
    'ORD-1 · repeat · old secret',
  )
  expect(said(stored(1, { field: 'ORD-2', replayOf: 'evt_1' }), declared)).toBe('ORD-2 · replay')
})

test('a call shows its source, and its status or the reason for having none', () => {
  expect(rowOf(called(1), declared)).toMatchObject({ channel: 'outbound', status: 200, code: null, ms: 187 })
  const failed = called(1, { status: null, code: 'timeout', ok: false, source: 'cli' })
  expect(rowOf(failed, declared)).toMatchObject({ status: null, code: 'timeout', isBad: true })
  expect(said(failed, declared)).toBe('Command line')
})

test('a refused tool call shows its reason and its client', () => {
  const client = { name: 'Claude', tokenId: 'tok_1', tokenName: 'Laptop', tool: 'shop_x1y2__cancel_order' }
  const refused = {
    type: 'call.refused' as const,
    ...{ id: '1', at: at(1), refusalId: 'ref_1', connectionId: 'conn_1', actionId: 'act_1' },
    ...{ toolName: 'cancel_order', method: 'DELETE' as const, code: 'call_declined', source: 'mcp' as const },
  }
  expect(rowOf({ ...refused, client }, null)).toMatchObject({
    ...{ channel: 'outbound', title: 'cancel_order', isBad: true, status: null, code: 'call_declined' },
    details: [{ text: 'Claude' }],
  })
  expect(said({ ...refused, client: null }, null)).toBe('MCP client')
  expect(said(called(1, { source: 'mcp', client }), declared)).toBe('Claude')
  expect(plainFacts({ ...refused, client })).toEqual({
    text: 'Somebody declined the call in the dashboard. Nothing was sent.',
    list: [
      ['Source', 'MCP client'],
      ['Client', 'Claude'],
      ['Token', 'Laptop'],
    ],
  })
  expect(plainFacts({ ...refused, code: 'of_a_later_version', client: null })).toEqual({
    text: 'of_a_later_version Nothing was sent.',
    list: [['Source', 'MCP client']],
  })
})

test('a message of a workflow shows itself, unless it is not stored', () => {
  const notification = {
    type: 'workflow.notified' as const,
    ...{ id: '1', at: at(1), connectionId: 'conn_1' },
    ...{ workflowId: 'wf_1', runId: 'run_1', path: 'tell', message: 'Order ORD-1 paid' },
  }
  expect(rowOf(notification, null)).toMatchObject({ title: 'Order ORD-1 paid', channel: null, isBad: false })
  expect(rowOf({ ...notification, message: null }, null).title).toBe('A message that is not stored')
})

test('a rejection shows its diagnosis, also one that was found later, or else its code', () => {
  expect(rowOf(rejected(1), declared)).toMatchObject({
    title: expect.not.stringMatching(/rejected/i),
    isName: false,
    status: 401,
  })
  expect(said(rejected(1), declared)).toBe('Rejected · invalid_signature')
  expect(rowOf(rejected(1), declared).title).toBe('Signature does not match')
  const diagnosis = { code: 'signed_body_only' as const, message: 'Sign the timestamp too.' }
  expect(rowOf(rejected(1, { diagnosis }), declared).title).toBe('Signed the body alone')
  expect(rowOf(rejected(1), declared, attempted(1, { diagnosis })).title).toBe('Signed the body alone')
  expect(rowOf(rejected(1, { code: 'connection_disabled' }), declared).status).toBe(403)
})
