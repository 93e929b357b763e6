import { messageOf } from '#main/lib/file-system.ts'
import { createSequence } from '#main/lib/sequence.ts'
import type { ConversationStore } from '#main/storage/conversations.ts'
import type { OccurrenceBounds, OccurrenceStorage } from '#main/storage/occurrence-storage.ts'
import { unavailable } from '../../unavailable.ts'
import { databaseFailure } from './database-failure.ts'
import type { HistoryMethods, HistoryThreadOptions } from './history-worker.ts'
import { finishRepair } from './repair.ts'
import { ThreadLink } from './thread-link.ts'

type SqliteHistoryOptions = {
  /** Path of the database; SQLite keeps further files beside it. */
  readonly file: string
  /** By kind. */
  readonly bounds: Readonly<Record<string, OccurrenceBounds>>
  /** Milliseconds since 1970. */
  readonly clock: () => number
  /** Receives failed reads, and why a file cannot be used. */
  readonly onProblem: (error: Error) => void
  /** Receives what the operator should know about a damaged file. */
  readonly onNotice: (sentence: string) => void
  /** Whether there is no room for a further file; see `openOwnDatabase`. */
  readonly isDiskFull?: boolean
  /** Maximum number of pages of 4 KiB that the database may have. */
  readonly maxPages?: number
}

/**
 * Opens the history in `file`, or creates it. Never rejects: a damaged file is repaired. If a file is unusable for
 * another reason, it stays as it is, and the service runs without a stored history.
 */
export async function openSqliteHistory(options: SqliteHistoryOptions): Promise<
  OccurrenceStorage & {
    readonly conversations: ConversationStore
    /** Returns the number for the next id; see `Ids`. */
    nextNumber(): number
  }
> {
  const { file, bounds, clock, onProblem, onNotice, maxPages = null, isDiskFull = false } = options
  let newestNumber = 0
  const threadOptions: HistoryThreadOptions = { file, bounds, maxPages, isDiskFull, now: clock() }
  const link = new ThreadLink<HistoryMethods>('history-worker', threadOptions, {
    onOpened: newest => {
      newestNumber = Math.max(newestNumber, newest)
    },
    onReport: onProblem,
    onNotice,
  })
  let isOpen = true
  try {
    finishRepair(file)
    await link.open()
  } catch (cause) {
    isOpen = false
    await link.close()
    const problem = `The history ${file} cannot be used (${messageOf(cause)}). Until the next start it is kept in memory only.`
    onProblem(new Error(problem, { cause }))
  }

  /** Returns the result of a call, or `otherwise` if it fails. */
  async function read<Result>(call: () => Promise<Result>, otherwise: Result): Promise<Result> {
    if (!isOpen) return otherwise
    try {
      return await call()
    } catch (error) {
      onProblem(error instanceof Error ? error : new Error(String(error)))
      return otherwise
    }
  }

  /** @throws ServiceError `storage_unavailable`, `damaged_data`. */
  function required<Result>(call: Promise<Result>): Promise<Result> {
    return call.catch(cause => {
      throw databaseFailure(`The conversations in ${file} cannot be used`, cause)
    })
  }
  const conversations: ConversationStore = {
    create: (conversation, bounds) => required(link.call('createConversation', conversation, bounds)),
    write: change => required(link.call('writeConversation', change)),
    list: query => required(link.call('listConversations', query)),
    get: number => required(link.call('getConversation', number)),
    remove: number => required(link.call('removeConversation', number)),
    keepOnly: workspaceIds => required(link.call('keepOnlyConversations', workspaceIds)),
  }

  return {
    conversations,
    nextNumber: createSequence(clock, newestNumber),
    write: batch => link.call('write', batch),
    list: query =>
      read(() => link.call('list', query), {
        ...{ occurrences: [], checkedAbove: query.above ?? -1, searched: null },
      }),
    count: filter => read(() => link.call('count', filter), { counts: [], isComplete: true }),
    newestOfEach: ({ kind, connectionId }) => read(() => link.call('newestOfEach', kind, connectionId), []),
    get: (kind, number) => read(() => link.call('get', kind, number), null),
    latest: limit => read(() => link.call('latest', limit), []),
    forget: connectionIds => link.call('forget', connectionIds),
    keepOnly: connectionIds => read(() => link.call('keepOnly', connectionIds), undefined),
    async backup(path) {
      await link.call('backup', path).catch(cause => {
        throw unavailable(`The history ${file} cannot be copied`, cause)
      })
    },
    close: () => link.close(),
  }
}
