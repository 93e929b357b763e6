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
 * Returns how many times more processor time the large work takes than the small one: the least of up to eight pairs of
 * runs beside each other, because a busy machine slows both of a pair, and a collection of garbage or a cold cache only
 * one of them. The small one is run only after a large one that takes too long for any small one.
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
  let least = growth()
  for (let runs = 1; runs < 8 && least > most; runs++) {
    largeMs = await timeOf(large)
    // The large one before was only cold.
    if (growth() <= most) return growth()
    smallMs = await meanOf(() => timeOf(small), largeMs)
    least = Math.min(least, growth())
  }
  return least
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
