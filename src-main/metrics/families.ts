import { X509Certificate } from 'node:crypto'
import { statfs } from 'node:fs/promises'
import { busyWorkers } from '#main/lib/jobs/job-runner.ts'
import type { TlsFiles } from '#main/lib/tls-files.ts'
import type { Storage } from '#main/storage/storage.ts'
import { alertKinds } from '#shared/model/alert.ts'
import type { ProcessCounts } from './counts.ts'
import type { ProcessWatch } from './process-watch.ts'
import { floatText, type Sample, type Samples, type WrittenFamily } from './write-page.ts'

/** Everything that the families read. */
export type MetricsSource = {
  readonly version: string
  readonly counts: ProcessCounts
  readonly storage: Pick<
    Storage,
    'clock' | 'alerts' | 'config' | 'decidesBy' | 'gauges' | 'isShared' | 'nodes' | 'runs'
  >
  /** The data folder. */
  readonly folder: string
  readonly tls: Pick<TlsFiles, 'current'> | null
  readonly isReady: () => boolean
  readonly inboundLoad: () => { readonly connections: number; readonly bodyBytes: number }
  readonly runsUnderWay: () => number
  /** Returns how many records of the history wait to be written. */
  readonly historyWaiting: () => number
  /** Returns how many spans were lost. */
  readonly spansDropped: () => number
  /** Returns the time of the newest good backup, in milliseconds since 1970; null if none is known. */
  readonly newestBackupAt: () => Promise<number | null>
}

/** The facts that a page is made of. */
export type Scrape = MetricsSource & {
  readonly process: ProcessWatch
  /** Returns the seconds since the page was begun. */
  readonly elapsed: () => number
}

/** A family of metrics. Its samples are empty while they are not known. */
export type Family = Omit<WrittenFamily, 'samples'> & {
  /** Whether it tells of the storage that all nodes share, so that it is the same on each. */
  readonly isShared?: true
} & (Read | Ask)

/** Returns the samples at once. Called in the order of the page. */
type Read = { read(scrape: Scrape): Samples }
/** Returns samples that have to be waited for. A page leaves out what takes too long. */
type Ask = { ask(scrape: Scrape): Promise<Samples> }

const one = (value: number | null): readonly Sample[] => (value === null ? [] : [{ value }])

/** Returns a sample for each entry of a record. */
function by(label: string, values: Readonly<Record<string, number>>): readonly Sample[] {
  return Object.entries(values).map(([key, value]) => ({ labels: { [label]: key }, value }))
}

/** A scraper sees no increase in a series that begins above zero, so what is refused and what fails has one at zero. */
function eventSamples({ counts }: Scrape): readonly Sample[] {
  return counts
    .connections()
    .flatMap(([connection_id, { accepted, repeated, refused }]) => [
      { labels: { connection_id, outcome: 'accepted' }, value: accepted },
      ...(repeated === 0 ? [] : [{ labels: { connection_id, outcome: 'repeated' }, value: repeated }]),
      ...(refused.has('unavailable')
        ? []
        : [{ labels: { connection_id, outcome: 'unavailable' }, value: 0 }]),
      ...Array.from(refused, ([outcome, value]) => ({ labels: { connection_id, outcome }, value })),
    ])
}

function callSamples({ counts }: Scrape): readonly Sample[] {
  return counts
    .connections()
    .flatMap(([connection_id, { calls }]) => [
      ...(calls.size === 0 || calls.has('5xx')
        ? []
        : [{ labels: { connection_id, outcome: '5xx' }, value: 0 }]),
      ...Array.from(calls, ([outcome, value]) => ({ labels: { connection_id, outcome }, value })),
    ])
}

async function runSamples({ storage }: Scrape): Promise<readonly Sample[]> {
  const runs = { waiting: 0, retrying: 0, running: 0 }
  for (const lane of await storage.runs.laneCounts()) {
    runs.waiting += lane.waiting
    runs.retrying += lane.retrying
    runs.running += lane.running
  }
  return by('state', runs)
}

async function oldestDueSamples({ storage }: Scrape): Promise<readonly Sample[]> {
  const now = storage.clock()
  const at = await storage.runs.oldestDue(now)
  return one(at === null ? 0 : Math.max(0, now - at) / 1000)
}

async function nodeSamples({ storage }: Scrape): Promise<readonly Sample[]> {
  const nodes = { ready: 0, unready: 0, draining: 0, silent: 0, lost: 0 }
  for (const { state } of await storage.nodes.list()) nodes[state]++
  return by('state', nodes)
}

async function backupSamples({ storage, newestBackupAt }: Scrape): Promise<readonly Sample[]> {
  const at = await newestBackupAt()
  return one(at && Math.max(0, storage.clock() - at) / 1000)
}

const noAlerts: Readonly<Record<string, number>> = Object.fromEntries(alertKinds.map(kind => [kind, 0]))

async function freeBytes({ folder }: Scrape): Promise<readonly Sample[]> {
  const { bavail, bsize } = await statfs(folder)
  return one(bavail * bsize)
}

/**
 * Every family, in the order of the page. Labels are ids and words of closed sets: never a name, a URL, a token, a path
 * or the name of an event.
 */
export const families: readonly Family[] = [
  {
    name: 'build_info',
    type: 'gauge',
    help: 'Always 1; the version of the program and the id of this node, which is new at each start.',
    read: ({ version, storage }) => [{ labels: { version, node: storage.nodes.id }, value: 1 }],
  },
  {
    name: 'ready',
    type: 'gauge',
    help: 'Whether /readyz says that this node may be sent requests.',
    read: ({ isReady }) => one(isReady() ? 1 : 0),
  },
  {
    name: 'events_total',
    type: 'counter',
    help: 'Received events by outcome: accepted, repeated, or the code of the refusal.',
    read: eventSamples,
  },
  {
    name: 'event_seconds',
    type: 'histogram',
    help: 'Time from the end of the head of a request to the acceptance of its event.',
    read: ({ counts }) => counts.eventSeconds(),
  },
  {
    name: 'inbound_connections',
    type: 'gauge',
    help: 'Open TCP connections of the inbound listener.',
    read: ({ inboundLoad }) => one(inboundLoad().connections),
  },
  {
    name: 'inbound_body_bytes',
    type: 'gauge',
    help: 'Memory of the bodies that are arriving or wait to be stored.',
    read: ({ inboundLoad }) => one(inboundLoad().bodyBytes),
  },
  {
    name: 'calls_total',
    type: 'counter',
    help: 'Outbound calls by outcome: the class of the status, or the code of the error.',
    read: callSamples,
  },
  {
    name: 'call_seconds',
    type: 'histogram',
    help: 'Time of outbound calls that were sent.',
    read: ({ counts }) => counts.callSeconds(),
  },
  {
    name: 'runs_ended_total',
    type: 'counter',
    help: 'Workflow runs that have ended here, tests included, by outcome.',
    read: ({ counts }) => by('outcome', counts.runsEnded()),
  },
  {
    name: 'runs_under_way',
    type: 'gauge',
    help: 'Workflow runs that this node carries out now.',
    read: ({ runsUnderWay }) => one(runsUnderWay()),
  },
  {
    name: 'runs',
    type: 'gauge',
    help: 'Workflow runs that have not ended.',
    isShared: true,
    ask: runSamples,
  },
  {
    name: 'oldest_due_run_seconds',
    type: 'gauge',
    help: 'How long the run has waited that has been due longest, of workflows that are on; 0 if none is due.',
    isShared: true,
    ask: oldestDueSamples,
  },
  {
    name: 'step_retries_total',
    type: 'counter',
    help: 'Steps of workflows that have failed and are attempted again.',
    read: ({ counts }) => one(counts.stepRetries()),
  },
  {
    name: 'write_queue_items',
    type: 'gauge',
    help: 'Items that wait here to be written.',
    read: ({ storage, historyWaiting }) =>
      by('queue', { events: storage.gauges.eventsWaiting(), history: historyWaiting() }),
  },
  {
    name: 'workers_busy',
    type: 'gauge',
    help: 'Worker threads that have a job now; those without a job since the start are left out.',
    read: () =>
      Array.from(busyWorkers(), ([name, value]) => ({
        labels: { worker: name.replaceAll(' ', '_') },
        value,
      })),
  },
  {
    name: 'event_loop_delay_seconds',
    type: 'gauge',
    help: 'How late the event loop was since the page before, by quantile; 1 is the largest delay.',
    read: scrape =>
      scrape.process.loopDelay().map(([quantile, value]) => ({
        labels: { quantile: floatText(quantile) },
        value,
      })),
  },
  {
    name: 'process_cpu_seconds_total',
    type: 'counter',
    help: 'CPU time of all threads of this process.',
    read: scrape => one(scrape.process.cpuSeconds()),
  },
  {
    name: 'process_resident_memory_bytes',
    type: 'gauge',
    help: 'Resident memory of this process.',
    read: scrape => one(scrape.process.residentBytes()),
  },
  {
    name: 'process_open_fds',
    type: 'gauge',
    help: 'Open files and sockets of this process; only on Linux.',
    ask: async scrape => one(await scrape.process.openFiles()),
  },
  {
    name: 'storage_bytes',
    type: 'gauge',
    help: 'Bytes of each store on its disk.',
    isShared: true,
    ask: async ({ storage }) => by('store', await storage.gauges.bytes()),
  },
  {
    name: 'disk_free_bytes',
    type: 'gauge',
    help: 'Free bytes of the disk with the data folder of this node.',
    ask: freeBytes,
  },
  {
    name: 'database_connections',
    type: 'gauge',
    help: 'Connections of this node to the database, and callers that wait for one; nothing without a database.',
    read: ({ storage }) => by('state', storage.gauges.connections() ?? {}),
  },
  {
    name: 'config_version',
    type: 'gauge',
    help: 'The version of the configuration that this node follows; without a database, its changes since the start.',
    read: ({ storage }) => one(storage.isShared ? storage.decidesBy() : storage.config.changeCount()),
  },
  {
    name: 'nodes',
    type: 'gauge',
    help: 'Nodes by state, as in Settings.',
    isShared: true,
    ask: nodeSamples,
  },
  {
    name: 'alerts_open',
    type: 'gauge',
    help: 'Open alerts by kind.',
    isShared: true,
    ask: async ({ storage }) => by('kind', { ...noAlerts, ...(await storage.alerts.countOpen()) }),
  },
  {
    name: 'backup_age_seconds',
    type: 'gauge',
    help: 'Age of the newest good backup; nothing if none is known.',
    isShared: true,
    ask: backupSamples,
  },
  {
    name: 'certificate_end_timestamp_seconds',
    type: 'gauge',
    help: 'When the certificate of both ports ends, in seconds since 1970; nothing without --tls-cert.',
    read: ({ tls }) => one(tls && new X509Certificate(tls.current().cert).validToDate.getTime() / 1000),
  },
  {
    name: 'spans_dropped_total',
    type: 'counter',
    help: 'Spans that were not exported: the queue was full, or the receiver did not take them.',
    read: ({ spansDropped }) => one(spansDropped()),
  },
  {
    name: 'scrape_seconds',
    type: 'gauge',
    help: 'How long this page took.',
    read: ({ elapsed }) => one(elapsed()),
  },
]
