import { z } from 'zod'
import { Method } from './action.ts'
import { CallingClient, CallingStep, CallSource } from './call.ts'
import { Diagnosis } from './diagnosis.ts'
import {
  ActionId,
  AttemptId,
  CallId,
  ConversationId,
  EventId,
  Moment,
  RefusalId,
  RunId,
  WorkflowId,
} from './identifiers.ts'
import { EventNote } from './inbound-event.ts'

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
  declared: z.boolean(),
  bodyText: z.string().describe('The original text of the body; at most the first 64 KiB.'),
  bytes: z.int(),
  tookMs,
}

const EventAccepted = z.object({
  ...event,
  type: z.literal('event.accepted'),
  repeat: z.boolean(),
  stored: z.boolean(),
  previousSecret: z
    .boolean()
    .describe('Whether it was signed with a replaced secret, within the grace period.'),
  notes: z.array(EventNote),
})

const EventRepeated = z.object({
  ...event,
  type: z
    .literal('event.repeated')
    .describe('An exact repeat, answered with 200 and ignored by the connection’s setting.'),
})

const EventReplayed = z.object({
  ...event,
  type: z.literal('event.replayed'),
  replayOf: EventId,
})

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

const CallFinished = z.object({
  ...item,
  type: z.literal('call.finished').describe('A finished call of an action, successful or not.'),
  callId: CallId,
  connectionId: z.string().nullable().describe('Null for a form whose URL belongs to no connection.'),
  actionId: z.string(),
  toolName: z.string(),
  method: Method,
  status: z.int().nullable().describe('Null without a response.'),
  ok: z.boolean(),
  code: z
    .string()
    .nullable()
    .describe('Why there was no usable response; null for a response with any status.'),
  totalMs: z.number(),
  source: CallSource,
  step: CallingStep.nullable(),
  client: CallingClient.nullable(),
  conversationId: ConversationId.nullable(),
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

const ActivityMissed = z.object({
  ...item,
  type: z.literal('activity.missed').describe('This reader was slower than the feed and missed items.'),
  count: z.int(),
})

/** An item of the activity. A bounded ring buffer keeps them; those that are stored return after a restart. */
export const ActivityItem = z.discriminatedUnion('type', [
  EventAccepted,
  EventRepeated,
  EventReplayed,
  EventRejected,
  EventDiagnosed,
  CallFinished,
  CallRefused,
  WorkflowNotified,
  ActivityMissed,
])
export type ActivityItem = z.infer<typeof ActivityItem>
