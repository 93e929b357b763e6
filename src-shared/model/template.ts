import { z } from 'zod'
import { JsonValue } from './json-value.ts'

const maxTemplate = 8000
const maxJson = 64 * 1024

/** A string that can contain `{{variables}}`. */
export const Template = z
  .string()
  .max(maxTemplate, `A text with variables has at most ${maxTemplate} characters.`)

/** A JSON value whose strings can contain `{{variables}}`. */
export const TemplatedJson = JsonValue.refine(
  value => JSON.stringify(value).length <= maxJson,
  'At most 64 KiB of JSON.',
)
