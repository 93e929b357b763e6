import type {
  OccurrenceBatch,
  OccurrenceBounds,
  OccurrenceSummary,
  StoredOccurrence,
} from '#main/storage/occurrence-storage.ts'
import type { OccurrenceQuery } from './occurrence-table.ts'

/** What the thread of the history is asked. */
export type HistoryRequest = { id: number } & (
  | { op: 'write'; batch: OccurrenceBatch }
  | ({ op: 'list' } & OccurrenceQuery)
  | { op: 'newestOfEach'; kind: string; connection: string }
  | { op: 'get'; kind: string; number: number }
  | { op: 'latest'; limit: number }
  | { op: 'forget'; connectionIds: readonly string[] }
  | { op: 'keepOnly'; connectionIds: readonly string[] }
  | { op: 'backup'; path: string }
  | { op: 'close' }
)

/** Full records, or summaries without `details`. */
export type HistoryValue = null | readonly StoredOccurrence[] | readonly OccurrenceSummary[]

export type HistoryWorkerOptions = {
  file: string
  maxPages: number | null
  bounds: Readonly<Record<string, OccurrenceBounds>>
  /** Milliseconds since 1970, of the start. */
  now: number
}
