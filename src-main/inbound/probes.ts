/** A probe's request as the listener received it. */
export type Arrival = {
  readonly method: string
  readonly target: string
  /** Alternating names and values. */
  readonly rawHeaders: readonly string[]
  /** Null if it exceeded the limit. */
  readonly body: Buffer | null
}

/**
 * Running probes. Each has a token that no connection has. The listener hands their requests over instead of refusing
 * them, and they cause no trigger, attempt or activity.
 */
export type Probes = ReturnType<typeof createProbes>

/** Requests kept for one probe. The first one is judged. */
const maxArrivals = 8

export function createProbes() {
  const waiting = new Map<string, (arrival: Arrival) => void>()
  return {
    /** Collects requests whose path contains the token, until `stop`. */
    expect(token: string) {
      const arrivals: Arrival[] = []
      waiting.set(token, arrival => {
        if (arrivals.length < maxArrivals) arrivals.push(arrival)
      })
      return { arrivals, stop: () => void waiting.delete(token) }
    },
    /** Returns the probe that waits for a refused request with this target; nearly always undefined. */
    waitingFor(target: string) {
      // Not by the exact path, because a proxy that changes the path is a finding too.
      for (const [token, take] of waiting) if (target.includes(token)) return take
      return undefined
    },
  }
}
