import type { Attempt } from '#shared/model/attempt.ts'
import type { AttemptEntry, Rejection } from './entry.ts'

/** A request is refused within this time of its beginning, in milliseconds; the rest is another one. */
const longestRefusalMs = 120_000

export type MatchedAttempts = {
  /** By id of the rejection: the request that was refused. */
  readonly byItem: ReadonlyMap<string, Attempt>
  /** Those of no rejection, newest first. */
  readonly others: readonly AttemptEntry[]
}

/**
 * Finds for each rejection of the feed the attempt with its header fields and body. The two are told of at
 * slightly different times, so one belongs to the other by its code, its message and its size, the nearest
 * before it first.
 *
 * @param rejections oldest first.
 * @param attempts newest first.
 */
export function matchAttempts(
  rejections: readonly Rejection[],
  attempts: readonly Attempt[],
): MatchedAttempts {
  const left = new Set(attempts)
  const byItem = new Map<string, Attempt>()
  for (const item of rejections.toReversed()) {
    const candidates = [...left].filter(attempt => isOf(attempt, item))
    const found = candidates.find(attempt => sizeOf(attempt) === item.bytes) ?? candidates[0]
    if (found === undefined) continue
    byItem.set(item.id, found)
    left.delete(found)
  }
  const seen = new Map<string, number>()
  const others = [...left].map(attempt => {
    const name = `${attempt.at} ${attempt.code}`
    const count = seen.get(name) ?? 0
    seen.set(name, count + 1)
    return { type: 'attempt' as const, key: count === 0 ? name : `${name} ${count}`, attempt }
  })
  return { byItem, others }
}

function isOf(attempt: Attempt, item: Rejection): boolean {
  if (attempt.code !== item.code || attempt.message !== item.message) return false
  const ms = Date.parse(item.at) - Date.parse(attempt.at)
  return ms >= 0 && ms < longestRefusalMs
}

const utf8 = new TextEncoder()

function sizeOf({ bodyText }: Attempt): number {
  return utf8.encode(bodyText).length
}
