import { sha256Hex } from '#main/lib/sha256-hex.ts'
import type { Config, ConnectionRecord } from '#main/storage/config.ts'

type Connections = Config['connections']

const maxLength = 64
const maxSlugLength = 20
const tagLength = 4
const hashLength = 8

/** The prefixes of the connections. */
type Prefixes = {
  readonly connections: Connections
  readonly prefixes: ReadonlyMap<string, string>
  readonly connectionIds: ReadonlyMap<string, string>
}
const known = new WeakMap<Connections, Prefixes>()
let latest: Prefixes | null = null

/**
 * Returns the prefix of each connection: `<slug>_<4 characters of the connectionId>__`. The first `__` ends it. Disabled
 * connections have one too, so that enabling one never changes another.
 */
function prefixesIn(connections: Connections): Prefixes {
  const found = known.get(connections)
  if (found !== undefined) return found
  latest =
    latest !== null && haveSamePrefixes(latest.connections, connections)
      ? { ...latest, connections }
      : makePrefixes(connections)
  known.set(connections, latest)
  return latest
}

function haveSamePrefixes(one: Connections, other: Connections): boolean {
  if (one.size !== other.size) return false
  const others = other.values()
  for (const record of one.values()) {
    const { value } = others.next()
    if (value === record) continue
    if (value?.connectionId !== record.connectionId || value.slug !== record.slug) return false
  }
  return true
}

function makePrefixes(connections: Connections): Prefixes {
  const made = new Map<string, string>()
  const connectionIds = new Map<string, string>()
  for (const connection of connections.values()) {
    const { connectionId } = connection
    let prefix = bestPrefixOf(connection)
    if (connectionIds.has(prefix)) prefix = firstFree(prefixesOf(connection), connectionIds)
    made.set(connectionId, prefix)
    connectionIds.set(prefix, connectionId)
  }
  return { connections, prefixes: made, connectionIds }
}

/** The best prefixes, which nearly all connections get, are kept: making them costs more than all else. */
const bestPrefixes = new WeakMap<ConnectionRecord, string>()

function bestPrefixOf(connection: ConnectionRecord): string {
  const found = bestPrefixes.get(connection)
  if (found !== undefined) return found
  const best = firstFree(prefixesOf(connection), new Set())
  bestPrefixes.set(connection, best)
  return best
}

/** Returns the connection whose tools have the prefix of a combined name; undefined if there is none. */
export function connectionIdIn(connections: Connections, name: string): string | undefined {
  return prefixesIn(connections).connectionIds.get(name.slice(0, name.indexOf('__') + 2))
}

/** Returns the ids of the connections with another prefix than before: the removal of one can free a shorter one. */
export function otherPrefixes(before: Connections, now: Connections): string[] {
  const { prefixes: old } = prefixesIn(before)
  const { prefixes: present } = prefixesIn(now)
  if (old === present) return []
  return [...present].flatMap(([id, prefix]) => ((old.get(id) ?? prefix) === prefix ? [] : [id]))
}

type Names = { readonly prefix: string; readonly byAction: ReadonlyMap<string, string> }
const names = new WeakMap<ConnectionRecord['actions'], Names>()

/**
 * Returns the combined names of a connection's actions by their ids: its prefix and the `toolName`. They are unique in
 * the service. Disabled actions have one too.
 */
export function combinedNames(
  connections: Connections,
  connectionId: string,
): ReadonlyMap<string, string> | undefined {
  const connection = connections.get(connectionId)
  const prefix = prefixesIn(connections).prefixes.get(connectionId)
  if (connection === undefined || prefix === undefined) return undefined
  const known = names.get(connection.actions)
  if (known?.prefix === prefix) return known.byAction
  const byAction = namesWithin(prefix, connection)
  names.set(connection.actions, { prefix, byAction })
  return byAction
}

function namesWithin(prefix: string, { actions }: ConnectionRecord): Map<string, string> {
  const room = maxLength - prefix.length
  // Reserves the uncut names first, so that a shortened name never takes one of them.
  const taken = new Set(actions.map(({ toolName }) => toolName).filter(toolName => toolName.length <= room))
  return new Map(
    actions.map(({ actionId, toolName }) => {
      const shown = toolName.length <= room ? toolName : firstFree(cutsOf(toolName, room), taken)
      taken.add(shown)
      return [actionId, prefix + shown]
    }),
  )
}

/** Generates prefixes for a connection, the best first: with characters of its id, then of a hash. */
function* prefixesOf({ slug, connectionId }: ConnectionRecord): Generator<string> {
  const words = slug.replace(/[^a-z0-9]+/g, '_').replace(/^_/, '')
  const start = words.slice(0, maxSlugLength).replace(/_$/, '') || 'c'
  const random = connectionId.replace(/^conn_/, '').replace(/[^A-Za-z0-9]/g, '')
  for (let at = 0; at + tagLength <= random.length; at++)
    yield `${start}_${random.slice(at, at + tagLength)}__`
  for (let round = 0; ; round++)
    yield `${start}_${sha256Hex(`${connectionId} ${round}`).slice(0, tagLength)}__`
}

/** Generates forms of a tool name cut to `room` characters, each ending with a hash of the whole name. */
function* cutsOf(toolName: string, room: number): Generator<string> {
  const start = toolName.slice(0, room - hashLength - 1)
  yield `${start}_${sha256Hex(toolName).slice(0, hashLength)}`
  for (let round = 0; ; round++) yield `${start}_${sha256Hex(`${toolName} ${round}`).slice(0, hashLength)}`
}

/** Returns the first candidate that is not taken. */
function firstFree(
  candidates: Iterable<string>,
  taken: { readonly has: (candidate: string) => boolean },
): string {
  for (const candidate of candidates) if (!taken.has(candidate)) return candidate
  throw new Error('There are always more candidates.')
}
