/** Leases in memory: with the only process of a local storage, they all end. */
export type Leases = ReturnType<typeof createLeases>

/** @param clock milliseconds that only grow, since a jump of the system's clock must end no lease. */
export function createLeases(clock: () => number) {
  /** When the lease of each owner ends, by the number of what it has. */
  const leases = new Map<number, Map<string, number>>()
  return {
    own(number: number, owner: string, leaseMs: number) {
      const owners = leases.get(number) ?? new Map<string, number>()
      leases.set(number, owners.set(owner, clock() + leaseMs))
    },
    disown(number: number, owner: string) {
      const owners = leases.get(number)
      owners?.delete(owner)
      if (owners?.size === 0) leases.delete(number)
    },
    /** Returns the owners whose leases have not ended. */
    ownersOf(number: number): string[] {
      const now = clock()
      return Array.from(leases.get(number) ?? []).flatMap(([owner, end]) => (end > now ? [owner] : []))
    },
  }
}
