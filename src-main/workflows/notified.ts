import { z } from 'zod'
import { copyUpTo } from '#main/lib/copy-up-to.ts'
import { idOf } from '#main/lib/sequence.ts'
import type { KindsOf } from '#main/occurrences/kind.ts'
import { dayMs } from '#shared/durations.ts'
import { parseJson } from '#shared/json/parse-json.ts'
import { keptItems, maxKeptMessage } from '#shared/model/kept.ts'

const prefix = 'note_'

/** A message that a step of a workflow has for the people who run the service. */
export type Notified = {
  readonly kind: 'workflow.notified'
  readonly id: string
  /** Milliseconds since 1970. */
  readonly at: number
  /** The connection whose event started the run; null for a test that names none. */
  readonly connectionId: string | null
  readonly workflowId: string
  readonly runId: string
  /** The path of the step. */
  readonly path: string
  /** At most 2,000 characters. Null after a restart if the connection does not store its events. */
  readonly message: string | null
  /** Whether the message may be written to disk. */
  readonly isMessageStored: boolean
}

/** About how many bytes a notification without its message takes. */
const weight = 512

/** @param number for its id. @param facts with a message of any length. */
export function notified(number: number, facts: Omit<Notified, 'kind' | 'id'>): Notified {
  const message = facts.message && copyUpTo(facts.message, maxKeptMessage)
  return { ...facts, kind: 'workflow.notified', id: idOf(prefix, number), message }
}

const StoredNotification = z.object({
  runId: z.string(),
  path: z.string(),
  message: z.string().nullable(),
})

/** The occurrence kinds of workflows. */
export const workflowKinds = {
  'workflow.notified': {
    prefix,
    stored: {
      name: 'notification',
      most: keptItems.most,
      maxAgeMs: keptItems.days * dayMs,
      writesPerSecond: Number.POSITIVE_INFINITY,
      searched: ['runId', 'path', 'message'],
      subjectOf: ({ workflowId }) => workflowId,
      summaryOf: ({ runId, path, message, isMessageStored }) => ({
        ...{ runId, path, message: isMessageStored ? message : null },
      }),
      fromSummary({ number, at, connectionId, subject, summary }) {
        const { data } = StoredNotification.safeParse(parseJson(summary))
        if (data === undefined) return null
        const isMessageStored = data.message !== null
        return {
          ...{ kind: 'workflow.notified', id: idOf(prefix, number), at, connectionId, workflowId: subject },
          ...{ ...data, isMessageStored },
        }
      },
    },
    weightOf: ({ message }) => weight + 2 * (message?.length ?? 0),
    toItem: ({ connectionId, workflowId, runId, path, message }, place) => ({
      ...place,
      type: 'workflow.notified',
      ...{ connectionId, workflowId, runId, path, message },
    }),
    logLevel: 'debug',
    logMessage: 'A workflow has notified',
    logFields: ({ connectionId, workflowId, runId, path }) => ({ connectionId, workflowId, runId, path }),
    count: () => false,
  },
} satisfies KindsOf<Notified>
