import { useCallback, useState } from 'react'
import type { ActivityItem } from '#shared/model/activity.ts'

type Pause = { readonly lastId: string; readonly by: 'reader' | 'scrolling' }

/**
 * Whether what happens is shown as it happens. Paused, by the reader or because the reader has scrolled away
 * from the newest, new rows wait.
 *
 * @param items oldest first.
 */
export function useFollow(items: readonly ActivityItem[]) {
  const [pause, setPause] = useState<Pause | null>(null)
  const newest = items.at(-1)?.id ?? ''
  // Ids grow with time and are of one length, so they stand in the order of text.
  const held = pause === null ? items.length : items.findLastIndex(({ id }) => id <= pause.lastId) + 1
  return {
    isFollowing: pause === null,
    /** How many of the items are shown; the rest waits. */
    held,
    follow: useCallback(() => setPause(null), []),
    toggle: () => setPause(pause === null ? { lastId: newest, by: 'reader' } : null),
    /** Back at the newest rows the feed goes on, unless the reader has stopped it by hand. */
    onTopChange(isAtTop: boolean) {
      if (!isAtTop && pause === null) setPause({ lastId: newest, by: 'scrolling' })
      if (isAtTop && pause?.by === 'scrolling') setPause(null)
    },
  }
}
