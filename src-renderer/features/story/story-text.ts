import { formatDuration, formatExact, formatMs } from '../../ui/format.ts'
import type { StoryRow } from './story-rows.ts'

/** Returns how long a row took; null for one whose time is not known. @param now for what goes on. */
export function tookMs(row: StoryRow, now: number): number | null {
  if (row.tookMs !== null) return row.tookMs
  // The time of a request that was not measured is not known, though its beginning is.
  if (row.from === null || row.kind === 'request') return null
  return Math.max(0, (row.to ?? now) - row.from)
}

/** Returns how long a row took, or when it begins; null for one that has no known time. */
export function tookWords(row: StoryRow, now: number): string | null {
  if (row.kind === 'part' && row.row.kind === 'next') {
    const leftMs = row.row.at - now
    return leftMs <= 0 ? 'due now' : `in ${formatDuration(leftMs)}`
  }
  const ms = tookMs(row, now)
  if (ms === null) return null
  return row.tookMs === null ? formatDuration(ms) : formatMs(ms)
}

/** Returns a story as plain text, one line for each row. */
export function storyText(
  title: string,
  rows: readonly StoryRow[],
  words: (row: StoryRow) => string,
  now: number,
): string {
  const lines = rows.map(row => {
    const ms = tookMs(row, now)
    const isAhead = row.kind === 'part' && row.row.kind === 'next'
    const at = row.from === null ? null : formatExact(row.from)
    const parts = [row.title, words(row), row.detail, at, ms === null || isAhead ? null : formatDuration(ms)]
    return `${'  '.repeat(row.depth)}${parts.filter(part => part !== null && part !== '').join(' · ')}`
  })
  return [title, ...lines].join('\n')
}
