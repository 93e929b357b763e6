import { z } from 'zod'

/** How many calls of a connection may be sent in any window of `perSeconds`. All nodes share it. */
export const RateLimit = z.object({
  calls: z.int().min(1).max(10_000),
  perSeconds: z.int().min(1).max(3600),
})
export type RateLimit = z.infer<typeof RateLimit>

/** Returns whether two limits are the same, or both absent. */
export const isSameLimit = (one: RateLimit | undefined, two: RateLimit | undefined): boolean =>
  one?.calls === two?.calls && one?.perSeconds === two?.perSeconds
