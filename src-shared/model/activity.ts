import { z } from 'zod'
import { TimeText } from '../time.ts'
import { Alert, AlertKind } from './alert.ts'
import { CallFacts, CallingClient, CallSource } from './call.ts'
import { Diagnosis } from './diagnosis.ts'
import { ActionId, AttemptId, CallId, EventId, Moment, RefusalId, RunId, WorkflowId } from './identifiers.ts'
import { Declared, EventNote } from './inbound-event.ts'
import { Method } from './method.ts'
import { searched } from './searched.ts'

const item = {
  id: z.string().describe('Grows with time; send it as Last-Event-ID to continue after it.'),
  at: Moment,
}

const tookMs = z
  .number()
  .nullable()
  .describe('Milliseconds from the request’s header fields to its outcome; null if not measured.')

const event = {
  ...item,
  connectionId: z.string(),
  eventId: EventId,
  eventName: z.string(),
  declared: Declared,
  bytes: z.int(),
  tookMs,
}

const accepted = {
  ...event,
  type: z.literal('event.accepted'),
  repeat: z.boolean(),
  stored: z.boolean(),
  previousSecret: z
    .boolean()
    .describe('Whether it was signed with a replaced secret, within the grace period.'),
  duplicateOf: RunId.nullable().describe(
    'The run that has its key already, so that a workflow with `once` was not started; null for most events.',
  ),
}

const repeated = {
  ...event,
  type: z
    .literal('event.repeated')
    .describe('An exact repeat, answered with 200 and ignored by the connection’s setting.'),
  redelivery: z
    .object({ of: EventId, runs: z.int() })
    .optional()
    .describe('The event that was delivered again, and how many runs that has started again.'),
}

const replayed = {
  ...event,
  type: z.literal('event.replayed'),
  replayOf: EventId,
  stored: z.boolean(),
}

const live = {
  bodyText: z.string().describe('The original text of the body; at most the first 64 KiB.'),
  reading: z
    .string()
    .optional()
    .describe('Where the data is in the body, as JSON; absent for `{event, data}`.'),
}
const listed = {
  subject: z
    .string()
    .nullable()
    .describe('A recognizable value of its data such as ORD-20418; null if it has none.'),
  excerpt: z
    .string()
    .optional()
    .describe('At most 120 characters of the body, around the text that was searched; absent without one.'),
}

const EventRejected = z.object({
  ...item,
  type: z.literal('event.rejected'),
  connectionId: z.string().nullable().describe('Null if the token is unknown.'),
  attemptId: AttemptId.nullable().describe('Null if no attempt is kept.'),
  code: z.string(),
  message: z.string(),
  diagnosis: Diagnosis.nullable().describe('Null until it is found, or if there is none.'),
  bytes: z.int(),
  tookMs,
})

const EventDiagnosed = z.object({
  ...item,
  type: z
    .literal('event.diagnosed')
    .describe(
      'The mistake behind a refused request, found after its response; it belongs to the item with its attemptId.',
    ),
  connectionId: z.string().nullable(),
  attemptId: AttemptId,
  diagnosis: Diagnosis,
})

const CallFinished = CallFacts.extend({
  ...item,
  type: z.literal('call.finished').describe('A finished call, successful or not.'),
})

const CallRefused = z.object({
  ...item,
  type: z.literal('call.refused').describe('A tool call of an assistant that was refused; nothing was sent.'),
  refusalId: RefusalId,
  connectionId: z.string().nullable().describe('Null for a tool that does not exist.'),
  actionId: ActionId.nullable(),
  toolName: z.string(),
  method: Method.nullable(),
  code: z.string(),
  source: CallSource,
  client: CallingClient.nullable(),
})

const WorkflowNotified = z.object({
  ...item,
  type: z.literal('workflow.notified').describe('The message of a notify step.'),
  connectionId: z.string().nullable().describe('Null for a test that names no connection.'),
  workflowId: WorkflowId,
  runId: RunId,
  path: z.string().describe('The path of the step in its run.'),
  message: z
    .string()
    .nullable()
    .describe('Null after a restart if the connection does not store its events.'),
})

const RunFailed = z.object({
  ...item,
  type: z
    .literal('run.failed')
    .describe('A run that ended as failed. If it is retried and fails again, that is another item.'),
  connectionId: z
    .string()
    .nullable()
    .describe('Null for a test that names no connection, and for a webhook.'),
  workflowId: WorkflowId,
  workflowName: z.string().describe('The name at that time.'),
  runId: RunId,
  event: z.object({
    eventId: EventId.nullable().describe('Null for a run that no event has started.'),
    eventName: z.string(),
  }),
  test: z.boolean(),
  code: z.string().describe('The code of the run’s error.'),
  message: z
    .string()
    .nullable()
    .describe('Null in lists, and after a restart, if the connection does not store its events.'),
  path: z
    .string()
    .nullable()
    .describe('The path of the step that failed or ended the run; null if the run failed between steps.'),
  callId: CallId.nullable().describe('The call that failed; null if none did.'),
  subject: z
    .string()
    .nullable()
    .describe(
      'As of the run; also null where the message is, because the connection does not store its events.',
    ),
})

const alert = {
  ...item,
  connectionId: z.string().nullable(),
  ...Alert.pick({ alertId: true, workspaceId: true, workflowId: true, message: true }).shape,
  alertKind: AlertKind,
}
const AlertOpened = z.object({ ...alert, type: z.literal('alert.opened').describe('An alert has opened.') })
const AlertClosed = z.object({ ...alert, type: z.literal('alert.closed').describe('An alert has closed.') })

const ActivityMissed = z.object({
  ...item,
  type: z.literal('activity.missed').describe('This reader was slower than the feed and missed items.'),
  count: z.int(),
})

/** The items that are the same in the activity and in the list of what happened, by name. */
export const commonItems = {
  ...{ EventRejected, CallFinished, CallRefused, WorkflowNotified, RunFailed, AlertOpened, AlertClosed },
}
const others = [
  ...([EventRejected, CallFinished, CallRefused, WorkflowNotified, RunFailed] as const),
  ...([AlertOpened, AlertClosed] as const),
] as const

/** An item of the activity. A bounded ring buffer keeps them; those that are stored return after a restart. */
export const ActivityItem = z.discriminatedUnion('type', [
  z.object({
    ...{ ...accepted, ...live },
    notes: z
      .array(EventNote)
      .describe('None for a body of more than 16 KiB, which is read when somebody opens the event.'),
  }),
  z.object({ ...repeated, ...live }),
  z.object({ ...replayed, ...live }),
  ...others,
  EventDiagnosed,
  ActivityMissed,
])
export type ActivityItem = z.infer<typeof ActivityItem>

/** Something that happened, as lists show it: an event without its body, a refused request with its diagnosis. */
export const ListedOccurrence = z.discriminatedUnion('type', [
  z.object({ ...accepted, ...listed }),
  z.object({ ...repeated, ...listed }),
  z.object({ ...replayed, ...listed }),
  ...others,
])
export type ListedOccurrence = z.infer<typeof ListedOccurrence>

/** The types of listed occurrences, which are the `kinds` of a query. */
export const occurrenceTypes = ListedOccurrence.options.map(({ shape }) => shape.type.value)
export type OccurrenceType = ListedOccurrence['type']

const FailedType = z.enum(['event.rejected', 'call.finished', 'call.refused', 'run.failed'])
/** The types of each outcome. A finished call has either. */
export const typesOfOutcome = {
  ok: ['event.accepted', 'event.repeated', 'event.replayed', 'call.finished'],
  failed: FailedType.options,
} as const satisfies Readonly<Record<'ok' | 'failed', readonly OccurrenceType[]>>

/** Which occurrences a list shows. */
export const OccurrenceSelection = z.object({
  workspaceId: z
    .string()
    .optional()
    .describe(
      'Only connections of this workspace, and what belongs to no connection, whatever its workspace: requests with an unknown token, webhooks, and tests that name no connection.',
    ),
  connectionId: z.string().optional(),
  kinds: z
    .string()
    .transform(text => text.split(',').map(kind => kind.trim()))
    .pipe(z.array(z.enum(occurrenceTypes)))
    .optional()
    .describe(`A list with commas: ${occurrenceTypes.join(', ')}. All by default.`),
  cause: z
    .string()
    .max(100)
    .optional()
    .describe(
      'The code of a diagnosis, of a refusal or of the error of a call or a run; `http_404` for a response with that status.',
    ),
  outcome: z
    .enum(['ok', 'failed'])
    .optional()
    .describe(
      '`ok`: events and calls that succeeded. `failed`: rejected requests, failed and refused calls, failed runs.',
    ),
  made: z
    .stringbool()
    .or(z.boolean())
    .optional()
    .describe(
      '`true`: only calls that were sent, without those of receiver checks, as figures count them. `false`: only calls for which nothing was sent.',
    ),
  eventName: z.string().optional().describe('Only events of this name.'),
  actionId: z.string().optional().describe('Only calls of this action.'),
  source: z.enum(CallSource.options).optional().describe('Only calls of this origin.'),
  text: z
    .string()
    .max(200)
    .optional()
    .describe(
      'Case-insensitive; anywhere in the body of an event, or in the texts, ids, codes and statuses of anything else.',
    ),
  since: TimeText.optional().describe(
    'From this time on: ISO 8601 with an offset, or milliseconds since 1970.',
  ),
  until: TimeText.optional().describe('Before this time.'),
})
export type OccurrenceSelection = z.infer<typeof OccurrenceSelection>

/** Why nothing older follows. */
export const ListEnd = z.object({
  reason: z
    .enum(['start', 'retention', 'memory'])
    .describe(
      '`start`: nothing older has happened. `retention`: older ones may have been deleted. `memory`: older ones may have been in memory only, which keeps the newest until a restart.',
    ),
  keptDays: z.int().optional().describe('For how many days they are kept; only for `retention` of one kind.'),
  keptCount: z
    .int()
    .optional()
    .describe('How many of a connection are kept; only for `retention` of one kind.'),
  kept: z
    .array(z.object({ kinds: z.array(z.enum(occurrenceTypes)), days: z.number(), count: z.int() }))
    .optional()
    .describe('The same for each kind of which some may have been deleted.'),
})
export type ListEnd = z.infer<typeof ListEnd>

export const OccurrencePage = z.object({
  items: z
    .array(ListedOccurrence)
    .describe('Newest first. May be fewer than `limit`, or none, before the end.'),
  nextBefore: z.string().nullable().describe('The `before` of the next page; null at the end.'),
  searched,
  end: ListEnd.nullable().describe('Null before the end.'),
  damaged: z
    .int()
    .optional()
    .describe('The number of events between these that cannot be read; absent for none.'),
})
export type OccurrencePage = z.infer<typeof OccurrencePage>

/** The counts of one of the equal parts of a range of time. */
export const OccurrenceBucket = z.object({
  from: Moment,
  accepted: z.int(),
  refused: z.int(),
  calls: z.int().describe('Finished calls, failed ones included.'),
  callsFailed: z.int(),
  runsFailed: z.int(),
})
export type OccurrenceBucket = z.infer<typeof OccurrenceBucket>

export const OccurrenceCounts = z.object({
  total: z.int(),
  byKind: z
    .partialRecord(z.enum(occurrenceTypes), z.int())
    .describe('Stored replays count as accepted, unless only replays are asked for.'),
  byCause: z.record(z.string(), z.int()),
  complete: z
    .boolean()
    .describe('False if there are more than these: only so many are searched for a name, a text or replays.'),
  buckets: z
    .array(OccurrenceBucket)
    .nullish()
    .describe('Oldest first, from `since` to `until`. Null with a `text`; absent without `buckets`.'),
})
export type OccurrenceCounts = z.infer<typeof OccurrenceCounts>

/** The failures of a connection with one cause. */
export const OccurrenceGroup = z.object({
  cause: z.string().describe('As the filter `cause` takes it.'),
  kind: FailedType,
  connectionId: z.string().nullable(),
  count: z.int(),
  firstAt: Moment,
  lastAt: Moment,
  newestId: z.string().describe('The `id` of its newest item.'),
})
export type OccurrenceGroup = z.infer<typeof OccurrenceGroup>

/** How many items an export, or a list of groups, has at most. */
export const mostExported = 100_000
export const mostGroups = 100

/** How many ids an export takes: they must fit into the head of a request. */
const mostIds = 500

export const ExportSelection = OccurrenceSelection.extend({
  format: z.enum(['jsonl', 'csv']).default('jsonl'),
  ids: z
    .string()
    .max(mostIds * 20)
    .transform(text => text.split(',').map(id => id.trim()))
    .pipe(z.array(z.string()).max(mostIds))
    .optional()
    .describe(`Only these items: up to ${mostIds} ids with commas.`),
})
export type ExportSelection = z.infer<typeof ExportSelection>
