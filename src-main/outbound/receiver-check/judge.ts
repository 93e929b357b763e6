import { type CheckId, type CheckVerdict, expectationOf } from '#shared/model/receiver-check.ts'

/** How the receiver answered a call of a check. */
export type CheckOutcome = {
  readonly id: CheckId
  /** Null without a response. */
  readonly status: number | null
  /** The code of a call without a usable response; null for any response. */
  readonly code: string | null
}

/** Facts beyond the answer that a verdict depends on. */
type Known = {
  /** Whether the receiver has accepted the first call; null while it is not known. */
  readonly wasAccepted: boolean | null
  /** Whether a replay got another answer than the first call, though it should have no effect. */
  readonly differs: boolean
}

export type Judgement = { readonly verdict: CheckVerdict; readonly reason: string | null }

const passed: Judgement = { verdict: 'passed', reason: null }

/**
 * Returns the verdict on an answer. A receiver refuses with any 4xx. Answers that prove nothing, such as a redirect, are
 * to be looked at.
 */
export function judge({ id, status, code }: CheckOutcome, { wasAccepted, differs }: Known): Judgement {
  const expected = expectationOf(id)
  /** A crash counts only if the receiver takes right calls. */
  const crash = expected === 'survived' && wasAccepted !== false ? 'failed' : 'look'
  if (status === null) return { verdict: code === 'connection_reset' ? crash : 'look', reason: code }
  if (status >= 200 && status < 300) {
    if (expected === 'refused') return { verdict: 'failed', reason: 'accepted' }
    if (differs) return { verdict: 'look', reason: 'answers_differ' }
    return id === 'survives_not_json' ? { verdict: 'passed', reason: 'not_json_accepted' } : passed
  }
  if (status >= 400 && status < 500) {
    if (expected === 'accepted') return { verdict: 'failed', reason: 'refused' }
    return expected === 'refused' && status !== 401 ? { verdict: 'passed', reason: 'not_401' } : passed
  }
  if (status >= 300 && status < 400) return { verdict: 'look', reason: 'redirect' }
  return status >= 500 && status < 600
    ? { verdict: crash, reason: 'server_error' }
    : { verdict: 'look', reason: 'unusual_status' }
}
