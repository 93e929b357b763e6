import { callErrors } from '../errors/call.ts'
import { type AdviceCode, type CheckId, CheckReason, type ReceiverCheck } from '../model/receiver-check.ts'

type CheckWords = {
  readonly title: string
  /** Further words beside the title; empty for none. */
  readonly hint: string
  /** The answer of a right receiver. */
  readonly expected: string
}

/** How each check is named. */
export const checkWords: Readonly<Record<CheckId, CheckWords>> = {
  accepted_now: { title: 'Signed just now', hint: '', expected: '2xx' },
  accepted_old: { title: 'Signed 4 min 50 s ago', hint: 'still inside 5 minutes', expected: '2xx' },
  accepted_header_case: { title: 'Header names in capitals', hint: '', expected: '2xx' },
  accepted_spacing: { title: 'Other spacing', hint: 'key order and escapes', expected: '2xx' },
  refused_stale: { title: 'Stale', hint: 'signed 6 minutes ago', expected: '4xx' },
  refused_future: { title: 'From the future', hint: 'signed 6 minutes ahead', expected: '4xx' },
  refused_unsigned: { title: 'Unsigned', hint: 'no signature header', expected: '4xx' },
  refused_no_timestamp: { title: 'No timestamp', hint: '', expected: '4xx' },
  refused_empty_signature: { title: 'Empty signature', hint: '', expected: '4xx' },
  refused_tampered: { title: 'Tampered', hint: 'one byte of the body changed', expected: '4xx' },
  refused_timestamp_changed: { title: 'Timestamp changed', hint: 'after signing', expected: '4xx' },
  refused_wrong_secret: { title: 'Wrong secret', hint: '', expected: '4xx' },
  refused_replaced_secret: { title: 'Replaced secret', hint: 'its grace is over', expected: '4xx' },
  survives_replay: { title: 'Replayed', hint: 'the first call, byte for byte', expected: 'no effect' },
  survives_not_json: { title: 'Signed, but not JSON', hint: '', expected: '400' },
}

const reasonWords: Readonly<Record<CheckReason, string>> = {
  accepted: 'The receiver accepted a call that it must refuse.',
  refused: 'The receiver refused a right call: because of its signature, or of its arguments.',
  not_401: 'Refused, though not with 401, which the scheme recommends.',
  server_error: 'The receiver failed while it handled the call.',
  redirect: 'The receiver redirects. Redirects are not followed, so the call has reached nothing.',
  unusual_status: 'The status says neither that the call was accepted nor that it was refused.',
  answers_differ:
    'The second answer differs from the first, so the receiver may have acted twice. Remember what was done in the last 5 minutes.',
  not_json_accepted: 'Accepted: the receiver does not look at the body.',
  effects_not_allowed: 'Not sent: a right receiver accepts this call and acts on it, which was not allowed.',
  no_body: 'Not sent: these calls have no body. The signature of a GET covers an empty one.',
  body_is_not_json: 'Not sent: the body of these calls is not JSON.',
  nothing_to_respell: 'Not sent: these calls have nothing that can be written otherwise.',
  no_replaced_secret: 'Not sent: the connection has no replaced secret whose grace period is over.',
  out_of_time: 'Not sent: the checks before took too long.',
}

/** Returns a sentence for the reason of a check: one of its own, or the code of a failed call. */
export function reasonText(reason: string): string {
  const own = CheckReason.safeParse(reason)
  if (own.success) return reasonWords[own.data]
  const ofCalls: Readonly<Record<string, string>> = callErrors
  return Object.hasOwn(ofCalls, reason) ? (ofCalls[reason] ?? reason) : reason
}

type AdviceWords = {
  readonly title: string
  readonly text: string
  /** An imperative, for a list of what to change. */
  readonly change: string
}

const windowChange = 'Refuse a timestamp more than 300,000 ms old or early.'
const keyChange = 'Use the whole current secret as the key, whsec_ included.'

export const adviceWords: Readonly<Record<AdviceCode, AdviceWords>> = {
  no_window: {
    title: 'A recorded call works for ever',
    text: 'The timestamp is signed but its age is not looked at. Anyone who records one call can send it again on any day.',
    change: windowChange,
  },
  no_absolute: {
    title: 'The window is open on one side',
    text: 'Only calls on one side of the clock are refused. Compare the absolute difference, so that a timestamp from the future is refused too.',
    change: windowChange,
  },
  seconds: {
    title: 'The timestamp is read in another unit',
    text: 'Right calls inside the window are refused. The timestamp is in milliseconds since 1970, and the window is 300,000 ms.',
    change: 'Read the timestamp in milliseconds, with a window of 300,000 ms.',
  },
  compared_after_parsing: {
    title: 'The signature is compared with other bytes',
    text: 'The receiver signs what it has parsed or changed, so the same JSON with other spaces is refused.',
    change: 'Verify the bytes of the body as they arrive, before you parse them.',
  },
  key_without_prefix: {
    title: 'The prefix is cut off the key',
    text: 'Calls that are signed without whsec_ are accepted. The key is the whole string.',
    change: keyChange,
  },
  key_decoded: {
    title: 'The key is decoded',
    text: 'Calls that are signed with the decoded secret are accepted. The key is the string itself.',
    change: keyChange,
  },
  body_alone: {
    title: 'The timestamp is not signed',
    text: 'Calls whose signature covers the body alone are accepted. The signature covers timestamp, dot and body.',
    change: 'Compute the signature of the timestamp, a dot and the body.',
  },
  empty_accepted: {
    title: 'An empty signature is let through',
    text: 'The receiver compares only if there is something to compare. Compare always, in constant time.',
    change: 'Refuse an empty signature.',
  },
  missing_accepted: {
    title: 'A missing header is let through',
    text: 'A call without one of the two headers is accepted, so nobody needs a signature.',
    change: 'Refuse a call without a timestamp or a signature.',
  },
  case_sensitive: {
    title: 'The names of headers are compared letter by letter',
    text: 'Proxies may send header names in other letters. They mean the same.',
    change: 'Find headers however their names are spelled.',
  },
  old_secret_accepted: {
    title: 'A replaced secret still works',
    text: 'Its grace period is over. Someone who has it can sign calls.',
    change: 'Remove secrets whose grace period is over from the receiver.',
  },
  crashes: {
    title: 'The receiver fails',
    text: 'It answers with an error of its own instead of refusing the call.',
    change: 'Answer 401 to a wrong signature and 400 to a body that is not JSON, never 5xx.',
  },
  redirects: {
    title: 'The receiver redirects',
    text: 'Signed calls do not follow redirects. Set the base URL to the address that answers.',
    change: 'Answer at the address of the action, without a redirect.',
  },
  slow: {
    title: 'No answer in time',
    text: 'The call ended before an answer came. Answer first, then work.',
    change: 'Answer before the time-out of the connection.',
  },
}

/** The number of checks with each verdict, and in all. */
export function countsOf({ checks }: Pick<ReceiverCheck, 'checks'>) {
  const counts = { passed: 0, failed: 0, look: 0, skipped: 0 }
  for (const { verdict } of checks) counts[verdict]++
  return { ...counts, made: checks.length - counts.skipped }
}

/** Returns the outcome in a few words: `3 of 15 checks fail`. */
export function outcomeText(check: Pick<ReceiverCheck, 'checks'>): string {
  const { failed, look, made } = countsOf(check)
  const checks = `${made} ${made === 1 ? 'check' : 'checks'}`
  if (made === 0) return 'No check was made'
  if (failed > 0) return `${failed} of ${checks} ${failed === 1 ? 'fails' : 'fail'}`
  if (look > 0) return `${look} of ${checks} to look at`
  return made === 1 ? 'The check passes' : `All ${checks} pass`
}

/** The change of a receiver that accepts wrong signatures. */
export const verifyChange = 'Verify the signature of each call, and answer 401 if it is wrong.'

/** Returns what to change, each change once. */
export function changesOf({ checks }: Pick<ReceiverCheck, 'checks'>): string[] {
  const changes = checks.flatMap(({ reason, advice }) => {
    if (advice !== null) return [adviceWords[advice.code].change]
    return reason === 'accepted' ? [verifyChange] : []
  })
  return [...new Set(changes)]
}
