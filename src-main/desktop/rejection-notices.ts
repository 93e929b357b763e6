import type { RouterClient } from '@orpc/server'
import { diagnosable } from '#main/inbound/refusals.ts'
import type { Logger } from '#main/lib/logger.ts'
import type { Router } from '#main/rpc/router.ts'
import type { ActivityItem } from '#shared/model/activity.ts'
import type { Notice } from './notifier.ts'

export type Rejection = Extract<ActivityItem, { type: 'event.rejected' }>

type RejectionNoticesOptions = {
  readonly show: (notice: Notice) => void
  /** Returns null if the connection no longer exists. */
  readonly nameOf: (connectionId: string) => Promise<string | null>
  /** Calls back after `ms` milliseconds. @returns the function that cancels it. */
  readonly setTimer: (callback: () => void, ms: number) => () => void
}

/** Milliseconds after a notice in which refused requests are collected for the next one. */
const gatherMs = 60_000
/** Maximum number of connections that a notice names. */
const maxNames = 3

/** Throttles notices of refused requests: the first is shown at once, those of the next minute as one at its end. */
export function createRejectionNotices({ show, nameOf, setTimer }: RejectionNoticesOptions): {
  add(rejection: Rejection): Promise<void>
  stop(): void
} {
  let gathered = nothingGathered()
  let stopTimer: (() => void) | null = null

  async function showGathered(): Promise<void> {
    const shown = gathered
    gathered = nothingGathered()
    stopTimer = setTimer(() => {
      stopTimer = null
      if (gathered.count > 0) void showGathered()
    }, gatherMs)
    const named = [...shown.connectionIds].slice(0, maxNames)
    const names = await Promise.all(
      named.map(async id =>
        id === null ? 'an unknown URL' : ((await nameOf(id)) ?? 'a deleted connection'),
      ),
    )
    show(describeRejections(shown, names))
  }

  return {
    async add(rejection) {
      gathered.count += 1
      gathered.connectionIds.add(rejection.connectionId)
      gathered.reasons.add(reasonOf(rejection))
      if (stopTimer === null) await showGathered()
    },
    stop() {
      stopTimer?.()
      stopTimer = null
      gathered = nothingGathered()
    },
  }
}

/** Collected facts instead of the refused requests, because there may be very many. */
type Gathered = { count: number; connectionIds: Set<string | null>; reasons: Set<string> }

function nothingGathered(): Gathered {
  return { count: 0, connectionIds: new Set(), reasons: new Set() }
}

/** Returns the text of a notice. @param names of the first connections. Pure. */
function describeRejections({ count, connectionIds, reasons }: Gathered, names: readonly string[]): Notice {
  const others = connectionIds.size - names.length
  const to = [...names, ...(others > 0 ? [`${others} more`] : [])].join(', ')
  const [reason = ''] = reasons
  return {
    title: count > 1 ? `${count} requests refused: ${to}` : `Request refused: ${to}`,
    body: reasons.size > 1 ? `${reasons.size} different reasons; see Activity.` : reason,
  }
}

function reasonOf({ message, diagnosis }: Rejection): string {
  return diagnosis?.message ?? message
}

type FollowOptions = {
  readonly client: RouterClient<Router>
  readonly isOn: () => boolean
  readonly show: (notice: Notice) => void
  readonly setTimer: (callback: () => void, ms: number) => () => void
  readonly logger: Logger
}

/** Milliseconds that a refused request waits for its diagnosis, and the most that wait. */
const diagnosisWaitMs = 2000
const maxWaiting = 20

/** Shows notifications of refused requests if the user wants them. @returns the function that ends it. */
export function followRejections({ client, isOn, show, setTimer, logger }: FollowOptions): () => void {
  const notices = createRejectionNotices({
    setTimer,
    show(notice) {
      // The user may have switched them off in the meantime.
      if (isOn()) show(notice)
    },
    async nameOf(connectionId) {
      const connections = await client.connections.list({ text: connectionId })
      return connections.find(connection => connection.connectionId === connectionId)?.name ?? null
    },
  })
  const controller = new AbortController()
  /** Refused requests whose diagnosis may still come, by attempt id. */
  const waiting = new Map<string, { readonly rejection: Rejection; readonly stopTimer: () => void }>()

  function take(attemptId: string): Rejection | null {
    const found = waiting.get(attemptId)
    found?.stopTimer()
    waiting.delete(attemptId)
    return found?.rejection ?? null
  }

  async function add(rejection: Rejection): Promise<void> {
    const { attemptId, code, diagnosis } = rejection
    const isExplained = diagnosis !== null || !diagnosable.has(code)
    if (attemptId === null || isExplained || waiting.size >= maxWaiting) {
      await notices.add(rejection)
      return
    }
    const stopTimer = setTimer(() => {
      if (take(attemptId) !== null) void notices.add(rejection)
    }, diagnosisWaitMs)
    waiting.set(attemptId, { rejection, stopTimer })
  }

  async function follow(): Promise<void> {
    for await (const item of await client.activity.live({}, { signal: controller.signal })) {
      if (item.type === 'event.rejected' && isOn()) await add(item)
      if (item.type !== 'event.diagnosed') continue
      const rejection = take(item.attemptId)
      if (rejection !== null) await notices.add({ ...rejection, diagnosis: item.diagnosis })
    }
  }
  follow().catch(err => {
    if (!controller.signal.aborted) logger.error({ err }, 'Notifications of refused requests have stopped')
  })
  return () => {
    controller.abort()
    for (const attemptId of [...waiting.keys()]) take(attemptId)
    notices.stop()
  }
}
