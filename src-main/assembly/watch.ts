import { type Alerts, createAlerts } from '#main/alerts/alerts.ts'
import type { BackupList } from '#main/backup/backup-list.ts'
import { createEventRate } from '#main/history/event-rate.ts'
import type { Occurrence } from '#main/history/kinds.ts'
import type { Bus } from '#main/lib/bus.ts'
import type { TlsFiles } from '#main/lib/tls-files.ts'
import { version } from '#main/lib/version.ts'
import { createMetrics } from '#main/metrics/metrics.ts'
import { createMetricsTokens } from '#main/metrics/metrics-tokens.ts'
import type { Storage } from '#main/storage/storage.ts'
import type { WorkflowEngine } from '#main/workflows/engine.ts'

type OfAlerts = Parameters<typeof createAlerts>[0]
type OfMetrics = Parameters<typeof createMetrics>[0]
type OfTokens = Parameters<typeof createMetricsTokens>[0]

type Parts = Pick<OfAlerts, 'statistics' | 'record' | 'folder'> &
  Pick<OfMetrics, 'counts' | 'inboundLoad' | 'historyWaiting' | 'spansDropped' | 'isReady'> &
  Pick<OfTokens, 'random'> & {
    readonly storage: Storage
    readonly occurrences: Bus<Occurrence>
    readonly engine: Pick<WorkflowEngine, 'announce' | 'underWay'>
    readonly backupList: Pick<BackupList, 'newestGoodAt'>
    readonly tls: TlsFiles | null
    /** The token that reads the metrics, in place of that of the configuration. */
    readonly metricsToken: string | null
  }

/** Creates what watches the service: alerts, metrics, and the report that this node makes to the others. */
export function assembleWatch(parts: Parts) {
  const { storage, occurrences, engine, backupList, tls, folder, isReady, random } = parts
  const { clock, onError } = storage
  const rate = createEventRate(clock)
  occurrences.subscribe(({ kind }) => {
    if (kind === 'event.accepted') rate.count()
  })
  const alerts: Alerts = createAlerts({
    ...{ storage, statistics: parts.statistics, tls, backups: backupList, folder },
    ...{ announce: engine.announce, record: parts.record, occurrences },
  })
  storage.nodes.report(() => ({
    ...alerts.ofMachine(),
    isReady: isReady(),
    runsUnderWay: engine.underWay(),
    eventsPerSecond: rate.perSecond(),
  }))
  const { counts, inboundLoad, historyWaiting, spansDropped } = parts
  const metrics = createMetrics(
    {
      ...{ version, counts, storage, tls, folder, inboundLoad, historyWaiting, spansDropped, isReady },
      runsUnderWay: engine.underWay,
      newestBackupAt: backupList.newestGoodAt,
    },
    onError,
  )
  const metricsTokens = createMetricsTokens({ storage, given: parts.metricsToken, clock, random })
  return { alerts, metrics, metricsTokens }
}
