import { basename } from 'node:path'
import { z } from 'zod'
import { messageOf } from '#main/lib/file-system.ts'
import { createSerialQueue } from '#main/lib/serial-queue.ts'
import type {
  OccurrenceBounds,
  OccurrenceStorage,
  OccurrenceSummary,
  StoredOccurrence,
} from '#main/storage/occurrence-storage.ts'
import { unavailable } from '#main/storage/unavailable.ts'
import { Backup, type BackupSource } from '#shared/model/backup.ts'
import { isFuture } from './backup-times.ts'
import type { SavedBackup } from './save-backup.ts'

/** A backup as it is remembered. `at`: the time of the data in it, in milliseconds since 1970. */
const Entry = Backup.omit({ at: true }).extend({ at: z.int() })
export type BackupEntry = z.infer<typeof Entry>

/** The names of the records in the storage: failures do not displace the good ones, nor downloads those of a schedule. */
const goodKinds = Backup.shape.source.options.map(source => `backup.${source}`)
const failedKind = 'backup.failed'

/** More than a schedule keeps, of each kind. They have no other limit: the newest good one may be old. */
const most = 500

/** The limits of these records in the storage of the history. */
export const backupBounds: Readonly<Record<string, OccurrenceBounds>> = Object.fromEntries(
  [...goodKinds, failedKind].map(kind => [kind, { most, maxAgeMs: Number.MAX_SAFE_INTEGER, searched: [] }]),
)

/** Records that could not be written yet, and wait for the next one. */
const mostWaiting = 100
/** The longest text that is kept of an error. */
const mostText = 500

type BackupListParts = {
  readonly storage: Pick<OccurrenceStorage, 'list' | 'write'>
  /** Returns the number of a new record: larger than that of any other. */
  readonly nextNumber: () => number
  /** Milliseconds since 1970. */
  readonly clock: () => number
  /** Called when a record cannot be written. It then waits in memory. */
  readonly onProblem: (notice: string) => void
}

/** The backups that were made or noted, in the storage of the history. The time of its data identifies a backup. */
export type BackupList = ReturnType<typeof createBackupList>

export function createBackupList({ storage, nextNumber, clock, onProblem }: BackupListParts) {
  const inTurn = createSerialQueue()
  const waiting = new Map<number, StoredOccurrence>()
  /** The times of those that are being made. */
  const underWay = new Set<number>()

  async function read(kinds: readonly string[]): Promise<Map<number, BackupEntry>> {
    const found = new Map<number, OccurrenceSummary>()
    for (let below = Number.MAX_SAFE_INTEGER; below > 0; ) {
      const page = await storage.list({ kinds, connectionIds: [null], below, limit: most })
      for (const record of page.occurrences) found.set(record.number, record)
      below = page.checkedAbove + 1
    }
    for (const [number, record] of waiting) found.set(number, record)
    const entries = Array.from(found.values(), record => [record.number, entryOf(record)] as const)
    return new Map(entries.flatMap(([number, entry]) => (entry === null ? [] : [[number, entry]])))
  }

  const readAll = () => read([...goodKinds, failedKind])

  async function write(number: number, entry: BackupEntry): Promise<void> {
    waiting.set(number, recordOf(number, entry))
    const [oldest] = waiting.keys()
    if (waiting.size > mostWaiting && oldest !== undefined) waiting.delete(oldest)
    await storage.write({ occurrences: [...waiting.values()], findings: [], now: clock() })
    waiting.clear()
  }

  /** Returns the number of the entry with this time, or a new one. */
  async function numberAt(time: number): Promise<number> {
    const same = [...(await readAll())].find(([, { at }]) => at === time)
    return same?.[0] ?? nextNumber()
  }

  /** Writes an entry in place of the one with the same time, if there is one. */
  const replace = async (entry: BackupEntry) => write(await numberAt(entry.at), entry)

  /** Never rejects: an entry that cannot be written waits. */
  const safely = (act: () => Promise<void>): Promise<void> =>
    inTurn(act).catch(error => onProblem(`The list of backups cannot be written: ${messageOf(error)}`))

  return {
    /** Adds a backup, or says more of the one with its time. Never rejects. */
    put(entry: BackupEntry): Promise<void> {
      underWay.delete(entry.at)
      return safely(() => replace(shortened(entry)))
    },
    /** Adds what is true of a backup if the process ends before `put`. Until then, it is not listed. Never rejects. */
    begin(entry: BackupEntry): Promise<void> {
      underWay.add(entry.at)
      return safely(() => replace(shortened(entry)))
    },
    /**
     * Adds a backup that was sent. The command line tells of the same one once it has verified it, and may be faster.
     * Never rejects.
     */
    sent: (entry: BackupEntry) =>
      safely(async () => {
        const known = new Map(Array.from(await readAll(), ([, { at, source }]) => [at, source]))
        if (known.get(entry.at) === 'command') return
        let { at } = entry
        while (known.has(at)) at++
        await write(nextNumber(), shortened({ ...entry, at }))
      }),
    /** Adds a backup that could not be made now. Never rejects. */
    failed: (source: BackupSource, cause: unknown) =>
      safely(() => {
        const failure = { bytes: null, label: null, ok: false, error: messageOf(cause) }
        return write(nextNumber(), shortened({ at: clock(), source, ...failure }))
      }),
    /** Adds a note, or replaces the one with its time. @throws ServiceError `storage_unavailable`. */
    note: (entry: BackupEntry): Promise<void> =>
      inTurn(async () => {
        const number = await numberAt(entry.at)
        await write(number, entry).catch(cause => {
          // Its sender is told to try again.
          waiting.delete(number)
          throw unavailable('The note cannot be stored', cause)
        })
      }),
    /** Returns all that is known, the newest first. */
    async list(): Promise<BackupEntry[]> {
      const entries = [...(await readAll()).values()].filter(({ at }) => !underWay.has(at))
      return entries.sort((one, other) => other.at - one.at)
    },
    /** Returns the time of the newest good backup, in milliseconds since 1970; null if none is known. */
    async newestGoodAt(): Promise<number | null> {
      const now = clock()
      const good = [...(await read(goodKinds)).values()].filter(({ ok, at }) => ok && !isFuture(at, now))
      return good.length === 0 ? null : Math.max(...good.map(({ at }) => at))
    },
  }
}

/** Returns the entry of a backup that the command line, or the app, has saved and verified. */
export function savedEntry({ file, bytes, manifest }: SavedBackup) {
  const at = Date.parse(manifest.createdAt)
  const label = basename(file).slice(-200)
  return { at, bytes, source: 'command', label, ok: true, error: null } satisfies BackupEntry
}

function shortened(entry: BackupEntry): BackupEntry {
  return { ...entry, error: entry.error?.slice(0, mostText) ?? null }
}

function recordOf(number: number, { at, ...summary }: BackupEntry): StoredOccurrence {
  return {
    ...{
      number,
      kind: summary.ok ? `backup.${summary.source}` : failedKind,
      connectionId: null,
      subject: '',
    },
    ...{ at, summary: JSON.stringify(summary), details: '{}', finding: null },
  }
}

/** Returns null for a record that cannot be read. */
function entryOf({ at, summary }: OccurrenceSummary): BackupEntry | null {
  return Entry.safeParse({ ...JSON.parse(summary), at }).data ?? null
}
