import { useState } from 'react'

type Pause = { readonly lastId: string; readonly by: 'reader' | 'scrolling' }

/**
 * Follows the newest rows, or holds new ones back while paused: by the user, or by scrolling away from the top.
 *
 * @param newest id of the newest row, empty for none. Ids grow with time and have one length.
 */
export function useFollow(newest: string) {
  const [pause, setPause] = useState<Pause | null>(null)
  return {
    isFollowing: pause === null,
    /** Whether a row is held back. */
    isHeld: (id: string) => pause !== null && id > pause.lastId,
    follow: () => setPause(null),
    toggle: () => setPause(pause === null ? { lastId: newest, by: 'reader' } : null),
    /** Pauses when the user scrolls away from the top, and resumes there. */
    onTopChange(isAtTop: boolean) {
      if (!isAtTop && pause === null) setPause({ lastId: newest, by: 'scrolling' })
      if (isAtTop && pause?.by === 'scrolling') setPause(null)
    },
  }
}
