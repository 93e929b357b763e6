import { z } from 'zod'
import { ConnectionId, Moment, WorkflowId, WorkspaceId } from './identifiers.ts'
import { EventName } from './inbound-event.ts'
import { maxPage } from './page.ts'

/** The built-in connection "This service": only the trigger of a workflow can name it. */
export const serviceConnectionId = 'conn_service'
export const serviceConnectionName = 'This service'

export const alertKinds = [
  'silent',
  'refused',
  'calls_failing',
  'runs_failing',
  'runs_stuck',
  'payload',
  'clock',
  'secret_grace',
  'disk_low',
  'backup_old',
  'certificate_ends',
  'node_lost',
] as const
export const AlertKind = z.enum(alertKinds)
export type AlertKind = z.infer<typeof AlertKind>

export const AlertId = z
  .string()
  .regex(/^alert_[A-Za-z0-9_-]{1,64}$/, 'An id of this kind begins with "alert_".')

const AlertUnit = z.enum(['ms', 'percent', 'runs', 'bytes'])
export type AlertUnit = z.infer<typeof AlertUnit>

/** Something that a person should look at. */
export const Alert = z.object({
  alertId: AlertId,
  kind: AlertKind,
  workspaceId: WorkspaceId.describe('That of its connection or workflow; the default one for the service.'),
  connectionId: ConnectionId.nullable(),
  workflowId: WorkflowId.nullable(),
  eventName: z.string().nullable(),
  node: z.string().nullable().describe('The name of the node.'),
  state: z.enum(['open', 'closed']),
  openedAt: Moment,
  closedAt: Moment.nullable(),
  value: z.number().nullable().describe('What was measured when it opened, in `unit`.'),
  threshold: z.number().nullable().describe('The limit at that time, in `unit`.'),
  unit: AlertUnit.nullable(),
  muted: z.boolean(),
  mutedUntil: Moment.nullable().describe('Null if it is not muted, or muted until it closes.'),
  message: z.string().describe('One English sentence.'),
  details: z.record(z.string(), z.unknown()).nullable(),
})
export type Alert = z.infer<typeof Alert>

export const AlertQuery = z.object({
  state: z.enum(['open', 'closed', 'all']).default('open'),
  kind: AlertKind.optional(),
  workspaceId: z.string().optional(),
  connectionId: z.string().optional(),
  limit: z.coerce.number().int().min(1).max(maxPage).default(maxPage).describe('The most items.'),
  after: AlertId.optional().describe('The `alertId` of the last item of the page before.'),
})

export const AlertMute = z.object({
  hours: z.int().min(1).max(720).nullable().describe('Null until it closes.'),
})

const enabled = z.boolean()
/** The longest silence that opens an alert, in hours. */
export const mostSilentHours = 720
const Percent = z.int().min(1).max(100)

/** The thresholds of a connection. */
export const ConnectionThresholds = z.object({
  silent: z.object({ enabled, hours: z.int().min(1).max(mostSilentHours) }),
  refused: z.object({ enabled, percent: Percent }),
  callsFailing: z.object({ enabled, percent: Percent }),
  payload: z
    .object({ enabled, mutedEvents: z.array(EventName).max(100).describe('Events that are not watched.') })
    .default({ enabled: true, mutedEvents: [] }),
  clock: z.object({ enabled, seconds: z.int().min(1).max(299) }).default({ enabled: true, seconds: 60 }),
  secretGrace: z.object({ enabled }),
})
export type ConnectionThresholds = z.infer<typeof ConnectionThresholds>

export const connectionThresholds: ConnectionThresholds = {
  silent: { enabled: false, hours: 24 },
  refused: { enabled: true, percent: 20 },
  callsFailing: { enabled: true, percent: 20 },
  payload: { enabled: true, mutedEvents: [] },
  clock: { enabled: true, seconds: 60 },
  secretGrace: { enabled: true },
}

const Change = z.enum(['missing', 'added', 'type'])

const PayloadField = z.object({
  path: z.string(),
  change: Change,
  sample: z.string().nullable().describe('As JSON, at most 64 characters; null where it is absent.'),
  now: z.string().nullable().describe('The same of the newest event that differs.'),
})
export type PayloadField = z.infer<typeof PayloadField>

/** How the newest events of a name differ from their sample. */
export const PayloadDetails = z.object({
  of: z.int().describe('The newest events that were compared, at most 20.'),
  differing: z.int(),
  fields: z
    .array(PayloadField)
    .describe('At most 20. Values are types if the connection does not store its events.'),
  workflows: z.array(WorkflowId).describe('Those that read one of the fields.'),
})
export type PayloadDetails = z.infer<typeof PayloadDetails>

/** How far the clock of a sender is off. */
export const ClockDetails = z.object({
  medianMs: z.int().describe('Below zero if the clock is behind.'),
  p95Ms: z.int().describe('Without a sign.'),
  samples: z.int().describe('The newest events that were measured, at most 50.'),
  refusedFrom: Moment.nullable().describe('When its events will be refused; null if that is not known.'),
})
export type ClockDetails = z.infer<typeof ClockDetails>

export const MeasuredNow = z
  .object({
    silentForMs: z.int().nullable(),
    refusedPercent: z.number().nullable(),
    callsFailingPercent: z.number().nullable(),
    lastHour: z
      .object({ requests: z.int(), refused: z.int(), calls: z.int(), callsFailed: z.int() })
      .describe('The counts that the percentages are made of.'),
    clock: ClockDetails.nullable(),
    payloads: z.array(PayloadDetails.extend({ eventName: z.string() })).nullable(),
  })
  .describe('What is measured now; null for what is not known.')

/** One of several watched connections: without the suggestion, for which hour counts are read. */
export const WatchedConnection = ConnectionThresholds.extend({
  connectionId: ConnectionId,
  now: MeasuredNow,
  updatedAt: Moment,
})
export type WatchedConnection = z.infer<typeof WatchedConnection>

export const ConnectionWatch = ConnectionThresholds.extend({
  silent: ConnectionThresholds.shape.silent.extend({
    suggestedHours: z
      .int()
      .nullable()
      .describe('One and a half times the longest gap of the last 14 days; null without enough events.'),
  }),
  now: MeasuredNow,
  updatedAt: Moment,
})
export type ConnectionWatch = z.infer<typeof ConnectionWatch>

export const ConnectionWatchChange = z
  .object({
    silent: ConnectionThresholds.shape.silent.partial(),
    refused: ConnectionThresholds.shape.refused.partial(),
    callsFailing: ConnectionThresholds.shape.callsFailing.partial(),
    payload: ConnectionThresholds.shape.payload.unwrap().partial(),
    clock: ConnectionThresholds.shape.clock.unwrap().partial(),
    secretGrace: ConnectionThresholds.shape.secretGrace.partial(),
  } satisfies Record<keyof ConnectionThresholds, z.ZodType>)
  .partial()
export type ConnectionWatchChange = z.infer<typeof ConnectionWatchChange>

/** The thresholds of the service as a whole. */
export const ServiceWatch = z.object({
  runsFailing: z.object({ enabled, count: z.int().min(1).max(1_000_000) }),
  runsStuck: z.object({ enabled, minutes: z.int().min(1).max(10_080) }),
  disk: z.object({
    enabled,
    freeBytes: z.int().min(1).nullable().describe('Null for the larger of 1 GiB and 5 % of the disk.'),
  }),
  backup: z.object({ enabled, days: z.int().min(1).max(365) }),
  certificate: z.object({ enabled, days: z.int().min(1).max(365) }),
  node: z.object({ enabled }),
})
export type ServiceWatch = z.infer<typeof ServiceWatch>

export const serviceWatch: ServiceWatch = {
  runsFailing: { enabled: true, count: 3 },
  runsStuck: { enabled: true, minutes: 15 },
  disk: { enabled: true, freeBytes: null },
  backup: { enabled: true, days: 2 },
  certificate: { enabled: true, days: 14 },
  node: { enabled: true },
}

export const ServiceWatchChange = z
  .object({
    runsFailing: ServiceWatch.shape.runsFailing.partial(),
    runsStuck: ServiceWatch.shape.runsStuck.partial(),
    disk: ServiceWatch.shape.disk.partial(),
    backup: ServiceWatch.shape.backup.partial(),
    certificate: ServiceWatch.shape.certificate.partial(),
    node: ServiceWatch.shape.node.partial(),
  } satisfies Record<keyof ServiceWatch, z.ZodType>)
  .partial()
export type ServiceWatchChange = z.infer<typeof ServiceWatchChange>

/** Returns the names of the events of this service. */
export const alertEventName = (kind: AlertKind, state: Alert['state']) =>
  `service.${kind}.${state === 'open' ? 'opened' : 'closed'}`

/** Every event of this service. */
export const serviceEventNames: readonly string[] = alertKinds.flatMap(kind => [
  alertEventName(kind, 'open'),
  alertEventName(kind, 'closed'),
])
