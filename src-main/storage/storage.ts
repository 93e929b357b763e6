import type { Logger } from '#main/lib/logger.ts'
import type { BackupSources } from './backup-sources.ts'
import type { ConfigStore } from './config-store.ts'
import type { StoredDocument } from './document.ts'
import type { EventLog } from './event-log.ts'
import type { Keychain } from './keychain.ts'
import type { OccurrenceBounds, OccurrenceStorage } from './occurrence-storage.ts'
import type { RunStore } from './runs.ts'

export type StorageOptions = {
  /** The data folder; created if need be, and held by this process alone. */
  readonly dataFolder: string
  readonly env: NodeJS.ProcessEnv
  readonly logger: Logger
  /** Milliseconds since 1970. */
  readonly clock: () => number
  readonly random: (bytes: number) => Buffer
  /** How much of each kind the history keeps. */
  readonly historyBounds: Readonly<Record<string, OccurrenceBounds>>
  /** Bytes of the data folder's reserve; 0 for none. */
  readonly reserveBytes?: number | undefined
  /** What wraps the data key; the desktop app has one. */
  readonly keychain?: Keychain | undefined
  /** Called when another process has taken the data folder: end at once, since both would write to it. */
  readonly onFolderLost: () => void
}

/** All that a service keeps, whatever keeps it. */
export type Storage = {
  readonly config: ConfigStore
  readonly events: EventLog
  readonly runs: RunStore
  readonly history: OccurrenceStorage
  readonly statistics: StoredDocument
  /** Who is signed in to the dashboard: digests only. */
  readonly sessions: StoredDocument
  /** Which connection is the sample; a fact of this computer, in no backup. */
  readonly sample: StoredDocument
  readonly adminToken: {
    /** Where it is kept, for messages to the operator. */
    readonly location: string
    /**
     * Returns the kept token, which is made when there is none.
     *
     * @param minLength that a token of the operator's own must have.
     * @throws ServiceError `storage_unavailable`, `weak_admin_token`.
     */
    read(minLength?: number): Promise<string>
  }
  /** The key that seals the credentials. */
  readonly dataKey: {
    readonly location: string
    keptIn(): 'file' | 'environment' | 'keychain'
    /**
     * Wraps the key or puts it back as it was, as the keychain has it now; not one from the environment.
     *
     * @throws ServiceError `storage_unavailable`, `key_in_keychain`; the key is then kept as before.
     */
    keep(): Promise<void>
  }
  /** What the running service has to itself on this computer. */
  readonly folder: {
    /** Absolute, symbolic links resolved. */
    readonly path: string
    /** The Unix socket, or named pipe, on which the service answers the command line. */
    readonly socketPath: string
    /** How the command line finds the running service; removed by `close`. */
    readonly serviceFacts: StoredDocument
  }
  readonly backupSources: BackupSources
  /** What the operator should know until the next start, one sentence each; it grows. */
  readonly notices: readonly string[]
  /** Makes everything durable and lets go of the data folder. Each part is closed whether or not another failed. */
  close(): Promise<void>
}
