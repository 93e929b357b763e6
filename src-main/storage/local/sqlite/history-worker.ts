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
import { createConversationTable } from './conversation-table.ts'
import { makePrivate, setAside } from './files.ts'
import { createOccurrenceTable } from './occurrence-table.ts'
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
      const occurrences = createOccurrenceTable(opened, options.bounds)
      // Reads and writes, so that damage shows here.
      occurrences.pruneOld(options.now)
      return { database: opened, occurrences, conversations: createConversationTable(opened) }
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
  function use<Result>(act: (opened: ReturnType<typeof open>) => Result): Result {
    current ??= openOrReplace()
    try {
      return act(current)
    } catch (error) {
      if (!isDamage(error)) throw error
      current.database.close()
      current = null
      current = replace(error)
      return act(current)
    }
  }

  return {
    newest: Math.max(first.occurrences.newestNumber(), first.conversations.newest()),
    methods: {
      write: (batch: OccurrenceBatch) => use(on => on.occurrences.write(batch)),
      list: (query: OccurrenceQuery) => use(on => on.occurrences.list(query)),
      search: (query: OccurrenceSearch) => use(on => on.occurrences.search(query)),
      newestOfEach: (kind: string, connectionId: string) =>
        use(on => on.occurrences.newestOfEach(kind, connectionId)),
      get: (kind: string, number: number) => use(on => on.occurrences.get(kind, number)),
      latest: (limit: number) => use(on => on.occurrences.latest(limit)),
      forget: (connectionIds: readonly string[]) => use(on => on.occurrences.forget(connectionIds)),
      keepOnly: (connectionIds: readonly string[]) => use(on => on.occurrences.keepOnly(connectionIds)),
      createConversation: (conversation: StoredConversation, bounds: ConversationBounds) =>
        use(on => on.conversations.create(conversation, bounds)),
      writeConversation: (change: ConversationWrite) => use(on => on.conversations.write(change)),
      listConversations: (query: ConversationQuery) => use(on => on.conversations.list(query)),
      getConversation: (number: number) => use(on => on.conversations.get(number)),
      removeConversation: (number: number) => use(on => on.conversations.remove(number)),
      keepOnlyConversations: (workspaceIds: readonly string[]) =>
        use(on => on.conversations.keepOnly(workspaceIds)),
      backup: (path: string) => backUp(options.file, path),
      close: () => current?.database.close(),
    },
  }
}

serveCalls(openHistory)
