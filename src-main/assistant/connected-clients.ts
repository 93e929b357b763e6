import { z } from 'zod'
import { newId, type RandomBytes } from '#main/connections/identifiers.ts'
import type { Presence } from '#main/storage/presence.ts'
import { McpClient } from '#shared/model/assistant.ts'

const Facts = McpClient.omit({
  clientId: true,
  connectedAt: true,
  lastSeenAt: true,
  calls: true,
  connections: true,
}).extend({ name: z.string().nullable().describe('Null if the request does not say it.') })
/** A client, as a request describes it. */
export type ClientFacts = z.infer<typeof Facts>

/** A client. It is listed as soon as it has done something. */
export type ConnectedClient = {
  readonly facts: ClientFacts
  /** Notes that the client sent something. */
  seen(): void
  /** Notes that the client called a tool. */
  called(): void
  /** Notes the start of a connection, which keeps the client listed. Returns its end, to be called once. */
  hold(): () => void
  /** Removes the client from the list, unless it has another connection. */
  leave(): void
}

/** The clients that are connected over MCP, or have sent something lately, to any node. */
export type ConnectedClients = ReturnType<typeof createConnectedClients>

/** Milliseconds for which a client without a connection is listed after its last request. */
const staleAfterMs = 5 * 60 * 1000
/** Anybody with a token can claim any number of names. */
const maxClients = 500
/** The number of one node's clients that others show: each of them reads the list after each change. */
const mostShown = 100
const topic = 'mcp clients'

/** The facts that one node, or all of them, know of a client. */
const Entry = McpClient.pick({ clientId: true, calls: true, connections: true }).extend({
  facts: Facts,
  connectedAt: z.number(),
  lastSeenAt: z.number(),
})
type Entry = z.infer<typeof Entry>
const Entries = z.array(Entry)

export function createConnectedClients(parts: {
  /** Milliseconds since 1970. */
  readonly clock: () => number
  readonly random: RandomBytes
  readonly presence: Presence
  /** The id of this node. */
  readonly node: string
  /** Called after each change of the list. */
  readonly onChange: () => void
}) {
  const { clock, random, presence, node, onChange } = parts
  /** The one seen last is the last. */
  const entries = new Map<string, Entry>()
  /** Those of the other nodes, in the same order. */
  let others: readonly Entry[] = []
  const stopFollowing = presence.follow(node, topic, texts => {
    others = merged(texts.flatMap(text => Entries.safeParse(JSON.parse(text)).data ?? []))
    onChange()
  })

  const isStale = ({ connections, lastSeenAt }: Entry) =>
    connections === 0 && lastSeenAt + staleAfterMs < clock()
  const all = () => [...entries.values(), ...others].filter(entry => !isStale(entry))

  function tidy(): void {
    for (const [key, entry] of entries)
      if (isStale(entry) || (entries.size > maxClients && entry.connections === 0)) entries.delete(key)
  }

  function changed(): void {
    presence.show(node, topic, () => {
      const listed = [...entries.values()].filter(entry => !isStale(entry)).slice(-mostShown)
      return listed.length === 0 ? null : JSON.stringify(listed)
    })
    onChange()
  }

  function touch(given: ClientFacts, change: (entry: Entry) => void): void {
    tidy()
    const facts = given.name === null ? namerOf(all())(given) : given
    const now = clock()
    const key = keyOf(facts)
    const entry = entries.get(key) ?? {
      ...{ clientId: newId('client', random), connectedAt: now, calls: 0, connections: 0 },
      ...{ facts, lastSeenAt: now },
    }
    entry.facts = facts
    entry.lastSeenAt = now
    change(entry)
    entries.delete(key)
    entries.set(key, entry)
    tidy()
    changed()
  }

  return {
    /** Returns the client of a request. Requests with the same name, token and address are of one client. */
    of(facts: ClientFacts): ConnectedClient {
      return {
        facts,
        seen: () => touch(facts, () => {}),
        called: () =>
          touch(facts, entry => {
            entry.calls += 1
          }),
        hold() {
          touch(facts, entry => {
            entry.connections += 1
          })
          return () =>
            touch(facts, entry => {
              entry.connections -= 1
            })
        },
        leave() {
          const key = keyOf(facts)
          if (entries.get(key)?.connections === 0 && entries.delete(key)) changed()
        },
      }
    },
    /** Returns the clients of all nodes, the latest first. */
    list(): McpClient[] {
      tidy()
      const known = all()
      const nameOf = namerOf(known)
      const joined = merged(known.map(entry => ({ ...entry, facts: nameOf(entry.facts) })))
      return joined.reverse().map(({ facts, connectedAt, lastSeenAt, ...entry }) => ({
        ...entry,
        ...facts,
        name: facts.name ?? facts.tokenName ?? 'Unnamed client',
        connectedAt: new Date(connectedAt).toISOString(),
        lastSeenAt: new Date(lastSeenAt).toISOString(),
      }))
    },
    /** Takes the clients of this node from the lists of the others. */
    stop() {
      stopFollowing()
      presence.show(node, topic, () => null)
    },
  }
}

function keyOf({ name, tokenId, workspaceId, connectionId }: ClientFacts): string {
  return JSON.stringify([name, tokenId, workspaceId, connectionId])
}

/** The first version of MCP whose requests all say who sends them. Versions are dates, which compare as texts. */
const alwaysNamed = '2026'

/**
 * Returns a function that finds the client that a request without a name is from: the only one over HTTP that uses its token
 * and address, and has said its name before. If there are several, the facts stay without a name.
 */
function namerOf(known: readonly Entry[]): (facts: ClientFacts) => ClientFacts {
  /** By token and address; null for several. */
  const named = new Map<string, ClientFacts | null>()
  for (const { facts } of known) {
    if (facts.name === null || facts.transport !== 'http' || facts.protocol >= alwaysNamed) continue
    const place = keyOf({ ...facts, name: null })
    const other = named.get(place)
    named.set(place, other === undefined || other?.name === facts.name ? facts : null)
  }
  return facts => (facts.name === null ? (named.get(keyOf(facts)) ?? facts) : facts)
}

/** Returns one entry for each client, the one seen last at the end; if there are too many, those seen last. */
function merged(entries: readonly Entry[]): Entry[] {
  const byKey = new Map<string, Entry>()
  for (const entry of entries.toSorted((one, other) => one.lastSeenAt - other.lastSeenAt)) {
    const key = keyOf(entry.facts)
    const before = byKey.get(key)
    byKey.delete(key)
    byKey.set(key, before === undefined ? entry : both(before, entry))
  }
  return [...byKey.values()].slice(-maxClients)
}

/** @param later of the two the one seen later. */
function both(earlier: Entry, later: Entry): Entry {
  const order = earlier.connectedAt - later.connectedAt || (earlier.clientId < later.clientId ? -1 : 1)
  const first = order < 0 ? earlier : later
  return {
    ...{ clientId: first.clientId, connectedAt: first.connectedAt },
    ...{ facts: later.facts, lastSeenAt: later.lastSeenAt },
    calls: earlier.calls + later.calls,
    connections: earlier.connections + later.connections,
  }
}
