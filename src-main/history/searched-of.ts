import { numberOfAnyId, timeOfSequence } from '#main/lib/sequence.ts'
import type { Searched as Stored } from '#main/storage/searched.ts'
import type { Searched } from '#shared/model/searched.ts'

/** Returns how far a page has looked, as answers have it; nothing for a full page and at the end. */
export function searchedOf(
  found: Stored | null | undefined,
  nextBefore: string | null,
): { readonly searched?: Searched } {
  const number = nextBefore === null ? null : numberOfAnyId(nextBefore)
  if (!found || number === null) return {}
  const backTo = new Date(timeOfSequence(number)).toISOString()
  return { searched: { count: found.count, backTo, ...(found.isIndexing && { indexing: true as const }) } }
}
