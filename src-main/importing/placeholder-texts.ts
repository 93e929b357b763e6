import { encodeText } from '#shared/model/action-url.ts'
import { type Constants, constantOf, replacePlaceholders } from '#shared/model/placeholders.ts'

const maxMissing = 5

/** Returns why an operation with these placeholders becomes no action. */
export function missingConstants(names: readonly string[]): string {
  const shown = names.slice(0, maxMissing).map(name => `{${name}}`)
  return `its path needs a constant for ${shown.join(', ')}${names.length > maxMissing ? ', …' : ''}`
}

/** Variables of a run that have another meaning than a field of the event. */
const reserved = new Set(['eventName', 'connectionId', 'event', 'steps', 'item', 'index'])

/** Returns the variable of a workflow for a placeholder or a parameter: `{{pet_id}}`. */
export function variableOf(name: string): string {
  const plain = name.replace(/[^\p{L}\p{N}_-]+/gu, '_').replace(/^_|_$/g, '') || 'value'
  return `{{${reserved.has(plain) ? `event.${plain}` : plain}}}`
}

/** Returns a path with its constants, and a variable for each other placeholder. */
export function variablePath(path: string, constants: Constants): string {
  return replacePlaceholders(path, name => {
    const constant = constantOf(constants, name)
    return constant === undefined ? variableOf(name) : encodeText(constant)
  })
}
