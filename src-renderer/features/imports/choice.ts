import { variablesIn } from '#shared/model/action-headers.ts'
import type { ImportPreview, ImportSelection, Unsupported } from '#shared/model/import-preview.ts'

/** The names of the entries that are not ticked. */
export type Unchecked = {
  readonly actions: ReadonlySet<string>
  readonly eventTypes: ReadonlySet<string>
}

export const nothingUnchecked: Unchecked = { actions: new Set(), eventTypes: new Set() }

/** Returns the choice with these names ticked or not. */
export function withChecked(
  unchecked: Unchecked,
  kind: keyof Unchecked,
  names: readonly string[],
  isChecked: boolean,
): Unchecked {
  const changed = new Set(unchecked[kind])
  for (const name of names)
    if (isChecked) changed.delete(name)
    else changed.add(name)
  return { ...unchecked, [kind]: changed }
}

/** Returns the preview of the ticked entries and of the variables that they use. */
export function chosenPart(preview: ImportPreview, unchecked: Unchecked): ImportPreview {
  if (unchecked.actions.size === 0 && unchecked.eventTypes.size === 0) return preview
  const { details } = preview
  const isChosen = (name: string) => !unchecked.actions.has(name)
  const isChosenType = (name: string) => !unchecked.eventTypes.has(name)
  const auth = preview.connection?.auth
  const ofAll = auth === undefined ? [] : variablesIn(auth.value)
  const unticked = details.actions.filter(one => one.skippedBecause === null && !isChosen(one.toolName))
  // Those that are left are of ticked actions, of actions that are there already, or of the sign-in alone.
  const used = details.environmentVariables.flatMap(variable => {
    const { name } = variable
    const isOfAll = ofAll.includes(name)
    const without = unticked.filter(one => isOfAll || one.environmentVariables.includes(name)).length
    const actions = Math.max(0, variable.actions - without)
    return actions > 0 || isOfAll ? [{ ...variable, actions }] : []
  })
  const names = new Set(used.map(({ name }) => name))
  return {
    ...preview,
    actions: { ...preview.actions, create: preview.actions.create.filter(isChosen) },
    eventTypes: { ...preview.eventTypes, create: preview.eventTypes.create.filter(isChosenType) },
    environmentVariables: preview.environmentVariables.filter(({ name }) => names.has(name)),
    unsupported: preview.unsupported.filter(({ toolName }) => toolName === null || isChosen(toolName)),
    details: {
      ...details,
      actions: details.actions.filter(({ toolName }) => isChosen(toolName)),
      eventTypes: details.eventTypes.filter(({ eventName }) => isChosenType(eventName)),
      environmentVariables: used,
    },
  }
}

/** Returns the names for the import's `only`, or null if everything is ticked. */
export function selectionOf({ details }: ImportPreview, unchecked: Unchecked): ImportSelection | null {
  if (unchecked.actions.size === 0 && unchecked.eventTypes.size === 0) return null
  const actions = new Set(details.actions.map(({ toolName }) => toolName))
  const eventTypes = new Set(details.eventTypes.map(({ eventName }) => eventName))
  return {
    actions: [...actions].filter(name => !unchecked.actions.has(name)),
    eventTypes: [...eventTypes].filter(name => !unchecked.eventTypes.has(name)),
  }
}

/** Returns what an action loses: “tags: it is a list”. */
export function partLeftOut({ part, reason }: Unsupported): string {
  return part === null ? reason : `${part}: ${reason}`
}
