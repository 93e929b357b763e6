import { inboundErrorOf } from '#shared/errors/inbound.ts'
import type { Attempt } from '#shared/model/attempt.ts'
import type { Diagnosis } from '#shared/model/diagnosis.ts'
import { rejectionTitle } from '../../ui/rejection-title.ts'
import { type Explanation, explanations, fillExplanation } from '../snippets/explanations.ts'
import { headerOf } from './rejection-checks.ts'

/** What a refusal comes down to, for whoever has to mend it. */
export type RejectionStory = {
  /** A sentence without a full stop. */
  readonly title: string
  readonly explanation: string
  /** What was signed, used or sent, and what must be; null where that cannot be said. */
  readonly was: string | null
  readonly must: string | null
}

/** @param attempt the request itself, where it is still kept. */
export function rejectionStory(
  code: string,
  message: string,
  diagnosis: Diagnosis | null,
  attempt: Attempt | undefined,
): RejectionStory {
  const known: Explanation | null =
    diagnosis === null || diagnosis.code === 'unknown' ? null : explanations[diagnosis.code]
  const title = known?.title ?? rejectionTitle(code, null)
  const explanation =
    diagnosis === null
      ? [message, inboundErrorOf(code)?.remedy].filter(part => part !== undefined).join(' ')
      : diagnosis.message
  const request = attempt && {
    timestamp: headerOf(attempt.headers, 'x-service-timestamp') ?? '',
    body: attempt.bodyText,
  }
  const fill = (text: string | null) => text && request && fillExplanation(text, request)
  return {
    title,
    explanation,
    was: fill(known?.was ?? null) ?? null,
    must: fill(known?.must ?? null) ?? null,
  }
}
