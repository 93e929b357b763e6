import { z } from 'zod'
import { idOf } from '#main/lib/sequence.ts'
import type { KindsOf } from '#main/occurrences/kind.ts'
import { dayMs } from '#shared/durations.ts'
import { neverSent } from '#shared/errors/call.ts'
import { parseJson } from '#shared/json/parse-json.ts'
import { CallFacts } from '#shared/model/call.ts'
import { keptItems } from '#shared/model/kept.ts'

export const callPrefix = 'call_'

const { step, client, conversationId } = CallFacts.shape

/** The stored fields of a call, apart from its id, time, connection and action. */
const StoredCall = CallFacts.omit({ callId: true, at: true, connectionId: true, actionId: true }).extend({
  // Calls of earlier versions lack some of these.
  step: step.default(null),
  client: client.default(null),
  conversationId: conversationId.default(null),
  /** The size of the decoded body; null without a response, and for calls from before it was kept. */
  responseBytes: z.int().nullable().default(null),
})

/** A finished call, successful or not. `history/calls.ts` keeps its contents under its id. */
export type FinishedCall = Readonly<z.output<typeof StoredCall>> & {
  readonly kind: 'call.finished'
  readonly id: string
  /** When it ended, in milliseconds since 1970. */
  readonly at: number
  /** Null for a request that belongs to no connection. */
  readonly connectionId: string | null
  /** Null for a request that belongs to no action. */
  readonly actionId: string | null
  /** Set for a call of a run that an alert has started. */
  readonly isForAlert?: true
}

/** Returns the facts of a call as answers have them. */
export function factsOf(finished: FinishedCall): CallFacts {
  const { kind: _kind, id: callId, at, responseBytes: _bytes, isForAlert: _alert, ...call } = finished
  return { ...call, callId, at: new Date(at).toISOString() }
}

/** The stored subjects of calls without an action. Version 0.1.0 made up ids for `http` steps and forms. */
const noActions: ReadonlySet<string> = new Set(['', 'act_http_step', 'act_form'])

/** Before the action's id in the stored subject of a check's call, which is neither a test nor the last call of its action. */
export const checkSubject = 'check:'

/** Returns whether a call is in the figures: something was sent, and not to check the receiver. */
export function isCounted({ code, source }: Pick<FinishedCall, 'code' | 'source'>): boolean {
  return source !== 'check' && (code === null || !neverSent.has(code))
}

/** About how many bytes the record of a call takes. */
const weight = 512

/** The kinds of finished calls. */
export const callKinds = {
  'call.finished': {
    prefix: callPrefix,
    stored: {
      name: 'call',
      most: keptItems.most,
      maxAgeMs: keptItems.days * dayMs,
      writesPerSecond: Number.POSITIVE_INFINITY,
      searched: [
        ...['toolName', 'method', 'status', 'code', 'source', 'step.runId', 'step.path', 'conversationId'],
        ...['client.name', 'client.tokenName', 'client.tool', 'arguments', 'argumentsText'],
        ...['request.url', 'request.headers', 'request.body', 'response.headers', 'response.body'],
        ...['error.code', 'error.message', 'error.data', 'environmentVariables'],
      ],
      subjectOf: ({ actionId, source }) => (source === 'check' ? checkSubject : '') + (actionId ?? ''),
      summaryOf: call => StoredCall.parse(call),
      fromSummary({ number, at, connectionId, subject, summary }) {
        const { data } = StoredCall.safeParse(parseJson(summary))
        if (data === undefined) return null
        const id = idOf(callPrefix, number)
        const actionId = noActions.has(subject) ? null : subject.replace(checkSubject, '')
        return { kind: 'call.finished', id, at, connectionId, actionId, ...data }
      },
    },
    weightOf: () => weight,
    toItem: (call, place) => ({ ...factsOf(call), ...place, type: 'call.finished' }),
    logLevel: 'debug',
    logMessage: 'Call finished',
    logFields: ({ kind: _kind, id: callId, at: _at, ...call }) => ({ callId, ...call }),
    count(call, counts) {
      const { status, code, source } = call
      if (source === 'check') return false
      if (!isCounted(call)) return counts.notCalled(call)
      counts.called(call, code ?? `${Math.floor((status ?? 0) / 100)}xx`)
      return true
    },
  },
} satisfies KindsOf<FinishedCall>
