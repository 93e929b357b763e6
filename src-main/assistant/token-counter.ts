import { createJobRunner } from '#main/lib/jobs/job-runner.ts'
import { workerUrl } from '#main/lib/jobs/worker-url.ts'

export type TokenCounter = {
  /** Returns the number of tokens of each text. Rejects if counting takes too long. */
  count(texts: readonly string[]): Promise<number[]>
  stop(): Promise<void>
}

/** Counts tokens in a worker thread, which the first count starts. */
export function createTokenCounter(): TokenCounter {
  const runner = createJobRunner<readonly string[], number[]>({
    entry: workerUrl('token-worker', import.meta.url),
    name: 'tokens',
    cpuLimitMs: 10_000,
    memoryLimitMb: 256,
    maxWaiting: 20,
    idleMs: 30_000,
  })
  return { count: texts => (texts.length === 0 ? Promise.resolve([]) : runner.run(texts)), stop: runner.stop }
}
