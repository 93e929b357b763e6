import { z } from 'zod'
import { copyUpTo } from '#main/lib/copy-up-to.ts'
import { idOf } from '#main/lib/sequence.ts'
import type { KindsOf } from '#main/occurrences/kind.ts'
import { dayMs } from '#shared/durations.ts'
import { parseJson } from '#shared/json/parse-json.ts'
import { keptItems, maxKeptMessage } from '#shared/model/kept.ts'
import { longestWithSubject, subjectOfBody } from '#shared/model/subject.ts'
import type { StepError } from '#shared/workflows/steps/step-kind.ts'
import { stopped } from '#shared/workflows/steps/stop.ts'

const prefix = 'fail_'

/** A run that ended as failed. If it is retried and fails again, that is another occurrence. */
export type FailedRun = {
  readonly kind: 'run.failed'
  readonly id: string
  /** When it ended, in milliseconds since 1970. */
  readonly at: number
  /** The connection whose event started the run; null for a test that names none, and for a delivery to a webhook. */
  readonly connectionId: string | null
  readonly workflowId: string
  /** The name at that time. */
  readonly workflowName: string
  readonly runId: string
  readonly event: {
    /** Null for a run that no event has started. */
    readonly eventId: string | null
    readonly eventName: string
  }
  /** Whether it was a test. */
  readonly test: boolean
  /** As of the run's error. */
  readonly code: string
  /** At most 2,000 characters. Null once it is recalled from the storage if the connection does not store its events. */
  readonly message: string | null
  /** The path of the step that failed or ended the run; null if the run failed between steps. */
  readonly path: string | null
  /** The call that failed; null if none did. */
  readonly callId: string | null
  /** The event's body, which is parsed only when the subject is shown; null if the subject is known or there is none. */
  readonly body: string | null
  readonly subject: string | null
  /** Whether message and subject may be written to disk. */
  readonly isContentStored: boolean
}

/** How a run failed. */
export type Failure = {
  readonly error: StepError
  /** Milliseconds since 1970. */
  readonly endedAt: number
  /** The path of the step that failed or ended the run; null if the run failed between steps. */
  readonly path: string | null
  /** The call that failed; null if none did. */
  readonly callId: string | null
  /** Whether nothing of the payload may be kept. */
  readonly discard: boolean
}

/** Returns the path of the last step of a failed run if it failed or ended the run; else null. */
export const failedPath = (error: StepError, last: { readonly path: string; readonly ok: boolean }) =>
  !last.ok || error.code === stopped.code ? last.path : null

/** About how many bytes a failed run without its texts takes. */
const weight = 768

/** @param number for its id. @param facts with a message and a body of any length. */
export function failedRun(
  number: number,
  { body, message, ...facts }: Omit<FailedRun, 'kind' | 'id' | 'subject'>,
): FailedRun {
  return {
    ...facts,
    kind: 'run.failed',
    id: idOf(prefix, number),
    message: message && copyUpTo(message, maxKeptMessage),
    body: body !== null && body.length <= longestWithSubject ? body : null,
    subject: null,
  }
}

const eventSubjectOf = ({ body, subject }: Pick<FailedRun, 'body' | 'subject'>) =>
  body === null ? subject : subjectOfBody(body)

const StoredFailure = z.object({
  workflowName: z.string(),
  runId: z.string(),
  event: z.object({ eventId: z.string().nullable(), eventName: z.string() }),
  test: z.boolean(),
  code: z.string(),
  message: z.string().nullable(),
  path: z.string().nullable(),
  callId: z.string().nullable(),
  subject: z.string().nullable(),
})

/** The occurrence kinds of runs. */
export const runKinds = {
  'run.failed': {
    prefix,
    stored: {
      name: 'failed_run',
      most: keptItems.most,
      maxAgeMs: keptItems.days * dayMs,
      // A sender can make thousands of runs fail each second.
      writesPerSecond: 20,
      searched: [
        ...['workflowName', 'runId', 'event.eventId', 'event.eventName', 'code', 'message'],
        ...['path', 'callId', 'subject'],
      ],
      subjectOf: ({ workflowId }) => workflowId,
      summaryOf: ({ workflowName, runId, event, test, code, path, callId, isContentStored, ...run }) => ({
        ...{ workflowName, runId, event, test, code, path, callId },
        message: isContentStored ? run.message : null,
        subject: isContentStored ? eventSubjectOf(run) : null,
      }),
      fromSummary({ number, at, connectionId, subject, summary }) {
        const { data } = StoredFailure.safeParse(parseJson(summary))
        if (data === undefined) return null
        return {
          ...{ kind: 'run.failed', id: idOf(prefix, number), at, connectionId, workflowId: subject },
          ...{ ...data, body: null, isContentStored: data.message !== null },
        }
      },
    },
    weightOf: ({ message, body }) => weight + 2 * ((message?.length ?? 0) + (body?.length ?? 0)),
    toItem({ kind, id: _id, at: _at, body, isContentStored: _isStored, ...facts }, place) {
      return { ...facts, ...place, type: kind, subject: eventSubjectOf({ body, subject: facts.subject }) }
    },
    logLevel: 'debug',
    logMessage: 'A run has failed',
    logFields: ({ connectionId, workflowId, runId, code, path, callId }) => ({
      ...{ connectionId, workflowId, runId, code, path, callId },
    }),
    count: ({ test, workflowId, event }, counts) => !test && counts.runFailed(workflowId, event.eventName),
  },
} satisfies KindsOf<FailedRun>
