import { vi } from 'vitest'
import { waitMs } from './patience.ts'

/** Calls `check` until it does not throw, and returns its result. */
export function eventually<Result>(check: () => Result | Promise<Result>): Promise<Result> {
  return vi.waitFor(check, { timeout: waitMs, interval: 10 })
}
