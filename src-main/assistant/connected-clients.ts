import { newId, type RandomBytes } from '#main/connections/identifiers.ts'
import type { McpClient } from '#shared/model/assistant.ts'

/** A client, as a request describes it. */
export type ClientFacts = Omit<McpClient, 'clientId' | 'connectedAt' | 'lastSeenAt' | 'calls'>

/** A client, as long as it is connected. */
export type ConnectedClient = {
  readonly facts: ClientFacts
  /** Notes that the client sent something. */
  seen(): void
  /** Notes that the client called a tool. */
  called(): void
  /** Notes the start of a stream, which keeps the client connected. Returns its end, to be called once. */
  hold(): () => void
}

/** The clients that are connected over MCP now. */
export type ConnectedClients = ReturnType<typeof createConnectedClients>

/** Milliseconds for which a client without a session counts as connected after its last request. */
const staleAfterMs = 5 * 60 * 1000
/** Anybody with a token can claim any number of names. */
const maxClients = 500

type Entry = {
  readonly clientId: string
  readonly client: ConnectedClient
  readonly connectedAt: number
  lastSeenAt: number
  calls: number
  held: number
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

  const isStale = ({ held, lastSeenAt }: Entry, now: number) => held === 0 && lastSeenAt + staleAfterMs < now

  function tidy(): void {
    const now = clock()
    for (const [key, entry] of entries)
      if (isStale(entry, now) || (entries.size > maxClients && entry.held === 0)) entries.delete(key)
  }

  function create(key: string, clientId: string, facts: ClientFacts): Entry {
    const now = clock()
    const touch = (change: (entry: Entry) => void) => {
      entry.lastSeenAt = clock()
      change(entry)
      // It may have been forgotten meanwhile, or have disconnected.
      if (!entries.delete(key)) return
      entries.set(key, entry)
      onChange()
    }
    const client: ConnectedClient = {
      facts,
      seen: () => touch(() => {}),
      called: () =>
        touch(current => {
          current.calls += 1
        }),
      hold() {
        touch(current => {
          current.held += 1
        })
        return () =>
          touch(current => {
            current.held -= 1
          })
      },
    }
    const entry: Entry = { clientId, client, connectedAt: now, lastSeenAt: now, calls: 0, held: 0 }
    entries.set(key, entry)
    tidy()
    onChange()
    return entry
  }

  return {
    /** Returns the client of a request. Requests with the same facts are one client. */
    of(facts: ClientFacts) {
      tidy()
      const key = JSON.stringify(Object.values(facts))
      return (entries.get(key) ?? create(key, newId('client', random), facts)).client
    },
    /** Returns a client with a connection of its own, which counts as connected until it disconnects. */
    add(facts: ClientFacts) {
      const clientId = newId('client', random)
      const { client } = create(clientId, clientId, facts)
      client.hold()
      return {
        ...client,
        disconnect() {
          if (entries.delete(clientId)) onChange()
        },
      }
    },
    /** Returns the connected clients, the latest first. */
    list() {
      tidy()
      return Array.from(entries.values(), ({ clientId, client, connectedAt, lastSeenAt, calls }) => ({
        clientId,
        ...client.facts,
        connectedAt: new Date(connectedAt).toISOString(),
        lastSeenAt: new Date(lastSeenAt).toISOString(),
        calls,
      })).reverse()
    },
  }
}
