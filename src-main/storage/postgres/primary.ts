import { UnusableServer } from '../outage.ts'

/** Tells a server from others, and from itself before a restart. */
export type ServerFacts = {
  readonly startedAt: string
  /** A promotion begins the next one; null if the server does not tell it. */
  readonly timeline: number | null
  /** The same for a server and its standbys; null if the server does not tell it. */
  readonly cluster: string | null
  /** Tells the database from others of the cluster, also from one of the same name. */
  readonly database: string
}

/** The server that a process uses: one at a time, and none again that it has left. */
export type Primary = {
  /** Returns a number that is higher after each change of the server; 0 before the first one. */
  number(): number
  /** Returns the facts of the server that is used. */
  current(): ServerFacts | null
  /** Uses a server from now on, if it is another one. @throws Error if it may not be used. */
  use(facts: ServerFacts): void
}

/** Why a server may not be used whose data are not those that this process has begun with. */
export class OtherData extends Error {}

export function createPrimary(): Primary {
  let current: ServerFacts | null = null
  let number = 0
  const left = new Set<string>()

  function requireNewer(facts: ServerFacts, known: ServerFacts): void {
    if (known.cluster !== null && facts.cluster !== null && known.cluster !== facts.cluster)
      throw new OtherData(
        'The server has the data of another cluster than the one that this service has begun with. If it has replaced it, restart the service.',
      )
    if (known.database !== facts.database)
      throw new OtherData(
        'The URL leads to another database than the one that this service has begun with. If it has replaced it, restart the service.',
      )
    if (known.timeline !== null && (facts.timeline === null || facts.timeline < known.timeline))
      throw new UnusableServer('former_primary', 'The server is a former primary.')
    if (left.has(idOf(facts)))
      throw new UnusableServer('former_primary', 'The server was left for another one.')
  }

  return {
    number: () => number,
    current: () => current,
    use(facts) {
      if (current !== null && idOf(current) === idOf(facts)) return
      if (current !== null) {
        requireNewer(facts, current)
        left.add(idOf(current))
      }
      current = facts
      number++
    },
  }
}

/** Returns the same text for the same server, unless it was restarted. */
function idOf({ startedAt, timeline, cluster, database }: ServerFacts): string {
  return JSON.stringify([cluster, database, timeline, startedAt])
}

/** Whether a server has seen a promotion that another one has missed. */
export function isNewer(one: ServerFacts, other: ServerFacts | null): boolean {
  return one.timeline !== null && other !== null && other.timeline !== null && one.timeline > other.timeline
}

/** Sorts servers that take writes: those with a higher timeline come first. */
export function bestFirst<Found extends { readonly facts: ServerFacts }>(found: readonly Found[]): Found[] {
  return found.toSorted((a, b) => (b.facts.timeline ?? 0) - (a.facts.timeline ?? 0))
}
