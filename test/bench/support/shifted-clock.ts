import type { NodeSetup } from './nodes.ts'

const module = new URL('shift-clock.ts', import.meta.url).href

/** Returns the setup of a node whose clock is wrong by so many milliseconds; after SIGUSR2 by those that come next. */
export function shiftedClock(...shiftsMs: readonly number[]): NodeSetup {
  return { env: { NODE_OPTIONS: `--import ${module}`, CLOCK_SHIFTS_MS: shiftsMs.join(',') } }
}
