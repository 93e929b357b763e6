import { useState } from 'react'

type Pause = { readonly lastId: string; readonly by: 'reader' | 'scrolling' | 'holding' }

/**
 * Follows the newest rows, or holds new ones back: while the user has paused, has scrolled away from the top, or points
 * at a row or has one open, so that no row moves away under the pointer.
 *
 * @param newest id of the newest row, empty for none and for a list that is held as a whole. Ids grow with time and have
 *   one length.
 */
export function useFollow(newest = '') {
  const [pause, setPause] = useState<Pause | null>(null)
  const [isHolding, setHolding] = useState(false)
  const isFollowing = pause === null || pause.by === 'holding'
  const lastId = pause?.lastId ?? newest
  /** Follows on from a row, as far as nothing is held. */
  const followFrom = (from: string) => setPause(isHolding ? { lastId: from, by: 'holding' } : null)
  return {
    isFollowing,
    /** Whether new rows are held back. */
    isHeldBack: pause !== null,
    /** Whether a row is held back. */
    isHeld: (id: string) => pause !== null && id > pause.lastId,
    follow: () => followFrom(newest),
    toggle: () => (isFollowing ? setPause({ lastId, by: 'reader' }) : followFrom(newest)),
    /** Pauses when the user scrolls away from the top, and resumes there. */
    onTopChange(isAtTop: boolean) {
      if (!isAtTop && isFollowing) setPause({ lastId, by: 'scrolling' })
      if (isAtTop && pause?.by === 'scrolling') followFrom(lastId)
    },
    /** Holds the rows in their places, or lets them move again. */
    hold(on: boolean) {
      setHolding(on)
      if (on && pause === null) setPause({ lastId, by: 'holding' })
      if (!on && pause?.by === 'holding') setPause(null)
    },
    /** Lets held rows move once more: the user has done something whose row is about to come. */
    release: () => setPause(before => (before?.by === 'holding' ? null : before)),
  }
}
