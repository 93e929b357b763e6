/** The thread of the history and the conversations: writes and reads, one after another. */
import type { DatabaseSync } from 'node:sqlite'
import { workerData } from 'node:worker_threads'
import type { AlertQuery, AlertWrite, StoredAlert } from '#main/storage/alerts.ts'
import type {
  ConversationBounds,
  ConversationQuery,
  ConversationWrite,
  StoredConversation,
} from '#main/storage/conversations.ts'
import type { HourRange, HourRow, PairRange } from '#main/storage/hour-count-store.ts'
import type {
  Buckets,
  NewestQuery,
  OccurrenceBatch,
  OccurrenceBounds,
  OccurrenceFilter,
  OccurrenceQuery,
} from '#main/storage/occurrence-storage.ts'
import type { SearchBounds } from '../../rows/search-budget.ts'
import { AlertTable } from './alert-table.ts'
import { backUp } from './backup.ts'
import { ConversationTable } from './conversation-table.ts'
import { HourCountTable } from './hour-count-table.ts'
import { OccurrenceTable } from './occurrence-table.ts'
import { openRepairing } from './repair.ts'
import { historySchema } from './schemas.ts'
import { serveCalls, type Thread } from './serve-calls.ts'

export type HistoryThreadOptions = {
  readonly file: string
  readonly maxPages: number | null
  readonly isDiskFull: boolean
  readonly bounds: Readonly<Record<string, OccurrenceBounds>>
  readonly searchBounds: Partial<SearchBounds> | undefined
  /** When the service started, in milliseconds since 1970. */
  readonly now: number
}
const options: HistoryThreadOptions = workerData

export type HistoryMethods = ReturnType<typeof openHistory>['methods']

function openHistory({ notice }: Pick<Thread, 'notice'>) {
  const open = (database: DatabaseSync) => {
    const table = new OccurrenceTable(database, options.bounds, options.searchBounds)
    table.pruneOld(options.now)
    return {
      table,
      conversations: new ConversationTable(database),
      hours: new HourCountTable(database),
      alerts: new AlertTable(database),
    }
  }
  const history = openRepairing(options.file, historySchema, { ...options, onNotice: notice }, open)
  const use = <Result>(act: (table: OccurrenceTable, conversations: ConversationTable) => Result): Result =>
    history.use(({ table, conversations }) => act(table, conversations))
  const hoursWith = <Result>(act: (hours: HourCountTable) => Result): Result =>
    history.use(({ hours }) => act(hours))
  const alertsWith = <Result>(act: (alerts: AlertTable) => Result): Result =>
    history.use(({ alerts }) => act(alerts))

  return {
    newest: use((table, conversations) => Math.max(table.newestNumber(), conversations.newest())),
    methods: {
      write: (batch: OccurrenceBatch) => use(on => on.write(batch)),
      list: (query: OccurrenceQuery) => use(on => on.list(query)),
      count: (filter: OccurrenceFilter) => use(on => on.count(filter)),
      countBuckets: (filter: OccurrenceFilter, buckets: Buckets) =>
        use(on => on.countBuckets(filter, buckets)),
      newestOfEach: (query: NewestQuery) => use(on => on.newestOfEach(query)),
      get: (kind: string, number: number) => use(on => on.get(kind, number)),
      latest: (limit: number) => use(on => on.latest(limit)),
      forget: (connectionIds: readonly string[]) => use(on => on.forget(connectionIds)),
      keepOnly: (connectionIds: readonly string[]) => use(on => on.keepOnly(connectionIds)),
      createConversation: (conversation: StoredConversation, bounds: ConversationBounds) =>
        use((_, on) => on.create(conversation, bounds)),
      writeConversation: (change: ConversationWrite, expected: number) =>
        use((_, on) => on.write(change, expected)),
      listConversations: (query: ConversationQuery) => use((_, on) => on.list(query)),
      getConversation: (number: number) => use((_, on) => on.get(number)),
      removeConversation: (number: number) => use((_, on) => on.remove(number)),
      keepOnlyConversations: (workspaceIds: readonly string[]) => use((_, on) => on.keepOnly(workspaceIds)),
      saveHours: (node: string, rows: readonly HourRow[]) => hoursWith(on => on.save(node, rows)),
      readHours: (of: string, range: HourRange) => hoursWith(on => on.read(of, range)),
      readPairs: (ids: readonly string[], parts: readonly PairRange[], except: string | null) =>
        hoursWith(on => on.readPairs(ids, parts, except)),
      summedDays: () => hoursWith(on => on.summedDays()),
      firstHour: () => hoursWith(on => on.first()),
      mergeHours: (upTo: number) => hoursWith(on => on.merge(upTo)),
      pruneHours: (before: number) => hoursWith(on => on.prune(before)),
      forgetHours: (connectionIds: readonly string[]) => hoursWith(on => on.forget(connectionIds)),
      keepOnlyHours: (connectionIds: readonly string[]) => hoursWith(on => on.keepOnly(connectionIds)),
      loadAlerts: () => alertsWith(on => on.load()),
      writeAlerts: (write: AlertWrite) => alertsWith(on => on.write(write)),
      toldAlert: (alert: Pick<StoredAlert, 'number' | 'closedAt'>) => alertsWith(on => on.told(alert)),
      getAlert: (number: number) => alertsWith(on => on.get(number)),
      listAlerts: (query: AlertQuery) => alertsWith(on => on.list(query)),
      muteAlert: (number: number, until: number) => alertsWith(on => on.mute(number, until)),
      countOpenAlerts: () => alertsWith(on => on.countOpen()),
      pruneAlerts: (before: number) => alertsWith(on => on.prune(before)),
      backup: (path: string) => backUp(options.file, path),
      close: () => history.close(),
    },
  }
}

serveCalls(openHistory)
