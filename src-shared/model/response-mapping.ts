import { z } from 'zod'
import { invalidKey } from './issue.ts'

/** Parses a dot-path such as `customer.name`, `items.0.sku` or `items[0].sku` to its steps; null if it is invalid. */
export function parseDotPath(path: string): string[] | null {
  const dotted = path.replace(/\[(\d+)\]/g, '.$1').replace(/^\./, '')
  const steps = dotted.split('.')
  return dotted === '' || steps.some(step => step === '' || /[[\]]/.test(step)) ? null : steps
}

const maxAlias = 64

/** Alias → dot-path into the response. */
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
