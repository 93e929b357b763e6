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
  let gathered: Rejection[] = []
  let stopTimer: (() => void) | null = null

  async function tell(rejections: readonly Rejection[]): Promise<void> {
    stopTimer = setTimer(() => {
      stopTimer = null
      const next = gathered
      gathered = []
      if (next.length > 0) void tell(next)
    }, gatherMs)
    const ids = new Set(rejections.map(({ connectionId }) => connectionId))
    const names = await Promise.all(
      [...ids].map(async id =>
        id === null ? 'an unknown URL' : ((await nameOf(id)) ?? 'a deleted connection'),
      ),
    )
    show(describeRejections(rejections, names))
  }

  return {
    async add(rejection) {
      if (stopTimer === null) await tell([rejection])
      else gathered.push(rejection)
    },
    stop() {
      stopTimer?.()
      stopTimer = null
      gathered = []
    },
  }
}

/** @param names of the connections they were meant for, each once. Pure. */
export function describeRejections(rejections: readonly Rejection[], names: readonly string[]): Notice {
  const [first] = rejections
  const others = names.length - maxNames
  const to = [...names.slice(0, maxNames), ...(others > 0 ? [`${others} more`] : [])].join(', ')
  if (rejections.length > 1) {
    const reasons = [...new Set(rejections.map(reasonOf))]
    const body =
      reasons.length === 1 ? (reasons[0] ?? '') : `${reasons.length} different reasons; see Activity.`
    return { title: `${rejections.length} requests refused: ${to}`, body }
  }
  return { title: `Request refused: ${to}`, body: first === undefined ? '' : reasonOf(first) }
}

function reasonOf({ message, diagnosis }: Rejection): string {
  return diagnosis?.message ?? message
}
