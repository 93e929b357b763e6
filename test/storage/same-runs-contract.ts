import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  type ClaimedRun,
  type FanOut,
  isFanOut,
  type LaneLimit,
  type NewRun,
  type NewRuns,
  type RunQuery,
} from '#main/storage/runs.ts'
import { eventMaker } from './event-log-events.ts'
import {
  countsOf,
  decisionOf,
  detailsOf,
  endIn,
  figuresOf,
  laneCountsOf,
  listedOf,
  listOf,
  type ModelRun,
  outcomeOf,
  queriesAbout,
  stepAt,
  stepFiguresOf,
} from './run-model.ts'
import type { OpenedRuns, OpenRuns } from './runs-contract.ts'

const lease = 10_000
const hour = 3_600_000
const begin = Date.UTC(2026, 0, 1, 0, 59)

/** Some lanes have limits of their own. */
const lanes: readonly (readonly [lane: string, limit: LaneLimit])[] = [
  ['wf_5', 0],
  ['wf_9', 'ordered'],
  ['wf_13', 'cancelled'],
]
const paused = 'wf_5'
/** Those of one workspace, and then those of another one. */
const workflows = Array.from({ length: 120 }, (_, index) => `wf_${index}`)
const texts = ['', '\0', '\ud800', '\\ud800']

const event = fc.record({
  kind: fc.constantFrom('fan-out', 'decided', 'both', 'list'),
  size: fc.constantFrom(1, 3, 3, 17, 60),
  from: fc.nat(59),
  isSecond: fc.boolean(),
  isStored: fc.boolean(),
  connectionId: fc.constantFrom('conn_a', 'conn_b'),
  text: fc.constantFrom(...texts),
  ms: fc.constantFrom(0, 0, 0, 1, 3),
})
type EventParts = typeof event extends fc.Arbitrary<infer Parts> ? Parts : never
const change = fc.record({
  kind: fc.constantFrom('cancel', 'cancel', 'reopen', 'claim'),
  at: fc.nat(1000),
  isSecond: fc.boolean(),
  discard: fc.boolean(),
})
const round = fc.record({
  steps: fc.array(fc.oneof({ weight: 3, arbitrary: event }, { weight: 1, arbitrary: change }), {
    minLength: 1,
    maxLength: 6,
  }),
  isPaused: fc.boolean(),
  isForgotten: fc.integer({ min: 0, max: 9 }).map(n => n === 0),
  isReopened: fc.boolean(),
  laterMs: fc.constantFrom(1, 1000, 2000, hour),
  limit: fc.constantFrom(1, 2, 7, 33, 200),
})

/** Returns each run of a fan-out. */
const eachOf = (run: NewRun | FanOut): readonly NewRun[] =>
  isFanOut(run)
    ? run.workflowIds.map(workflowId => {
        const { workflowIds: _workflows, ...shared } = run
        return { ...shared, workflowId, lane: workflowId }
      })
    : [run]

/** Runs operations on a store and on a model of it, and compares what both say. */
class Comparison {
  now = begin
  readonly #open: Awaited<ReturnType<OpenRuns>>
  #first: OpenedRuns
  #second: OpenedRuns
  readonly #make = eventMaker(() => this.now)
  #model: ModelRun[] = []
  readonly #numbers = new Map<string, number>()
  #isPaused = true
  /** When runs were claimed since the last comparison. */
  #claimedAt = new Set<number>()

  private constructor(opener: Awaited<ReturnType<OpenRuns>>, second: OpenedRuns) {
    this.#open = opener
    this.#first = opener.opened
    this.#second = second
  }

  static async open(open: OpenRuns): Promise<Comparison> {
    let comparison: Comparison | undefined
    const opener = await open({ clock: () => comparison?.now ?? begin })
    comparison = new Comparison(opener, await opener.second())
    await comparison.#setLanes()
    return comparison
  }

  close = () => this.#open.dispose()
  #of = (isSecond: boolean) => (isSecond ? this.#second : this.#first)

  async pause(isPaused: boolean): Promise<void> {
    this.#isPaused = isPaused
    await this.#open.setLane(paused, isPaused ? 0 : 100)
  }

  /** Stores an event with its runs. */
  async append(parts: EventParts): Promise<void> {
    const { isSecond, isStored, ms, kind } = parts
    this.now += ms
    const { log, runs } = this.#of(isSecond)
    const n = this.#numbers.size
    const eventName = `order.${n % 3}${parts.text}`
    const bodyText = `{"event":"order","data":{"order_id":"ORD-${n}X"}}`
    const stored = this.#make({ connectionId: parts.connectionId, eventName, bodyText })
    this.#numbers.set(stored.eventId, n)
    const started = this.#runsOf(n, parts, bodyText, eventName)
    if (kind === 'list') await log.appendAll([{ event: stored, runs: started }], isStored)
    else if (isStored) await log.append(stored, started)
    else await runs.start(started, stored.eventId)
    const expected = started.flatMap(eachOf)
    const found = (await runs.list({ limit: 200, eventId: stored.eventId })).runs.toReversed()
    expect(found.map(({ workflowId }) => workflowId)).toEqual(expected.map(({ workflowId }) => workflowId))
    for (const [index, { ended, ...run }] of expected.entries()) {
      const { workflowId, workspaceId, connectionId, lane, queuedAt, summary, data } = run
      const entry: ModelRun = {
        ...{ workflowId, workspaceId, connectionId, lane, queuedAt, summary, data, n },
        ...{ runId: found[index]?.runId ?? '', eventId: stored.eventId, state: 'waiting', dueAt: null },
        ...{ claimNumber: 0, startedAt: null, endedAt: null, error: null, stepAttempts: 1, steps: [] },
      }
      this.#model.push(entry)
      if (ended !== undefined) {
        Object.assign(entry, { claimNumber: 1, startedAt: queuedAt })
        endIn(entry, ended, ended.steps)
      }
    }
  }

  async #setLanes(): Promise<void> {
    await Promise.all(workflows.map(lane => this.#open.setLane(lane, 100)))
    for (const [lane, limit] of lanes) await this.#open.setLane(lane, limit)
    await this.pause(this.#isPaused)
  }

  #runsOf(
    n: number,
    { kind, size, from, connectionId, isStored, text }: EventParts,
    body: string,
    eventName: string,
  ) {
    const first = from % 3 === 0 ? 60 : 0
    const shared = {
      ...{ workspaceId: first === 0 ? 'ws_a' : 'ws_b', connectionId: isStored ? connectionId : null },
      ...{ queuedAt: this.now, summary: JSON.stringify({ eventName }) },
      data: isStored ? body : body + text,
    }
    const workflowIds = Array.from(
      { length: size },
      (_, index) => workflows[first + ((from + index) % 60)] ?? '',
    )
    const fanOut: FanOut = { ...shared, workflowIds }
    const alone = (workflowId: string, ended: NewRun['ended']): NewRun => ({
      ...{ ...shared, workflowId, lane: workflowId },
      ...(ended !== undefined && { ended }),
    })
    const decided = workflowIds.map(workflowId =>
      alone(workflowId, decisionOf(workflowId, n, this.now) ?? undefined),
    )
    const some: NewRuns = kind === 'fan-out' ? [fanOut] : decided
    if (kind === 'fan-out' || kind === 'decided') return some
    const again = decided.slice(0, 3)
    return kind === 'list' ? [fanOut, ...again] : [...decided, ...again, fanOut, ...again]
  }

  #decide = (run: ClaimedRun) => {
    const n = this.#numbers.get(run.eventId ?? '') ?? 0
    return decisionOf(run.workflowId, n, run.startedAt ?? 0)
  }

  async claim(isSecond: boolean, room: number): Promise<boolean> {
    const { runs } = this.#of(isSecond)
    this.#claimedAt.add(this.now)
    const claimed = await runs.claim(room, lease, this.#decide)
    for (const run of claimed.runs) await this.#carryOut(run, this.#of(isSecond))
    return claimed.runs.length > 0 || (claimed.nextDueAt !== null && claimed.nextDueAt <= this.now)
  }

  #known(runId: string): ModelRun {
    const found = this.#model.find(run => run.runId === runId)
    if (found === undefined) throw new Error(`No run was stored with the id ${runId}.`)
    return found
  }

  async #carryOut(claimed: ClaimedRun, { runs }: OpenedRuns): Promise<void> {
    const run = this.#known(claimed.runId)
    const isFirst = run.claimNumber === 0
    const { workflowId, data, claimNumber, startedAt } = run
    expect(['waiting', 'retrying']).toContain(run.state)
    expect(claimed).toMatchObject({
      workflowId,
      data,
      claimNumber: claimNumber + 1,
      startedAt: startedAt ?? this.now,
    })
    Object.assign(run, { claimNumber: claimNumber + 1, startedAt: claimed.startedAt, error: null })
    const ended = claimed.isPending === true ? this.#decide(claimed) : null
    if (claimed.isCancelled) {
      const end = { state: 'cancelled', endedAt: this.now, error: null, discard: false } as const
      await runs.record(claimed, [])
      expect(await runs.finish(claimed, end)).toBe(true)
      return endIn(run, end, [])
    }
    if (ended !== null) {
      expect(await runs.endPending([{ ...claimed, startedAt: this.now, ended }])).toEqual([true])
      return endIn(run, ended, ended.steps)
    }
    const steps = [
      stepAt(this.now, {
        path: `charge${run.claimNumber}`,
        endedAt: this.now + 40,
        callId: 'call_00000000001',
      }),
    ]
    const outcome = isFirst ? outcomeOf(workflowId, run.n) : 'done'
    if (outcome === 'retried' && workflowId !== 'wf_9') {
      expect(await runs.retryAt(claimed, this.now + 1000, 'timeout', steps)).toBe(true)
      Object.assign(run, {
        state: 'retrying',
        dueAt: this.now + 1000,
        error: 'timeout',
        steps: [...run.steps, ...steps],
      })
      return
    }
    const state = outcome === 'failed' ? 'failed' : 'succeeded'
    const error = outcome === 'failed' ? 'x' : null
    const end = { state, endedAt: this.now + 50, error, discard: run.n % 7 === 0 } as const
    expect(await runs.finish(claimed, end, steps)).toBe(true)
    endIn(run, end, steps)
  }

  /** Claims all there is. */
  async settle(): Promise<void> {
    for (let isMore = true, claims = 0; isMore; claims++) {
      if (claims > 500) throw new Error('There is always something to claim.')
      isMore = false
      for (const isSecond of [false, true]) isMore = (await this.claim(isSecond, 100)) || isMore
    }
    for (const run of this.#model)
      if (run.state === 'waiting' && (run.lane !== paused || !this.#isPaused)) await this.#decided(run)
    this.#claimedAt = new Set()
  }

  /** Takes note of a run that the store has decided itself. */
  async #decided(run: ModelRun): Promise<void> {
    const { startedAt = null } = (await this.#first.runs.get(run.runId)) ?? {}
    if (startedAt === null || !this.#claimedAt.has(startedAt))
      throw new Error(`${run.runId} was not claimed.`)
    const ended = decisionOf(run.workflowId, run.n, startedAt)
    if (ended === null) throw new Error(`${run.runId} cannot be decided.`)
    Object.assign(run, { claimNumber: 1, startedAt })
    endIn(run, ended, ended.steps)
  }

  async cancel(at: number, isSecond: boolean, discard: boolean): Promise<void> {
    const run = this.#model[at % this.#model.length]
    if (run === undefined) return
    const end = { endedAt: this.now, discard }
    if (await this.#of(isSecond).runs.cancel(run.runId, end)) {
      expect(['waiting', 'retrying']).toContain(run.state)
      endIn(run, { ...end, state: 'cancelled', error: null }, [])
    } else if (run.state === 'waiting') await this.#decided(run)
    else expect(['succeeded', 'failed', 'cancelled']).toContain(run.state)
  }

  async reopen(at: number, isSecond: boolean): Promise<void> {
    const run = this.#model[at % this.#model.length]
    if (run === undefined) return
    const canBe = ['failed', 'cancelled'].includes(run.state) && run.data !== null
    expect(await this.#of(isSecond).runs.reopen(run.runId)).toBe(canBe || run.state === 'retrying')
    if (canBe) Object.assign(run, { state: 'retrying', dueAt: null, endedAt: null, error: null })
    else if (run.state === 'retrying') run.dueAt = null
  }

  async forget(connectionId: string): Promise<void> {
    await this.#first.runs.forget(connectionId)
    this.#model = this.#model.filter(run => run.connectionId !== connectionId)
  }

  /** Opens it again, and another handle. */
  async reopenStore(): Promise<void> {
    const isOne = this.#second.runs === this.#first.runs
    this.#first = await this.#open.reopen()
    if (isOne) this.#second = this.#first
    await this.#setLanes()
  }

  /** Compares all answers. @param limit of a page. */
  async compare(limit: number): Promise<void> {
    const { runs } = this.#of(this.#model.length % 2 === 0)
    const model = this.#model
    const found = await Promise.all(model.map(({ runId }) => runs.get(runId)))
    expect(found).toEqual(model.map(detailsOf))
    const some = model[Math.floor(model.length / 2)]
    const times = [some?.queuedAt, (some?.queuedAt ?? 0) + 1, this.now - 2]
    for (const query of queriesAbout(some))
      await this.#comparePages(query, isNarrow(query) ? limit : Math.max(limit, 29))
    for (const since of [undefined, ...times])
      for (const selection of [
        {},
        { workspaceId: 'ws_b' },
        { workflowIds: ['wf_1', 'wf_30'] },
        { workflowIds: [] },
      ])
        expect(
          await runs.countEnded({ ...selection, since }),
          JSON.stringify({ ...selection, since }),
        ).toEqual(countsOf(model, { ...selection, since }))
    expect((await runs.laneCounts()).sort((a, b) => (a.lane < b.lane ? -1 : 1))).toEqual(laneCountsOf(model))
    const ids = ['wf_0', 'wf_5', 'wf_70', 'wf_13', 'wf_30', 'wf_59', 'wf_unknown']
    for (const figures of await runs.figures(ids, this.now)) {
      const { lastRun, ...expected } = figuresOf(model, figures.workflowId, this.now)
      expect(figures).toMatchObject(expected)
      expect(figures.lastRun?.runId).toBe(lastRun?.runId)
      expect(figures.lastRun?.state).toBe(lastRun?.state)
    }
    for (const id of ids) {
      const { steps, ...figures } = await runs.stepFigures(id)
      const sorted = [...steps].sort((a, b) => (a.key < b.key ? -1 : 1))
      expect({ ...figures, steps: sorted }).toEqual(stepFiguresOf(model, id))
    }
  }

  async #comparePages(query: Partial<RunQuery>, limit: number): Promise<void> {
    const { runs } = this.#of(this.#model.length % 2 === 1)
    const found = []
    for (let before = query.before; ; ) {
      const page = await runs.list({ ...query, limit, before })
      found.push(...page.runs)
      if (page.nextBefore === null) break
      before = page.nextBefore
    }
    expect(found, JSON.stringify({ query, limit })).toEqual(listOf(this.#model, query).map(listedOf))
  }
}

/** Whether few runs match a query, so that pages of one run are worth while. */
const isNarrow = ({ workflowIds, eventId }: Partial<RunQuery>) =>
  workflowIds?.length === 1 || eventId !== undefined

/** A test that every implementation of RunStore must pass: whatever happens, it answers as a model does. */
export function describeSameRuns(name: string, open: OpenRuns): void {
  describe(name, () => {
    it('answers as one list of runs would, whatever is stored together', async () => {
      await fc.assert(
        fc.asyncProperty(fc.array(round, { minLength: 1, maxLength: 4 }), async rounds => {
          const comparison = await Comparison.open(open)
          try {
            for (const { steps, isPaused, isForgotten, isReopened, laterMs, limit } of rounds) {
              await comparison.pause(isPaused)
              for (const step of steps)
                if ('size' in step) await comparison.append(step)
                else if (step.kind === 'claim') await comparison.claim(step.isSecond, 1 + (step.at % 70))
                else if (step.kind === 'cancel') await comparison.cancel(step.at, step.isSecond, step.discard)
                else await comparison.reopen(step.at, step.isSecond)
              if (isReopened) await comparison.reopenStore()
              await comparison.settle()
              if (isForgotten) await comparison.forget('conn_b')
              await comparison.compare(limit)
              comparison.now += laterMs
            }
          } finally {
            await comparison.close()
          }
        }),
        {
          numRuns: Number(process.env.PROPERTY_RUNS ?? 2),
          endOnFailure: true,
        },
      )
    })
  })
}
