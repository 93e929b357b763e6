/**
 * Returns a record with a change and the time of its new version.
 *
 * @param now ISO 8601.
 */
export function nextVersion<Version extends { readonly updatedAt: string }, Change extends object>(
  before: Version,
  change: Change,
  now: string,
): Version & Change {
  return { ...before, ...change, updatedAt: timeAfter(before.updatedAt, now) }
}

/**
 * Returns `now`, or a millisecond after the version before: `ifUpdatedAt` must tell any two versions apart.
 *
 * @param before the `updatedAt` of that version, in ISO 8601 like `now`; null without one.
 */
export function timeAfter(before: string | null, now: string): string {
  return before === null ? now : new Date(Math.max(Date.parse(now), Date.parse(before) + 1)).toISOString()
}
