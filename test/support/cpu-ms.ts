/** The processor time that work takes in this thread, in milliseconds: what else the machine does is not counted. */
export function cpuMs(work: () => unknown): number {
  const before = process.threadCpuUsage()
  work()
  const { user, system } = process.threadCpuUsage(before)
  return (user + system) / 1000
}

/** Returns the share of this thread in the CPU time that the process takes for some work: near 1 if no other works. */
export async function shareOfThisThread(work: () => Promise<unknown>): Promise<number> {
  const sumOf = ({ user, system }: NodeJS.CpuUsage) => user + system
  const [before, threadBefore] = [process.cpuUsage(), process.threadCpuUsage()]
  await work()
  return sumOf(process.threadCpuUsage(threadBefore)) / sumOf(process.cpuUsage(before))
}
