import type { Crawler } from '#shared/model/platform/crawler.ts'
import { formatCount } from '../../../ui/format.ts'

/** Returns what changed in a crawler: “start URL, 2 patterns”. */
export function changeWords(draft: Crawler, saved: Crawler): string {
  const patterns =
    changedIn(draft.includePatterns, saved.includePatterns) +
    changedIn(draft.excludePatterns, saved.excludePatterns)
  return [
    ...(draft.startUrl === saved.startUrl ? [] : ['start URL']),
    ...(patterns === 0 ? [] : [formatCount(patterns, 'pattern')]),
    ...(draft.maxDepth === saved.maxDepth ? [] : ['maximum depth']),
    ...(draft.maxPages === saved.maxPages ? [] : ['maximum pages']),
  ].join(', ')
}

/** Returns how many entries were edited, added or removed. */
function changedIn(draft: readonly string[], saved: readonly string[]): number {
  const left = [...saved]
  let added = 0
  for (const entry of draft) {
    const at = left.indexOf(entry)
    if (at === -1) added++
    else left.splice(at, 1)
  }
  return Math.max(added, left.length)
}
