import { describe, expect, test } from 'vitest'
import { allRules } from '#main/alerts/kinds.ts'
import { decide, type Previous, type Reading } from '#main/alerts/rule.ts'
import { type AlertKind, alertKinds, connectionThresholds, serviceWatch } from '#shared/model/alert.ts'

const minute = 60_000
const hour = 60 * minute
const day = 24 * hour
const now = 1000 * day

const connection = {
  connection: { name: 'Shop', enabled: true },
  thresholds: { ...connectionThresholds, silent: { enabled: true, hours: 2 } },
  recent: { accepted: 0, refused: 0, calls: 0, callsFailed: 0 },
  ...{ silentSince: null, oldSecretAt: 0, graceEnds: [], measured: { offsetsMs: [] as number[] } },
}
const workflow = {
  workflow: { name: 'Reserve', enabled: true },
  ...{ thresholds: serviceWatch, failedLastHour: 0, dueSince: null },
}
const node = {
  ...{ name: 'cc-1', thresholds: serviceWatch, isLost: false, silentMs: 0 },
  ...{ disk: null, certificateEndsAt: null },
}
const backup = { thresholds: serviceWatch, newestAt: null, expectedSince: null }
const of = (changes: object) => ({ ...connection, recent: { ...connection.recent, ...changes } })
const offsets = (...parts: (readonly [count: number, ms: number])[]) => ({
  ...connection,
  measured: { offsetsMs: parts.flatMap(([count, ms]) => new Array<number>(count).fill(ms)) },
})
const fields = [{ path: 'a', change: 'missing', sample: { type: 'number', text: '1' }, now: null }]
const compared = (differs: string, changes: object = {}) => ({
  connection: { name: 'Shop', enabled: true, persistEvents: true },
  ...{ thresholds: connectionThresholds, workflows: () => ['wf_1'] },
  compared: { eventName: 'order.paid', sample: 'ab', lastAt: now, differs, fields },
  ...changes,
})
const gibibyte = 1024 ** 3

/** The numbers of each kind that open an alert, that are just not enough, that leave an open one, and that close it. */
type Cases = {
  readonly opens: readonly object[]
  readonly stays: readonly object[]
  /** Neither opens nor closes. */
  readonly between: readonly object[]
  readonly closes: readonly object[]
  readonly unwatched: readonly object[]
}
const offline = { ...connection, connection: { name: 'Shop', enabled: false } }

const cases: Readonly<Record<AlertKind, Cases>> = {
  silent: {
    opens: [{ ...connection, silentSince: now - 2 * hour }],
    stays: [{ ...connection, silentSince: now - 2 * hour + 1 }],
    between: [],
    closes: [{ ...connection, silentSince: now }],
    unwatched: [
      connection,
      { ...offline, silentSince: now - 3 * hour },
      { ...connection, silentSince: now - 3 * hour, thresholds: connectionThresholds },
    ],
  },
  refused: {
    opens: [of({ accepted: 20, refused: 5 }), of({ refused: 5 })],
    stays: [of({ accepted: 21, refused: 5 }), of({ refused: 4 })],
    between: [of({ accepted: 8, refused: 1 })],
    closes: [of({ accepted: 100 }), of({})],
    unwatched: [offline],
  },
  calls_failing: {
    opens: [of({ calls: 15, callsFailed: 3 })],
    stays: [of({ calls: 16, callsFailed: 3 }), of({ calls: 2, callsFailed: 2 })],
    between: [of({ calls: 9, callsFailed: 1 })],
    closes: [of({ calls: 100 })],
    unwatched: [offline],
  },
  runs_failing: {
    opens: [{ ...workflow, failedLastHour: 3 }],
    stays: [{ ...workflow, failedLastHour: 2 }],
    between: [{ ...workflow, failedLastHour: 1 }],
    closes: [workflow],
    unwatched: [
      {
        ...{ ...workflow, failedLastHour: 9 },
        thresholds: { ...serviceWatch, runsFailing: { enabled: false, count: 1 } },
      },
    ],
  },
  runs_stuck: {
    opens: [{ ...workflow, dueSince: now - 15 * minute }],
    stays: [{ ...workflow, dueSince: now - 15 * minute + 1 }, workflow],
    between: [{ ...workflow, dueSince: now - 5 * minute }],
    closes: [{ ...workflow, dueSince: now - 5 * minute + 1 }, workflow],
    unwatched: [{ ...workflow, workflow: { name: 'Reserve', enabled: false }, dueSince: 1 }],
  },
  payload: {
    opens: [compared('11111'), compared('0111111111'), compared(`00${'1'.repeat(18)}`)],
    stays: [compared('1111'), compared('01111'), compared(`000${'1'.repeat(17)}`)],
    between: [compared('1'), compared(`1${'0'.repeat(19)}`), compared('0'.repeat(19))],
    closes: [compared('0'.repeat(20))],
    unwatched: [
      compared('11111', { connection: { name: 'Shop', enabled: false } }),
      compared('11111', {
        thresholds: { ...connectionThresholds, payload: { enabled: true, mutedEvents: ['order.paid'] } },
      }),
    ],
  },
  clock: {
    opens: [offsets([10, 60_001]), offsets([20, 0], [30, -112_000])],
    stays: [offsets([9, 60_001]), offsets([10, 60_000]), offsets([30, 0], [20, 90_000])],
    between: [offsets([9, 0], [1, 48_000]), offsets([40, 90_000], [9, 0])],
    closes: [offsets([10, 47_999]), offsets([40, 90_000], [10, -47_999])],
    unwatched: [connection, { ...offline, measured: { offsetsMs: new Array<number>(10).fill(90_000) } }],
  },
  secret_grace: {
    opens: [
      { ...connection, oldSecretAt: now - hour, graceEnds: [now + day, now - 1] },
      { ...connection, oldSecretAt: now, graceEnds: [now + 15 * minute] },
    ],
    stays: [
      { ...connection, oldSecretAt: now, graceEnds: [now + day + 1] },
      { ...connection, oldSecretAt: now - day, graceEnds: [now + day] },
      { ...connection, oldSecretAt: now, graceEnds: [now + hour] },
    ],
    between: [{ ...connection, oldSecretAt: 0, graceEnds: [now + hour] }],
    closes: [
      { ...connection, oldSecretAt: now, graceEnds: [now - 1] },
      { ...connection, oldSecretAt: now, graceEnds: [now + 7 * day] },
    ],
    unwatched: [offline],
  },
  disk_low: {
    opens: [
      { ...node, disk: { free: gibibyte - 1, size: 2 * gibibyte } },
      { ...node, disk: { free: 4 * gibibyte, size: 100 * gibibyte } },
    ],
    stays: [{ ...node, disk: { free: gibibyte, size: 2 * gibibyte } }],
    between: [{ ...node, disk: { free: 1.1 * gibibyte, size: 2 * gibibyte } }],
    closes: [{ ...node, disk: { free: 1.3 * gibibyte, size: 2 * gibibyte } }],
    unwatched: [node, { ...node, isLost: true, disk: { free: 1, size: 2 } }],
  },
  backup_old: {
    opens: [
      { ...backup, newestAt: now - 2 * day - 1 },
      { ...backup, expectedSince: now - 2 * day - 1 },
    ],
    stays: [
      { ...backup, newestAt: now - 2 * day, expectedSince: 1 },
      { ...backup, expectedSince: now },
    ],
    between: [],
    closes: [{ ...backup, newestAt: now - 1 }],
    unwatched: [backup],
  },
  certificate_ends: {
    opens: [{ ...node, certificateEndsAt: now + 14 * day }],
    stays: [{ ...node, certificateEndsAt: now + 14 * day + 1 }],
    between: [],
    closes: [{ ...node, certificateEndsAt: now + 90 * day }],
    unwatched: [node],
  },
  node_lost: {
    opens: [{ ...node, isLost: true, silentMs: minute }],
    stays: [{ ...node, isLost: true, silentMs: minute - 1 }, node],
    between: [{ ...node, isLost: true, silentMs: 30_000 }],
    closes: [node],
    unwatched: [],
  },
}

type AnyRule = { read(numbers: unknown, now: number, previous: Previous | null): Reading | null }
const ruleOf = (kind: AlertKind): AnyRule => allRules[kind] as AnyRule
const open = { calmSince: null }

describe.each(alertKinds)('an alert %s', kind => {
  const decision = (numbers: object, previous: Previous | null) =>
    decide(ruleOf(kind).read(numbers, now, previous), previous, now)

  test('opens at its threshold, and not before', () => {
    for (const numbers of cases[kind].opens) expect(decision(numbers, null)).toBe('open')
    for (const numbers of cases[kind].stays) expect(decision(numbers, null)).toBeNull()
    for (const numbers of [...cases[kind].between, ...cases[kind].closes])
      expect(decision(numbers, null)).toBeNull()
  })

  test('stays open while it would open again, and in between', () => {
    for (const numbers of [...cases[kind].opens, ...cases[kind].between])
      expect(decision(numbers, open)).toBeNull()
  })

  test('closes when it is over, and when nobody watches for it', () => {
    for (const numbers of cases[kind].closes) expect(decision(numbers, open)).toBe('close')
    for (const numbers of cases[kind].unwatched) {
      expect(decision(numbers, open)).toBe('close')
      expect(decision(numbers, null)).toBeNull()
    }
  })

  test('says what is wrong in one sentence', () => {
    for (const numbers of cases[kind].opens)
      expect(ruleOf(kind).read(numbers, now, null)?.message()).toMatch(/^[^\n]{10,200}\.$/)
  })
})

test('a share that flaps around half of its threshold closes only after 15 calm minutes', () => {
  const rule = ruleOf('refused')
  const calm = of({ accepted: 100, refused: 1 })
  const worse = of({ accepted: 100, refused: 20 })
  let previous: Previous = open
  let at = now
  for (let flap = 0; flap < 200; flap++) {
    at += flap % 10 === 9 ? 14 * minute : minute
    const decided = decide(rule.read(flap % 2 === 0 ? calm : worse, at, previous), previous, at)
    expect(decided).not.toBe('close')
    expect(decided).not.toBe('open')
    if (decided !== null && typeof decided === 'object') previous = decided
  }
  const since = decide(rule.read(calm, at, previous), previous, at)
  expect(since).toEqual({ calmSince: at })
  expect(
    decide(rule.read(calm, at + 15 * minute - 1, { calmSince: at }), { calmSince: at }, at + 15 * minute - 1),
  ).toBeNull()
  expect(
    decide(rule.read(calm, at + 15 * minute, { calmSince: at }), { calmSince: at }, at + 15 * minute),
  ).toBe('close')
})
