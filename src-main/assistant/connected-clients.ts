import { newId, type RandomBytes } from '#main/connections/identifiers.ts'
import type { McpClient } from '#shared/model/assistant.ts'

/** A client, as a request describes it. */
export type ClientFacts = Omit<McpClient, 'clientId' | 'connectedAt' | 'lastSeenAt' | 'calls' | 'connections'>

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

/** The clients that are connected over MCP, or have sent something lately. */
export type ConnectedClients = ReturnType<typeof createConnectedClients>

/** Milliseconds for which a client without a connection is listed after its last request. */
const staleAfterMs = 5 * 60 * 1000
/** Anybody with a token can claim any number of names. */
const maxClients = 500

type Entry = {
  readonly clientId: string
  facts: ClientFacts
  readonly connectedAt: number
  lastSeenAt: number
  calls: number
  connections: number
}

export function createConnectedClients(parts: {
  /** Milliseconds since 1970. */
  readonly clock: () => number
  readonly random: RandomBytes
  /** Called after each change of the list. */
  readonly onChange: () => void
}) {
  const { clock, random, onChange } = parts
  /** The one seen last is the last. */
  const entries = new Map<string, Entry>()

  const isStale = ({ connections, lastSeenAt }: Entry, now: number) =>
    connections === 0 && lastSeenAt + staleAfterMs < now

  function tidy(): void {
    const now = clock()
    for (const [key, entry] of entries)
      if (isStale(entry, now) || (entries.size > maxClients && entry.connections === 0)) entries.delete(key)
  }

  function touch(facts: ClientFacts, change: (entry: Entry) => void): void {
    tidy()
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
    onChange()
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
          if (entries.get(key)?.connections === 0 && entries.delete(key)) onChange()
        },
      }
    },
    /** Returns the clients, the latest first. */
    list() {
      tidy()
      return Array.from(entries.values(), ({ facts, connectedAt, lastSeenAt, ...entry }) => ({
        ...entry,
        ...facts,
        connectedAt: new Date(connectedAt).toISOString(),
        lastSeenAt: new Date(lastSeenAt).toISOString(),
      })).reverse()
    },
  }
}

function keyOf({ name, tokenId, workspaceId, connectionId }: ClientFacts): string {
  return JSON.stringify([name, tokenId, workspaceId, connectionId])
}
