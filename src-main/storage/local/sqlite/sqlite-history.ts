import { messageOf } from '#main/lib/file-system.ts'
import type {
  OccurrenceBatch,
  OccurrenceBounds,
  OccurrenceStorage,
  OccurrenceSummary,
  StoredOccurrence,
} from '#main/storage/occurrence-storage.ts'
import type { HistoryRequest, HistoryValue, HistoryWorkerOptions } from './history-protocol.ts'
import { WorkerLink } from './worker-link.ts'

export type SqliteHistoryOptions = {
  /** Path of the database; SQLite keeps further files beside it. */
  readonly file: string
  /** By kind. */
  readonly bounds: Readonly<Record<string, OccurrenceBounds>>
  /** Milliseconds since 1970. */
  readonly clock: () => number
  /** Told of damage that was set aside, of failed questions, and of a file that cannot be used. */
  readonly onProblem: (error: Error) => void
  /** The most pages of 4 KiB that the database may have. */
  readonly maxPages?: number
}

/**
 * Opens the history in `file`, or creates it. Never rejects: a damaged file is set aside, and with one that
 * cannot be used otherwise the service goes on without; its files are then left as they are.
 */
export async function openSqliteHistory(options: SqliteHistoryOptions): Promise<OccurrenceStorage> {
  const { file, bounds, clock, onProblem, maxPages } = options
  let newestNumber = 0
  const workerOptions: HistoryWorkerOptions = { file, bounds, maxPages: maxPages ?? null, now: clock() }
  const link = new WorkerLink<HistoryValue>('history-worker', workerOptions, {
    onOpened: newest => {
      newestNumber = Math.max(newestNumber, newest)
    },
    onBatches: () => {},
    onReport: onProblem,
    onDied: () => {},
  })
  let isOpen = true
  try {
    await link.open()
  } catch (cause) {
    isOpen = false
    await link.close()
    onProblem(
      new Error(
        `The history ${file} cannot be used (${messageOf(cause)}); until the next start it is in memory only.`,
        {
          cause,
        },
      ),
    )
  }

  type Question = HistoryRequest extends infer One ? (One extends unknown ? Omit<One, 'id'> : never) : never
  const ask = (question: Question) => link.ask(question)
  /** What is asked for; nothing where it cannot be read. */
  async function read(question: Question): Promise<HistoryValue> {
    if (!isOpen) return null
    try {
      return await ask(question)
    } catch (error) {
      onProblem(error instanceof Error ? error : new Error(String(error)))
      return null
    }
  }

  return {
    get newestNumber() {
      return newestNumber
    },
    async write(batch: OccurrenceBatch) {
      await ask({ op: 'write', batch })
    },
    async list({ kind, connectionId, subject, limit }) {
      return full(
        await read({ op: 'list', kind, connection: connectionId ?? '', subject: subject ?? null, limit }),
      )
    },
    async newestOfEach({ kind, connectionId }) {
      return summaries(await read({ op: 'newestOfEach', kind, connection: connectionId }))
    },
    async get(kind, number) {
      return full(await read({ op: 'get', kind, number }))[0] ?? null
    },
    async latest(limit) {
      return summaries(await read({ op: 'latest', limit }))
    },
    async forget(connectionIds) {
      await ask({ op: 'forget', connectionIds })
    },
    async keepOnly(connectionIds) {
      await read({ op: 'keepOnly', connectionIds })
    },
    async backup(path) {
      await read({ op: 'backup', path })
    },
    close: () => link.close(),
  }
}

function full(value: HistoryValue): StoredOccurrence[] {
  return summaries(value).filter((one): one is StoredOccurrence => 'details' in one)
}

function summaries(value: HistoryValue): OccurrenceSummary[] {
  return value === null ? [] : [...value]
}
