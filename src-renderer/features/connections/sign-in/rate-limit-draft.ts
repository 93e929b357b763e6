import { RateLimit } from '#shared/model/rate-limit.ts'
import { formatCount } from '../../../ui/format.ts'

/** The fields of a rate limit as they are typed. A number that was cleared is an empty text. */
export type RateLimitDraft = {
  readonly isLimited: boolean
  readonly calls: string | number
  readonly perSeconds: string | number
}

/** Returns the fields of a rate limit; without one, those of a limit that is switched off. */
export function rateLimitDraftOf(rateLimit: RateLimit | null): RateLimitDraft {
  return { isLimited: rateLimit !== null, ...(rateLimit ?? { calls: 10, perSeconds: 1 }) }
}

/** Returns the rate limit of a draft, unchecked; null for none. */
export function rateLimitOfDraft({ isLimited, calls, perSeconds }: RateLimitDraft): RateLimit | null {
  if (!isLimited) return null
  return { calls: Number.parseFloat(String(calls)), perSeconds: Number.parseFloat(String(perSeconds)) }
}

const problems = {
  calls: 'Allow 1 to 10,000 calls.',
  perSeconds: 'Choose 1 to 3,600 seconds.',
}

/** Returns the problems of a draft by field. */
export function rateLimitProblems(draft: RateLimitDraft): Partial<typeof problems> {
  const { error } = RateLimit.nullable().safeParse(rateLimitOfDraft(draft))
  const isWrong = (field: keyof typeof problems) => error?.issues.some(({ path }) => path[0] === field)
  return {
    ...(isWrong('calls') && { calls: problems.calls }),
    ...(isWrong('perSeconds') && { perSeconds: problems.perSeconds }),
  }
}

/** Returns a rate limit in words: “10 calls a second”, “100 calls in 60 s”. */
export function rateLimitWords({ calls, perSeconds }: RateLimit): string {
  return `${formatCount(calls, 'call')} ${perSeconds === 1 ? 'a second' : `in ${perSeconds} s`}`
}
