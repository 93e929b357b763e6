/** A request of a probe as it came to the listener. */
export type Arrival = {
  readonly method: string
  readonly target: string
  /** Names and values in turn. */
  readonly rawHeaders: readonly string[]
  /** Null when it was longer than is accepted. */
  readonly body: Buffer | null
}

/**
 * Probes under way: tokens that no connection has, and whose requests the listener hands over instead of
 * refusing them. Nothing comes of such a request: no trigger, no attempt, no activity.
 */
export type Probes = {
  /** Waits for requests whose path names the token, until `stop`. */
  expect(token: string): { readonly arrivals: readonly Arrival[]; stop(): void }
  /** Who waits for a refused request of this target; undefined, nearly always, where nobody does. */
  waitingFor(target: string): ((arrival: Arrival) => void) | undefined
}

/** Arrivals of one probe that are kept; the first is the one that is judged. */
const maxArrivals = 8

export function createProbes(): Probes {
  const waiting = new Map<string, (arrival: Arrival) => void>()
  return {
    expect(token) {
      const arrivals: Arrival[] = []
      waiting.set(token, arrival => {
        if (arrivals.length < maxArrivals) arrivals.push(arrival)
      })
      return { arrivals, stop: () => void waiting.delete(token) }
    },
    waitingFor(target) {
      // Not by the exact path: that it was changed on the way is a finding too.
      for (const [token, take] of waiting) if (target.includes(token)) return take
      return undefined
    },
  }
}
