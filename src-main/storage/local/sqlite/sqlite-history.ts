import { createBus } from '#main/lib/bus.ts'
import { messageOf } from '#main/lib/file-system.ts'
import { createSequence } from '#main/lib/sequence.ts'
import type { AlertStore } from '#main/storage/alerts.ts'
import type {
  ChangedConversation,
  ConversationStore,
  StoredConversation,
} from '#main/storage/conversations.ts'
import { type HourCountStore, summedDaysOf } from '#main/storage/hour-count-store.ts'
import type { OccurrenceBounds, OccurrenceStorage } from '#main/storage/occurrence-storage.ts'
import type { SearchBounds } from '../../rows/search-budget.ts'
import { unavailable } from '../../unavailable.ts'
import { createLeases } from '../leases.ts'
import type { Copied } from './backup.ts'
import { databaseFailure } from './database-failure.ts'
import type { HistoryMethods, HistoryThreadOptions } from './history-worker.ts'
import { finishRepair } from './repair.ts'
import { ThreadLink } from './thread-link.ts'

type SqliteHistoryOptions = {
  /** Path of the database; SQLite keeps further files beside it. */
  readonly file: string
  /** By kind. */
  readonly bounds: Readonly<Record<string, OccurrenceBounds>>
  /** Where the maximum that a page checks is not the usual one. */
  readonly searchBounds?: Partial<SearchBounds> | undefined
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
  OccurrenceStorage &
    Copied & {
      readonly conversations: ConversationStore
      readonly hourCounts: HourCountStore
      readonly alerts: AlertStore
      /** Returns the number for the next id; see `Ids`. */
      nextNumber(): number
    }
> {
  const { file, bounds, clock, onProblem, onNotice, maxPages = null, isDiskFull = false } = options
  let newestNumber = 0
  const threadOptions: HistoryThreadOptions = {
    ...{ file, bounds, maxPages, isDiskFull },
    ...{ searchBounds: options.searchBounds, now: clock() },
  }
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
      onProblem(asError(error))
      return otherwise
    }
  }

  /** @throws ServiceError `storage_unavailable`, `damaged_data`. */
  function required<Result>(call: Promise<Result>): Promise<Result> {
    return call.catch(cause => {
      throw databaseFailure(`The history ${file} cannot be used`, cause)
    })
  }
  const leases = createLeases(() => performance.now())
  const changes = createBus<ChangedConversation>(error => onProblem(asError(error)))
  const withOwners = (conversation: StoredConversation) => ({
    ...conversation,
    owners: leases.ownersOf(conversation.number),
  })
  function publishGone(numbers: readonly number[]): void {
    for (const number of numbers) changes.publish({ number, updated: null })
  }
  const conversations: ConversationStore = {
    writeEveryMs: 50,
    async create(conversation, bounds) {
      const gone = await required(link.call('createConversation', conversation, bounds))
      publishGone(gone)
      const { number, updated } = conversation
      if (!gone.includes(number)) changes.publish({ number, updated })
    },
    async write(change, expected) {
      const outcome = await required(link.call('writeConversation', change, expected))
      const { number, updated } = change.conversation
      if (outcome === 'written') changes.publish({ number, updated })
      return outcome
    },
    async list(query) {
      const { conversations: found, nextBefore } = await required(link.call('listConversations', query))
      return { conversations: found.map(withOwners), nextBefore }
    },
    async get(number) {
      const found = await required(link.call('getConversation', number))
      return found && { ...found, conversation: withOwners(found.conversation) }
    },
    async remove(number) {
      const existed = await required(link.call('removeConversation', number))
      if (existed) publishGone([number])
      return existed
    },
    keepOnly: async workspaceIds =>
      publishGone(await required(link.call('keepOnlyConversations', workspaceIds))),
    own: async (number, owner, leaseMs) => leases.own(number, owner, leaseMs),
    disown: async (number, owner) => leases.disown(number, owner),
    changes,
  }

  const hourCounts: HourCountStore = {
    save: (node, rows) => link.call('saveHours', node, rows),
    read: async (of, range) => (isOpen ? required(link.call('readHours', of, range)) : []),
    readPairs: async (ids, parts, except) =>
      isOpen ? required(link.call('readPairs', ids, parts, except)) : new Map(),
    summedDays: async () => (isOpen ? required(link.call('summedDays')) : summedDaysOf(null, null)),
    first: async () => (isOpen ? required(link.call('firstHour')) : null),
    merge: async upTo => isOpen && link.call('mergeHours', upTo),
    prune: async before => isOpen && link.call('pruneHours', before),
    forget: connectionIds => link.call('forgetHours', connectionIds),
    keepOnly: connectionIds => read(() => link.call('keepOnlyHours', connectionIds), undefined),
  }

  const alerts: AlertStore = {
    load: () => link.call('loadAlerts'),
    write: write => link.call('writeAlerts', write),
    told: alert => link.call('toldAlert', alert),
    get: number => required(link.call('getAlert', number)),
    list: query => required(link.call('listAlerts', query)),
    mute: (number, until) =>
      link.call('muteAlert', number, until).catch(cause => {
        throw databaseFailure(`The alerts in ${file} cannot be changed`, cause)
      }),
    countOpen: () => required(link.call('countOpenAlerts')),
    prune: before => link.call('pruneAlerts', before),
  }

  return {
    ...{ conversations, hourCounts, alerts },
    nextNumber: createSequence(clock, newestNumber),
    write: batch => link.call('write', batch),
    list: query =>
      read(() => link.call('list', query), {
        ...{ occurrences: [], checkedAbove: query.above ?? -1, searched: null },
      }),
    count: filter => read(() => link.call('count', filter), { counts: [], isComplete: true }),
    countBuckets: (filter, buckets) =>
      read(() => link.call('countBuckets', filter, buckets), { counts: [], isComplete: true }),
    newestOfEach: query => read(() => link.call('newestOfEach', query), []),
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

const asError = (error: unknown) => (error instanceof Error ? error : new Error(String(error)))
