import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createConnectionCounts } from '#main/history/statistics/connection-counts.ts'
import { SavedCounts } from '#main/storage/statistics.ts'
import { startOfTests } from '../../support/connection-records.ts'

const hourMs = 60 * 60 * 1000
const startOfHour = Math.floor(startOfTests / hourMs) * hourMs

const passed = fc.oneof({ weight: 4, arbitrary: fc.nat(hourMs) }, fc.nat(40 * hourMs))
const outcome = fc.oneof(
  fc.record({
    kind: fc.constant('accepted' as const),
    eventName: fc.constantFrom('a', 'b', '__proto__', ''),
  }),
  fc.record({ kind: fc.constant('rejected' as const) }),
  fc.record({ kind: fc.constant('called' as const), ok: fc.boolean() }),
  fc.record({ kind: fc.constant('not called' as const) }),
  fc.record({ kind: fc.constant('ended' as const), ok: fc.boolean() }),
)
const history = fc.array(fc.record({ passed, outcome }), { maxLength: 120 })

type Kind = 'accepted' | 'rejected' | 'called' | 'not called' | 'ended'
type Counted = { at: number; kind: Kind; eventName?: string; ok?: boolean }

/** Counts a history, and gives it as a list with the moment of its end. */
function count(steps: { passed: number; outcome: Omit<Counted, 'at'> }[], tookMs = (_index: number) => 1) {
  const counts = createConnectionCounts()
  const list: Counted[] = []
  let now = startOfTests
  for (const step of steps) {
    now += step.passed
    list.push({ at: now, ...step.outcome })
    const { kind, eventName = '', ok = false } = step.outcome
    const took = tookMs(list.length)
    if (kind === 'accepted') counts.accepted({ id: `evt_${list.length}`, eventName, at: now }, took)
    else if (kind === 'rejected')
      counts.rejected({ at: now, attemptId: null, code: 'invalid_json', diagnosis: null })
    else if (kind === 'called') counts.called({ at: now, ok, totalMs: took, source: 'mcp' }, '2xx')
    else if (kind === 'not called') counts.notCalled({ at: now, source: 'mcp' })
    else counts.runEnded(`wf_${list.length % 2}`, now, !ok)
  }
  return { counts, list, now }
}

/** Those of the 24 clock hours that end with the hour of `now`. */
const within = (list: Counted[], now: number) => {
  const firstHour = Math.floor(now / hourMs) - 23
  return list.filter(({ at }) => Math.floor(at / hourMs) >= firstHour)
}

describe('the counts of a connection', () => {
  test('match a list of all occurrences of the last 24 hours', () => {
    fc.assert(
      fc.property(history, fc.nat(30 * hourMs), (steps, later) => {
        const { counts, list, now } = count(steps)
        for (const moment of [now, now + later]) {
          const shown = within(list, moment)
          const read = counts.read(moment)
          const of = (kind: Counted['kind']) => shown.filter(each => each.kind === kind)
          expect(read.hours).toEqual(
            Array.from({ length: 24 }, (_, index) => {
              const hour = Math.floor(moment / hourMs) - 23 + index
              const inHour = (kind: Counted['kind']) =>
                of(kind).filter(({ at }) => Math.floor(at / hourMs) === hour).length
              return {
                ...{ accepted: inHour('accepted'), rejected: inHour('rejected'), calls: inHour('called') },
                callsFailed: of('called').filter(({ at, ok }) => !ok && Math.floor(at / hourMs) === hour)
                  .length,
              }
            }),
          )
          expect([...[read.accepted, read.rejected, read.callsNotMade, read.calls, read.callsOk]]).toEqual([
            of('accepted').length,
            of('rejected').length,
            of('not called').length,
            of('called').length,
            of('called').filter(({ ok }) => ok).length,
          ])
          const last = list.findLast(({ kind }) => kind === 'accepted')
          expect(read.lastEvent?.at).toBe(last && new Date(last.at).toISOString())
          const refusal = of('rejected').at(-1)
          expect(read.lastRejection?.at).toBe(refusal && new Date(refusal.at).toISOString())
          expect(read.medianAnswerMs).toBe(of('accepted').length === 0 ? null : 1)
          for (const { eventName, count: ofName } of counts.eventNames(moment))
            expect(ofName).toBe(of('accepted').filter(each => each.eventName === eventName).length)
        }
      }),
      { numRuns: 200 },
    )
  })

  test('are the same after a restart', () => {
    fc.assert(
      fc.property(history, fc.nat(30 * hourMs), fc.nat(30 * hourMs), (steps, down, later) => {
        const { counts, now } = count(steps, index => (index % 7) / 2)
        const saved: unknown = JSON.parse(JSON.stringify(counts.save(now)))
        const restored = createConnectionCounts(SavedCounts.parse(saved))
        for (const moment of [now, now + down, now + down + later]) {
          expect(restored.read(moment)).toEqual(counts.read(moment))
          expect(restored.eventNames(moment)).toEqual(counts.eventNames(moment))
          expect(restored.lastHour(moment)).toEqual(counts.lastHour(moment))
        }
      }),
      { numRuns: 100 },
    )
  })

  test('roll over with the hour', () => {
    const counts = createConnectionCounts()
    counts.accepted({ id: 'evt_1', eventName: 'a', at: startOfHour }, 1)
    const lastOf = (now: number) => counts.read(now).hours.findLastIndex(({ accepted }) => accepted === 1)
    expect(lastOf(startOfHour + hourMs - 1)).toBe(23)
    expect(lastOf(startOfHour + hourMs)).toBe(22)
    expect(lastOf(startOfHour + 24 * hourMs - 1)).toBe(0)
    expect(lastOf(startOfHour + 24 * hourMs)).toBe(-1)
    expect(counts.read(startOfHour + 24 * hourMs)).toMatchObject({ accepted: 0, medianAnswerMs: null })
    expect(counts.read(startOfHour + 1000 * hourMs).lastEvent).toMatchObject({ eventId: 'evt_1' })
  })

  test('of the last hour leave out tests, and refusals that are nobody’s mistake', () => {
    const counts = createConnectionCounts()
    const at = startOfHour + 3 * 60_000
    const call = { at, totalMs: 1, ok: false } as const
    counts.accepted({ id: 'evt_1', eventName: 'a', at }, 1)
    counts.repeated({ id: 'evt_1', eventName: 'a', at }, 1)
    for (const code of ['invalid_json', 'unavailable', 'connection_disabled'])
      counts.rejected({ at, attemptId: null, code, diagnosis: null })
    counts.called({ ...call, source: 'test' }, 'timeout')
    counts.called({ ...call, source: 'workflow' }, 'timeout')
    counts.called({ ...call, ok: true, source: 'mcp' }, '2xx')
    for (const source of ['test', 'mcp'] as const) counts.notCalled({ at, source })
    for (const hasFailed of [true, false, false]) counts.runEnded('wf_a', at, hasFailed)
    counts.runEnded('wf_b', at, false)
    const runs = [
      { workflowId: 'wf_a', ended: 3, failed: 1 },
      { workflowId: 'wf_b', ended: 1, failed: 0 },
    ]
    const all = { accepted: 2, refused: 1, calls: 2, callsFailed: 1, callsNotMade: 1, runs }
    expect(counts.lastHour(at)).toEqual(all)
    expect(counts.lastHour(startOfHour + hourMs - 1)).toEqual(all)
    expect(counts.lastHour(startOfHour + hourMs)).toEqual({
      accepted: 0,
      refused: 0,
      calls: 0,
      callsFailed: 0,
      callsNotMade: 0,
      runs: [],
    })
  })

  test('include a later diagnosis', () => {
    const counts = createConnectionCounts()
    counts.rejected({ at: startOfTests, attemptId: 'att_1', code: 'invalid_signature', diagnosis: null })
    expect(counts.read(startOfTests).lastRejection?.diagnosis).toBeNull()
    expect(counts.undiagnosed()).toBe('att_1')
    expect(counts.diagnosed('att_0', 'empty_body')).toBe(false)
    expect(counts.diagnosed('att_1', 'signed_body_only')).toBe(true)
    expect(counts.undiagnosed()).toBeNull()
    expect(counts.read(startOfTests).lastRejection).toEqual({
      at: new Date(startOfTests).toISOString(),
      attemptId: 'att_1',
      code: 'invalid_signature',
      diagnosis: 'signed_body_only',
    })
  })

  test('keep 500 event names and replace the least recently seen one', () => {
    const counts = createConnectionCounts()
    let now = startOfTests
    const receive = (eventName: string) => {
      now += 1
      counts.accepted({ id: 'evt_1', eventName, at: now }, 1)
    }
    for (let index = 0; index < 500; index++) receive(`name ${index}`)
    receive('name 0')
    receive('new')
    const names = new Map(counts.eventNames(now).map(({ eventName, count: ofName }) => [eventName, ofName]))
    expect(names.size).toBe(500)
    expect([names.get('name 0'), names.get('name 1'), names.get('name 2'), names.get('new')]).toEqual([
      2,
      undefined,
      1,
      1,
    ])
    receive('name 1')
    expect(counts.eventNames(now).find(({ eventName }) => eventName === 'name 1')?.count).toBe(1)
    expect(counts.read(now).accepted).toBe(503)
  })

  test('agree with the last event and the last rejection', () => {
    fc.assert(
      fc.property(history, fc.nat(30 * hourMs), (steps, later) => {
        const { counts, now } = count(steps)
        for (const moment of [now, now + later]) {
          const { accepted, rejected, lastEvent, lastRejection } = counts.read(moment)
          if (lastEvent !== null && moment - Date.parse(lastEvent.at) < 23 * hourMs)
            expect(accepted).toBeGreaterThan(0)
          expect(lastRejection !== null).toBe(rejected > 0)
        }
      }),
      { numRuns: 200 },
    )
  })

  test.each([0.5, 1, 23])('still contain an event after the clock was set back by %d hours', hours => {
    const counts = createConnectionCounts()
    counts.accepted({ id: 'evt_1', eventName: 'a', at: startOfHour }, 1)
    const now = startOfHour - hours * hourMs
    expect(counts.read(now)).toMatchObject({ accepted: 1, lastEvent: { eventId: 'evt_1' } })
    expect(counts.eventNames(now)).toMatchObject([{ eventName: 'a', count: 1 }])
    counts.called({ at: now, ok: true, totalMs: 1, source: 'mcp' }, '2xx')
    expect(counts.read(now)).toMatchObject({ accepted: 1, calls: 1 })
  })

  test('forget the events of a future that the clock was set back from', () => {
    const counts = createConnectionCounts()
    counts.accepted({ id: 'evt_1', eventName: 'a', at: startOfHour }, 1)
    counts.rejected({ at: startOfHour, attemptId: null, code: 'invalid_json', diagnosis: null })
    const now = startOfHour - 30 * hourMs
    counts.called({ at: now, ok: true, totalMs: 1, source: 'mcp' }, '2xx')
    expect(counts.read(now)).toMatchObject({
      accepted: 0,
      rejected: 0,
      calls: 1,
      lastEvent: null,
      lastRejection: null,
    })
  })
})
