import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type CallRoom, emptyWindow, settleCalls, takeRoom } from '#main/storage/call-window.ts'

const start = Date.UTC(2026, 0, 1)
const once = { comesAgain: false }
const again = { comesAgain: true }

/** The highest number of these times in a window of `ms`, which does not include its end. */
function mostIn(times: readonly number[], ms: number): number {
  const sorted = times.toSorted((a, b) => a - b)
  return Math.max(0, ...sorted.map((from, index) => sorted.slice(index).filter(at => at < from + ms).length))
}

const placeOf = (room: CallRoom | undefined) => (room !== undefined && 'place' in room ? room.place : null)

test('no window has more arrivals than calls, whatever each call needs to arrive and to be answered', () => {
  const limits = fc.record({
    calls: fc.integer({ min: 1, max: 20 }),
    perSeconds: fc.integer({ min: 1, max: 90 }),
  })
  const step = fc.record({
    afterMs: fc.integer({ min: 0, max: 700 }),
    /** When it arrives, and is answered after that. Both together take less than a second. */
    arrivesMs: fc.integer({ min: 0, max: 500 }),
    answerMs: fc.integer({ min: 0, max: 490 }),
    asked: fc.integer({ min: 1, max: 8 }),
  })
  const property = fc.property(limits, fc.array(step, { maxLength: 150 }), (limit, steps) => {
    let window = emptyWindow
    let now = start
    const arrivals: number[] = []
    let open: { place: number; at: number }[] = []
    for (const { afterMs, arrivesMs, answerMs, asked } of steps) {
      now += afterMs
      for (const { place, at } of open)
        if (at <= now) window = settleCalls(window, limit, now, [{ place, isSent: true }])
      open = open.filter(({ at }) => at > now)
      const taken = takeRoom(window, limit, now, Array(asked).fill(once))
      window = taken.window
      for (const room of taken.rooms) {
        const place = placeOf(room)
        if (place === null) continue
        arrivals.push(now + arrivesMs)
        open.push({ place, at: now + arrivesMs + answerMs })
      }
      expect(window.taken.length).toBeLessThanOrEqual(110)
    }
    expect(mostIn(arrivals, limit.perSeconds * 1000)).toBeLessThanOrEqual(limit.calls)
  })
  fc.assert(property, { numRuns: 300 })
})

describe('ten calls in a second', () => {
  const limit = { calls: 10, perSeconds: 1 }
  const rooms = (count: number, asked = once) => takeRoom(emptyWindow, limit, start, Array(count).fill(asked))

  test('pass at once, and the next ones in a second', () => {
    const { rooms: all } = rooms(12)
    expect(all.filter(room => placeOf(room) !== null)).toHaveLength(10)
    expect(all.slice(10)).toEqual(Array(2).fill({ dueAt: start + 1020 }))
  })

  test('count until a second after their answers', () => {
    const { window, rooms: all } = rooms(10)
    const settled = all.map(room => ({ place: placeOf(room) ?? 0, isSent: true }))
    const answered = settleCalls(window, limit, start + 40, settled)
    const next = (at: number) => takeRoom(answered, limit, at, [once]).rooms[0]
    expect(next(start + 1040)).toEqual({ dueAt: start + 1060 })
    expect(placeOf(next(start + 1060))).not.toBeNull()
  })

  test('count for no longer than two seconds without an answer', () => {
    const { window } = rooms(10)
    expect(takeRoom(window, limit, start + 1999, [once]).rooms).toEqual([{ dueAt: start + 2000 }])
    expect(placeOf(takeRoom(window, limit, start + 2000, [once]).rooms[0])).not.toBeNull()
  })

  test('give their place back if they were not sent', () => {
    const { window, rooms: all } = rooms(10)
    const back = settleCalls(window, limit, start, [{ place: placeOf(all[0]) ?? 0, isSent: false }])
    expect(placeOf(takeRoom(back, limit, start, [once]).rooms[0])).not.toBeNull()
  })

  test('put those that come again in a line, one after another', () => {
    const { rooms: all } = rooms(13, again)
    expect(all.slice(10)).toEqual([1020, 1120, 1220].map(ms => ({ dueAt: start + ms })))
  })

  test('make a new line under another limit', () => {
    const { window } = rooms(500, again)
    const dueUnder = (other: typeof limit) =>
      takeRoom(window, other, start, Array(12).fill(again)).rooms.filter(room => placeOf(room) === null)
    expect(dueUnder({ calls: 20, perSeconds: 1 })).toEqual([1020, 1070].map(ms => ({ dueAt: start + ms })))
    expect(dueUnder({ calls: 10, perSeconds: 2 })[0]).toEqual({ dueAt: start + 2040 })
    expect(dueUnder(limit)[0]).toEqual({ dueAt: start + 1020 + 49_000 })
  })

  test('forget a line whose callers do not come', () => {
    const { window } = rooms(500, again)
    const later = takeRoom(window, limit, start + 3000, Array(11).fill(again))
    expect(later.rooms.at(-1)).toEqual({ dueAt: start + 4020 })
  })

  test.each([limit, { calls: 10, perSeconds: 3600 }, { calls: 1, perSeconds: 3600 }])(
    'come in at most an hour, and not all at its end: %j',
    one => {
      const { rooms: all } = takeRoom(emptyWindow, one, start, Array(40_000).fill(again))
      const due = all.flatMap(room => ('dueAt' in room ? room.dueAt - start : []))
      const perMinute = new Map<number, number>()
      for (const at of due) {
        expect(at).toBeLessThanOrEqual(3_600_000)
        perMinute.set(Math.floor(at / 60_000), (perMinute.get(Math.floor(at / 60_000)) ?? 0) + 1)
      }
      expect(Math.max(...perMinute.values())).toBeLessThan(4000)
    },
  )

  test('pass after the clock was set back', () => {
    const { window } = rooms(30, again)
    const before = start - 86_400_000
    const { rooms: all } = takeRoom(window, limit, before, [again])
    expect(all).toEqual([{ dueAt: before + 1020 }])
    const later = takeRoom(takeRoom(window, limit, before, [again]).window, limit, before + 2000, [again])
    expect(placeOf(later.rooms[0])).not.toBeNull()
  })
})
