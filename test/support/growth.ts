export type Compared = {
  readonly small: () => unknown
  readonly large: () => unknown
  /** The growth that is asked for: once it is reached, no more is measured. */
  readonly most: number
  /** Milliseconds below which the small one says nothing about how the time grows. */
  readonly leastMs: number
}

/**
 * Returns how many times more processor time the large work takes than the small one, each at its best of up to
 * eight runs, since a collection of garbage or a cold cache only ever adds to it.
 */
export async function growthOf({ small, large, most, leastMs }: Compared): Promise<number> {
  let best = { small: Number.POSITIVE_INFINITY, large: Number.POSITIVE_INFINITY }
  let growth = Number.POSITIVE_INFINITY
  for (let runs = 0; runs < 8 && !(growth <= most); runs++) {
    best = {
      small: Math.min(best.small, await processMs(small)),
      large: Math.min(best.large, await processMs(large)),
    }
    growth = best.large / Math.max(best.small, leastMs)
  }
  return growth
}

/** The processor time of this process, its threads included: what else the machine does is not counted. */
async function processMs(work: () => unknown): Promise<number> {
  const before = process.cpuUsage()
  await work()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1000
}
