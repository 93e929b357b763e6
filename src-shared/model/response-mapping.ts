import { z } from 'zod'
import { valueAt } from '../json/value-at.ts'
import { invalidKey } from './issue.ts'

/** Parses a dot-path such as `customer.name`, `items.0.sku` or `items[0].sku` to its steps; null if it is invalid. */
export function parseDotPath(path: string): string[] | null {
  const dotted = path.replace(/\[(\d+)\]/g, '.$1').replace(/^\./, '')
  const steps = dotted.split('.')
  return dotted === '' || steps.some(step => step === '' || /[[\]]/.test(step)) ? null : steps
}

/** An answer whose parts a mapping names. */
export type MappedAnswer = {
  readonly status: number
  /** By their names in lower case; a list for a repeated one. */
  readonly headers: Readonly<Record<string, string | readonly string[]>>
  /** JSON, or `{ result: text }` for any other body. */
  readonly body: unknown
}

/** The first words of paths that lead into an answer as a whole. */
const ofAnswer = ['$status', '$headers', '$body']

/** Returns whether a path names the status, a header or the whole body, which every answer has. */
export function isOfAnswer([root = '']: readonly string[]): boolean {
  return ofAnswer.includes(root)
}

/**
 * Returns the value at a path of an answer: in its body, or `$status`, `$headers.location` or `$body`, which is the body as
 * a whole. A field of the body with such a name comes first. Undefined if there is none.
 */
export function mappedValue(steps: readonly string[], { status, headers, body }: MappedAnswer): unknown {
  const inBody = valueAt(body, steps)
  if (inBody !== undefined || !isOfAnswer(steps)) return inBody
  const [root = '', name, ...rest] = steps
  const path = root === '$headers' && name !== undefined ? [root, name.toLowerCase(), ...rest] : steps
  return valueAt({ $status: status, $headers: headers, $body: body }, path)
}

const maxAlias = 64

/** Alias → dot-path into the body of the response, or one that begins with `$status`, `$headers` or `$body`. */
export const ResponseMapping = z
  .record(
    z.string(),
    z
      .string()
      .max(1000)
      .refine(path => parseDotPath(path) !== null, 'Write a dot-path: customer.name or items[0].sku.'),
  )
  .superRefine((mapping, context) => {
    for (const alias of Object.keys(mapping))
      if (alias === '' || alias.length > maxAlias)
        context.addIssue(invalidKey(alias, `An alias has 1 to ${maxAlias} characters.`))
  })
