import { ActionData, type ActionFields } from '#shared/model/action.ts'

const maxName = 120
const maxToolName = 64

/**
 * Returns a copy of an action with its own names. It is disabled, because the assistant could not choose between two
 * tools with one description.
 */
export function copyOf(action: ActionFields, takenToolNames: ReadonlySet<string>): ActionFields {
  const name = [...action.name].slice(0, maxName - ' copy'.length).join('')
  return {
    ...ActionData.parse(action),
    name: `${name} copy`,
    toolName: freeToolName(action.toolName, takenToolNames),
    isEnabled: false,
  }
}

function freeToolName(toolName: string, taken: ReadonlySet<string>): string {
  for (let number = 1; ; number++) {
    const end = number === 1 ? '_copy' : `_copy_${number}`
    const candidate = toolName.slice(0, maxToolName - end.length) + end
    if (!taken.has(candidate)) return candidate
  }
}
