import fc from 'fast-check'
import { expect, test } from 'vitest'
import { Voice } from '#shared/model/platform/voice.ts'
import {
  axisMarks,
  exampleCall,
  limits,
  markStep,
  movedTime,
  waveOf,
} from '../../../src-renderer/features/agent/voice/example-call.ts'

const times = fc.record({
  silence: fc.integer({ min: 100, max: 60_000 }),
  threshold: fc.integer({ min: 0, max: 10_000 }),
})

test('the marks span exactly the two times, and everything is on the axis in its order', () => {
  fc.assert(
    fc.property(times, ({ silence, threshold }) => {
      const call = exampleCall(silence, threshold)
      expect(call.silence.to - call.silence.from).toBe(silence)
      expect(call.interruption.to - call.interruption.from).toBe(threshold)
      expect(call.agent).toEqual({ from: call.silence.to, to: call.interruption.to })
      expect(call.silence.from).toBe(call.caller.rest.to)
      expect(call.interruption.from).toBe(call.caller.objection.from)
      expect(call.caller.objection.to).toBeLessThanOrEqual(call.end)
      expect(call.caller.sound.from).toBeGreaterThan(call.agent.from)
      expect(call.caller.sound.to).toBeLessThan(call.interruption.from)
      expect(call.answersInPause).toBe(silence <= 450)
      expect(call.stopsForSound).toBe(threshold <= 120)
    }),
  )
})

test('the axis has at most eleven marks, ends at its end, and no two are close', () => {
  fc.assert(
    fc.property(times, ({ silence, threshold }) => {
      const { end } = exampleCall(silence, threshold)
      const marks = axisMarks(end)
      expect(marks[0]).toBe(0)
      expect(marks.at(-1)).toBe(end)
      expect(marks.length).toBeLessThanOrEqual(11)
      for (const [index, at] of marks.entries())
        if (index > 0) expect(at - (marks[index - 1] ?? 0)).toBeGreaterThanOrEqual(end / 21)
    }),
  )
})

test('a moved mark stays within its limits and on whole steps', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 0, max: 60_000 }),
      fc.integer({ min: -90_000, max: 90_000 }),
      (from, by) => {
        const moved = movedTime(from, by, limits.silenceTimeout)
        expect(moved).toBeGreaterThanOrEqual(100)
        expect(moved).toBeLessThanOrEqual(60_000)
        expect(moved % markStep).toBe(0)
      },
    ),
  )
  expect(movedTime(Number.NaN, 100, limits.interruptionThreshold)).toBe(100)
})

test('the marks reach what the schema accepts and no more', () => {
  for (const field of ['silenceTimeout', 'interruptionThreshold'] as const) {
    const [least, most] = limits[field]
    const isValid = (ms: number) => Voice.safeParse({ [field]: ms }).success
    expect([least - 1, least, most, most + 1].map(isValid)).toEqual([false, true, true, false])
  }
})

test('a stretch always has the same wave, with heights from 0.15 to 1', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 60_000 }), length => {
      const wave = waveOf({ from: 500, to: 500 + length })
      expect(wave).toEqual(waveOf({ from: 0, to: length }))
      for (const height of wave) {
        expect(height).toBeGreaterThanOrEqual(0.15)
        expect(height).toBeLessThanOrEqual(1)
      }
    }),
  )
})
