import type { Logger } from '#main/lib/logger.ts'
import type { StorageOutage } from '#shared/model/readiness.ts'
import type { ActivityRelay } from './activity-relay.ts'
import type { AlertStore } from './alerts.ts'
import type { CallLimits } from './call-limits.ts'
import type { Config } from './config.ts'
import type { ConfigDiff } from './config-diff.ts'
import type { ConfigStore } from './config-store.ts'
import type { ConversationStore } from './conversations.ts'
import type { StoredDocument } from './document.ts'
import type { EventLog } from './event-log.ts'
import type { StorageGauges } from './gauges.ts'
import type { HeldCallStore } from './held-calls.ts'
import type { HourCountStore } from './hour-count-store.ts'
import type { Housekeeping } from './housekeeping.ts'
import type { Ids } from './ids.ts'
import type { KnowledgeStore } from './knowledge.ts'
import type { NodeStore } from './nodes.ts'
import type { OccurrenceBounds, OccurrenceStorage } from './occurrence-storage.ts'
import type { OnceStore } from './once-store.ts'
import type { Presence } from './presence.ts'
import type { SearchBounds } from './rows/search-budget.ts'
import type { LaneLimits, RunStore } from './runs.ts'
import type { Sealing } from './sealing.ts'
import type { SessionStore } from './sessions.ts'
import type { Signals } from './signals.ts'
import type { StatisticsStore } from './statistics.ts'
import type { TokenUses } from './token-uses.ts'

export type StorageOptions = {
  /** The data folder; created if it does not exist, and held by this process alone. */
  readonly dataFolder: string
  /** `postgres://user@host,host/name`, or `@` and a file that has it: keeps everything in this database, and nothing that lasts in the folder. */
  readonly database?: string | undefined
  /** Names this process among those that share the database; the computer's name, by default. */
  readonly nodeName?: string | undefined
  /** The token that all nodes on a database should have; a difference is told. */
  readonly adminToken?: string | undefined
  readonly env: NodeJS.ProcessEnv
  readonly logger: Logger
  /** Milliseconds since 1970. */
  readonly clock: () => number
  /** Milliseconds by which `clock` is ahead of the time, in tests; so is then the time that nodes have from the database. */
  readonly aheadMs?: number | undefined
  readonly random: (bytes: number) => Buffer
  /** Limits of each kind in the history. */
  readonly historyBounds: Readonly<Record<string, OccurrenceBounds>>
  /**
   * Returns the limits of the lanes that an update has changed, or of all if `diff` is null. Pure and synchronous. The
   * storage applies them before the update resolves, and before what is claimed once it is announced.
   *
   * @param withRuns at the opening: the lanes of runs that have not ended, also of workflows that do not exist any more.
   */
  readonly lanesOf: (config: Config, diff: ConfigDiff | null, withRuns?: readonly string[]) => LaneLimits
  /** Bytes of the data folder's reserve; 0 for none. */
  readonly reserveBytes?: number | undefined
  /** Maximum number of runs of workflows that may wait; a million by default. */
  readonly mostRunsWaiting?: number | undefined
  /** Milliseconds after which a call without an answer counts as arrived in a rate limit; 1 s by default. */
  readonly callArrivesWithinMs?: number | undefined
  /** The maximum that one page of a search, or of the history, checks, where it is not the usual one. */
  readonly searchBounds?: Partial<SearchBounds> | undefined
  /** Wraps the data key; the desktop app has one. */
  readonly keychain?: Keychain | undefined
  /** Called when another process has taken the data folder: end at once, because both would write to it. */
  readonly onFolderLost: () => void
}

/** The system's store for a user's secrets. A headless service has none, because no user is logged in to unlock it. */
export type Keychain = {
  /** Whether to wrap the data key; false unwraps a wrapped one. */
  readonly wraps: boolean
  /** @throws if the keychain cannot wrap. */
  wrap(text: string): Promise<string>
  /** If `renew` is true, the keychain has changed its own key: wrap the text again. @throws if it cannot unwrap. */
  unwrap(wrapped: string): Promise<{ readonly text: string; readonly renew: boolean }>
}

/** Shorter admin tokens can be guessed. */
export const minAdminTokenLength = 16

/** Everything that a service keeps. Several processes can share it, if the implementation allows it. */
export type Storage = {
  /** Whether other processes may use it too, now or later. They learn of some changes only a moment later. */
  readonly isShared: boolean
  readonly config: ConfigStore
  readonly events: EventLog
  readonly runs: RunStore
  readonly history: OccurrenceStorage
  readonly conversations: ConversationStore
  readonly knowledge: KnowledgeStore
  readonly heldCalls: HeldCallStore
  readonly statistics: StatisticsStore
  readonly hourCounts: HourCountStore
  readonly alerts: AlertStore
  readonly sessions: SessionStore
  readonly tokenUses: TokenUses
  readonly callLimits: CallLimits
  readonly activityRelay: ActivityRelay
  readonly presence: Presence
  readonly once: OnceStore
  readonly signals: Signals
  readonly ids: Ids
  readonly housekeeping: Housekeeping
  readonly nodes: NodeStore
  readonly gauges: StorageGauges
  /** For what may be stored, but not in clear. */
  readonly sealing: Sealing
  readonly backupSources: BackupSources
  /** Returns the time by which everything stored is dated, in milliseconds since 1970. Synchronous. */
  clock(): number
  /**
   * Returns why this process should be sent no requests; null if it can be: since 2 seconds, the storage has not confirmed
   * it, or what is accepted fails or waits. Synchronous.
   */
  outage(): StorageOutage | null
  /**
   * Returns whether this process may act on its configuration: false while the storage has not confirmed for 4 seconds
   * that it is the newest. Others then no longer wait for this process before they answer a change.
   */
  isCurrent(): boolean
  /**
   * Resolves when this process has every change of the configuration that was answered before the call. For what no
   * statement decides that the storage itself could refuse. Null where there is no other process.
   *
   * @param decidedBy what `decidesBy` has returned, for what was decided already. Without it, the decision follows.
   * @throws ServiceError `storage_unavailable`.
   */
  readonly confirmCurrent: ((decidedBy?: number) => Promise<void>) | null
  /** Returns the version of the configuration by which this process decides now. */
  decidesBy(): number
  /** Logs the failure of a part of the service. Those of an outage of the storage are logged once. */
  onError(error: unknown): void
  /** Makes everything durable and releases the data folder. A failure of one part does not keep the others open. */
  close(): Promise<void>
}

/** The parts that belong to this computer alone. */
export type Machine = {
  /** The hosts and the name of the database that keeps the data; null if the data folder does. */
  readonly database: string | null
  /** Which connection is the sample. No backup contains it. Null if there can be none, as its server is one process's. */
  readonly sample: StoredDocument | null
  readonly adminToken: {
    /** Where it is stored, for messages to the operator. */
    readonly location: string
    /**
     * Returns the admin token; creates it if there is none.
     *
     * @param minLength for a token that the operator wrote.
     * @throws ServiceError `storage_unavailable`, `weak_admin_token`; `admin_token_required` if none is created here.
     */
    read(minLength?: number): Promise<string>
  }
  /** The key that encrypts the credentials. */
  readonly dataKey: {
    readonly location: string
    keptIn(): 'file' | 'environment' | 'keychain'
    /**
     * Wraps or unwraps the key, as the keychain now asks for. A key from the environment stays as it is.
     *
     * @throws ServiceError `storage_unavailable`, `key_in_keychain`; the key file is then unchanged.
     */
    keep(): Promise<void>
  }
  readonly folder: {
    /** Absolute, symbolic links resolved. */
    readonly path: string
    /** The Unix socket, or named pipe, on which the service answers the command line. */
    readonly socketPath: string
  }
  /** How the command line finds the running service; closing the storage removes it. */
  readonly serviceFacts: StoredDocument
  /** Sentences that the operator should read until the next start. The list grows. */
  readonly notices: readonly string[]
}

export type OpenedStorage = { readonly storage: Storage; readonly machine: Machine }

/**
 * Everything that a backup contains. A storage that does not consist of files writes them from its rows (`writeRows`).
 */
export type BackupSources = {
  /** A folder on the disk of the data; copies are made in it. */
  readonly folder: string
  /** Returns the size of the copies in bytes. */
  size(): Promise<number>
  /**
   * Copies everything that exists, as of one moment, into an empty folder, under the names of a backup. Returns where
   * the key of the copied credentials is: in the copies (`file`), in the environment, or in the keychain.
   */
  copyTo(folder: string): Promise<{ readonly dataKey: ReturnType<Machine['dataKey']['keptIn']> }>
}

/** The stored history without a service. */
export type OfflineHistory = {
  readonly storage: Pick<OccurrenceStorage, 'list' | 'write' | 'close'>
  /** Returns the number of a new record; none has it. */
  readonly nextNumber: () => number
}
/** Opens the history of data that no service of this process uses. Close it. @throws if it cannot be used. */
export type OpenHistory = (
  bounds: StorageOptions['historyBounds'],
  onProblem: (notice: string) => void,
) => Promise<OfflineHistory>

/** Data that this process opened without a service, to back them up. */
export type OfflineData = {
  readonly sources: BackupSources
  readonly openHistory: OpenHistory
  close(): Promise<void>
}

/**
 * Data that a backup replaces, held by this process. A storage that does not consist of files takes the rows of the
 * unpacked ones (`readRows`).
 */
export type RestoreTarget = {
  /** The data folder, absolute, symbolic links resolved; or the URL of the database without its password. */
  readonly path: string
  /** Sentences for the operator. The list grows. */
  readonly notices: readonly string[]
  /**
   * @param force whether a data folder that is not empty may be moved aside.
   * @throws ServiceError `data_folder_not_empty`, `data_in_use`, `database_not_empty`, `storage_unavailable`.
   */
  requireReplaceable(force: boolean): Promise<void>
  /** Returns a new, empty folder for the files of the backup, under their names in it. */
  unpackInto(): Promise<string>
  /**
   * Checks that a service can start on the unpacked files, and replaces the data by them. Returns where the old data are
   * now; null if there were none.
   *
   * @param now milliseconds since 1970.
   * @throws ServiceError `newer_backup`, `damaged_backup`, `storage_unavailable`; for a database also `wrong_key`,
   *   `key_in_keychain`, `data_in_use`, `database_not_empty`, `newer_database`. The data are then unchanged.
   */
  replace(now: number): Promise<string | null>
  /** Releases the data. If they were not replaced, removes what was unpacked. */
  close(): Promise<void>
}
