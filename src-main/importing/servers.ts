import { ServiceError } from '#shared/errors.ts'
import { chosenServers, type ServerTarget, serverKey } from '#shared/model/import-server.ts'
import { chooseOperations, operationsOf } from './operations.ts'
import type { Parsed, ParsedServer } from './parse.ts'
import type { ImportTarget } from './plan-connection.ts'
import { problem } from './problem.ts'
import type { ImportContent } from './validate-document.ts'

/** A server of a text, and the target of its operations. */
export type ChosenServer = ParsedServer & {
  /** Its index among the servers that operations need. */
  readonly index: number
  readonly operations: number
  readonly target: ServerTarget
}

/**
 * Decides which servers of a text an import takes, and leaves out the operations of the others. Event types belong to the
 * base URL. Pure.
 *
 * @throws ServiceError `invalid_input` for a server that the text does not have, and for a choice that does not fit.
 */
export function chooseServers(
  parsed: Parsed,
  { connectionId, servers: asked = {} }: Pick<ImportTarget, 'connectionId' | 'servers'>,
): { readonly parsed: Parsed; readonly servers: readonly ChosenServer[] } {
  const { content } = parsed
  const given = content === null ? [] : (parsed.servers ?? [])
  const counts = countOf(parsed)
  const others = given.slice(1).some((one, index) => one.isNeeded && (counts.get(index + 1) ?? 0) > 0)
  const isBaseNeeded = (counts.get(0) ?? 0) > 0 || !others || (content?.events.length ?? 0) > 0
  const { targets, issues } = chosenServers(
    given.map(({ url, isNeeded }, index) => ({
      ...{ url, isOffered: !isNeeded },
      isNeeded: index === 0 ? isBaseNeeded : (counts.get(index) ?? 0) > 0,
    })),
    asked,
    connectionId,
  )
  // A text that cannot be read is refused for what is wrong with it.
  if (issues.length > 0 && content !== null) throw new ServiceError('invalid_input', { data: { issues } })
  const servers = given.map(
    (one, index): ChosenServer => ({
      ...one,
      ...{ index, target: targets[index] ?? false },
      operations: counts.get(one.isNeeded ? index : 0) ?? 0,
    }),
  )
  const left = new Set(servers.filter(({ target }) => target === false).map(({ index }) => index))
  if (left.size === 0 || content === null) return { parsed, servers }
  const exclude = operationsOf(parsed)
    .filter(({ server, action }) => action !== null && server !== undefined && left.has(server))
    .map(({ name }) => name)
  const chosen = chooseOperations(left.has(0) ? withoutEvents(parsed, content) : parsed, { exclude })
  return { parsed: chosen, servers }
}

function withoutEvents(parsed: Parsed, content: ImportContent): Parsed {
  const given = content.given - content.events.length
  return { ...parsed, content: { ...content, events: [], given } }
}

/** Returns the number of operations that become actions, by the index of their server. */
function countOf(parsed: Parsed): ReadonlyMap<number, number> {
  const counts = new Map<number, number>()
  for (const { server, action } of operationsOf(parsed))
    if (server !== undefined && action !== null) counts.set(server, (counts.get(server) ?? 0) + 1)
  return counts
}

/** Returns the actions of one server; event types only at the base URL. */
export function contentAt(
  content: ImportContent,
  servers: ReadonlyMap<unknown, number | undefined>,
  index: number,
): ImportContent {
  const actions = content.actions.filter(({ path }) => servers.get(path.at(-1)) === index)
  const events = index === 0 ? content.events : []
  const invalid = content.given - content.actions.length - content.events.length
  return { ...content, actions, events, given: actions.length + events.length + invalid }
}

/**
 * Returns the part of a text that a connection has: the operations of its server, by default those at the base URL. A
 * server that the text does not have is an error. Pure.
 */
export function partOf(parsed: Parsed, server: string | null): Parsed {
  const { content, servers = [] } = parsed
  const needed = servers.filter(({ isNeeded }) => isNeeded)
  if (content === null || (server === null && needed.length < 2)) return parsed
  const index = server === null ? 0 : needed.findIndex(one => serverKey(one.url) === serverKey(server))
  if (index !== -1) return { ...parsed, content: contentAt(content, serversByAction(parsed), index) }
  const message = `The document no longer has operations at ${server}, from which this connection was imported. Import it into a new connection.`
  return { ...parsed, problems: [...parsed.problems, problem([], message)] }
}

/** Returns the index of the server of each action, by the index of the action. */
export function serversByAction(parsed: Parsed): ReadonlyMap<unknown, number | undefined> {
  return new Map(operationsOf(parsed).map(({ action, server }) => [action, server]))
}
