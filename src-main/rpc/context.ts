import type { ContractProcedure, InferSchemaInput, InferSchemaOutput } from '@orpc/contract'
import type { ProcedureHandler } from '@orpc/server'
import type { z } from 'zod'
import type { Alerts } from '#main/alerts/alerts.ts'
import type { Assistant } from '#main/assistant/assistant.ts'
import type { Conversations } from '#main/assistant/conversation/conversations.ts'
import type { LocalServers } from '#main/assistant/conversation/find-models.ts'
import type { ModelHttp } from '#main/assistant/conversation/model-http.ts'
import type { BackupList } from '#main/backup/backup-list.ts'
import type { ScheduledBackups } from '#main/backup/scheduled-backups.ts'
import type { Environment } from '#main/connections/environment.ts'
import type { HeldConnections } from '#main/connections/held-connections.ts'
import type { RandomBytes } from '#main/connections/identifiers.ts'
import type { Activity } from '#main/history/activity.ts'
import type { AttemptHistory } from '#main/history/attempts.ts'
import type { CallHistory } from '#main/history/calls.ts'
import type { CaseResults } from '#main/history/case-results.ts'
import type { OccurrenceList } from '#main/history/occurrence-list.ts'
import type { Edges } from '#main/history/statistics/edges.ts'
import type { HourlyCounts } from '#main/history/statistics/hour-counts.ts'
import type { Statistics } from '#main/history/statistics/statistics.ts'
import type { SharedText } from '#main/importing/document-text.ts'
import type { Importer } from '#main/importing/importer.ts'
import type { EventTexts } from '#main/inbound/event-texts.ts'
import type { Inbound } from '#main/inbound/inbound.ts'
import type { ListenerControl } from '#main/inbound/listener-control.ts'
import type { Bus } from '#main/lib/bus.ts'
import type { Logger } from '#main/lib/logger.ts'
import type { MetricsTokens } from '#main/metrics/metrics-tokens.ts'
import type { Calls } from '#main/outbound/calls.ts'
import type { Trust } from '#main/outbound/trust.ts'
import type { Knowledge } from '#main/platform/knowledge/knowledge.ts'
import type { Samples } from '#main/sample/samples.ts'
import type { Trials } from '#main/senders/trials.ts'
import type { CallLimits } from '#main/storage/call-limits.ts'
import type { ConfigStore } from '#main/storage/config-store.ts'
import type { EventLog } from '#main/storage/event-log.ts'
import type { NodeStore } from '#main/storage/nodes.ts'
import type { RunStore } from '#main/storage/runs.ts'
import type { WorkflowEngine } from '#main/workflows/engine.ts'
import type { Health } from '#shared/contract/health.ts'
import type { Contract } from '#shared/contract/index.ts'
import { ServiceError } from '#shared/errors.ts'
import { parseExact } from '#shared/json/exact-json.ts'
import type { ListenerStatus, ServiceInfo } from '#shared/model/service.ts'

/** The dependencies of the procedures. */
export type RpcParts = {
  readonly store: ConfigStore
  readonly held: HeldConnections
  readonly log: EventLog
  /** Whether other processes use the storage too. */
  readonly isShared: boolean
  readonly eventTexts: EventTexts
  readonly inbound: Inbound
  readonly activity: Activity
  readonly occurrences: OccurrenceList
  readonly statistics: Statistics
  readonly hourlyCounts: HourlyCounts
  readonly edges: Edges
  readonly calls: Calls
  readonly callLimits: CallLimits
  readonly attempts: AttemptHistory
  readonly callHistory: CallHistory
  readonly caseResults: CaseResults
  readonly assistant: Assistant
  readonly environment: Environment
  readonly trust: Trust
  readonly engine: WorkflowEngine
  /** The runs as they are stored. */
  readonly runs: RunStore
  readonly backupList: BackupList
  /** Null with a database, whose backups are not the service's. */
  readonly scheduledBackups: Pick<ScheduledBackups, 'nextAt'> | null
  readonly nodes: Pick<NodeStore, 'list' | 'forget'>
  readonly metricsTokens: MetricsTokens
  readonly alerts: Alerts
  readonly importer: Importer
  readonly trials: Trials
  readonly knowledge: Knowledge
  readonly conversations: Conversations
  /** Where models are looked for. */
  readonly models: { readonly http: ModelHttp; readonly servers: LocalServers }
  readonly logger: Logger
  /** Receives failures of what an answer does not wait for. */
  readonly onError: (error: unknown) => void
  /** Milliseconds since 1970. */
  readonly clock: () => number
  readonly random: RandomBytes
  readonly version: string
  /** Returns whether the service can accept and store every event now, and which it refuses. */
  readonly health: () => Promise<Health>
  /** Facts about the service. All except `dataKey` stay the same after the start. */
  readonly about: () => Pick<
    ServiceInfo,
    'startedAt' | 'platform' | 'dataFolder' | 'database' | 'dataKey' | 'notices'
  >
  /** The inbound listener's own base URL. */
  readonly listenerUrl: () => string
  readonly listenerStatus: () => ListenerStatus
  /** Publishes the listener's status after each change. */
  readonly listenerChanges: Bus<ListenerStatus>
  readonly moveListener: ListenerControl['move']
  readonly loadSample: Samples['load']
  /** The base of inbound URLs for workspaces without a public address. */
  readonly publicUrl: () => string
}

/** The context of a single call. */
export type CallContext = {
  /** Returns the original JSON text of the input, if there is one. Its numbers have all their digits. */
  readonly inputText?: (() => string) | undefined
  /** Returns the body of a REST request as it was sent. */
  readonly bodyText?: (() => string) | undefined
  /** The field `text` of an import, which was cut out of the input because it is long. */
  readonly importText?: SharedText | undefined
  /** Returns an output that the transport sends as it is. By default JSON is parsed and sent like other outputs. */
  readonly sendJson?: ((bytes: Uint8Array) => unknown) | undefined
}

/** The handler of each procedure of a contract. */
type HandlersOf<Part> =
  Part extends ContractProcedure<infer Input, infer Output, infer Errors, infer Meta>
    ? ProcedureHandler<CallContext, InferSchemaOutput<Input>, InferSchemaInput<Output>, Errors, Meta>
    : { readonly [Name in keyof Part]: HandlersOf<Part[Name]> }
export type Handlers = HandlersOf<Contract>

/** Returns a field of the input with exact numbers; undefined without an original text. */
export function exactField({ inputText }: CallContext, name: string): unknown {
  const input = inputText === undefined ? undefined : parseExact(inputText())
  return typeof input === 'object' && input !== null && Object.hasOwn(input, name)
    ? Reflect.get(input, name)
    : undefined
}

/** Returns the clock's time in ISO 8601. */
export function nowOf(parts: Pick<RpcParts, 'clock'>): string {
  return new Date(parts.clock()).toISOString()
}

/**
 * Refuses a change that was made for another version of a record.
 *
 * @param ifUpdatedAt the version in milliseconds since 1970, null for one that nobody has changed; undefined for any.
 * @param answer the schema of what the route answers: nothing else of the record is shown.
 * @param show returns the record as the route answers it.
 * @throws ServiceError `changed_meanwhile` with the current state.
 */
export function requireVersion<Version extends { readonly updatedAt: string | null }>(
  record: Version,
  ifUpdatedAt: number | null | undefined,
  answer: z.ZodType<Record<string, unknown>>,
  show: (record: Version) => unknown = same => same,
): void {
  const updatedAt = record.updatedAt === null ? null : Date.parse(record.updatedAt)
  if (ifUpdatedAt === undefined || ifUpdatedAt === updatedAt) return
  throw new ServiceError('changed_meanwhile', { data: { issues: [], current: answer.parse(show(record)) } })
}

/** Returns the response of a route that deletes one thing. */
export async function deletedOne(deletion: Promise<unknown>): Promise<{ deleted: 1 }> {
  await deletion
  return { deleted: 1 }
}
