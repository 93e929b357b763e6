import { z } from 'zod'
import { parseJson } from '#shared/json/parse-json.ts'

/** The memory of the step, besides its alerts. */
const Memory = z.object({
  /** Since when each watched connection is silent while the service is up, in milliseconds since 1970. */
  silentSince: z.record(z.string(), z.int()).default({}),
  /** For each workflow with waiting runs, the one that is followed: it and those before it have not all begun. */
  followedRun: z.record(z.string(), z.string()).default({}),
  /** When old alerts were deleted last. */
  prunedAt: z.int().default(0),
})
export type Memory = z.infer<typeof Memory>

export const readMemory = (doc: string): Memory => Memory.safeParse(parseJson(doc)).data ?? Memory.parse({})

/** A longer pause between two steps is a time in which the service was not up. */
const longestPauseMs = 2 * 60_000

/** Whether the service was down between two steps. */
export const wasDown = (lastAt: number, now: number) => Math.abs(now - lastAt) > longestPauseMs

type Silence = {
  readonly isEnabled: boolean
  /** When its last event was accepted; 0 if none was. */
  readonly lastEventAt: number
  /** The start that the last step has remembered. */
  readonly before: number | undefined
  /** Whether the service was down since the last step. */
  readonly wasDown: boolean
}

/** Returns since when a connection is silent, without the time in which nothing could arrive; null if it never had an event. */
export function silentSince(
  { isEnabled, lastEventAt, before, wasDown }: Silence,
  now: number,
): number | null {
  if (lastEventAt === 0 && before === undefined) return null
  const since = Math.max(lastEventAt, before ?? 0)
  if (!isEnabled) return now
  return wasDown && lastEventAt < now ? Math.max(now, lastEventAt) : since
}
