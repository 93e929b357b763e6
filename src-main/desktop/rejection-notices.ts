import type { ActivityItem } from '#shared/model/activity.ts'

export type Rejection = Extract<ActivityItem, { type: 'event.rejected' }>

export type Notice = { readonly title: string; readonly body: string }

export type RejectionNoticesOptions = {
  readonly show: (notice: Notice) => void
  /** Null where there is no connection of this id any more. */
  readonly nameOf: (connectionId: string) => Promise<string | null>
  /** Calls back after so many milliseconds. @returns the function that calls it off. */
  readonly setTimer: (callback: () => void, ms: number) => () => void
}

/** Milliseconds after a notice within which refused requests are gathered for the next one. */
const gatherMs = 60_000
/** Connections that one notice names. */
const maxNames = 3

/**
 * Tells of refused requests: the first at once, those of the next minute together at its end, so that a
 * sender that repeats itself does not fill the screen.
 */
export function createRejectionNotices({ show, nameOf, setTimer }: RejectionNoticesOptions): {
  add(rejection: Rejection): Promise<void>
  stop(): void
} {
  let gathered = nothingGathered()
  let stopTimer: (() => void) | null = null

  async function tell(): Promise<void> {
    const told = gathered
    gathered = nothingGathered()
    stopTimer = setTimer(() => {
      stopTimer = null
      if (gathered.count > 0) void tell()
    }, gatherMs)
    const named = [...told.connectionIds].slice(0, maxNames)
    const names = await Promise.all(
      named.map(async id =>
        id === null ? 'an unknown URL' : ((await nameOf(id)) ?? 'a deleted connection'),
      ),
    )
    show(describeRejections(told, names))
  }

  return {
    async add(rejection) {
      gathered.count += 1
      gathered.connectionIds.add(rejection.connectionId)
      gathered.reasons.add(reasonOf(rejection))
      if (stopTimer === null) await tell()
    },
    stop() {
      stopTimer?.()
      stopTimer = null
      gathered = nothingGathered()
    },
  }
}

/** What a notice says of refused requests, and not they themselves: in a minute there may be very many. */
type Gathered = { count: number; connectionIds: Set<string | null>; reasons: Set<string> }

function nothingGathered(): Gathered {
  return { count: 0, connectionIds: new Set(), reasons: new Set() }
}

/** @param names of the first of the connections that they were meant for. Pure. */
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
