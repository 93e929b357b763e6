import { variablesIn } from '#shared/model/action-headers.ts'
import type { ImportPreview, ImportSelection, Unsupported } from '#shared/model/import-preview.ts'
import type { ImportServer } from '#shared/model/import-server.ts'

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
  const { details, servers } = preview
  const isChosen = (name: string) => !unchecked.actions.has(name)
  const isChosenType = (name: string) => !unchecked.eventTypes.has(name)
  const unticked = details.actions.filter(one => one.skippedBecause === null && !isChosen(one.toolName))
  const ticked = details.actions.filter(({ toolName }) => isChosen(toolName))
  const types = details.eventTypes.filter(({ eventName }) => isChosenType(eventName))
  const isFilled = (server: ImportServer, index: number) =>
    ticked.some(one => one.server === undefined || one.server === server.url) ||
    (index === 0 && (types.length > 0 || server.connectionId !== null))
  const filled = servers.map((server, index) => ({
    ...server,
    chosen: server.chosen && isFilled(server, index),
  }))
  // Of an import that makes one connection, the preview does not say at which server an action is.
  const isSeveral = details.actions.some(({ server }) => server !== undefined)
  // Those that are left are of ticked actions, of actions that are there already, or of the sign-in alone.
  const used = details.environmentVariables.flatMap((variable, index) => {
    const { name } = variable
    const host = preview.environmentVariables[index]?.host ?? null
    // An existing connection may be at another host than its server in the document.
    const known = filled.filter(({ url }) => hostOfUrl(url) === host)
    const at = known.length > 0 ? known : filled
    const auth = isSeveral ? at.map(one => one.auth) : [preview.connection?.auth]
    const isOfAll = auth.some(one => one && variablesIn(one.value).includes(name))
    const isGone = isSeveral && at.every(({ chosen }) => !chosen)
    const without = unticked.filter(
      ({ server, environmentVariables }) =>
        (server === undefined || hostOfUrl(server) === host) &&
        (isOfAll || environmentVariables.includes(name)),
    ).length
    const actions = Math.max(0, variable.actions - without)
    return !isGone && (actions > 0 || isOfAll) ? [{ host, variable: { ...variable, actions } }] : []
  })
  return {
    ...preview,
    actions: { ...preview.actions, create: preview.actions.create.filter(isChosen) },
    eventTypes: { ...preview.eventTypes, create: preview.eventTypes.create.filter(isChosenType) },
    environmentVariables: used.map(({ host, variable: { name } }) => ({ name, host })),
    servers: isSeveral ? filled : servers,
    unsupported: preview.unsupported.filter(({ toolName }) => toolName === null || isChosen(toolName)),
    details: {
      ...details,
      actions: ticked,
      eventTypes: types,
      environmentVariables: used.map(({ variable }) => variable),
    },
  }
}

/** Returns the host of a URL with its port, as a preview names it; null for none. */
function hostOfUrl(url: string): string | null {
  return URL.parse(url)?.host ?? null
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
