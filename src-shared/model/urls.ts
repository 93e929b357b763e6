import { z } from 'zod'

const maxUrlLength = 2048
const AnyUrl = z.url()
/** Matches from the first slash of a run only, because `/\/+$/` takes quadratic time on a text full of slashes. */
export const trailingSlashes = /(?<!\/)\/+$/

/**
 * An absolute http(s) URL without credentials, query or fragment. Trailing slashes are removed, but not the path:
 * `https://host/v2/` becomes `https://host/v2`.
 */
export const BaseUrl = z
  .string()
  .trim()
  .max(maxUrlLength, `A URL has at most ${maxUrlLength} characters.`)
  .superRefine((text, context) => {
    const problem = baseUrlProblem(text)
    if (problem !== null) context.addIssue({ code: 'custom', message: problem })
  })
  .transform(text => text.replace(trailingSlashes, ''))

function baseUrlProblem(text: string): string | null {
  if (/[\s\\\p{Cc}]/u.test(text))
    return 'A URL must not contain white space, control characters or backslashes.'
  if (!/^https?:\/\/[^/]/i.test(text) || !AnyUrl.safeParse(text).success)
    return 'Write an absolute URL: https://api.example.com.'
  if (/^https?:\/\/[^/?#]*@/i.test(text))
    return 'Remove the user name and password from the URL. Use a header for credentials.'
  if (text.includes('?')) return 'Remove the query. It belongs to the path of an action.'
  if (text.includes('#')) return 'Remove the fragment (#…).'
  return null
}
