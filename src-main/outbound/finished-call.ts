import { z } from 'zod'
import { idOf } from '#main/lib/sequence.ts'
import type { KindsOf } from '#main/occurrences/kind.ts'
import { dayMs } from '#shared/durations.ts'
import { neverSent } from '#shared/errors/call.ts'
import { parseJson } from '#shared/json/parse-json.ts'
import { Method } from '#shared/model/action.ts'
import {
  CallingClient,
  CallingStep,
  CallSource,
  isNoAction,
  keptCalls,
  shownActionId,
} from '#shared/model/call.ts'
import { ConversationId } from '#shared/model/identifiers.ts'

export const callPrefix = 'call_'

/** The stored fields of a call, apart from its id, time, connection and action. */
const StoredCall = z.object({
  toolName: z.string(),
  method: Method,
  /** Null without a response. */
  status: z.int().nullable(),
  ok: z.boolean(),
  /** Why there is no usable response; null for a response of any status. */
  code: z.string().nullable(),
  totalMs: z.number(),
  /** The size of the decoded body; null without a response, and for calls from before it was kept. */
  responseBytes: z.int().nullable().default(null),
  source: CallSource,
  /** Null for a call that no workflow made. */
  step: CallingStep.nullable().default(null),
  /** Null for a call that no MCP client made. */
  client: CallingClient.nullable().default(null),
  /** Null for a call that no conversation made. */
  conversationId: ConversationId.nullable().default(null),
})

/** A finished call, successful or not. `history/calls.ts` keeps its request and response under its id. */
export type FinishedCall = Readonly<z.output<typeof StoredCall>> & {
  readonly kind: 'call.finished'
  readonly id: string
  /** When it ended, in milliseconds since 1970. */
  readonly at: number
  /** Null for a request that belongs to no connection. */
  readonly connectionId: string | null
  /** Null for a request that belongs to no action. */
  readonly actionId: string | null
}

/** About how many bytes the record of a call takes. */
const weight = 512

/** The kinds of finished calls. */
export const callKinds = {
  'call.finished': {
    prefix: callPrefix,
    stored: {
      name: 'call',
      most: keptCalls.most,
      maxAgeMs: keptCalls.days * dayMs,
      writesPerSecond: Number.POSITIVE_INFINITY,
      subjectOf: ({ actionId }) => actionId ?? '',
      summaryOf: call => StoredCall.parse(call),
      fromSummary({ number, at, connectionId, subject, summary }) {
        const { data } = StoredCall.safeParse(parseJson(summary))
        if (data === undefined) return null
        const id = idOf(callPrefix, number)
        // Earlier versions stored what answers have in its place.
        const actionId = subject === '' || isNoAction(subject) ? null : subject
        return { kind: 'call.finished', id, at, connectionId, actionId, ...data }
      },
    },
    weightOf: () => weight,
    toItem: ({ kind: _kind, id: callId, at: _at, responseBytes: _bytes, ...call }, place) => ({
      ...place,
      type: 'call.finished',
      callId,
      ...call,
      actionId: shownActionId(call),
    }),
    logLevel: 'debug',
    logMessage: 'Call finished',
    logFields: ({ kind: _kind, id: callId, at: _at, ...call }) => ({ callId, ...call }),
    count({ at, ok, code, totalMs }, counts) {
      if (code !== null && neverSent.has(code)) return false
      counts.called(at, ok, totalMs)
      return true
    },
  },
} satisfies KindsOf<FinishedCall>
