export type Compared = {
  readonly small: () => unknown
  readonly large: () => unknown
  /** The growth that is asked for: once it is reached, no more is measured. */
  readonly most: number
  /** Milliseconds below which the small one says nothing about how the time grows. */
  readonly leastMs: number
  /** Times the work; by default with all threads of the process. */
  readonly timeOf?: (work: () => unknown) => number | Promise<number>
}

/**
 * Returns how many times more processor time the large work takes than the small one, each at its best of up to
 * eight runs, since a collection of garbage or a cold cache only ever adds to it. The small one is run only after a
 * large one that takes too long for any small one.
 */
export async function growthOf({
  small,
  large,
  most,
  leastMs,
  timeOf = processMs,
}: Compared): Promise<number> {
  let largeMs = await timeOf(large)
  if (largeMs <= most * leastMs) return largeMs / leastMs
  let smallMs = await timeOf(small)
  const growth = () => largeMs / Math.max(smallMs, leastMs)
  for (let runs = 1; runs < 8 && growth() > most; runs++) {
    const nextMs = await timeOf(large)
    largeMs = Math.min(largeMs, nextMs)
    // The first large one was only cold.
    if (growth() <= most) break
    const meanMs = await meanOf(() => timeOf(small), nextMs)
    smallMs = runs === 1 ? meanMs : Math.min(smallMs, meanMs)
  }
  return growth()
}

/**
 * Returns the mean of as many times as fit into `totalMs`: what slows long work all the time, such as a busy machine,
 * may leave a short run alone.
 */
async function meanOf(time: () => number | Promise<number>, totalMs: number): Promise<number> {
  let sumMs = 0
  let runs = 0
  while (runs === 0 || sumMs < totalMs) {
    sumMs += await time()
    runs++
  }
  return sumMs / runs
}

/** The processor time of this process, its threads included: what else the machine does is not counted. */
async function processMs(work: () => unknown): Promise<number> {
  const before = process.cpuUsage()
  await work()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1000
}
