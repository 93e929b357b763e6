import { numberText } from '../json/exact-json.ts'
import { resolve, type Scope } from './scope.ts'
import { replaceVariables, textOf, wrongOf } from './templates.ts'

/** Maximum number of UTF-16 units of the key of an event. */
const maxKey = 1000

/**
 * Returns the key that a template gives an event. Null if a variable has no value, a list or an object, and if the key is
 * blank or too long: such a key would make different events duplicates of each other, or cost too much.
 */
export function deduplicationKeyOf(template: string, scope: Scope): string | null {
  if (wrongOf(template).length > 0) return null
  let isComplete = true
  const key = replaceVariables(template, path => {
    const value = resolve(path, scope)
    const isScalar = typeof value === 'string' || typeof value === 'boolean' || numberText(value) !== null
    const text = isScalar ? textOf(value) : ''
    isComplete &&= text !== '' && text.length <= maxKey
    return isComplete ? text : ''
  })
  return isComplete && key.trim() !== '' && key.length <= maxKey ? key : null
}
