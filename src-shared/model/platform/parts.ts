import { z } from 'zod'
import { hasAtMost } from '../text.ts'

/** Returns a schema of whole numbers in a range; the error names the range. */
export function range(least: number, most: number, unit: string) {
  const message = `This must be a whole number of ${unit} from ${grouped(least)} to ${grouped(most)}.`
  return z.int(message).min(least, message).max(most, message).describe(`${unit}, ${least} to ${most}.`)
}

const grouped = (count: number) => String(count).replace(/\B(?=(\d{3})+$)/g, ',')

/** Returns a schema of texts that may be empty. */
export const textUpTo = (limit: number) =>
  z.string().refine(text => hasAtMost(limit, text), `This must have at most ${grouped(limit)} characters.`)

// Patterns have no flags, because a JSON Schema cannot carry them.
export const Color = z
  .string()
  .regex(
    /^#(?:[0-9a-fA-F]{3}|[0-9a-fA-F]{6}|[0-9a-fA-F]{8})$/,
    'Write a colour as #RGB, #RRGGBB or #RRGGBBAA, for example #3560E0.',
  )
  .describe('#RGB, #RRGGBB or #RRGGBBAA.')

const maxUrlLength = 2048

/** An absolute http(s) URL, with or without a query. */
export const HttpUrl = z
  .string()
  .max(maxUrlLength, `A URL has at most ${grouped(maxUrlLength)} characters.`)
  .refine(isHttpUrl, 'Write an absolute URL that begins with https:// or http://.')

const AnyUrl = z.url()

function isHttpUrl(text: string): boolean {
  return /^https?:\/\/[^/\s\\]/i.test(text) && !/[\s\p{Cc}]/u.test(text) && AnyUrl.safeParse(text).success
}

/** A language, with or without a region: `en`, `en-GB`. */
export const LanguageCode = z
  .string()
  .max(35, 'A language code has at most 35 characters.')
  .regex(/^[a-zA-Z]{2,3}(?:-[a-zA-Z0-9]{2,8})*$/, 'Write a language code, for example en or en-GB.')

/** The agent of a request that names none. */
export const defaultAgentId = 'default'

export const AgentId = z
  .string()
  .regex(/^[A-Za-z0-9._-]{1,64}$/, 'An agent’s id has 1 to 64 letters, digits, dots, - or _.')

/** Returns a check of a list: no two entries may have the same text in a field; case is ignored. */
export function refuseRepeats<Key extends string>(key: Key, message: string) {
  return (entries: readonly Record<Key, string>[], context: z.RefinementCtx): void => {
    const seen = new Set<string>()
    for (const [index, { [key]: text }] of entries.entries()) {
      if (seen.has(text.toLowerCase())) context.addIssue({ code: 'custom', path: [index, key], message })
      seen.add(text.toLowerCase())
    }
  }
}
