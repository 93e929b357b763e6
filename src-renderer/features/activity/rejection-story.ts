import type { Attempt } from '#shared/model/attempt.ts'
import type { Diagnosis } from '#shared/model/diagnosis.ts'
import { rejectionWords } from '../../ui/rejection-words.ts'
import { type Explanation, explanations, fillExplanation } from '../snippets/explanations.ts'
import { headerOf } from './header-of.ts'
import { capitalized } from './row-of.ts'

/** What a refusal comes down to, for whoever has to mend it. */
export type RejectionStory = {
  /** A sentence without a full stop. */
  readonly title: string
  readonly explanation: string
  /** What was signed, used or sent, and what must be; null where that cannot be said. */
  readonly was: string | null
  readonly must: string | null
}

/** What can be done where the code already says all that is wrong. */
const remedies: Readonly<Record<string, string>> = {
  connection_disabled: 'Switch Connection enabled on, above, to accept events again.',
  unsupported_encoding: 'Send the body as it is, without compressing it.',
  body_too_large: 'Send less in one event, or raise the limit in Settings › Limits.',
  missing_timestamp: 'Send the time in milliseconds since 1970 in x-service-timestamp with every request.',
  stale_timestamp:
    'Make the timestamp when the request is sent, again for each retry, and set the sender’s clock by NTP.',
  missing_signature: 'Send sha256= and the HMAC of timestamp.body in x-service-signature with every request.',
  invalid_json: 'The signature was right, so these are the bytes that were sent: send JSON.',
  missing_event: 'Send the name of the event in the field event, beside data.',
  invalid_event: 'Send the name of the event as a text of 1 to 255 characters.',
  invalid_data: 'Send data as an object of fields, or leave it out.',
  unavailable: 'The sender may send it again. Look at Settings › Data folder: the disk may be full.',
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
  const title = known?.title ?? titles[code] ?? capitalized(rejectionWords(code, null))
  const explanation =
    diagnosis === null
      ? [message, remedies[code]].filter(part => part !== undefined).join(' ')
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

const titles: Readonly<Record<string, string>> = {
  connection_disabled: 'The connection was disabled',
  unsupported_encoding: 'The body was compressed',
  body_too_large: 'The body is too large',
  missing_timestamp: 'The request has no timestamp',
  invalid_timestamp: 'The timestamp is no number of milliseconds',
  stale_timestamp: 'The timestamp is too old, or ahead of time',
  missing_signature: 'The request has no signature',
  invalid_signature: 'The signature does not match',
  invalid_json: 'The body is not JSON',
  missing_event: 'The body names no event',
  invalid_event: 'The field event is no name',
  invalid_data: 'The field data is no object',
  unavailable: 'The event could not be stored',
}
