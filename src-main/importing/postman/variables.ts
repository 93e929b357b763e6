import { isSecretField, isSecretValue } from '../curl/headers.ts'
import { field, textField } from '../openapi/json-value.ts'

/**
 * Matches `{{name}}`. The name begins and ends without a space, so a scan is linear. A new one each time, because a global
 * expression remembers its place.
 */
export const variablePattern = () => /\{\{\s*([^\s{}](?:[^{}]{0,98}[^\s{}])?)\s*\}\}/g

const maxValue = 2048
const maxVariables = 10_000
/** Variables within variables that are filled in. */
const maxRounds = 3

export type Variables = ReturnType<typeof createVariables>

/** The variables of a collection. Those that look like secrets count as not set. */
export function createVariables(declared: readonly unknown[]) {
  const values = new Map<string, string>()
  for (const one of declared.slice(0, maxVariables)) {
    const name = textField(one, 'key') ?? textField(one, 'id')
    const given = field(one, 'value')
    const value = typeof given === 'string' || typeof given === 'number' ? String(given) : ''
    if (name === null || value === '' || value.length > maxValue || field(one, 'disabled') === true) continue
    if (field(one, 'type') === 'secret' || isSecretField(name) || isSecretValue(value)) continue
    values.set(name, value)
  }

  const fillOnce = (text: string) =>
    text.replace(variablePattern(), (whole, name: string) => values.get(name) ?? whole)

  /** Fills in the variables that have a value. The others stay. */
  function fill(text: string): string {
    let filled = text
    for (let round = 0; round < maxRounds && filled.includes('{{') && filled.length <= 5 * maxValue; round++)
      filled = fillOnce(filled)
    return filled
  }

  return {
    fill,
    /** Returns whether a text has variables without a value. */
    isOpen: (text: string) => variablePattern().test(text),
    /** Fills in the variables of a JSON text. One without a value that stands for a whole value becomes null. */
    fillJson: (text: string) =>
      fillOnce(text).replace(/"(?:[^"\\]|\\.)*"?|\{\{[^{}]{1,100}\}\}/gs, found =>
        found.startsWith('"') ? found : 'null',
      ),
  }
}
