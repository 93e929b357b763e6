import type { AdviceCode, Check, CheckAdvice, CheckId } from '#shared/model/receiver-check.ts'
import { linesOf } from './lines/lines.ts'

/** A check before it is explained. */
export type JudgedCheck = Omit<Check, 'advice'>

/** The mistake that a wrongly accepted call shows by itself. */
const ofAccepted: Partial<Readonly<Record<CheckId, AdviceCode>>> = {
  refused_unsigned: 'missing_accepted',
  refused_no_timestamp: 'missing_accepted',
  refused_empty_signature: 'empty_accepted',
  refused_replaced_secret: 'old_secret_accepted',
}

/** The check of the other side of the window of a timestamp. */
const otherSide: Partial<Readonly<Record<CheckId, CheckId>>> = {
  refused_stale: 'refused_future',
  refused_future: 'refused_stale',
}

/** The checks that say something also of a receiver that accepts any signature. */
const ofMissing: ReadonlySet<CheckId> = new Set([
  'refused_unsigned',
  'refused_no_timestamp',
  'refused_empty_signature',
])

/** The mistake that a wrongly refused call shows, if the receiver accepts the plain one. */
const ofRefused: Partial<Readonly<Record<CheckId, AdviceCode>>> = {
  accepted_old: 'seconds',
  accepted_header_case: 'case_sensitive',
  accepted_spacing: 'compared_after_parsing',
}

/** Facts about the receiver that a mistake is told by. */
type Findings = {
  /** Whether it refuses a plain call. */
  readonly isRefused: boolean
  /** The mistake whose variant of a plain call it has accepted; null for none. */
  readonly mistake: AdviceCode | null
  /** Whether the calls have a query instead of a body. */
  readonly isGet: boolean
}

/** Returns the checks with what explains them: the mistake, and the lines that correct it. */
export function withAdvice(checks: readonly JudgedCheck[], { isRefused, mistake, isGet }: Findings): Check[] {
  const verdicts = new Map(checks.map(({ id, verdict }) => [id, verdict]))
  const isUnverified = verdicts.get('refused_wrong_secret') === 'failed'
  const codeOf = ({ id, verdict, reason }: JudgedCheck): AdviceCode | null => {
    if (verdict === 'passed' || verdict === 'skipped') return null
    if (reason === 'redirect') return 'redirects'
    if (reason === 'timeout') return 'slow'
    if (reason === 'server_error' || (reason === 'connection_reset' && verdict === 'failed')) return 'crashes'
    if (reason === 'accepted') {
      if (isUnverified && !ofMissing.has(id)) return null
      const other = otherSide[id]
      if (other !== undefined) return verdicts.get(other) === 'passed' ? 'no_absolute' : 'no_window'
      return ofAccepted[id] ?? null
    }
    if (reason !== 'refused') return null
    // A query has no bytes that are signed.
    if (!isRefused) return isGet && id === 'accepted_spacing' ? null : (ofRefused[id] ?? null)
    // All right calls are refused for one reason.
    return verdicts.get('accepted_spacing') === 'passed' && !isGet ? 'compared_after_parsing' : mistake
  }
  return checks.map(check => ({ ...check, advice: adviceOf(codeOf(check)) }))
}

const adviceOf = (code: AdviceCode | null): CheckAdvice | null =>
  code === null ? null : { code, lines: { ...linesOf(code) } }
