import { describe, expect, test } from 'vitest'
import { connectionStatus, lastOutcome } from '#renderer/entities/connection/connection-status.ts'
import { copyName, exportFileName } from '#renderer/entities/connection/copy-name.ts'
import { rejectionTitle } from '#renderer/entities/snippet/explanations.ts'
import { sampleEvents } from '#renderer/features/connections/sample-event.ts'
import { binarySize } from '#renderer/ui/format.ts'
import { inboundErrors } from '#shared/errors/inbound.ts'
import type { ConnectionStatus } from '#shared/model/connection-status.ts'
import { DiagnosisCode } from '#shared/model/diagnosis.ts'

describe('the last outcome', () => {
  const lastEvent = { eventId: 'evt_1', eventName: 'order.paid', at: '2026-11-21T09:00:00.000Z' }
  const lastRejection = {
    at: '2026-11-21T09:00:01.000Z',
    attemptId: null,
    code: 'stale_timestamp',
    diagnosis: 'timestamp_in_seconds',
  } as const

  test('is the newer of the last event and the last rejection, with its status', () => {
    expect(lastOutcome({ lastEvent, lastRejection })).toMatchObject({ kind: 'rejected', status: 401 })
    expect(
      lastOutcome({ lastEvent: { ...lastEvent, at: '2026-11-21T09:00:02.000Z' }, lastRejection }),
    ).toMatchObject({ kind: 'accepted', status: 200, eventName: 'order.paid' })
    expect(lastOutcome({ lastEvent: null, lastRejection })).toMatchObject({ kind: 'rejected' })
    expect(lastOutcome({ lastEvent, lastRejection: null })).toMatchObject({ kind: 'accepted' })
  })
  test('is null before the first request', () => {
    expect(lastOutcome({ lastEvent: null, lastRejection: null })).toBeNull()
    expect(lastOutcome(undefined)).toBeNull()
  })
})

describe('the status', () => {
  const of = (status: ConnectionStatus) => connectionStatus({ enabled: true }, { status })

  test('is in words, in a colour', () => {
    const counts = { count: 160, of: 171 }
    expect(of({ state: 'failing', cause: 'calls', ...counts })).toEqual({
      ...{ state: 'failing', tone: 'bad', label: '160 calls failed' },
    })
    expect(of({ state: 'attention', cause: 'runs', count: 1, of: 9 })).toEqual({
      ...{ state: 'attention', tone: 'warn', label: '1 run failed' },
    })
    expect(of({ state: 'rejecting', cause: 'rejected', ...counts })).toEqual({
      ...{ state: 'rejecting', tone: 'warn', label: '160 rejected this hour' },
    })
    const none = { cause: null, count: 0, of: 0 }
    expect(of({ ...none, state: 'attention', cause: 'paused' }).label).toBe('Calls paused')
    expect(of({ ...none, state: 'receiving' })).toEqual({ state: 'receiving', tone: 'ok', label: 'Working' })
    expect(of({ ...none, state: 'silent' }).label).toBe('No events yet')
  })

  test('is a dash while it is not known, also right after the connection was enabled', () => {
    expect(connectionStatus({ enabled: true }, undefined).label).toBe('–')
    expect(of({ state: 'disabled', cause: null, count: 0, of: 0 }).state).toBe('unknown')
    expect(connectionStatus({ enabled: false }, undefined).label).toBe('Disabled')
  })
})

describe('the title of a rejection', () => {
  test('is never a code, for every diagnosis and every inbound error', () => {
    const undiagnosed = rejectionTitle('invalid_signature', null)
    for (const code of DiagnosisCode.options.filter(option => option !== 'unknown'))
      expect([undiagnosed, code]).not.toContain(rejectionTitle('invalid_signature', code))
    for (const code of Object.keys(inboundErrors)) expect(rejectionTitle(code, null)).not.toBe(code)
  })
  test('is of the diagnosis if there is a known one', () => {
    expect(rejectionTitle('invalid_signature', 'signed_body_only')).toBe('Signed the body alone')
    expect(rejectionTitle('invalid_signature', 'unknown')).toBe('Signature does not match')
    expect(rejectionTitle('something_new', null)).toBe('something_new')
  })
})

describe('names', () => {
  test.each([
    ['Acme Orders ERP', 'acme-orders-erp.json'],
    ['  Größe & Café / prod ', 'große-cafe-prod.json'],
    ['../../etc', 'etc.json'],
    ['受注', '受注.json'],
    ['???', 'connection.json'],
  ])('an export of %s is %s', (name, file) => {
    expect(exportFileName(name)).toBe(file)
  })

  test('a copy gets a name that is not taken', () => {
    expect(copyName('Acme', ['Acme'])).toBe('Acme (copy)')
    expect(copyName('Acme', ['Acme', 'Acme (copy)'])).toBe('Acme (copy 2)')
    expect(copyName('Acme (copy)', ['Acme', 'Acme (copy)'])).toBe('Acme (copy 2)')
    expect([...copyName('é'.repeat(120), [])]).toHaveLength(120)
  })

  test('a size is shown in the unit it was set in', () => {
    expect(binarySize(1_048_576)).toBe('1 MiB')
    expect(binarySize(65_536)).toBe('64 KiB')
    expect(binarySize(1500)).toBe('1.5 KB')
  })
})

test('the code has the declared event types, or an example if there are none', () => {
  expect(sampleEvents([])).toEqual([{ eventName: 'order.paid', data: '{"order_id":"ORD-20418"}' }])
  expect(
    sampleEvents([
      { eventName: 'stock.low', samplePayload: null, sampleText: null },
      { eventName: 'order.paid', samplePayload: { total: 149 }, sampleText: null },
      { eventName: 'order.sent', samplePayload: { n: 1 }, sampleText: '{\n "n" : 1.00, "s": " \\" x " }' },
    ]),
  ).toEqual([
    { eventName: 'stock.low', data: '{}' },
    { eventName: 'order.paid', data: '{"total":149}' },
    { eventName: 'order.sent', data: '{"n":1.00,"s":" \\" x "}' },
  ])
})
