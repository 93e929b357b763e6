import { typeOfText } from '../curl/form-text.ts'
import { isSecretField, isSecretValue } from '../curl/headers.ts'
import { field, textField } from '../openapi/json-value.ts'
import type { Variables } from './variables.ts'

/** Returns the text of a description, which may be in an object. */
export function describe(holder: unknown): string | undefined {
  const given = field(holder, 'description')
  return (typeof given === 'string' ? given : textField(given, 'content')) || undefined
}

/** Returns the type of a text as a schema, and the text as an example if it is one. */
export function schemaOfText(
  value: string,
  variables: Variables,
): { readonly schema: object; readonly example?: string } {
  const schema = { type: typeOfText(value) }
  return value === '' || variables.isOpen(value) ? { schema: { type: 'string' } } : { schema, example: value }
}

/** Returns the schema of a value by its example. A secret is not kept as one. */
export function schemaOf(name: string, value: unknown, variables: Variables): object {
  if (value === null) return {}
  if (Array.isArray(value)) {
    const types = new Set(value.map(one => (one === null || Array.isArray(one) ? '' : typeof one)))
    const [type] = types
    return { type: 'array', items: types.size === 1 && type !== '' ? { type } : {} }
  }
  if (typeof value === 'object') return { type: 'object' }
  const isShown =
    typeof value !== 'string' ||
    (value !== '' && !isSecretField(name) && !isSecretValue(value) && !variables.isOpen(value))
  return { type: typeof value, ...(isShown && { example: value }) }
}
