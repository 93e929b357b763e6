import type { Widget } from '#shared/model/platform/widget.ts'

/** The longest that the preview plays, in milliseconds. Longer delays are played faster. */
const longestPlay = 6000

/** Returns the length of the time line in milliseconds: half as long again as the delay, at least two seconds. */
export const timeLineEnd = (delay: number): number => Math.max(2000, Math.ceil((delay * 1.5) / 1000) * 1000)

/** Returns how many times faster than in reality a delay is played; 1 for up to six seconds. */
export const playSpeed = (delay: number): number => Math.max(1, Math.ceil(delay / longestPlay))

/** Returns the delay that the preview shows: zero for an invalid one, null if the chat does not open by itself. */
export function delayOf({ autoOpen, openDelay }: Pick<Widget, 'autoOpen' | 'openDelay'>): number | null {
  if (!autoOpen) return null
  return Number.isFinite(openDelay) && openDelay > 0 ? openDelay : 0
}

/** Returns “4 s” or “1.5 s”. */
export const formatSeconds = (ms: number): string => `${Number((ms / 1000).toFixed(2))} s`
