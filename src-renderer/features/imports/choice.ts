import type { ImportPreview, ImportSelection, Unsupported } from '#shared/model/import-preview.ts'

/** The entries that are not to be imported, by their names. */
export type Unticked = {
  readonly actions: ReadonlySet<string>
  readonly eventTypes: ReadonlySet<string>
}

export const nothingUnticked: Unticked = { actions: new Set(), eventTypes: new Set() }

/** Returns the choice with these names ticked or unticked. */
export function withTicks(
  unticked: Unticked,
  kind: keyof Unticked,
  names: readonly string[],
  isTicked: boolean,
): Unticked {
  const changed = new Set(unticked[kind])
  for (const name of names)
    if (isTicked) changed.delete(name)
    else changed.add(name)
  return { ...unticked, [kind]: changed }
}

/** Returns the preview of what is ticked; the variables of actions that are not are left out of it. */
export function chosenPart(preview: ImportPreview, unticked: Unticked): ImportPreview {
  if (unticked.actions.size === 0 && unticked.eventTypes.size === 0) return preview
  const { details } = preview
  const isChosen = (name: string) => !unticked.actions.has(name)
  const isChosenType = (name: string) => !unticked.eventTypes.has(name)
  const uses = new Map<string, number>()
  for (const { toolName, environmentVariables, skippedBecause } of details.actions)
    if (skippedBecause === null && isChosen(toolName))
      for (const name of environmentVariables) uses.set(name, (uses.get(name) ?? 0) + 1)
  return {
    ...preview,
    actions: { ...preview.actions, create: preview.actions.create.filter(isChosen) },
    eventTypes: { ...preview.eventTypes, create: preview.eventTypes.create.filter(isChosenType) },
    environmentVariables: preview.environmentVariables.filter(({ name }) => uses.has(name)),
    unsupported: preview.unsupported.filter(({ toolName }) => toolName === null || isChosen(toolName)),
    details: {
      ...details,
      actions: details.actions.filter(({ toolName }) => isChosen(toolName)),
      eventTypes: details.eventTypes.filter(({ eventName }) => isChosenType(eventName)),
      environmentVariables: details.environmentVariables.flatMap(variable => {
        const actions = uses.get(variable.name)
        return actions === undefined ? [] : [{ ...variable, actions }]
      }),
    },
  }
}

/** Returns the names for the import's `only`; null while everything is ticked. */
export function selectionOf({ details }: ImportPreview, unticked: Unticked): ImportSelection | null {
  if (unticked.actions.size === 0 && unticked.eventTypes.size === 0) return null
  const actions = new Set(details.actions.map(({ toolName }) => toolName))
  const eventTypes = new Set(details.eventTypes.map(({ eventName }) => eventName))
  return {
    actions: [...actions].filter(name => !unticked.actions.has(name)),
    eventTypes: [...eventTypes].filter(name => !unticked.eventTypes.has(name)),
  }
}

/** What an action is imported without: “tags: it is a list”, without the name of its operation. */
export function partLeftOut({ part, reason }: Unsupported): string {
  return part === null ? reason : `${part}: ${reason}`
}
