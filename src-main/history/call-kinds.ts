import { z } from 'zod'
import { idOf } from '#main/lib/sequence.ts'
import { callPrefix, type FinishedCall } from '#main/outbound/calls.ts'
import { neverSent } from '#shared/errors/call.ts'
import { Method } from '#shared/model/action.ts'
import { CallingStep, CallSource } from '#shared/model/call.ts'
import { type KindsOf, parseStored } from './kind.ts'

const dayMs = 24 * 60 * 60 * 1000
/** About how many bytes the record of a call takes. */
const weight = 512

const StoredCall = z.object({
  toolName: z.string(),
  method: Method,
  status: z.int().nullable(),
  ok: z.boolean(),
  code: z.string().nullable(),
  totalMs: z.number(),
  source: CallSource,
  step: CallingStep.nullable().default(null),
})

/** The kinds of calls of actions. */
export const callKinds = {
  'call.finished': {
    prefix: callPrefix,
    stored: {
      name: 'call',
      most: 1000,
      maxAgeMs: 30 * dayMs,
      writesPerSecond: Number.POSITIVE_INFINITY,
      subjectOf: ({ actionId }) => actionId,
      summaryOf: call => StoredCall.parse(call),
      fromSummary({ number, at, connectionId, subject, summary }) {
        const { data } = StoredCall.safeParse(parseStored(summary))
        if (data === undefined || connectionId === null) return null
        const id = idOf(callPrefix, number)
        return { kind: 'call.finished', id, at, connectionId, actionId: subject, ...data }
      },
    },
    weightOf: () => weight,
    toItem: ({ kind: _kind, id: callId, at: _at, ...call }, place) => ({
      ...place,
      type: 'call.finished',
      callId,
      ...call,
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
