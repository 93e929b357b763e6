/** The thread of the history and the conversations: writes and reads, one after another. */
import { workerData } from 'node:worker_threads'
import type {
  ConversationBounds,
  ConversationQuery,
  ConversationWrite,
  StoredConversation,
} from '#main/storage/conversations.ts'
import type {
  OccurrenceBatch,
  OccurrenceBounds,
  OccurrenceQuery,
  OccurrenceSearch,
} from '#main/storage/occurrence-storage.ts'
import { backUp } from './backup.ts'
import { ConversationTable } from './conversation-table.ts'
import { makePrivate, setAside } from './files.ts'
import { OccurrenceTable } from './occurrence-table.ts'
import { ForeignSchemaError, isDamage, openOwnDatabase } from './own-database.ts'
import { historySchema } from './schemas.ts'
import { serveCalls, type Thread } from './serve-calls.ts'

export type HistoryThreadOptions = {
  readonly file: string
  readonly maxPages: number | null
  readonly bounds: Readonly<Record<string, OccurrenceBounds>>
  /** When the service started, in milliseconds since 1970. */
  readonly now: number
}
const options: HistoryThreadOptions = workerData

export type HistoryMethods = ReturnType<typeof openHistory>['methods']

function openHistory({ report }: Pick<Thread, 'report'>) {
  const first = openOrReplace()
  /** Null after a damaged file could not be replaced; the next call tries again. */
  let current: typeof first | null = first

  function open() {
    makePrivate(options.file)
    const opened = openOwnDatabase(options.file, historySchema, options.maxPages)
    try {
      const occurrences = new OccurrenceTable(opened, options.bounds)
      // Reads and writes, so that damage shows here.
      occurrences.pruneOld(options.now)
      return { database: opened, table: occurrences, conversations: new ConversationTable(opened) }
    } catch (error) {
      opened.close()
      throw error
    }
  }

  /** Keeps the damaged file under another name and starts a new one. */
  function replace(cause: unknown) {
    const aside = setAside(options.file, Date.now())
    const opened = open()
    const reason = cause instanceof Error ? cause.message : String(cause)
    report(`The history was damaged (${reason}). It is kept as ${aside}, and a new one is started.`)
    return opened
  }

  function openOrReplace() {
    try {
      return open()
    } catch (error) {
      if (!isDamage(error) && !(error instanceof ForeignSchemaError)) throw error
      return replace(error)
    }
  }

  /** Tries again with a new file if this one turns out to be damaged. */
  function use<Result>(act: (table: OccurrenceTable, conversations: ConversationTable) => Result): Result {
    current ??= openOrReplace()
    try {
      return act(current.table, current.conversations)
    } catch (error) {
      if (!isDamage(error)) throw error
      current.database.close()
      current = null
      current = replace(error)
      return act(current.table, current.conversations)
    }
  }

  return {
    newest: Math.max(first.table.newestNumber(), first.conversations.newest()),
    methods: {
      write: (batch: OccurrenceBatch) => use(on => on.write(batch)),
      list: (query: OccurrenceQuery) => use(on => on.list(query)),
      search: (query: OccurrenceSearch) => use(on => on.search(query)),
      newestOfEach: (kind: string, connectionId: string) => use(on => on.newestOfEach(kind, connectionId)),
      get: (kind: string, number: number) => use(on => on.get(kind, number)),
      latest: (limit: number) => use(on => on.latest(limit)),
      forget: (connectionIds: readonly string[]) => use(on => on.forget(connectionIds)),
      keepOnly: (connectionIds: readonly string[]) => use(on => on.keepOnly(connectionIds)),
      createConversation: (conversation: StoredConversation, bounds: ConversationBounds) =>
        use((_, on) => on.create(conversation, bounds)),
      writeConversation: (change: ConversationWrite) => use((_, on) => on.write(change)),
      listConversations: (query: ConversationQuery) => use((_, on) => on.list(query)),
      getConversation: (number: number) => use((_, on) => on.get(number)),
      removeConversation: (number: number) => use((_, on) => on.remove(number)),
      keepOnlyConversations: (workspaceIds: readonly string[]) => use((_, on) => on.keepOnly(workspaceIds)),
      backup: (path: string) => backUp(options.file, path),
      close: () => current?.database.close(),
    },
  }
}

serveCalls(openHistory)
