import { z } from 'zod'
import { idOf } from '#main/lib/sequence.ts'
import type { KindsOf } from '#main/occurrences/kind.ts'
import { dayMs } from '#shared/durations.ts'
import { parseJson } from '#shared/json/parse-json.ts'
import { CallingClient, CallSource } from '#shared/model/call.ts'
import { keptItems } from '#shared/model/kept.ts'
import { Method } from '#shared/model/method.ts'

export const refusalPrefix = 'ref_'

/** The stored fields of a refused call, apart from its id, time, connection and action. */
const StoredRefusal = z.object({
  toolName: z.string(),
  /** Null for a tool that does not exist. */
  method: Method.nullable(),
  code: z.string(),
  source: CallSource,
  client: CallingClient.nullable(),
})

/** A tool call that was refused before anything was sent. */
export type RefusedCall = Readonly<z.output<typeof StoredRefusal>> & {
  readonly kind: 'call.refused'
  readonly id: string
  /** Milliseconds since 1970. */
  readonly at: number
  /** Null for a tool that does not exist, as the next one. */
  readonly connectionId: string | null
  readonly actionId: string | null
}

/** About how many bytes the record takes. */
const weight = 512

/** The kinds of calls that were refused. */
export const refusalKinds = {
  'call.refused': {
    prefix: refusalPrefix,
    stored: {
      name: 'refused call',
      most: keptItems.most,
      maxAgeMs: keptItems.days * dayMs,
      // A model may call a tool that does not exist in a loop.
      writesPerSecond: 20,
      searched: [
        ...['toolName', 'method', 'code', 'source', 'arguments'],
        ...['client.name', 'client.tokenName', 'client.tool'],
      ],
      subjectOf: ({ actionId }) => actionId ?? '',
      summaryOf: refusal => StoredRefusal.parse(refusal),
      fromSummary({ number, at, connectionId, subject, summary }) {
        const { data } = StoredRefusal.safeParse(parseJson(summary))
        if (data === undefined) return null
        const id = idOf(refusalPrefix, number)
        return { kind: 'call.refused', id, at, connectionId, actionId: subject || null, ...data }
      },
    },
    weightOf: () => weight,
    toItem: ({ kind: _kind, id: refusalId, at: _at, ...refusal }, place) => ({
      ...place,
      type: 'call.refused',
      refusalId,
      ...refusal,
    }),
    logLevel: 'debug',
    logMessage: 'Call refused',
    logFields: ({ kind: _kind, id: refusalId, at: _at, client, ...refusal }) => ({
      refusalId,
      tokenId: client?.tokenId ?? null,
      ...refusal,
    }),
    count: () => false,
  },
} satisfies KindsOf<RefusedCall>
