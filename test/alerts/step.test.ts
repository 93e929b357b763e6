import { rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { readAlertDoc } from '#main/alerts/alert-doc.ts'
import { rules } from '#main/alerts/kinds.ts'
import { createAlertStep } from '#main/alerts/step.ts'
import type { AlertStore, StoredAlert } from '#main/storage/alerts.ts'
import { openSqliteHistory } from '#main/storage/local/sqlite/sqlite-history.ts'
import { connectionThresholds } from '#shared/model/alert.ts'
import { newFolder } from '../storage/config-fixtures.ts'
import { unhurried } from '../support/patience.ts'

const minute = 60_000

let history: Awaited<ReturnType<typeof openSqliteHistory>>
let file: string
beforeEach(async () => {
  file = join(await newFolder(), 'history.sqlite')
  const fail = (problem: unknown) => {
    throw new Error(String(problem))
  }
  history = await openSqliteHistory({
    ...{ file, ...unhurried, bounds: {}, clock: () => 1, onProblem: fail, onNotice: fail },
  })
})
afterEach(async () => {
  await history.close()
  await rm(dirname(file), { recursive: true, force: true })
})

/** A service that evaluates one connection. Several can share a storage. */
function watcher(of: { store?: Partial<AlertStore>; clock: { now: number } }) {
  const state = { refused: 0, accepted: 100, isThere: true, quietUntil: 0 }
  const told: string[] = []
  const errors: unknown[] = []
  let fails: (alert: StoredAlert) => boolean = () => false
  let number = 0
  const place = {
    ...{ subject: 'conn_1', workspaceId: 'default', connectionId: 'conn_1', connectionName: 'Shop' },
    ...{ workflowId: null, workflowName: null, node: null },
  }
  const step = createAlertStep({
    store: { ...history.alerts, ...of.store },
    async readAll(deciding, memory) {
      const numbers = {
        connection: { name: 'Shop', enabled: true },
        thresholds: connectionThresholds,
        recent: { ...state, calls: 0, callsFailed: 0 },
        ...{ silentSince: null, oldSecretAt: 0, graceEnds: [], measured: { offsetsMs: [] } },
      }
      if (state.isThere) deciding.read('refused', rules.connections.refused, numbers, place)
      return memory
    },
    async tell(alert) {
      if (fails(alert)) throw new Error('no room')
      told.push(`${alert.number}/${alert.closedAt === null ? 'opened' : 'closed'}`)
    },
    quietUntil: () => state.quietUntil,
    nextNumber: () => of.clock.now + number++,
    clock: () => of.clock.now,
    onError: error => errors.push(error),
  })
  return {
    ...{ state, told, errors },
    failWhen(when: typeof fails) {
      fails = when
    },
    /** Lets so many milliseconds pass, then evaluates. */
    async letPass(ms: number): Promise<void> {
      of.clock.now += ms
      await step()
    },
    now: step,
  }
}

const stored = () => history.alerts.list({ state: 'all', before: Number.MAX_SAFE_INTEGER, limit: 1000 })

test('200 flaps within the closing time tell once that an alert opens, and once that it closes', async () => {
  const { state, told, letPass } = watcher({ clock: { now: 1_000_000 } })
  for (let flap = 0; flap < 200; flap++) {
    state.refused = flap % 2 === 0 ? 50 : 1
    await letPass(minute)
  }
  expect(told).toHaveLength(1)
  state.refused = 1
  await letPass(14 * minute)
  expect(told).toHaveLength(1)
  await letPass(minute)
  await letPass(minute)
  const [alert] = await stored()
  expect(told).toEqual([`${alert?.number}/opened`, `${alert?.number}/closed`])
  expect(await stored()).toHaveLength(1)
})

test('a step that comes too soon does nothing', async () => {
  const { state, told, letPass } = watcher({ clock: { now: 1_000_000 } })
  await letPass(minute)
  state.refused = 50
  await letPass(9999)
  expect(told).toEqual([])
  await letPass(1)
  expect(told).toHaveLength(1)
})

test('of two steps at once, on one storage, one opens the alert', async () => {
  const clock = { now: 1_000_000 }
  const nodes = Array.from({ length: 4 }, () => watcher({ clock }))
  for (const { state } of nodes) state.refused = 50
  await Promise.all(nodes.map(({ now }) => now()))
  expect(await stored()).toHaveLength(1)
  expect(nodes.flatMap(({ told }) => told)).toHaveLength(1)
  clock.now += minute
  for (const { state } of nodes) state.isThere = false
  await Promise.all(nodes.map(({ now }) => now()))
  expect(new Set(nodes.flatMap(({ told }) => told)).size).toBe(2)
  expect((await stored()).map(({ closedAt }) => closedAt)).toEqual([clock.now])
})

test('what could not be told is told by a later step, under the same key, before it closes', async () => {
  const clock = { now: 1_000_000 }
  const first = watcher({ clock })
  first.state.refused = 50
  first.failWhen(() => true)
  await first.letPass(minute)
  expect(first.errors).toHaveLength(1)
  const [opened] = await stored()
  expect(opened?.isTold).toBe(false)
  // Another process goes on; the refusals are over meanwhile.
  const second = watcher({ clock })
  second.state.refused = 0
  second.failWhen(() => true)
  await second.letPass(minute)
  expect((await stored())[0]?.closedAt).toBeNull()
  second.failWhen(() => false)
  await second.letPass(minute)
  expect(second.told).toEqual([`${opened?.number}/opened`, `${opened?.number}/closed`])
})

test('a process that dies after it has told repeats the key, and never another one', async () => {
  const clock = { now: 1_000_000 }
  const told: string[] = []
  for (const phase of [50, 50, 0, 0]) {
    // Dies before it can note that it has told.
    const dying = watcher({ clock, store: { told: () => Promise.reject(new Error('killed')) } })
    dying.state.refused = phase
    await dying.letPass(minute)
    told.push(...dying.told)
  }
  const last = watcher({ clock })
  await last.letPass(minute)
  told.push(...last.told)
  const [alert] = await stored()
  expect(new Set(told)).toEqual(new Set([`${alert?.number}/opened`, `${alert?.number}/closed`]))
  expect(await stored()).toHaveLength(1)
})

test('a step that cannot write says so once, until one can', async () => {
  let isFull = true
  const write: AlertStore['write'] = async change => {
    if (isFull) throw new Error('no room')
    return history.alerts.write(change)
  }
  const { state, told, errors, letPass } = watcher({ clock: { now: 1_000_000 }, store: { write } })
  state.refused = 50
  await letPass(minute)
  await letPass(minute)
  expect([told, errors]).toEqual([[], [new Error('no room')]])
  isFull = false
  await letPass(minute)
  expect(told).toHaveLength(1)
  isFull = true
  state.refused = 0
  await letPass(minute)
  expect(errors).toHaveLength(2)
})

test('what opens while it is quiet is told to nobody, also later, and neither is its end', async () => {
  const clock = { now: 1_000_000 }
  const { state, told, letPass } = watcher({ clock })
  state.quietUntil = clock.now + 10 * minute
  state.refused = 50
  await letPass(minute)
  await letPass(20 * minute)
  state.refused = 0
  await letPass(minute)
  expect(told).toEqual([])
  expect((await stored())[0]).toMatchObject({ closedAt: clock.now, isTold: true })
})

test('the end of a muted alert is told to nobody', async () => {
  const { state, told, letPass } = watcher({ clock: { now: 1_000_000 } })
  state.refused = 50
  await letPass(minute)
  const [alert] = await stored()
  await history.alerts.mute(alert?.number ?? 0, Number.MAX_SAFE_INTEGER)
  state.refused = 0
  await letPass(minute)
  expect(told).toHaveLength(1)
  expect((await stored())[0]?.closedAt).not.toBeNull()
})

test('an alert closes with its subject, and keeps what it said when it opened', async () => {
  const { state, told, letPass } = watcher({ clock: { now: 1_000_000 } })
  state.refused = 50
  await letPass(minute)
  state.isThere = false
  await letPass(minute)
  expect(told).toHaveLength(2)
  const [alert] = await stored()
  expect(readAlertDoc(alert?.doc ?? '')).toMatchObject({
    ...{ value: 33.3, threshold: 20, unit: 'percent', connectionName: 'Shop' },
    message: 'Shop has refused 50 of 150 requests of the last hour.',
  })
})
