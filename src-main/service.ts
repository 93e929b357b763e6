import type { ListenerStatus } from '#shared/model/service.ts'
import type { Alerts } from './alerts/alerts.ts'
import { assembleAssistant } from './assembly/assistant.ts'
import { assembleBackups } from './assembly/backups.ts'
import { assembleWatch } from './assembly/watch.ts'
import type { Assistant } from './assistant/assistant.ts'
import { type LocalServers, localServers } from './assistant/conversation/find-models.ts'
import { type BackupList, backupBounds } from './backup/backup-list.ts'
import type { Backups } from './backup/backups.ts'
import { createGraceEnd } from './connections/end-grace.ts'
import { followRetention } from './connections/follow-retention.ts'
import { createHeldConnections, undoMs } from './connections/held-connections.ts'
import { openEnvironment } from './connections/open-environment.ts'
import { inboundBaseUrl } from './connections/urls.ts'
import { createActivity, maxEntries } from './history/activity.ts'
import type { AlertClosed, AlertOpened } from './history/alert-occurrence.ts'
import { createAttemptHistory } from './history/attempts.ts'
import { createCallHistory } from './history/calls.ts'
import { caseBounds, createCaseResults } from './history/case-results.ts'
import { createExchange } from './history/exchange.ts'
import { createHistory } from './history/history.ts'
import { kindOf, type Occurrence, storageBounds, toStored } from './history/kinds.ts'
import { logOccurrences } from './history/log.ts'
import { createOccurrenceList } from './history/occurrence-list.ts'
import { openStatistics } from './history/statistics/open-statistics.ts'
import { createImporter } from './importing/importer.ts'
import { createDiagnoser } from './inbound/diagnoser.ts'
import { createEventTexts } from './inbound/event-texts.ts'
import { createInbound } from './inbound/inbound.ts'
import { type ListenerTimeouts, listenerTimeouts } from './inbound/listener.ts'
import { type AskedAddress, createListenerControl, firstAddress } from './inbound/listener-control.ts'
import { createProbes } from './inbound/probes.ts'
import { type Bus, createBus } from './lib/bus.ts'
import { descriptorLimit } from './lib/descriptor-limit.ts'
import { stopAll } from './lib/stop-all.ts'
import type { TlsFiles } from './lib/tls-files.ts'
import { version } from './lib/version.ts'
import { createCounts } from './metrics/counts.ts'
import type { Metrics } from './metrics/metrics.ts'
import type { MetricsTokens } from './metrics/metrics-tokens.ts'
import { createCaller } from './outbound/call.ts'
import { createCalls } from './outbound/calls.ts'
import { createDocumentFetcher } from './outbound/fetch-document.ts'
import { createKeyFetcher } from './outbound/key-fetcher.ts'
import { createTrust, readAuthorities } from './outbound/trust.ts'
import type { Knowledge } from './platform/knowledge/knowledge.ts'
import { createReadiness, type Readiness } from './readiness.ts'
import { createRouter, type Router } from './rpc/router.ts'
import { createSamples, noSamples } from './sample/samples.ts'
import { createTrials } from './senders/trials.ts'
import type { StoredOccurrence } from './storage/occurrence-storage.ts'
import { openStorage } from './storage/open-storage.ts'
import type { Machine, OpenedStorage, Storage, StorageOptions } from './storage/storage.ts'
import { openTracing } from './tracing/open-tracing.ts'
import { createWorkflowEngine } from './workflows/engine.ts'
import { type FailedRun, failedRun } from './workflows/failed-run.ts'
import { lanesOf } from './workflows/lanes.ts'
import { type Notified, notified } from './workflows/notified.ts'
import { eventWorkflowsOf } from './workflows/redeliver.ts'

export type ServiceOptions = Omit<StorageOptions, 'historyBounds' | 'lanesOf'> & {
  /** The inbound listener's address if the configuration has none; port 0 selects a free one. */
  readonly host: string
  readonly port: number
  /** Which of the two were set explicitly, so that the configuration cannot change them. */
  readonly given?: AskedAddress['given']
  /** The public URL of workspaces that have none of their own; null to show the listener's address. */
  readonly publicUrl: string | null
  readonly tls: TlsFiles | null
  /** The token that reads the metrics, in place of that of the configuration. */
  readonly metricsToken?: string | undefined
  readonly timeouts?: ListenerTimeouts
  /** Whether the inbound listener serves plain requests without node:http; by default it does. */
  readonly fastPath?: boolean
  /** Milliseconds for which a discarded connection can be restored. */
  readonly undoMs?: number
  /** The command that starts this program, for the configuration of MCP clients. */
  readonly command?: readonly [string, ...string[]]
  /** Milliseconds for which a call of an MCP client waits for a decision. */
  readonly approvalMs?: number
  /** Where model servers of this computer are looked for. */
  readonly modelServers?: LocalServers
}

export type Service = {
  readonly router: Router
  readonly storage: Storage
  readonly machine: Machine
  readonly backups: Backups
  readonly backupList: BackupList
  readonly assistant: Assistant
  readonly knowledge: Knowledge
  readonly health: Readiness['health']
  readonly unready: Readiness['unready']
  readonly metrics: Metrics
  readonly metricsTokens: MetricsTokens
  readonly alerts: Alerts
  /** Returns the number of changes since the start of each source of the lists that clients poll. */
  changeCounts(): Record<'configuration' | 'statistics' | 'assistant', number>
  listenerStatus(): ListenerStatus
  /** Publishes the status after each change. */
  readonly listenerChanges: Bus<ListenerStatus>
  /**
   * Starts accepting events. Returns the listener's base URL.
   *
   * @throws ServiceError `port_in_use`, `address_unavailable`.
   */
  start(): Promise<string>
  /**
   * Makes `unready` say that the service is stopping. Everything is still served, but each answer closes its connection,
   * and with a database, other nodes get the runs that have not begun.
   */
  drain(): void
  /** Stops accepting events, finishes and stores those in progress, and releases the data folder. */
  stop(): Promise<void>
}

/** The limits of everything in the storage of the history. */
export const historyBounds = { ...storageBounds, ...backupBounds, ...caseBounds }

/** Opens the storage and assembles a service on it. @throws ServiceError the errors of `openStorage`. */
export async function createService(options: ServiceOptions): Promise<Service> {
  return assembleService(options, await openStorage({ ...options, historyBounds, lanesOf }))
}

/** The composition root: connects the parts. The service closes the storage when it stops, and if this fails. */
export async function assembleService(options: ServiceOptions, opened: OpenedStorage): Promise<Service> {
  try {
    return await assemble(options, opened)
  } catch (error) {
    await opened.storage.close().catch(err => options.logger.error({ err }, 'Not closed'))
    throw error
  }
}

async function assemble(options: ServiceOptions, { storage, machine }: OpenedStorage): Promise<Service> {
  // Nodes on a database share the configuration, but not an address.
  const asked = storage.isShared ? { ...options, given: { host: true, port: true } } : options
  const { tls, random, logger, timeouts = listenerTimeouts, fastPath = true } = options
  const { config: store, events: log, ids, clock, isCurrent, confirmCurrent, decidesBy, onError } = storage
  const { isShared, callLimits, signals } = storage
  const warn = (notice: string) => logger.warn({}, notice)
  const startedAt = new Date(clock()).toISOString()
  const { backups, backupList, scheduledBackups } = await assembleBackups(storage, warn)
  const history = createHistory({ storage: storage.history, store, clock, isShared, onProblem: warn })
  const address = firstAddress(asked, store.snapshot())
  const occurrences = createBus<Occurrence>(onError)
  const trust = createTrust()
  const variables = openEnvironment({ store, clock, version, trust, env: options.env })
  const { environment } = variables
  await readAuthorities(store.snapshot().settings.caFile).then(trust.use, err =>
    logger.error({ err }, 'The certificate authorities in the settings could not be loaded'),
  )
  const caller = createCaller({ environment, clock, version, trust })
  const counts = createCounts(store)
  occurrences.subscribe(counts.add)
  const callHistory = createCallHistory(history, store, environment)
  const caseResults = createCaseResults({
    ...{ storage: storage.history, store, isShared, nextNumber: ids.number, clock, onError },
    // The calls were announced before.
    onKept: connectionId => activity.announce(new Set([connectionId])),
  })
  const calls = createCalls({
    caller,
    ...{ store, limits: callLimits, onError },
    nextNumber: ids.number,
    ...{ clock, isCurrent, confirmCurrent, decidesBy },
    record(call, contents, workflowId) {
      callHistory.keep(call, contents)
      counted.hourlyCounts.called(call, workflowId)
      occurrences.publish(call)
    },
  })
  function keep(occurrence: Notified | FailedRun | AlertOpened | AlertClosed): void {
    const { kind, connectionId } = occurrence
    const bytes = kindOf(occurrence).weightOf(occurrence)
    let stored: StoredOccurrence | undefined
    // Made only when it is written or listed: thousands of runs can fail each second, and few are kept.
    history.keep(kind, { connectionId, bytes, toStored: () => (stored ??= toStored(occurrence, '{}')) })
    occurrences.publish(occurrence)
  }
  const tracing = await openTracing({ env: options.env, version, clock, warn })
  const engine = createWorkflowEngine({
    store,
    runs: storage.runs,
    sealing: storage.sealing,
    calls,
    living: storage.nodes.living,
    ...variables.ofWorkflows,
    notify(message, { run: { runId, workflowId, connectionId }, path, discard }) {
      const note = { at: clock(), connectionId, workflowId, runId, path, message, isMessageStored: !discard }
      keep(notified(ids.number(), note))
    },
    onFailed({ error: { code, message }, endedAt, data, discard, ...facts }) {
      const failure = { ...facts, code, message, at: endedAt, body: data, isContentStored: !discard }
      keep(failedRun(ids.number(), failure))
    },
    onStarted: (event, workflowIds) => counted.hourlyCounts.started(event, workflowIds),
    onEnded(run, state) {
      counts.runEnded(state)
      counted.hourlyCounts.runEnded(run, state)
      counted.statistics.runEnded(run, state)
    },
    onRetry: counts.stepRetried,
    ...{ spans: tracing.spans, onError },
    clock,
  })
  const graceEnd = createGraceEnd({ store, clock, onError })
  await graceEnd.poll()
  const inbound = createInbound({
    diagnoser: createDiagnoser(),
    ...{ store, log, isShared },
    workflows: eventWorkflowsOf(engine, storage.runs),
    listener: { ...address, tls, timeouts, fastPath },
    ...{ clock, isCurrent, confirmCurrent, decidesBy, ids, onError },
    keyFetcher: createKeyFetcher({ version, trust }),
    onKeyProblem: (err, message) => logger.warn({ err }, message),
    probes: createProbes(storage.once, signals, onError),
    ...{ record: occurrences.publish, maxDescriptors: descriptorLimit() },
    baseUrlOf: record => inboundBaseUrl(store.snapshot(), record, publicUrl()),
    onGraceOver: () => void graceEnd.poll(),
  })
  const scheme = tls === null ? 'http' : 'https'
  const { listener: ofInbound } = inbound
  const listener = createListenerControl({ listener: ofInbound, asked, store, scheme, onError })
  const publicUrl = () => options.publicUrl ?? listener.url()
  const node = storage.nodes.id
  const exchange = createExchange(storage.activityRelay, node)
  const activity = createActivity(inbound.declares, ids.number, clock, exchange)
  for (const record of await history.latest(maxEntries)) activity.recall(record)
  const { attempts: inMemory, diagnoseNow, diagnoseRest } = inbound
  const attempts = createAttemptHistory({ history, inMemory, diagnoseNow, diagnoseRest, clock })
  occurrences.subscribe(activity.add)
  // What waits to be written is in the lists of this node alone.
  if (isShared) history.written(activity.announce)
  occurrences.subscribe(attempts.follow)
  const counted = await openStatistics({
    ...{ storage, occurrences, diagnose: inbound.diagnoseLate, onProblem: warn },
    pausedUntil: callLimits.pausedUntil,
    // What the relay has lost.
    onOthers(connectionIds) {
      for (const connectionId of connectionIds) activity.changes.publish(connectionId)
    },
  })
  const { statistics, hourlyCounts, edges } = counted
  const stopLogging = logOccurrences(occurrences, logger)
  const stopRetention = followRetention(store, log)
  const deleteData = (id: string) => Promise.all([log.clear(id), storage.runs.forget(id)])
  const holdMs = options.undoMs ?? undoMs
  const held = createHeldConnections({
    ...{ store, housekeeping: storage.housekeeping, deleteData, clock, holdMs },
  })
  const document = machine.sample
  const samples =
    document === null
      ? noSamples
      : createSamples({ store, document, clock, random, onProblem: warn, onError })
  const fetcher = createDocumentFetcher({ environment, version, trust })
  const importer = createImporter({
    ...{ store, variables: environment.set, clock, random, fetcher },
    lastCalls: callHistory.newest,
  })
  const trials = createTrials()
  const eventTexts = createEventTexts()
  const { assistant, knowledge, modelHttp, conversations } = assembleAssistant({
    ...{ storage, history, callHistory, calls, environment, random, trust },
    ...{ publish: occurrences.publish, deliver: engine.deliver },
    command: options.command ?? ['custom-connection'],
    dataFolder: machine.folder.path,
    approvalMs: options.approvalMs,
  })
  const { unready, health, stopping } = createReadiness({
    ...{ storage, version },
    isListening: () => inbound.listener.now() !== null,
  })
  const drain = () => {
    stopping()
    void storage.nodes.drain()
    inbound.listener.drain()
    if (isShared) engine.drain()
  }
  const { alerts, metrics, metricsTokens } = assembleWatch({
    ...{ storage, statistics, counts, occurrences, engine, backupList, tls, random },
    ...{ record: keep, folder: machine.folder.path, isReady: () => unready() === null },
    ...{ inboundLoad: inbound.load, historyWaiting: history.waiting, spansDropped: tracing.dropped },
    metricsToken: options.metricsToken ?? null,
  })
  const router = createRouter({
    ...{ store, held, log, isShared, inbound, activity, statistics, hourlyCounts, attempts, callHistory },
    ...{
      caseResults,
      calls,
      callLimits,
      engine,
      assistant,
      environment,
      trust,
      importer,
      trials,
      eventTexts,
    },
    ...{ knowledge, conversations, logger, clock, random, version, health, onError, metricsTokens, edges },
    occurrences: createOccurrenceList({
      ...{ store, log, history, activity, clock },
      isDeclared: inbound.declares,
    }),
    runs: storage.runs,
    nodes: storage.nodes,
    ...{ alerts, backupList, scheduledBackups },
    models: { http: modelHttp, servers: options.modelServers ?? localServers },
    about: () => ({
      ...{ startedAt, platform: process.platform, database: machine.database },
      dataFolder: machine.folder.path,
      dataKey: machine.dataKey.keptIn(),
      notices: [...machine.notices],
    }),
    listenerUrl: listener.url,
    listenerStatus: listener.status,
    listenerChanges: listener.changes,
    moveListener: listener.move,
    loadSample: samples.load,
    publicUrl,
  })
  return {
    ...{ router, storage, machine, backups, backupList, assistant, knowledge },
    ...{ health, unready, metrics, metricsTokens, alerts, drain },
    changeCounts: () => ({
      configuration: storage.config.changeCount(),
      statistics: statistics.changes.count(),
      assistant: assistant.changes.count(),
    }),
    listenerStatus: listener.status,
    listenerChanges: listener.changes,
    async start() {
      // First, because it does not need the listener, whose address may be unavailable.
      await samples.start()
      await listener.start()
      engine.start()
      // The service runs without conversations if their storage fails.
      await conversations.start().catch(onError)
      return listener.url()
    },
    stop: () =>
      stopAll([
        drain,
        () => Promise.all([scheduledBackups?.stop(), alerts.stop()]),
        () => inbound.stop(),
        () => conversations.stop(),
        () => modelHttp.close(),
        () => engine.stop(),
        () => tracing.stop(),
        () => caller.close(),
        () => Promise.all([fetcher.close(), variables.close()]),
        () => samples.stop(),
        () => importer.stop(),
        () => trials.stop(),
        () => eventTexts.stop(),
        () => knowledge.stop(),
        () => assistant.stop(),
        () => counted.stop(),
        () => exchange.stop(),
        () => history.stop(),
        ...[stopRetention, graceEnd.stop, held.stop, counts.stop, stopLogging],
        () => tls?.close(),
        () => storage.close(),
      ]),
  }
}
