import { afterEach, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { deduplicationKey } from '#main/storage/deduplication-key.ts'
import type { EventLog } from '#main/storage/event-log.ts'
import {
  type ClaimedRun,
  type EndedRun,
  type FanOut,
  type LaneLimit,
  maxStepText,
  type NewRun,
  type RunClaim,
  type RunQuery,
  type RunStep,
  type RunStore,
} from '#main/storage/runs.ts'
import { eventMaker } from './event-log-events.ts'

export type OpenedRuns = {
  /** Whose `append` starts runs. */
  readonly log: Pick<EventLog, 'append' | 'appendAll' | 'list' | 'get' | 'summaries'>
  readonly runs: RunStore
}
export type RunsOpener = {
  readonly opened: OpenedRuns
  /** Returns another handle on the same data, as another process has it. */
  second(): Promise<OpenedRuns>
  /** Sets the limit of a lane, as a change of the configuration does. */
  setLane(lane: string, limit: LaneLimit): Promise<void>
  /** Closes both and opens them once more, on the same data. */
  reopen(): Promise<OpenedRuns>
  /** Closes both and deletes their data. */
  dispose(): Promise<void>
}
export type OpenRuns = (options: { clock: () => number; mostWaiting?: number }) => Promise<RunsOpener>

const lease = 10_000
const hour = 3_600_000
/** The limit of a lane for which none was ever set. */
const defaultLimit = 1

/** Tests that every implementation of RunStore must pass. */
export function describeRuns(name: string, open: OpenRuns): void {
  describe(name, () => {
    let opener: RunsOpener
    let log: OpenedRuns['log']
    let runs: RunStore
    let now: number
    let make: ReturnType<typeof eventMaker>

    async function use(options: { mostWaiting?: number } = {}): Promise<void> {
      opener = await open({ clock: () => now, ...options })
      ;({ log, runs } = opener.opened)
    }
    async function reopen(): Promise<void> {
      ;({ log, runs } = await opener.reopen())
    }
    /** @returns a function that closes it. */
    const openNew = async () => {
      now = Date.UTC(2026, 0, 1)
      make = eventMaker(() => now)
      await use()
      return () => opener.dispose()
    }
    /** Opens a store for each test of a group. */
    const ownRuns = () => beforeEach(openNew)
    /** Opens one store for a group of tests, which takes less time: each finds no runs, and no limits of lanes. */
    const sharedRuns = () => {
      beforeAll(openNew)
      afterEach(async () => {
        for (const connectionId of ['conn_a', 'conn_b']) await runs.forget(connectionId)
        for (const lane of ['wf_a', 'wf_b']) await opener.setLane(lane, defaultLimit)
        expect(await list()).toEqual([])
      })
    }

    const newRun = (changes: Partial<NewRun> = {}): NewRun => ({
      workflowId: 'wf_a',
      workspaceId: 'ws_a',
      connectionId: 'conn_a',
      lane: 'wf_a',
      queuedAt: now,
      summary: '{"eventName":"order.created"}',
      data: '{"orderId":1}',
      ...changes,
    })
    const start = async (count: number, changes: Partial<NewRun> = {}) => {
      const started = await runs.start(
        Array.from({ length: count }, () => newRun(changes)),
        null,
      )
      return started.ids
    }
    const claim = async (room = 100) => (await runs.claim(room, lease)).runs
    const claimOne = async () => {
      const [run] = await claim(1)
      if (run === undefined) throw new Error('No run is due.')
      return run
    }
    const idsOf = (of: readonly { runId: string }[]) => of.map(({ runId }) => runId)
    const claimedIds = async (room?: number) => idsOf(await claim(room))
    const succeeded = () => ({ state: 'succeeded', endedAt: now, error: null, discard: false }) as const
    const cancelled = () => ({ endedAt: now, discard: false })
    const step = (changes: Partial<RunStep> = {}): RunStep => ({
      path: 'charge',
      type: 'action',
      attempt: 1,
      startedAt: now,
      endedAt: now + 5,
      input: '{"amount":1.10}',
      output: '{"id":12345678901234567890}',
      error: null,
      callId: 'call_00000000001',
      absent: ['customer.name'],
      ...changes,
    })
    const list = async (query: Partial<RunQuery> = {}) =>
      idsOf((await runs.list({ limit: 200, ...query })).runs)

    describe('start', () => {
      ownRuns()

      it('stores an event and the runs it starts together', async () => {
        const event = make()
        await log.append(event, [newRun({ workflowId: 'wf_a' }), newRun({ workflowId: 'wf_b' })])
        await reopen()
        expect((await log.list('conn_a', { limit: 10 })).events).toEqual([event])
        const { runs: started } = await runs.list({ limit: 10 })
        expect(started.map(({ workflowId, eventId }) => [workflowId, eventId])).toEqual([
          ['wf_b', event.eventId],
          ['wf_a', event.eventId],
        ])
      })

      it('stores no run of an event that is not stored', async () => {
        const event = make()
        await log.append(event)
        await expect(log.append(event, [newRun()])).rejects.toThrow(RangeError)
        await expect(log.append({ ...make(), eventId: 'nonsense' }, [newRun()])).rejects.toThrow(RangeError)
        expect(await list()).toEqual([])
      })

      it('stores events that come at once, with and without runs that wait', async () => {
        await reopen()
        const events = Array.from({ length: 6 }, make)
        await Promise.all(
          events.map((event, index) =>
            log.append(event, index % 2 === 0 ? [newRun({ workflowId: 'wf_a' })] : []),
          ),
        )
        expect((await log.list('conn_a', { limit: 10 })).events).toHaveLength(6)
      })

      it('says whether events or runs wait to become durable', async () => {
        expect(runs.isAppending()).toBe(false)
        const stored = log.append(make())
        const started = runs.start([newRun()], null)
        expect(runs.isAppending()).toBe(true)
        await Promise.all([stored, started])
        await expect.poll(() => runs.isAppending()).toBe(false)
      })

      it('keeps the id of an event that is not stored', async () => {
        const { eventId } = make()
        const {
          ids: [runId = ''],
        } = await runs.start([newRun()], eventId)
        expect(await runs.get(runId)).toMatchObject({ eventId })
        expect((await log.list('conn_a', { limit: 10 })).events).toEqual([])
        await expect(runs.start([newRun()], 'nonsense')).rejects.toThrow(RangeError)
      })

      it('have the body of an event that is stored from its bytes', async () => {
        const bodies = ['{"note":"Größe"}', '{"note":"東京"}', '{"note":"\ufeff"}']
        const started = await Promise.all(
          bodies.map(bodyText => {
            const event = { ...make({ bodyText }), bodyBytes: new TextEncoder().encode(bodyText) }
            return log.append(event, [
              newRun({ data: bodyText }),
              newRun({ data: '{}' }),
              newRun({ data: bodyText }),
            ])
          }),
        )
        const found = await Promise.all(started.flatMap(one => one?.ids ?? []).map(id => runs.get(id)))
        expect(found.map(run => run?.data)).toEqual(bodies.flatMap(body => [body, '{}', body]))
      })

      it('finds nothing of a workflow or workspace whose id no run can have', async () => {
        await start(1)
        for (const text of ['\0', '\ud800']) {
          expect(await list({ workspaceId: text })).toEqual([])
          expect(await list({ workflowIds: [text] })).toEqual([])
          const counts = await runs.countEnded({ workspaceId: text, workflowIds: [text] })
          expect(counts).toEqual({ succeeded: 0, failed: 0, cancelled: 0 })
        }
      })

      it('returns started runs with any text', async () => {
        const texts = { summary: '{"eventName":"\ud800"}', data: '"\u0000 ✓ \udfff"' }
        const {
          ids: [runId = ''],
        } = await runs.start([newRun({ ...texts, dueAt: now + 5 })], null)
        expect(await runs.get(runId)).toEqual({
          ...newRun(texts),
          ...{ runId, eventId: null, state: 'waiting', dueAt: now + 5, claimNumber: 0 },
          ...{
            startedAt: null,
            endedAt: null,
            error: null,
            subject: null,
            stepAttempts: 1,
            steps: [],
            duplicates: 0,
          },
        })
      })

      it('assigns growing ids, across a restart and with a clock set back', async () => {
        const earlier = await start(3)
        now -= 60_000
        await reopen()
        const ids = [...earlier, ...(await start(3))]
        expect(ids).toEqual([...new Set(ids)].sort())
        expect(ids.every(id => /^run_[0-9a-z]{11}$/.test(id))).toBe(true)
      })

      it('refuses runs, and events with runs, while too many wait, and takes events without', async () => {
        await opener.dispose()
        await use({ mostWaiting: 3 })
        await start(3)
        await expect(start(1)).rejects.toMatchObject({ code: 'unavailable' })
        await expect(log.append(make(), [newRun()])).rejects.toMatchObject({ code: 'unavailable' })
        await log.append(make())
        expect((await log.list('conn_a', { limit: 10 })).events).toHaveLength(1)
        await claimOne()
        await start(1)
        expect(await list()).toHaveLength(4)
      })
    })

    describe('a run that has ended already', () => {
      ownRuns()

      const failed = (changes: Partial<EndedRun> = {}): NewRun => {
        const steps = [
          step({ path: 'check', type: 'branch', callId: null, input: '"\ud800"' }),
          step({ path: 'all.0.end', type: 'stop', callId: null, error: '{"code":"stopped"}', absent: [] }),
        ]
        const end = { state: 'failed', endedAt: now, error: '{"code":"stopped"}', discard: false } as const
        return newRun({ ended: { ...end, steps, ...changes } })
      }

      it('is stored with its event as a run that was claimed once, and is not claimed', async () => {
        const run = failed()
        const event = make()
        await log.append(event, [run, newRun()])
        await reopen()
        const [queued, stored] = (await runs.list({ limit: 10 })).runs
        const { ended, ...fields } = run
        expect(await runs.get(stored?.runId ?? '')).toEqual({
          ...fields,
          ...{ runId: stored?.runId, eventId: event.eventId, state: 'failed', dueAt: null, claimNumber: 1 },
          ...{ startedAt: now, endedAt: now, error: '{"code":"stopped"}', subject: null, stepAttempts: 1 },
          ...{ steps: ended?.steps, duplicates: 0 },
        })
        expect(await claimedIds()).toEqual([queued?.runId])
        expect(await list({ state: 'failed', workflowIds: ['wf_a'] })).toEqual([stored?.runId])
        expect(await runs.countEnded({})).toEqual({ succeeded: 0, failed: 1, cancelled: 0 })
      })

      it('has no data, and no inputs and outputs, if they are discarded', async () => {
        const {
          ids: [runId = ''],
        } = await runs.start([failed({ discard: true })], null)
        expect(await runs.get(runId)).toMatchObject({
          data: null,
          steps: [
            { path: 'check', input: null, output: null, endedAt: now + 5 },
            { path: 'all.0.end', input: null, output: null, error: '{"code":"stopped"}' },
          ],
        })
        expect(await runs.reopen(runId)).toBe(false)
      })

      it('has private steps without a stored input or output', async () => {
        const hidden = step({ isPrivate: true, input: null, output: null, absent: [], callId: null })
        const {
          ids: [runId = ''],
        } = await runs.start([failed({ steps: [hidden] })], null)
        expect((await runs.get(runId))?.steps).toEqual([hidden])
        await runs.reopen(runId)
        expect((await runs.get(runId))?.steps).toEqual([hidden])
      })

      it('can be retried with its steps, which are then discarded like those of any other', async () => {
        const run = failed()
        const {
          ids: [runId = ''],
        } = await runs.start([run], null)
        expect(await runs.reopen(runId)).toBe(true)
        await reopen()
        const again = await claimOne()
        expect(again).toMatchObject({ runId, claimNumber: 2 })
        await runs.record(again, [step()])
        expect((await runs.get(runId))?.steps).toEqual([...(run.ended?.steps ?? []), step()])
        await runs.finish(again, { ...succeeded(), discard: true })
        const nothing = { input: null, output: null }
        expect((await runs.get(runId))?.steps).toMatchObject([nothing, nothing, nothing])
      })

      it('counts among the figures of the steps', async () => {
        await runs.start([failed(), failed()], null)
        const figures = await runs.stepFigures('wf_a')
        expect(figures.runs).toBe(2)
        expect([...figures.steps].sort((a, b) => (a.key < b.key ? -1 : 1))).toEqual([
          { key: 'check', runs: 2, failures: 0 },
          { key: 'end', runs: 2, failures: 2 },
        ])
      })

      it('keeps the beginning of a text that is too long', async () => {
        const steps = [step({ output: 'x'.repeat(maxStepText + 1) }), step({ path: 'short' })]
        const {
          ids: [runId = ''],
        } = await runs.start([failed({ steps })], null)
        const kept = (await runs.get(runId))?.steps
        expect(kept).toEqual([
          step({ output: 'x'.repeat(maxStepText), isCut: true }),
          step({ path: 'short' }),
        ])
      })

      it('is stored while too many wait, takes no room, and is forgotten with its connection', async () => {
        await opener.dispose()
        await use({ mostWaiting: 1 })
        await runs.start([failed(), failed()], null)
        await start(1)
        await log.append(make(), [failed()])
        await expect(runs.start([failed(), newRun()], null)).rejects.toMatchObject({ code: 'unavailable' })
        expect(await list()).toHaveLength(4)
        await runs.forget('conn_a')
        expect(await list()).toEqual([])
      })

      it('is refused alone if its time is invalid', async () => {
        const outcomes = await Promise.allSettled([
          runs.start([failed()], null),
          runs.start([failed({ endedAt: Number.NaN })], null),
        ])
        expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected'])
        expect(await list()).toHaveLength(1)
      })
    })

    describe('a key', () => {
      ownRuns()

      const key = (text: string, scope = 'wf_a') => deduplicationKey(scope, text, now, hour)
      const keyed = (text: string, changes: Partial<NewRun> = {}) => {
        const run = newRun(changes)
        return newRun({ ...changes, deduplicationKey: key(text, run.workflowId) })
      }
      const storedIds = async () =>
        (await log.list('conn_a', { limit: 100 })).events.map(({ eventId }) => eventId)

      it('starts one run, across a restart, and marks the events after the first', async () => {
        const [first, second, other] = [make(), make(), make()]
        const started = await log.append(first, [keyed('ORD-1')])
        const [runId = ''] = started?.ids ?? []
        expect(started).toEqual({ ids: [runId], duplicates: new Set(), isRepeated: false })
        await reopen()
        expect(await log.append(second, [keyed('ORD-1')])).toEqual({
          ...{ ids: [runId], duplicates: new Set([0]), isRepeated: false },
        })
        await log.append(other, [keyed('ORD-2')])
        expect(await list()).toEqual([expect.any(String), runId])
        expect((await log.list('conn_a', { limit: 10 })).events).toEqual([
          ...[other, { ...second, duplicateOf: runId }, first],
        ])
        expect(await log.get('conn_a', second.eventId)).toEqual({ ...second, duplicateOf: runId })
        const range = { connectionIds: null, above: -1, below: Number.MAX_SAFE_INTEGER, limit: 10 }
        const { events } = await log.summaries(range)
        expect(events.map(({ duplicateOf }) => duplicateOf)).toEqual([undefined, runId, undefined])
        expect((await runs.get(runId))?.duplicates).toBe(1)
      })

      it('leaves out only the run whose workflow has it', async () => {
        const started = await log.append(make(), [keyed('ORD-1')])
        const event = make()
        const later = await log.append(event, [
          newRun({ workflowId: 'wf_b' }),
          keyed('ORD-1'),
          keyed('ORD-1', { workflowId: 'wf_c', ended: { ...succeeded(), steps: [] } }),
        ])
        expect(later?.duplicates).toEqual(new Set([1]))
        expect(later?.ids[1]).toBe(started?.ids[0])
        expect(await list({ eventId: event.eventId })).toEqual([later?.ids[2], later?.ids[0]])
        expect((await runs.laneCounts()).map(({ waiting }) => waiting)).toEqual([2])
      })

      it('starts one run of events that arrive at once, stored or not', async () => {
        const events = Array.from({ length: 32 }, () => make())
        const all = await Promise.all(
          events.map((event, index) =>
            index % 2 === 0
              ? log.append(event, [keyed('ORD-1')])
              : runs.start([keyed('ORD-1')], event.eventId),
          ),
        )
        expect(await list()).toEqual([all[0]?.ids[0]])
        expect(new Set(all.map(started => started?.ids[0])).size).toBe(1)
        expect(all.map(started => started?.duplicates.size)).toEqual([0, ...Array(31).fill(1)])
        expect(await storedIds()).toHaveLength(16)
      })

      it('is free from the moment that it expires', async () => {
        await runs.start([keyed('ORD-1')], null)
        now += hour - 1
        expect((await runs.start([keyed('ORD-1')], null)).duplicates.size).toBe(1)
        now += 1
        const { ids, duplicates } = await runs.start([keyed('ORD-1')], null)
        expect(duplicates.size).toBe(0)
        now += hour - 1
        expect(await runs.start([keyed('ORD-1')], null)).toMatchObject({ ids, duplicates: new Set([0]) })
      })

      it('stays when its run ends or fails, and goes with its workflow', async () => {
        const { ids } = await runs.start([keyed('ORD-1'), keyed('ORD-1', { workflowId: 'wf_b' })], null)
        await runs.cancel(ids[0] ?? '', cancelled())
        expect((await runs.start([keyed('ORD-1')], null)).duplicates.size).toBe(1)
        await runs.forgetKeys('wf_a')
        expect((await runs.start([keyed('ORD-1')], null)).duplicates.size).toBe(0)
        expect((await runs.start([keyed('ORD-1', { workflowId: 'wf_b' })], null)).duplicates.size).toBe(1)
      })

      it('of an event lets only the first be stored, with its runs', async () => {
        const [first, second] = [make(), make()]
        const signature = () => key('sha256=00', 'conn_a')
        const [stored, repeated] = await Promise.all([
          log.append(first, [keyed('ORD-1')], signature()),
          log.append(second, [keyed('ORD-2'), newRun()], signature()),
        ])
        expect(stored?.isRepeated).toBe(false)
        expect(repeated).toEqual({
          ...{ ids: [], duplicates: new Set(), isRepeated: true, repeatOf: first.eventId },
        })
        expect(await storedIds()).toEqual([first.eventId])
        expect(await list()).toEqual(stored?.ids)
        // The key of a run that was not started is free.
        expect((await log.append(make(), [keyed('ORD-2')]))?.duplicates.size).toBe(0)
        await reopen()
        expect((await log.append(make(), [], signature()))?.isRepeated).toBe(true)
        expect((await runs.start([newRun()], make().eventId, signature())).isRepeated).toBe(true)
        now += hour
        expect((await runs.start([], make().eventId, signature())).isRepeated).toBe(false)
        expect((await runs.start([], make().eventId, signature())).isRepeated).toBe(true)
        await runs.forget('conn_a')
        expect((await log.append(make(), [], signature()))?.isRepeated).toBe(false)
      })

      it('lets only the first of some runs be started that no event has started', async () => {
        const signature = () => key('sha256=00', 'conn_a')
        const start = () => runs.start([keyed('ORD-1'), newRun()], null, signature())
        const [other, ...all] = await Promise.all([
          runs.start([newRun()], null),
          ...Array.from({ length: 20 }, start),
        ])
        const started = all.filter(({ isRepeated }) => !isRepeated)
        expect(started).toHaveLength(1)
        expect(all.filter(({ ids }) => ids.length === 0)).toHaveLength(19)
        expect((await list()).toSorted()).toEqual([other, ...started].flatMap(({ ids }) => ids).toSorted())
        await reopen()
        const late = [keyed('ORD-2'), keyed('ORD-3')]
        expect(await runs.start(late, null, signature())).toEqual({
          ...{ ids: [], duplicates: new Set(), isRepeated: true },
        })
        expect((await runs.start([], null, signature())).isRepeated).toBe(true)
        // The keys of runs that were not started are free.
        expect((await runs.start(late, null)).duplicates.size).toBe(0)
        now += hour
        expect((await start()).isRepeated).toBe(false)
      })

      it('is not kept for an event that is refused', async () => {
        const event = make()
        await log.append(event)
        await expect(log.append(event, [keyed('ORD-1')])).rejects.toThrow(RangeError)
        const wrong = { ...key('ORD-1'), until: Number.NaN }
        await expect(runs.start([newRun({ deduplicationKey: wrong })], null)).rejects.toThrow(RangeError)
        expect((await runs.start([keyed('ORD-1')], null)).duplicates.size).toBe(0)
      })
    })

    describe('claim', () => {
      sharedRuns()

      it('claims each run once, the oldest first, up to the lane limit and the room', async () => {
        await opener.setLane('wf_a', 3)
        const ids = await start(5)
        expect(await claimedIds(2)).toEqual(ids.slice(0, 2))
        expect(await claimedIds()).toEqual(ids.slice(2, 3))
        expect(await claimedIds()).toEqual([])
      })

      it('marks the run as running and counts the claim', async () => {
        const [runId] = await start(1)
        const run = await claimOne()
        expect(run).toEqual({
          ...newRun(),
          ...{ runId, eventId: null, state: 'running', dueAt: now + lease, claimNumber: 1 },
          ...{ startedAt: now, endedAt: null, error: null },
        })
      })

      it('runs one at a time by default, and pauses a lane with limit 0', async () => {
        const [first] = await start(2, { lane: 'unset' })
        await opener.setLane('held', 0)
        await start(1, { lane: 'held' })
        expect(await claimedIds()).toEqual([first])
        await opener.setLane('held', 1)
        expect(await claimedIds()).toHaveLength(1)
      })

      it('claims no run before it is due', async () => {
        await opener.setLane('wf_a', 10)
        const [later] = await start(1, { dueAt: now + 2000 })
        const [sooner] = await start(1, { dueAt: now + 1000 })
        expect(await claimedIds()).toEqual([])
        now += 2000
        expect(await claimedIds()).toEqual([sooner, later])
      })

      it('claims the runs of a cancelled lane before they are due', async () => {
        const ids = await start(3, { dueAt: now + 1_000_000 })
        expect(await claimedIds()).toEqual([])
        await opener.setLane('wf_a', 'cancelled')
        expect((await runs.claim(0, lease)).nextDueAt).toBeNull()
        expect((await claimedIds()).sort()).toEqual(ids)
      })

      it('says of each run of a cancelled lane that it is to be ended', async () => {
        await start(1)
        await start(1, { lane: 'wf_b', dueAt: now + 1_000_000 })
        await opener.setLane('wf_b', 'cancelled')
        const claimed = await claim()
        expect(claimed.map(run => [run.lane, run.isCancelled]).sort()).toEqual([
          ['wf_a', undefined],
          ['wf_b', true],
        ])
      })

      it('serves every lane even if one has many waiting runs', async () => {
        for (const lane of ['busy', 'a', 'b']) await opener.setLane(lane, 100)
        await start(50, { lane: 'busy' })
        await start(1, { lane: 'a' })
        await start(1, { lane: 'b' })
        await claim(10)
        const lanes = (await claim(3)).map(({ lane }) => lane)
        expect(lanes).toEqual(expect.arrayContaining(['a', 'b']))
      })

      it('finds the due runs among any number of lanes with others', async () => {
        for (let n = 0; n < 150; n++)
          await start(1, { lane: `wf_${100 + n}`, ...(n !== 70 && { dueAt: now + 1000 }) })
        const found: (string | undefined)[] = []
        for (let next: number | null = now; next !== null && next <= now; ) {
          const { runs: claimed, nextDueAt } = await runs.claim(10, lease)
          found.push(...claimed.map(({ lane }) => lane))
          next = nextDueAt
        }
        expect(found).toEqual(['wf_170'])
      })

      it('counts a run that goes on while later ones come and go', async () => {
        await opener.setLane('wf_a', 2)
        const [first] = await start(1)
        const longest = await claimOne()
        for (let n = 0; n < 5; n++) {
          await start(1)
          await runs.finish(await claimOne(), succeeded())
        }
        const [next] = await start(2)
        expect(await claimedIds()).toEqual([next])
        expect(await runs.finish(longest, succeeded())).toBe(true)
        expect(longest.runId).toBe(first)
        expect(await claimedIds()).toHaveLength(1)
      })

      it('keeps the limit across a restart of the store', async () => {
        await opener.setLane('wf_a', 2)
        const ids = await start(3)
        await claim()
        await reopen()
        await opener.setLane('wf_a', 2)
        now += lease
        expect(await claimedIds()).toEqual(ids.slice(0, 2))
        expect(await claimedIds()).toEqual([])
      })
    })

    describe('a lease', () => {
      sharedRuns()

      it('makes the run claimable again when it ends, and fences its holder', async () => {
        await start(1)
        const first = await claimOne()
        now += lease - 1
        expect(await claimedIds()).toEqual([])
        now += 1
        const second = await claimOne()
        expect(second).toMatchObject({ runId: first.runId, claimNumber: 2 })
        expect(await runs.record(first, [step()])).toBe(false)
        expect(await runs.retryAt(first, now, 'timeout')).toBe(false)
        expect(await runs.finish(first, succeeded())).toBe(false)
        expect(await runs.renew([first], lease)).toEqual([])
        expect(await runs.get(first.runId)).toMatchObject({ state: 'running', claimNumber: 2, steps: [] })
        expect(await runs.finish(second, succeeded())).toBe(true)
        expect(await runs.finish(second, succeeded())).toBe(false)
      })

      it('lasts as long as it is renewed', async () => {
        await start(1)
        const run = await claimOne()
        now += lease - 1
        expect(await runs.renew([run], lease)).toEqual([run.runId])
        now += lease - 1
        expect(await claimedIds()).toEqual([])
        expect(await runs.finish(run, succeeded())).toBe(true)
      })
    })

    describe('a second handle', () => {
      ownRuns()

      it('claims, records and ends what another one has started', async () => {
        const { runs: other } = await opener.second()
        const [runId = ''] = await start(1)
        const [claimed] = (await other.claim(100, lease)).runs
        expect(claimed?.runId).toBe(runId)
        if (claimed === undefined) throw new Error('It is due.')
        expect(await claim()).toEqual([])
        expect(await other.renew([claimed], lease)).toEqual([runId])
        expect(await other.record(claimed, [step()])).toBe(true)
        expect(await runs.get(runId)).toMatchObject({ state: 'running', steps: [step()] })
        expect(await other.finish(claimed, succeeded())).toBe(true)
        expect(await runs.get(runId)).toMatchObject({ state: 'succeeded' })
        expect(await runs.countEnded({})).toMatchObject({ succeeded: 1 })
      })

      it('loses its claim when another one cancels the run, or claims it after the lease', async () => {
        const { runs: other } = await opener.second()
        await start(2, { lane: 'wf_b' })
        await opener.setLane('wf_b', 2)
        const [first, second] = (await other.claim(100, lease)).runs
        if (first === undefined || second === undefined) throw new Error('Two are due.')
        expect(await runs.cancel(first.runId, { endedAt: now, discard: false })).toBe(true)
        expect(await other.renew([first, second], lease)).toEqual([second.runId])
        expect(await other.finish(first, succeeded())).toBe(false)
        now += lease
        expect(await claimedIds()).toEqual([second.runId])
        expect(await other.renew([second], lease)).toEqual([])
        expect(await other.record(second, [step()])).toBe(false)
      })

      it('keeps to the limits of lanes together with another one', async () => {
        const { runs: other } = await opener.second()
        await opener.setLane('wf_a', 3)
        await opener.setLane('ordered', 'ordered')
        await start(10)
        const [oldest] = await start(4, { lane: 'ordered' })
        const claims = await Promise.all(
          [runs, other, runs, other].map(async by => ({ by, claimed: (await by.claim(100, lease)).runs })),
        )
        const all = claims.flatMap(({ claimed }) => claimed)
        expect(all.filter(({ lane }) => lane === 'wf_a')).toHaveLength(3)
        expect(all.filter(({ lane }) => lane === 'ordered').map(({ runId }) => runId)).toEqual([oldest])
        await opener.setLane('wf_a', 0)
        for (const { by, claimed } of claims)
          for (const run of claimed) expect(await by.finish(run, succeeded())).toBe(true)
        expect((await other.claim(100, lease)).runs.map(({ lane }) => lane)).toEqual(['ordered'])
      })

      it('claims each run once within the limits while runs arrive and end', async () => {
        const { runs: other } = await opener.second()
        const limits = new Map<string, number>([
          ['wf_a', 3],
          ['wf_b', 1],
          ['ordered', 1],
        ])
        for (const [lane, limit] of limits) await opener.setLane(lane, lane === 'ordered' ? lane : limit)
        const lanes = [...limits.keys()]
        const running = new Map<string, number>()
        const ended: string[] = []
        const ordered: string[] = []
        const above: string[] = []
        const count = (lane: string, by: number) => {
          const now = (running.get(lane) ?? 0) + by
          running.set(lane, now)
          if (now > (limits.get(lane) ?? 0)) above.push(lane)
        }
        const total = 120
        const starting = (async () => {
          const ids: string[] = []
          for (let n = 0; n < total; n += lanes.length)
            for (const lane of lanes) ids.push(...(await start(1, { lane })))
          return ids
        })()
        const claiming = [runs, other, runs, other].map(async one => {
          while (ended.length < total) {
            const claimed = (await one.claim(5, lease)).runs
            for (const run of claimed) {
              count(run.lane, 1)
              if (run.lane === 'ordered') ordered.push(run.runId)
            }
            await new Promise(resolve => setImmediate(resolve))
            for (const run of claimed) {
              count(run.lane, -1)
              if (await one.finish(run, succeeded())) ended.push(run.runId)
            }
          }
        })
        const ids = await starting
        await Promise.all(claiming)
        expect(ended.sort()).toEqual(ids)
        expect(ordered).toEqual(ids.filter((_, n) => n % lanes.length === 2))
        expect(above).toEqual([])
      })

      it('has a key that another one has kept', async () => {
        const { runs: other } = await opener.second()
        const keyed = () => newRun({ deduplicationKey: deduplicationKey('wf_a', 'ORD-1', now, hour) })
        const { ids } = await runs.start([keyed()], null)
        expect(await other.start([keyed()], null)).toMatchObject({ ids, duplicates: new Set([0]) })
        await other.forgetKeys('wf_a')
        expect((await runs.start([keyed()], null)).duplicates.size).toBe(0)
      })
    })

    describe('the announced changes', () => {
      ownRuns()

      it('name each run that was claimed or changed, once that is stored', async () => {
        const seen: (string | null)[] = []
        const unsubscribe = runs.changes.subscribe(id => seen.push(id))
        const announced = async (changes: readonly (string | null)[]) => {
          await expect.poll(() => seen).toEqual(expect.arrayContaining([...changes]))
          seen.length = 0
        }
        await start(2)
        await announced([null])
        const run = await claimOne()
        await announced([run.runId])
        for (const change of [
          () => runs.record(run, [step()]),
          () => runs.retryAt(run, now + hour, 'timeout'),
          () => runs.reopen(run.runId),
          () => runs.cancel(run.runId, { endedAt: now, discard: false }),
          () => runs.reopen(run.runId),
        ]) {
          expect(await change()).toBe(true)
          await announced([run.runId])
        }
        const again = await claimOne()
        await announced([again.runId])
        expect(await runs.finish(again, succeeded())).toBe(true)
        await announced([again.runId])
        await log.append(make(), [newRun()])
        await announced([null])
        await runs.forget('conn_a')
        await announced([null])
        unsubscribe()
      })
    })

    describe('retry', () => {
      sharedRuns()

      it('makes the run claimable when it is due, with its error until then', async () => {
        await start(1)
        const first = await claimOne()
        expect(await runs.retryAt(first, now + 1000, 'timeout')).toBe(true)
        expect(await runs.get(first.runId)).toMatchObject({
          ...{ state: 'retrying', dueAt: now + 1000, error: 'timeout', claimNumber: 1 },
        })
        expect(await claimedIds()).toEqual([])
        now += 1000
        expect(await claimOne()).toMatchObject({ runId: first.runId, claimNumber: 2, startedAt: now - 1000 })
      })

      it('frees the lane for other runs meanwhile', async () => {
        const [, second] = await start(2)
        await runs.retryAt(await claimOne(), now + 1000, 'timeout')
        expect(await claimedIds()).toEqual([second])
      })

      it('keeps to the limit of a lane whose only run was claimed', async () => {
        await start(1)
        const first = await claimOne()
        await start(1)
        expect(await claimedIds()).toEqual([])
        await runs.retryAt(first, now + 1000, 'timeout')
        expect(await claim()).toHaveLength(1)
        now += 1000
        expect(await claimedIds()).toEqual([])
      })

      it('blocks an ordered lane until the run has ended', async () => {
        await opener.setLane('wf_a', 'ordered')
        for (let n = 0; n < 3; n++) await log.append(make(), [newRun()])
        const [first, second, third] = (await list()).toReversed()
        const run = await claimOne()
        expect(run.runId).toBe(first)
        await runs.retryAt(run, now + 1000, 'timeout')
        expect(await claimedIds()).toEqual([])
        now += 1000
        const again = await claimOne()
        expect(again.runId).toBe(first)
        expect(await claimedIds()).toEqual([])
        await runs.finish(again, succeeded())
        expect(await claimedIds()).toEqual([second])
        await runs.cancel(second ?? '', cancelled())
        expect(await claimedIds()).toEqual([third])
      })
    })

    describe('claim', () => {
      sharedRuns()

      it('tells when the next run is due that its lane has room for', async () => {
        const next = async () => (await runs.claim(10, lease)).nextDueAt
        expect(await next()).toBeNull()
        await start(1, { dueAt: now + 5000 })
        await start(1, { dueAt: now + 3000, lane: 'wf_b' })
        expect(await next()).toBe(now + 3000)
        await opener.setLane('wf_b', 0)
        expect(await next()).toBe(now + 5000)
        await opener.setLane('wf_a', 'ordered')
        await start(1)
        const run = await claimOne()
        expect(await next()).toBeNull()
        await runs.retryAt(run, now + 8000, 'timeout')
        expect(await next()).toBe(now + 8000)
      })
    })

    describe('hurry', () => {
      sharedRuns()

      it('makes the next attempt of a run that waits for it due at once, and leaves any other run alone', async () => {
        const [first = '', second = '', third = ''] = await start(3)
        await runs.retryAt(await claimOne(), now + 60_000, 'http_503', [step()])
        expect(await runs.hurry(first)).toBe(true)
        expect(await runs.get(first)).toMatchObject({ state: 'retrying', error: 'http_503', steps: [step()] })
        const again = await claimOne()
        expect(again.runId).toBe(first)
        expect(await runs.hurry(first)).toBe(false)
        await runs.finish(again, { ...succeeded(), state: 'failed', error: 'http_500' })
        await runs.cancel(second, cancelled())
        for (const id of [first, second, third, 'nonsense', 'run_zzzzzzzzzzz'])
          expect(await runs.hurry(id)).toBe(false)
        const states = await Promise.all([first, second, third].map(async id => (await runs.get(id))?.state))
        expect(states).toEqual(['failed', 'cancelled', 'waiting'])
      })
    })

    describe('reopen', () => {
      sharedRuns()

      it('makes a failed or cancelled run due at once, with its steps', async () => {
        const [first = '', second = ''] = await start(2)
        const run = await claimOne()
        await runs.finish(run, { ...succeeded(), state: 'failed', error: 'http_500' }, [step()])
        await runs.cancel(second, cancelled())
        const summary = (await runs.get(second))?.summary
        expect([await runs.reopen(first, '{"a":"\ud800"}'), await runs.reopen(second)]).toEqual([true, true])
        expect(await runs.get(first)).toMatchObject({
          ...{ state: 'retrying', endedAt: null, error: null, steps: [step()] },
          summary: '{"a":"\ud800"}',
        })
        expect((await runs.get(second))?.summary).toBe(summary)
        await opener.setLane('wf_a', 2)
        expect(await claimedIds()).toEqual([first, second])
      })

      it('makes the next attempt of a run that waits for it due at once', async () => {
        const [id = ''] = await start(1)
        const run = await claimOne()
        await runs.retryAt(run, now + 60_000, 'http_503', [step()])
        expect(await claimedIds()).toEqual([])
        const { summary } = run
        expect(await runs.reopen(id, '{}')).toBe(true)
        expect(await runs.get(id)).toMatchObject({
          ...{ state: 'retrying', error: 'http_503', steps: [step()], summary },
        })
        expect(await claimedIds()).toEqual([id])
      })

      it('leaves a run alone that has not started, has succeeded or has lost its data', async () => {
        const [first = '', second = '', third = ''] = await start(3)
        expect(await runs.reopen(second)).toBe(false)
        await runs.finish(await claimOne(), succeeded())
        await runs.cancel(second, { ...cancelled(), discard: true })
        await claimOne()
        for (const id of [first, second, third, 'nonsense', 'run_zzzzzzzzzzz'])
          expect(await runs.reopen(id)).toBe(false)
      })
    })

    describe('finish and cancel', () => {
      sharedRuns()

      it('keep the outcome, and free the lane', async () => {
        const [, second] = await start(2)
        const run = await claimOne()
        now += 50
        await runs.finish(run, { state: 'failed', endedAt: now, error: 'http_500', discard: false })
        expect(await runs.get(run.runId)).toMatchObject({
          ...{ state: 'failed', error: 'http_500', endedAt: now, dueAt: null, data: '{"orderId":1}' },
        })
        expect(await claimedIds()).toEqual([second])
      })

      it('records steps with the end, and with a retry', async () => {
        await start(1)
        const first = await claimOne()
        await runs.retryAt(first, now, 'timeout', [step({ error: 'timeout' })])
        const second = await claimOne()
        await runs.finish(second, succeeded(), [step({ attempt: 2 })])
        await runs.finish(second, succeeded(), [step({ attempt: 3 })])
        expect((await runs.get(first.runId))?.steps).toEqual([
          step({ error: 'timeout' }),
          step({ attempt: 2 }),
        ])
      })

      it('keeps a sealed output beside the one that is shown until the run has ended', async () => {
        const hidden = step({ isPrivate: true, input: null, output: null, sealed: 'aes-256-gcm:AAAA' })
        const failed = step({ path: 'other', isPrivate: true, input: null, output: null, error: 'http_500' })
        const echo = step({ path: 'echo', output: '{"token":"••••"}', sealed: 'aes-256-gcm:BBBB' })
        const gone = [{ ...hidden, sealed: null }, failed, { ...echo, sealed: null }, step({ path: 'plain' })]
        const long = { ...hidden, path: 'long', sealed: `aes-256-gcm:${'C'.repeat(2 * maxStepText)}` }
        await opener.setLane('wf_a', 3)
        await start(3)
        const [first, second, third] = await claim()
        if (!first || !second || !third) throw new Error('Three runs were started.')
        for (const run of [first, second, third])
          await runs.record(run, [hidden, failed, echo, step({ path: 'plain' })])
        await reopen()
        await opener.setLane('wf_a', 3)
        expect((await runs.get(first.runId))?.steps).toEqual([hidden, failed, echo, step({ path: 'plain' })])
        now += lease
        const [again, , other] = await claim()
        if (!again || !other) throw new Error('The leases have ended.')
        await runs.record(again, [long])
        expect((await runs.get(first.runId))?.steps.at(-1)).toEqual(long)
        await runs.finish(again, { ...succeeded(), state: 'failed', unseal: true })
        expect((await runs.get(first.runId))?.steps).toEqual([...gone, { ...long, sealed: null }])
        await runs.reopen(first.runId)
        await runs.record(await claimOne(), [{ ...hidden, attempt: 2 }])
        expect((await runs.get(first.runId))?.steps.at(-1)).toEqual({ ...hidden, attempt: 2 })
        await runs.cancel(second.runId, cancelled())
        expect((await runs.get(second.runId))?.steps).toEqual(gone)
        await runs.finish(other, { ...succeeded(), discard: true, unseal: true })
        expect((await runs.get(third.runId))?.steps).toMatchObject(gone.map(() => ({ output: null })))
      })

      it('discard the payload on request', async () => {
        await start(1)
        const run = await claimOne()
        await runs.record(run, [step({ error: 'http_500' })])
        await runs.finish(run, { ...succeeded(), discard: true })
        expect(await runs.get(run.runId)).toMatchObject({
          data: null,
          steps: [{ ...step({ error: 'http_500' }), input: null, output: null }],
        })
        const [waiting = ''] = await start(1)
        await runs.cancel(waiting, { endedAt: now, discard: true })
        expect(await runs.get(waiting)).toMatchObject({ state: 'cancelled', data: null })
      })

      it('cancels a run in any state but an ended one', async () => {
        const [waiting = ''] = await start(1, { dueAt: now + 1000 })
        const [running = ''] = await start(1)
        const run = await claimOne()
        const published: RunClaim[] = []
        onTestFinished(runs.cancelled.subscribe(claim => void published.push(claim)))
        expect(await runs.cancel(running, cancelled())).toBe(true)
        expect(await runs.finish(run, succeeded())).toBe(false)
        expect(await runs.cancel(waiting, cancelled())).toBe(true)
        expect(await runs.cancel(waiting, cancelled())).toBe(false)
        expect(await runs.cancel('run_00000000000', cancelled())).toBe(false)
        expect(await runs.cancel('nonsense', cancelled())).toBe(false)
        const [first, second] = [running, waiting].map((runId, index) => ({ runId, claimNumber: 1 - index }))
        expect(published).toEqual([first, second])
        now += 1000
        expect(await claimedIds()).toEqual([])
        expect(await list({ state: 'cancelled' })).toEqual([running, waiting])
      })
    })

    describe('forget', () => {
      ownRuns()

      it('cancels the waiting runs of a connection and deletes the others, in any number, over a restart', async () => {
        await opener.setLane('wf_a', 10)
        const gone = await start(300, { connectionId: 'conn_gone' })
        for (const run of await claim(5)) await runs.finish(run, succeeded())
        const [retrying, running] = await claim(2)
        if (retrying === undefined || running === undefined) throw new Error('Two runs are due.')
        await runs.record(running, [step()])
        await runs.retryAt(retrying, now + 1000, 'timeout')
        const [other] = await start(1)
        await runs.forget('conn_gone')
        expect(await list()).toEqual([other])
        expect(await runs.get(gone[0] ?? '')).toBeNull()
        expect(await runs.finish(running, succeeded())).toBe(false)
        expect(await claimedIds()).toEqual([other])
        await reopen()
        now += lease
        expect(await claimedIds()).toEqual([other])
      })

      it('frees the room of the waiting runs', async () => {
        await opener.dispose()
        await use({ mostWaiting: 3 })
        await start(3)
        await expect(start(1)).rejects.toMatchObject({ code: 'unavailable' })
        await runs.forget('conn_a')
        await runs.forget('conn_unknown')
        expect(await start(3)).toHaveLength(3)
      })
    })

    describe('a fan-out', () => {
      ownRuns()

      const workflowIds = ['wf_a', 'wf_b', 'wf_c']
      const fanOut = (changes: Partial<FanOut> = {}): FanOut => {
        const { workflowId: _workflow, lane: _lane, ...shared } = newRun()
        return { ...shared, workflowIds, ...changes }
      }
      const limit = async (most: number) => {
        for (const lane of workflowIds) await opener.setLane(lane, most)
      }
      const ended = (changes: Partial<EndedRun> = {}): EndedRun => ({
        ...{ ...succeeded(), endedAt: now, steps: [step({ callId: null, endedAt: now })] },
        ...changes,
      })
      const end = (of: readonly ClaimedRun[], changes: Partial<EndedRun> = {}) =>
        runs.endPending(of.map(run => ({ ...run, startedAt: run.startedAt ?? now, ended: ended(changes) })))
      const waitingRun = (workflowId: string, eventId: string) => ({
        ...newRun({ workflowId, lane: workflowId }),
        ...{
          eventId,
          state: 'waiting',
          dueAt: null,
          claimNumber: 0,
          startedAt: null,
          endedAt: null,
          error: null,
        },
      })
      const counts = async () =>
        (await runs.laneCounts())
          .sort((a, b) => (a.lane < b.lane ? -1 : 1))
          .map(({ lane, waiting, retrying, running }) => [lane, waiting, retrying, running])

      it('is due since its event', async () => {
        const begun = now
        await log.append(make(), [fanOut()])
        now += 5000
        await log.append(make(), [fanOut()])
        await limit(1)
        expect(await runs.oldestDue(now)).toBe(begun)
        const claimed = await claim()
        expect(claimed).toHaveLength(workflowIds.length)
        for (const run of claimed) await runs.finish(run, succeeded())
        expect(await runs.oldestDue(now)).toBe(begun + 5000)
        await limit(0)
        expect(await runs.oldestDue(now)).toBe(null)
      })

      it('is stored with its event, and its runs are listed, found and counted as waiting', async () => {
        const event = make()
        const started = await log.append(event, [fanOut()])
        await reopen()
        const listed = (await runs.list({ limit: 10 })).runs
        const shown = { subject: null, stepAttempts: 1 }
        expect(listed).toEqual(
          ['wf_c', 'wf_b', 'wf_a'].map((workflowId, index) => {
            const { data: _data, ...run } = waitingRun(workflowId, event.eventId)
            return { ...run, ...shown, runId: listed[index]?.runId }
          }),
        )
        const ids = idsOf(listed)
        expect(started?.ids).toEqual(ids.slice(2))
        expect(await runs.get(ids[1] ?? '')).toEqual({
          ...waitingRun('wf_b', event.eventId),
          ...{ ...shown, runId: ids[1], steps: [], duplicates: 0 },
        })
        for (const [query, expected] of [
          [{ state: 'waiting' }, ids],
          [{ state: 'running' }, []],
          [{ eventId: event.eventId }, ids],
          [{ workflowIds: ['wf_b'] }, ids.slice(1, 2)],
          [{ workflowIds: ['wf_c', 'wf_a'], state: 'waiting' }, [ids[0], ids[2]]],
          [{ workspaceId: 'ws_a' }, ids],
          [{ workspaceId: 'ws_other' }, []],
          [{ connectionId: 'conn_b' }, []],
          [{ text: 'ORDERID' }, ids],
          [{ before: ids[0] }, ids.slice(1)],
          [{ since: now + 1000 }, []],
        ] satisfies [Partial<RunQuery>, (string | undefined)[]][])
          expect(await list(query), JSON.stringify(query)).toEqual(expected)
        expect(await counts()).toEqual(workflowIds.map(lane => [lane, 1, 0, 0]))
        expect((await runs.figures(['wf_b'], now))[0]?.lastRun).toMatchObject({
          ...{ runId: ids[1], state: 'waiting' },
        })
      })

      it('is stored beside other runs of its event', async () => {
        const event = make()
        const alone = (workflowId: string) =>
          newRun({ workflowId, lane: workflowId, data: event.bodyText, summary: '{"eventName":"alone"}' })
        const runsOfEvent = [alone('wf_x'), fanOut({ data: event.bodyText }), alone('wf_y')]
        const started = await log.append(event, runsOfEvent)
        const listed = (await runs.list({ limit: 10, eventId: event.eventId })).runs.toReversed()
        expect(listed.map(({ workflowId }) => workflowId)).toEqual(['wf_x', ...workflowIds, 'wf_y'])
        expect(started?.ids).toEqual([0, 1, 4].map(at => listed[at]?.runId))
        const found = await Promise.all(listed.map(({ runId }) => runs.get(runId)))
        expect(found.map(run => run?.data)).toEqual(Array(5).fill(event.bodyText))
        expect((await claim()).map(({ workflowId }) => workflowId).sort()).toEqual([
          ...workflowIds,
          ...['wf_x', 'wf_y'],
        ])
      })

      it('is stored for an event that is not', async () => {
        const { eventId } = make()
        await runs.start([fanOut()], eventId)
        expect((await runs.list({ limit: 10, eventId })).runs.map(({ eventId: of }) => of)).toEqual([
          ...[eventId, eventId, eventId],
        ])
        await expect(runs.start([fanOut()], 'nonsense')).rejects.toThrow(RangeError)
      })

      it('has ids that no other run gets, also after a restart', async () => {
        const [before = ''] = await start(1)
        await runs.start([fanOut()], null)
        const [after = ''] = await start(1)
        await reopen()
        const [last = ''] = await start(1)
        const ids = (await list()).toReversed()
        expect(ids).toHaveLength(6)
        expect([ids[0], ids[4], ids[5]]).toEqual([before, after, last])
        expect(new Set(ids).size).toBe(6)
      })

      it('is claimed by lane, the oldest first, up to the limit of each, among other runs', async () => {
        await limit(2)
        const [single] = await start(1)
        for (let n = 0; n < 3; n++) await runs.start([fanOut()], null)
        const [late] = await start(1)
        const ofA = (await list({ workflowIds: ['wf_a'] })).toReversed()
        expect(ofA).toEqual([single, ...ofA.slice(1, 4), late])
        const first = await claim()
        const idsIn = (of: readonly ClaimedRun[], lane: string) =>
          idsOf(of.filter(run => run.lane === lane)).sort()
        expect(idsIn(first, 'wf_a')).toEqual(ofA.slice(0, 2))
        expect(first).toHaveLength(6)
        expect(first.find(run => run.isPending)).toMatchObject({
          ...{ state: 'running', claimNumber: 1, startedAt: now, dueAt: now + lease, data: newRun().data },
        })
        expect(await claimedIds()).toEqual([])
        for (const run of first) expect(await runs.finish(run, succeeded())).toBe(true)
        expect(idsIn(await claim(), 'wf_a')).toEqual(ofA.slice(2, 4))
      })

      it('ends claimed runs with their steps, each once', async () => {
        await limit(10)
        const { eventId } = make()
        await runs.start([fanOut()], eventId)
        const claimed = await claim()
        expect(await end(claimed.slice(0, 2))).toEqual([true, true])
        expect(await end(claimed.slice(0, 2))).toEqual([false, false])
        expect(
          await end(claimed.slice(2), { state: 'failed', error: '{"code":"x"}', discard: true }),
        ).toEqual([true])
        await reopen()
        expect(await claimedIds()).toEqual([])
        expect(await counts()).toEqual([])
        expect(await runs.get(claimed[0]?.runId ?? '')).toMatchObject({
          ...{
            eventId,
            state: 'succeeded',
            claimNumber: 1,
            startedAt: now,
            endedAt: now,
            data: newRun().data,
          },
          steps: [step({ callId: null, endedAt: now })],
        })
        expect(await runs.get(claimed[2]?.runId ?? '')).toMatchObject({
          ...{ state: 'failed', data: null, error: '{"code":"x"}' },
          steps: [{ input: null, output: null }],
        })
        expect(await runs.countEnded({})).toEqual({ succeeded: 2, failed: 1, cancelled: 0 })
      })

      it('claims runs once more after a restart, unless their claim has become durable', async () => {
        await limit(10)
        await runs.start([fanOut()], null)
        const [first, second, third] = await claim()
        if (first === undefined || second === undefined || third === undefined)
          throw new Error('Three are due.')
        expect(await runs.record(first, [step()])).toBe(true)
        expect(await runs.retryAt(second, now + 1000, 'timeout')).toBe(true)
        expect(await runs.get(first.runId)).toMatchObject({
          state: 'running',
          claimNumber: 1,
          steps: [step()],
        })
        await reopen()
        await limit(10)
        const again = await claim()
        expect(idsOf(again)).toEqual([first.runId, third.runId])
        // The claim of the third may be durable or not.
        expect(again[0]).toMatchObject({ claimNumber: 2 })
        expect(again[0]?.isPending).toBeUndefined()
        expect(await runs.get(second.runId)).toMatchObject({ state: 'retrying', dueAt: now + 1000 })
      })

      it('has leases: a run that is not renewed is claimed again, and fences its holder', async () => {
        await limit(10)
        await runs.start([fanOut()], null)
        const [first, second] = await claim()
        if (first === undefined || second === undefined) throw new Error('Two are due.')
        now += lease - 1
        expect(await runs.renew([first], lease)).toEqual([first.runId])
        now += 1
        const again = await claim()
        expect(idsOf(again)).not.toContain(first.runId)
        expect(again.map(({ claimNumber }) => claimNumber)).toEqual([2, 2])
        expect(await end([second])).toEqual([false])
        expect(await runs.finish(second, succeeded())).toBe(false)
      })

      it('ends out of order without repeating a run, over a restart', async () => {
        await limit(10)
        for (let n = 0; n < 4; n++) await runs.start([fanOut({ workflowIds: ['wf_a', 'wf_b'] })], null)
        const claimed = (await claim()).filter(({ lane }) => lane === 'wf_a')
        await end(claimed.slice(2))
        await runs.cancel(claimed[1]?.runId ?? '', cancelled())
        await reopen()
        await limit(10)
        expect(await counts()).toEqual([
          ['wf_a', 1, 0, 0],
          ['wf_b', 4, 0, 0],
        ])
        const left = (await claim()).filter(({ lane }) => lane === 'wf_a')
        expect(idsOf(left)).toEqual([claimed[0]?.runId])
        await end(left)
        await reopen()
        expect(await counts()).toEqual([['wf_b', 4, 0, 0]])
        expect(await list({ workflowIds: ['wf_a'] })).toEqual(idsOf(claimed).toReversed())
      })

      it('has runs that are cancelled before they are claimed, and that cannot be retried before', async () => {
        await limit(10)
        for (let n = 0; n < 3; n++) await runs.start([fanOut()], null)
        const ofA = (await list({ workflowIds: ['wf_a'] })).toReversed()
        const [first = '', second = '', third = ''] = ofA
        expect(await runs.reopen(second)).toBe(false)
        expect(await runs.cancel(second, cancelled())).toBe(true)
        expect(await runs.cancel(second, cancelled())).toBe(false)
        expect(await runs.get(second)).toMatchObject({ state: 'cancelled', claimNumber: 0, startedAt: null })
        expect((await counts())[0]).toEqual(['wf_a', 2, 0, 0])
        await reopen()
        await limit(10)
        expect((await counts())[0]).toEqual(['wf_a', 2, 0, 0])
        const claimed = (await claim()).filter(({ lane }) => lane === 'wf_a')
        expect(idsOf(claimed)).toEqual([first, third])
        expect(await list({ workflowIds: ['wf_a'] })).toEqual(ofA.toReversed())
        expect(await runs.reopen(second)).toBe(true)
        expect(await claimedIds()).toEqual([second])
      })

      it('waits in paused lanes, and is claimed from cancelled ones', async () => {
        await limit(0)
        await runs.start([fanOut()], null)
        expect((await runs.claim(10, lease)).nextDueAt).toBeNull()
        expect(await claimedIds()).toEqual([])
        await opener.setLane('wf_b', 'cancelled')
        expect((await claim()).map(({ lane }) => lane)).toEqual(['wf_b'])
        await opener.setLane('wf_a', 1)
        expect((await claim()).map(({ lane }) => lane)).toEqual(['wf_a'])
      })

      it('keeps the order of an ordered lane, also with runs of other events, and with other workflows', async () => {
        await opener.setLane('wf_a', 'ordered')
        await runs.start([fanOut()], null)
        await start(1)
        await runs.start([fanOut({ workflowIds: ['wf_b', 'wf_a'] })], null)
        await start(1)
        await runs.start([fanOut()], null)
        const expected = (await list({ workflowIds: ['wf_a'] })).toReversed()
        expect(expected).toHaveLength(5)
        const order: string[] = []
        for (let n = 0; n < 5; n++) {
          const [run, ...others] = (await claim()).filter(({ lane }) => lane === 'wf_a')
          if (run === undefined) throw new Error('No run is due.')
          expect(others).toEqual([])
          order.push(run.runId)
          if (n !== 1) {
            await runs.finish(run, succeeded())
            continue
          }
          await runs.retryAt(run, now + 1000, 'timeout')
          expect((await claim()).filter(({ lane }) => lane === 'wf_a')).toEqual([])
          await runs.cancel(run.runId, cancelled())
        }
        expect(order).toEqual(expected)
      })

      it('is forgotten with its connection, and so are its claimed runs', async () => {
        await limit(2)
        await runs.start([fanOut({ connectionId: 'conn_gone' })], null)
        await runs.start([fanOut()], null)
        await runs.start([fanOut({ connectionId: 'conn_gone' })], null)
        await runs.start([fanOut()], null)
        const claimed = await claim(2)
        const gone = claimed.filter(({ connectionId }) => connectionId === 'conn_gone')
        expect(gone).toHaveLength(1)
        await runs.forget('conn_gone')
        expect(await end(gone)).toEqual([false])
        const kept = (await runs.list({ limit: 20 })).runs
        expect(kept).toHaveLength(6)
        expect(kept.every(({ connectionId }) => connectionId === 'conn_a')).toBe(true)
        expect(
          (await counts()).map(([lane, waiting, , running]) => [lane, Number(waiting) + Number(running)]),
        ).toEqual(workflowIds.map(lane => [lane, 2]))
        await reopen()
        await limit(10)
        expect((await claimedIds()).sort()).toEqual(idsOf(kept).sort())
      })

      it('counts once among the runs that may wait, until all its runs are stored', async () => {
        await opener.dispose()
        await use({ mostWaiting: 2 })
        await limit(10)
        await runs.start([fanOut()], null)
        await log.append(make(), [fanOut()])
        await expect(runs.start([fanOut()], null)).rejects.toMatchObject({ code: 'unavailable' })
        await expect(log.append(make(), [fanOut()])).rejects.toMatchObject({ code: 'unavailable' })
        const claimed = await claim()
        await end(claimed.slice(1))
        await expect(runs.start([fanOut()], null)).rejects.toMatchObject({ code: 'unavailable' })
        await end(claimed.slice(0, 1))
        // After a count that took long, the next one comes later.
        const starts = () =>
          runs.start([fanOut()], null).then(
            () => true,
            () => false,
          )
        await expect.poll(starts).toBe(true)
      })

      it('serves every workflow of many events, each once', async () => {
        const many = Array.from({ length: 50 }, (_, index) => `wf_${index}`)
        for (const lane of many) await opener.setLane(lane, 3)
        for (let n = 0; n < 30; n++) await log.append(make(), [fanOut({ workflowIds: many })])
        const seen = new Set<string>()
        for (let left = 50 * 30; left > 0; ) {
          const claimed = await claim(70)
          expect(claimed.length).toBeGreaterThan(0)
          expect((await end(claimed)).every(Boolean)).toBe(true)
          for (const { runId } of claimed) seen.add(runId)
          left -= claimed.length
        }
        expect(seen.size).toBe(50 * 30)
        expect(await claimedIds()).toEqual([])
        expect(await runs.countEnded({})).toMatchObject({ succeeded: 50 * 30 })
      })
    })

    describe('requests at once', () => {
      sharedRuns()

      it('carries out the other requests when one fails', async () => {
        await opener.setLane('wf_a', 2)
        await start(2)
        const [first, second] = await claim(2)
        if (first === undefined || second === undefined) throw new Error('Two runs are due.')
        const outcomes = await Promise.allSettled([
          runs.record(first, [step()]),
          runs.record(first, [step({ path: 'broken', startedAt: Number.NaN })]),
          runs.finish(first, succeeded()),
          runs.retryAt(second, now, 'timeout'),
        ])
        expect(outcomes.map(({ status }) => status)).toEqual([
          ...['fulfilled', 'rejected', 'fulfilled', 'fulfilled'],
        ])
        expect(await runs.get(first.runId)).toMatchObject({ state: 'succeeded', steps: [step()] })
        expect(await claimedIds()).toEqual([second.runId])
      })

      it('refuses a run with an invalid time, and starts the others', async () => {
        const outcomes = await Promise.allSettled([start(1), start(1, { queuedAt: Number.NaN }), start(1)])
        expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
        expect(await list()).toHaveLength(2)
      })
    })

    describe('steps', () => {
      sharedRuns()

      it('are kept in their order, over a restart; a second record of an attempt replaces the first', async () => {
        await start(1)
        const run = await claimOne()
        await runs.record(run, [step({ attempt: 1, endedAt: null, output: null })])
        await runs.record(run, [step({ attempt: 1, output: null, error: 'timeout' })])
        await runs.record(run, [step({ attempt: 2 })])
        await runs.record(run, [step({ path: 'branch.0.notify', callId: null, input: '\ud800' })])
        await runs.record(run, [step({ attempt: 1, output: null, error: 'timeout' })])
        await reopen()
        expect((await runs.get(run.runId))?.steps).toEqual([
          step({ attempt: 1, output: null, error: 'timeout' }),
          step({ attempt: 2 }),
          step({ path: 'branch.0.notify', callId: null, input: '\ud800' }),
        ])
      })

      it('keep the beginning of an input or output that is too long, and say so', async () => {
        await start(1)
        const run = await claimOne()
        await runs.record(run, [step({ output: 'x'.repeat(maxStepText + 1) })])
        await runs.record(run, [step({ attempt: 2, output: 'x'.repeat(maxStepText) })])
        const details = await runs.get(run.runId)
        expect(details?.steps.map(({ output, isCut }) => [output?.length, isCut])).toEqual([
          [maxStepText, true],
          [maxStepText, undefined],
        ])
      })
    })

    describe('a run', () => {
      ownRuns()

      it('belongs to a connection or to none', async () => {
        const [none = ''] = await start(1, { connectionId: null })
        const [one] = await start(1, { workflowId: 'wf_b', lane: 'wf_b' })
        expect(await list({ connectionId: null })).toEqual([none])
        expect(await list({ connectionId: 'conn_a' })).toEqual([one])
        expect(await runs.get(none)).toMatchObject({ connectionId: null })
        const claimed = await claim()
        expect(claimed.map(({ connectionId }) => connectionId).sort()).toEqual(['conn_a', null])
        for (const run of claimed) await runs.finish(run, succeeded())
        expect(await runs.get(none)).toMatchObject({ connectionId: null, state: 'succeeded' })
      })
    })

    describe('list', () => {
      sharedRuns()

      it('pages through every run once, newest first, by any filter', async () => {
        await opener.setLane('wf_a', 20)
        const ids: string[] = []
        for (let n = 0; n < 40; n++) {
          const which = n % 2 === 0 ? { workflowId: 'wf_a' } : { workflowId: 'wf_b', connectionId: 'conn_b' }
          ids.push(...(await start(1, which)))
        }
        const claimed = await claim(10)
        for (const run of claimed.slice(0, 5)) await runs.finish(run, succeeded())
        const all = ids.toReversed()
        const ofA = all.filter(id => ids.indexOf(id) % 2 === 0)
        const finished = idsOf(claimed.slice(0, 5)).toReversed()
        for (const [query, expected] of [
          [{}, all],
          [{ workflowIds: ['wf_a'] }, ofA],
          [{ connectionId: 'conn_b' }, all.filter(id => !ofA.includes(id))],
          [{ workflowIds: ['wf_a'], connectionId: 'conn_b' }, []],
          [{ state: 'succeeded' }, finished],
          [{ state: 'running' }, idsOf(claimed.slice(5)).toReversed()],
          [{ workflowIds: ['wf_a'], state: 'succeeded' }, finished.filter(id => ofA.includes(id))],
          [{ workflowIds: ['wf_b', 'wf_a'] }, all],
          [{ workflowIds: ['wf_unknown'] }, []],
          [{ workflowIds: [] }, []],
        ] satisfies [Partial<RunQuery>, string[]][]) {
          const found: string[] = []
          for (let before: string | undefined; ; ) {
            const page = await runs.list({ ...query, before, limit: 3 })
            found.push(...idsOf(page.runs))
            if (page.nextBefore === null) break
            before = page.nextBefore
          }
          expect(found).toEqual(expected)
        }
      })

      it('are selected and counted by the workspace of their workflow', async () => {
        await opener.setLane('wf_a', 10)
        const other = { workspaceId: 'ws_other', workflowId: 'wf_c' }
        const [a = ''] = await start(1)
        const [c = ''] = await start(1, other)
        const [b = ''] = await start(1, { workflowId: 'wf_b' })
        for (const run of await claim()) await runs.finish(run, succeeded())
        expect(await list({ workspaceId: newRun().workspaceId })).toEqual([b, a])
        expect(await list({ workspaceId: 'ws_other' })).toEqual([c])
        expect(await list({ workspaceId: 'ws_other', connectionId: 'conn_a' })).toEqual([c])
        expect(await list({ workspaceId: 'ws_other', workflowIds: ['wf_a'] })).toEqual([])
        expect(await list({ workspaceId: newRun().workspaceId, workflowIds: ['wf_a'] })).toEqual([a])
        expect(await list({ workspaceId: 'ws_unknown' })).toEqual([])
        const counted = { succeeded: 2, failed: 0, cancelled: 0 }
        expect(await runs.countEnded({ workspaceId: newRun().workspaceId })).toEqual(counted)
        expect(await runs.countEnded({ workspaceId: 'ws_other' })).toEqual({ ...counted, succeeded: 1 })
      })

      it('finds runs by their event, by its name and by when they started', async () => {
        const event = make()
        await log.append(event, [newRun(), newRun({ workflowId: 'wf_b' })])
        const [byEvent, ofOther] = (await list()).toReversed()
        now += 1000
        const [later] = await start(1, { summary: '{"eventName":"order.paid"}' })
        expect(await list({ eventId: event.eventId })).toEqual([ofOther, byEvent])
        expect(await list({ eventId: event.eventId, workflowIds: ['wf_b'] })).toEqual([ofOther])
        expect(await list({ eventId: 'nonsense' })).toEqual([])
        expect(await list({ eventName: 'order.paid' })).toEqual([later])
        expect(await list({ eventName: 'order' })).toEqual([])
        expect(await list({ since: now })).toEqual([later])
        expect(await list({ since: now, eventName: 'order.created' })).toEqual([])
      })

      it('searches ids, names and data for a text, in any case', async () => {
        const [first = ''] = await start(1, {
          data: '{"event":"order.created","data":{"order_id":"ORD-1","to":"Müller \\u00c9va"}}',
        })
        const [second] = await start(1, { data: '{"event":"order.created","data":{"order_id":"ORD-2"}}' })
        expect(await list({ text: 'ord-1' })).toEqual([first])
        expect(await list({ text: 'MÜLLER éVA' })).toEqual([first])
        expect(await list({ text: first.toUpperCase() })).toEqual([first])
        expect(await list({ text: 'ORDER.created' })).toEqual([second, first])
        expect(await list({ text: 'ord-3' })).toEqual([])
      })

      it('says how far a page has looked that is not full, and continues on the next', async () => {
        const [match] = await start(1, { summary: '{"eventName":"order.rare"}' })
        await start(10_050)
        const found: string[] = []
        for (let before: string | undefined; ; ) {
          const page = await runs.list({ eventName: 'order.rare', limit: 10, before })
          found.push(...idsOf(page.runs))
          if (page.nextBefore === null) break
          expect(page.searched?.count).toBeGreaterThan(0)
          before = page.nextBefore
        }
        expect(found).toEqual([match])
      })

      it('returns a value that identifies the run, and the attempts at its newest step', async () => {
        await start(1, { data: '{"event":"order.created","data":{"total":1,"order_id":"ORD-1"}}' })
        const first = await claimOne()
        await runs.retryAt(first, now, 'timeout', [step(), step({ path: 'b', error: 'timeout' })])
        const second = await claimOne()
        await runs.record(second, [step({ path: 'b', attempt: 2 })])
        const shown = { subject: 'ORD-1', stepAttempts: 2 }
        expect((await runs.list({ limit: 1 })).runs).toMatchObject([shown])
        expect(await runs.get(first.runId)).toMatchObject(shown)
        await runs.finish(second, { ...succeeded(), discard: true })
        expect(await runs.get(first.runId)).toMatchObject({ subject: null, stepAttempts: 2 })
      })

      it.each([{ limit: 0 }, { limit: 201 }, { limit: 1, before: 'nonsense' }])('refuses %j', async query => {
        await expect(runs.list(query)).rejects.toMatchObject({ code: 'invalid_input' })
      })

      it('finds no run for an invalid id', async () => {
        expect(await runs.get('nonsense')).toBeNull()
        expect(await runs.get('run_zzzzzzzzzzz')).toBeNull()
      })
    })

    describe('counts and figures', () => {
      sharedRuns()

      it('count the runs that have not ended by lane', async () => {
        expect(await runs.laneCounts()).toEqual([])
        await opener.setLane('wf_a', 2)
        await start(3)
        await start(2, { lane: 'wf_b' })
        const [first] = await claim(3)
        if (first !== undefined) await runs.retryAt(first, now + 1000, null)
        const counts = [
          { lane: 'wf_a', waiting: 1, retrying: 1, running: 1 },
          { lane: 'wf_b', waiting: 1, retrying: 0, running: 1 },
        ]
        expect((await runs.laneCounts()).sort((a, b) => (a.lane < b.lane ? -1 : 1))).toEqual(counts)
      })

      it('tell since when the run is due that has waited longest, in lanes that may run any', async () => {
        expect(await runs.oldestDue(now)).toBe(null)
        const begun = now
        await start(1, { dueAt: now + 5000 })
        await start(1, { workflowId: 'wf_b', lane: 'wf_b', connectionId: 'conn_b' })
        now += 2000
        await start(1)
        expect(await runs.oldestDue(now)).toBe(begun)
        await opener.setLane('wf_b', 0)
        expect(await runs.oldestDue(now)).toBe(begun + 2000)
        const retried = await claimOne()
        expect(await runs.oldestDue(now)).toBe(null)
        await runs.retryAt(retried, now + 1000, 'timeout')
        expect(await runs.oldestDue(now + 999)).toBe(null)
        expect(await runs.oldestDue(now + 2000)).toBe(now + 1000)
        expect(await runs.oldestDue(now + 60_000)).toBe(now + 1000)
        now += 1000
        expect(await claimOne()).toMatchObject({ runId: retried.runId })
        now += 2000
        expect(await runs.oldestDue(now)).toBe(begun + 5000)
      })

      it('leave out of the oldest due run those that wait for a retry of their ordered lane', async () => {
        await opener.setLane('wf_a', 'ordered')
        const begun = now
        await start(2)
        now += 2000
        const first = await claimOne()
        expect(await runs.oldestDue(now)).toBe(begun)
        await runs.retryAt(first, now + 1000, 'timeout')
        expect(await runs.oldestDue(now + 999)).toBe(null)
        expect(await runs.oldestDue(now + 5000)).toBe(now + 1000)
        now += 1000
        await runs.finish(await claimOne(), succeeded())
        expect(await runs.oldestDue(now)).toBe(begun)
      })

      it('count the runs that have ended by workflow and start', async () => {
        await start(1)
        await runs.finish(await claimOne(), succeeded())
        now += 1000
        const [cancelledId = ''] = await start(1)
        await runs.cancel(cancelledId, cancelled())
        await start(1, { workflowId: 'wf_b', lane: 'wf_b' })
        await runs.finish(await claimOne(), { ...succeeded(), state: 'failed' })
        expect(await runs.countEnded({})).toEqual({ succeeded: 1, failed: 1, cancelled: 1 })
        expect(await runs.countEnded({ since: now })).toEqual({ succeeded: 0, failed: 1, cancelled: 1 })
        expect(await runs.countEnded({ workflowIds: ['wf_a'], since: now })).toEqual({
          ...{ succeeded: 0, failed: 0, cancelled: 1 },
        })
        expect(await runs.countEnded({ workflowIds: [] })).toEqual({ succeeded: 0, failed: 0, cancelled: 0 })
      })

      it('tell what a workflow did in each of the last 24 clock hours', async () => {
        await opener.setLane('wf_a', 100)
        const end = async (state: 'succeeded' | 'failed' | 'cancelled', tookMs: number) => {
          const [runId] = await start(1)
          const run = await claimOne()
          now += tookMs
          await runs.finish(run, { state, endedAt: now, error: null, discard: false })
          return runId
        }
        await end('succeeded', 10)
        now += 24 * hour
        await end('failed', 0)
        now += 2 * hour
        for (let tookMs = 1; tookMs <= 20; tookMs++) await end('succeeded', tookMs)
        const failed = await end('failed', 60_000)
        const [newest] = await start(1, { dueAt: now + hour })
        // A test, which is in a lane of its own, does not count.
        await start(1, { lane: 'test/wf_a' })
        await runs.finish(await claimOne(), { ...succeeded(), state: 'failed' })
        const [figures, unknown] = await runs.figures(['wf_a', 'wf_unknown'], now)
        expect(figures).toMatchObject({ workflowId: 'wf_a', failedLastHour: 1, p95Ms: 19 })
        expect(figures?.hours.slice(-3)).toEqual([
          { succeeded: 0, failed: 1 },
          { succeeded: 0, failed: 0 },
          { succeeded: 20, failed: 1 },
        ])
        expect(figures?.hours.slice(0, -3)).toEqual(Array(21).fill({ succeeded: 0, failed: 0 }))
        expect(figures?.lastRun).toMatchObject({ runId: newest, state: 'waiting' })
        expect(unknown).toMatchObject({ hours: Array(24).fill({ succeeded: 0, failed: 0 }), p95Ms: null })
        expect(unknown?.lastRun).toBeNull()
        expect(await runs.reopen(failed ?? '')).toBe(true)
        expect((await runs.figures(['wf_a'], now))[0]?.failedLastHour).toBe(0)
      })

      it('tell how often the steps of a workflow ran and failed', async () => {
        await opener.setLane('wf_a', 100)
        await start(3)
        const [first, second] = await claim(2)
        if (first === undefined || second === undefined) throw new Error('Two runs are due.')
        await runs.record(first, [step(), step({ path: 'all.0.one' }), step({ path: 'all.1.one' })])
        await runs.record(second, [step({ error: 'timeout' }), step({ attempt: 2 })])
        await runs.record(second, [step({ path: 'all.0.one' }), step({ path: 'all.1.one', error: 'x' })])
        const figures = await runs.stepFigures('wf_a')
        expect(figures.runs).toBe(2)
        expect([...figures.steps].sort((a, b) => (a.key < b.key ? -1 : 1))).toEqual([
          { key: 'charge', runs: 2, failures: 0 },
          { key: 'one', runs: 2, failures: 1 },
        ])
        expect(await runs.stepFigures('wf_unknown')).toEqual({ runs: 0, steps: [] })
      })
    })
  })
}
