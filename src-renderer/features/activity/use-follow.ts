import { useState } from 'react'
import type { ActivityItem } from '#shared/model/activity.ts'

type Pause = { readonly lastId: string; readonly by: 'reader' | 'scrolling' }

/**
 * Follows the newest rows, or holds new ones back while paused: by the user, or by scrolling away from the top.
 *
 * @param items oldest first.
 */
export function useFollow(items: readonly ActivityItem[]) {
  const [pause, setPause] = useState<Pause | null>(null)
  const newest = items.at(-1)?.id ?? ''
  // Ids grow with time and have one length, so they can be compared as text.
  const held = pause === null ? items.length : items.findLastIndex(({ id }) => id <= pause.lastId) + 1
  return {
    isFollowing: pause === null,
    /** The number of items shown; the others wait. */
    held,
    follow: () => setPause(null),
    toggle: () => setPause(pause === null ? { lastId: newest, by: 'reader' } : null),
    /** Pauses when the user scrolls away from the top, and resumes there. */
    onTopChange(isAtTop: boolean) {
      if (!isAtTop && pause === null) setPause({ lastId: newest, by: 'scrolling' })
      if (isAtTop && pause?.by === 'scrolling') setPause(null)
    },
  }
}
