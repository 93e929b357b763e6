import type { BackupList } from '#main/backup/backup-list.ts'
import type { Statistics } from '#main/history/statistics/statistics.ts'
import type { TlsFiles } from '#main/lib/tls-files.ts'
import { type AlertQuery, mutedForGood } from '#main/storage/alerts.ts'
import type { Storage } from '#main/storage/storage.ts'
import { hourMs } from '#shared/durations.ts'
import { ServiceError } from '#shared/errors.ts'
import type { Alert } from '#shared/model/alert.ts'
import { alertNumberOf, toAlert } from './alert-doc.ts'
import { watchMachine } from './machine.ts'
import { measureEvents } from './measure.ts'
import { createReader } from './read-all.ts'
import { createAlertStep } from './step.ts'
import { createTell } from './tell.ts'

type AlertsParts = Omit<Parameters<typeof createTell>[0], 'clock'> & {
  readonly storage: Pick<
    Storage,
    'alerts' | 'clock' | 'config' | 'housekeeping' | 'ids' | 'nodes' | 'onError' | 'runs'
  >
  readonly statistics: Pick<Statistics, 'watched' | 'measure'>
  readonly occurrences: Parameters<typeof measureEvents>[0]['occurrences']
  readonly backups: Pick<BackupList, 'newestGoodAt'>
  /** The data folder. */
  readonly folder: string
  readonly tls: Pick<TlsFiles, 'current'> | null
}

/** How often alerts are evaluated. */
const everyMs = 15_000

/** The alerts. One node at a time evaluates them. */
export type Alerts = ReturnType<typeof createAlerts>

/** Creates the alerts, and begins to evaluate them. */
export function createAlerts({
  storage,
  statistics,
  backups,
  folder,
  tls,
  announce,
  record,
  occurrences,
}: AlertsParts) {
  const { alerts: store, clock, config, housekeeping, ids, nodes, onError, runs } = storage
  const machine = watchMachine(folder, tls)
  const stopMeasuring = measureEvents({ store: config, occurrences, statistics, onError })
  const step = createAlertStep({
    ...{ store, nextNumber: ids.number, clock, onError },
    readAll: createReader({
      ...{ config: config.snapshot, watched: statistics.watched, runs, nodes, backups },
    }),
    tell: createTell({ announce, record, clock }),
    quietUntil: () => Date.parse(config.snapshot().settings.alertsQuietUntil ?? '') || 0,
  })
  const stop = housekeeping.every({ name: 'alerts', everyMs, retryMs: everyMs }, step)

  /** @throws ServiceError `alert_not_found`. */
  async function get(alertId: string): Promise<Alert> {
    const number = alertNumberOf(alertId)
    const stored = number === null ? null : await store.get(number)
    const alert = stored && toAlert(stored, clock())
    if (alert === null) throw new ServiceError('alert_not_found')
    return alert
  }

  async function setMuted(alertId: string, until: number): Promise<Alert> {
    await get(alertId)
    if (!(await store.mute(alertNumberOf(alertId) ?? 0, until))) throw new ServiceError('alert_closed')
    return get(alertId)
  }

  return {
    /** Evaluates all alerts now, unless that was done some seconds ago. */
    step,
    get,
    /** Returns the newest first. */
    async list({
      after,
      ...query
    }: Omit<AlertQuery, 'before'> & {
      /** The id of the last alert of the page before. */
      readonly after?: string | undefined
    }): Promise<Alert[]> {
      const before = after === undefined ? Number.MAX_SAFE_INTEGER : (alertNumberOf(after) ?? 0)
      const now = clock()
      return (await store.list({ ...query, before })).flatMap(stored => toAlert(stored, now) ?? [])
    },
    /**
     * Mutes an open alert. @param hours null until it closes.
     *
     * @throws ServiceError `alert_not_found`, `alert_closed`, `storage_unavailable`.
     */
    mute: (alertId: string, hours: number | null) =>
      setMuted(alertId, hours === null ? mutedForGood : clock() + hours * hourMs),
    /** No longer mutes it. @throws ServiceError as `mute`. */
    unmute: (alertId: string) => setMuted(alertId, 0),
    /** Returns the facts that this node tells of its computer. */
    ofMachine: machine.report,
    async stop() {
      machine.stop()
      stopMeasuring()
      await stop()
    },
  }
}
