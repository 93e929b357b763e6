import type { ListedOccurrence } from '#shared/model/activity.ts'
import type { Attempt } from '#shared/model/attempt.ts'
import type { StoredEvent } from '#shared/model/inbound-event.ts'
import type { Run, RunDetails } from '#shared/model/run.ts'
import type { Sender } from '#shared/model/sender/sender.ts'
import { passedChecks, rejectionChecks, timestampWords } from '../../entities/event/checks.ts'
import { errorLabel, hasEnded, type Status } from '../../entities/run/run-labels.ts'
import { attemptOf, type TimelineRow } from '../../entities/run/timeline.ts'
import { formatCount } from '../../ui/format.ts'

/** The item of a request in the list of what happened. */
export type RequestItem = Extract<ListedOccurrence, { type: `event.${string}` }>

/** A run of the story. Its steps are known once it is open. */
export type StoryRun = {
  readonly run: Run
  readonly name: string
  readonly details: RunDetails | null
  /** Null until they are known. */
  readonly rows: readonly TimelineRow[] | null
}

type Base = {
  readonly id: string
  readonly depth: number
  readonly title: string
  readonly detail: string | null
  readonly status: Status
  /** Milliseconds since 1970 as `to`, which is null while it goes on; null for what has no known time. */
  readonly from: number | null
  readonly to: number | null
  /** When it is tried again; null if it is not. */
  readonly nextAt: number | null
  /** How long it took if that was measured more exactly than its times say. */
  readonly tookMs: number | null
  readonly hasFailed: boolean
  /** Null for a row with nothing inside. */
  readonly isOpen: boolean | null
}

/** A row of a story, from the request to the calls. */
export type StoryRow = Base &
  (
    | { readonly kind: 'request' | 'check' | 'more' }
    | { readonly kind: 'run'; readonly of: StoryRun }
    | { readonly kind: 'part'; readonly of: StoryRun; readonly row: TimelineRow }
  )

/** Everything that is known of a story. */
export type Story = {
  /** Null if the request is no longer kept, or if there was none. */
  readonly item: RequestItem | null
  readonly event: StoredEvent | null
  /** Who sends to the connection; null if that is not known. */
  readonly sender: Sender | null
  /** The header fields of the request; null if they are not known. */
  readonly headers: Attempt['headers'] | null
  /** The runs that are shown. */
  readonly runs: readonly StoryRun[]
  /** How many more runs there are, at least; 0 if these are all. */
  readonly more: number
  /** Whether there are more than `more`. */
  readonly isMoreOpen: boolean
}

/** The id of the row that shows more runs. */
export const moreId = 'more'
export const requestId = 'request'

const none = {
  ...{ detail: null, from: null, to: null, nextAt: null, tookMs: null, hasFailed: false, isOpen: null },
} as const

/**
 * Returns the rows of a story in the order in which they are read.
 *
 * @param isOpen returns whether what is in a row is shown.
 */
export function storyRows(story: Story, isOpen: (id: string) => boolean): readonly StoryRow[] {
  return folded([...requestRows(story), ...story.runs.flatMap(runRows), ...moreRow(story)], isOpen)
}

/** Says of each row whether it is open, and leaves out what is in closed ones. */
function folded(rows: readonly StoryRow[], isOpen: (id: string) => boolean): readonly StoryRow[] {
  const shown: StoryRow[] = []
  let closedAt = Number.POSITIVE_INFINITY
  for (const [index, row] of rows.entries()) {
    if (row.depth > closedAt) continue
    closedAt = Number.POSITIVE_INFINITY
    // The steps of a run are read when it is opened.
    const isParent = row.kind === 'run' || (rows[index + 1]?.depth ?? 0) > row.depth
    const open = isParent ? isOpen(row.id) : null
    if (open === false) closedAt = row.depth
    shown.push({ ...row, isOpen: open })
  }
  return shown
}

function requestRows({ item, event, sender, headers }: Story): StoryRow[] {
  if (item === null) return []
  const from = Date.parse(item.at)
  const isRejected = item.type === 'event.rejected'
  const request: StoryRow = {
    ...{ ...none, kind: 'request', id: requestId, depth: 0, title: requestTitles[item.type], from },
    to: from + (item.tookMs ?? 0),
    tookMs: item.tookMs,
    detail: isRejected ? item.message : item.eventName,
    status: isRejected ? 'failed' : 'succeeded',
    hasFailed: isRejected,
  }
  const age = sender === null || headers === null ? undefined : timestampWords(item.at, headers, sender)
  const checks =
    item.type === 'event.replayed'
      ? []
      : isRejected
        ? rejectionChecks(item.code, true, age)
        : passedChecks(sender, age)
  const checked = checks.map(({ name, state, detail = null }): StoryRow => {
    const hasFailed = state === 'failed'
    const status = hasFailed ? 'failed' : state === 'passed' ? 'succeeded' : 'skipped'
    return {
      ...none,
      ...{ kind: 'check', id: `check:${name}`, depth: 1, title: name, detail, status, hasFailed },
    }
  })
  return [request, ...checked, ...storedRow(item, event)]
}

function storedRow(item: RequestItem, event: StoredEvent | null): StoryRow[] {
  if (item.type === 'event.rejected') return []
  const row = { ...none, kind: 'check', id: 'stored', depth: 1 } as const
  if (event === null) return []
  return event.inMemory === true
    ? [{ ...row, title: 'Not stored', detail: 'in memory only', status: 'skipped' }]
    : [{ ...row, title: 'Stored', detail: event.eventId, status: 'succeeded' }]
}

const requestTitles: Readonly<Record<RequestItem['type'], string>> = {
  'event.accepted': 'Request',
  'event.repeated': 'Repeated request',
  'event.replayed': 'Replay',
  'event.rejected': 'Refused request',
}

function runRows(of: StoryRun): StoryRow[] {
  const { run, name, rows } = of
  const isOver = hasEnded(run)
  const row: StoryRow = {
    ...{ ...none, kind: 'run', of, id: run.runId, depth: 0, title: name, status: run.status },
    detail: run.error === null || run.status !== 'failed' ? null : errorLabel(run.error.code),
    from: Date.parse(run.queuedAt),
    to: isOver ? Date.parse(run.endedAt ?? run.queuedAt) : null,
    nextAt: run.nextAttemptAt === null ? null : Date.parse(run.nextAttemptAt),
    hasFailed: run.status === 'failed',
  }
  return [row, ...(rows ?? []).map(part => partRow(of, part))]
}

function partRow(of: StoryRun, row: TimelineRow): StoryRow {
  const { runId } = of.run
  const base = { ...none, kind: 'part', of, row, id: partId(runId, row.id) } as const
  const attempt = attemptOf(row)
  const error = attempt?.error ?? null
  const hasFailed = error !== null
  switch (row.kind) {
    case 'step': {
      const { depth, title, detail, status, from } = row
      // What waits has ended its attempt, and is not over.
      const isOpen = status === 'waiting' || status === 'running'
      return {
        ...{ ...base, depth: depth + 1, title, detail, status, from, to: isOpen ? null : row.to },
        hasFailed: hasFailed || status === 'failed',
      }
    }
    case 'attempt': {
      const title = `${attempt?.callId == null ? 'Attempt' : 'Call'} ${row.attempt.attempt}`
      const status = hasFailed ? 'failed' : row.to === null ? 'running' : 'succeeded'
      const { from, to, nextAt } = row
      return { ...base, depth: row.depth + 2, title, status, hasFailed, from, to, nextAt }
    }
    case 'next': {
      const title = `Attempt ${row.number}`
      return { ...base, depth: row.depth + 2, title, status: 'ahead', from: row.at, to: row.at }
    }
    case 'item':
      return { ...base, depth: row.depth + 1, title: row.title, status: 'ahead' }
  }
}

/** Returns the id of a row of a run. */
export const partId = (runId: string, rowId: string) => `${runId}:${rowId}`

function moreRow({ more, isMoreOpen }: Story): StoryRow[] {
  if (more === 0) return []
  const title = `${isMoreOpen ? 'More than ' : ''}${formatCount(more, 'more run')}`
  return [{ ...none, kind: 'more', id: moreId, depth: 0, title, status: 'ahead' }]
}

/** Returns the id of the row of a call; null if no open run has made it. */
export function rowOfCall(runs: readonly StoryRun[], callId: string): string | null {
  for (const { run, rows } of runs) {
    const row = rows?.find(one => attemptOf(one)?.callId === callId)
    if (row !== undefined) return partId(run.runId, row.id)
  }
  return null
}

/** Returns the next row that failed, from the first again after the last. @param at index of the chosen row; -1 for none. */
export function nextFailed(rows: readonly StoryRow[], at: number): StoryRow | undefined {
  return rows.find((row, index) => index > at && row.hasFailed) ?? rows.find(row => row.hasFailed)
}

/** Returns every moment of the rows, for the axis. */
export function momentsOf(rows: readonly StoryRow[]): readonly number[] {
  return rows.flatMap(({ from, to, nextAt }) => [from, to, nextAt]).filter(at => at !== null)
}

/** Returns whether anything of a story still goes on. */
export const goesOn = ({ runs }: Story): boolean => runs.some(({ run }) => !hasEnded(run))

/** How many calls the open runs have made, and how many of them failed. */
export function callCounts(runs: readonly StoryRun[]) {
  const calls = runs
    .flatMap(({ details }) => details?.steps ?? [])
    .flatMap(({ attempts }) => attempts)
    .filter(({ callId }) => callId !== null)
  const failed = calls.filter(({ error }) => error !== null).length
  return { count: calls.length, failed, isComplete: runs.every(({ details }) => details !== null) }
}

/** Returns the runs to show first: those that failed, then the newest, in the order in which they began. */
export function firstRuns(failed: readonly Run[], newest: readonly Run[], count: number): readonly Run[] {
  const all = new Map([...failed, ...newest].map(run => [run.runId, run]))
  return [...all.values()]
    .slice(0, count)
    .toSorted((one, other) => compare(one.queuedAt, other.queuedAt) || compare(one.runId, other.runId))
}

const compare = (one: string, other: string) => (one < other ? -1 : one > other ? 1 : 0)
