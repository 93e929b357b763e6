import { z } from 'zod'
import { createThrottle } from '#main/lib/throttle.ts'
import { hourMs } from '#shared/durations.ts'
import { RateLimit } from '#shared/model/rate-limit.ts'
import type { CallLimitRecords } from '../call-limits.ts'
import { type CallWindow, emptyWindow } from '../call-window.ts'
import type { StoredDocument } from '../document.ts'

const StoredLimits = z.object({
  version: z.literal(1),
  pauses: z.array(z.object({ connectionId: z.string(), until: z.int() })),
  windows: z.array(
    z.object({
      connectionId: z.string(),
      taken: z.array(z.tuple([z.number(), z.int().min(1)])),
      lineEnd: z.number(),
      limit: RateLimit.optional(),
    }),
  ),
})

/** Milliseconds between two writes of windows. A kill loses what came later. */
const saveEveryMs = 10_000
/** The longest window. */
const longestWindowMs = hourMs

/**
 * Opens the limits of one process: in memory, and in a document for the next start.
 *
 * @param clock milliseconds since 1970.
 * @param onProblem called with problems of the document. Calls are still limited.
 */
export async function openCallLimitRecords(
  document: StoredDocument,
  clock: () => number,
  onProblem: (error: unknown) => void,
): Promise<CallLimitRecords & { close(): Promise<void> }> {
  const pauses = new Map<string, number>()
  const windows = new Map<string, CallWindow>()
  let isSaved = true
  let saved = Promise.resolve()
  const saving = createThrottle(saveEveryMs, () => {
    saved = write().catch(onProblem)
  })

  try {
    const stored = await document.read()
    if (stored !== null) {
      const { pauses: paused, windows: all } = StoredLimits.parse(stored)
      for (const { connectionId, until } of paused) pauses.set(connectionId, until)
      for (const { connectionId, ...window } of all) windows.set(connectionId, window)
    }
  } catch (error) {
    onProblem(error)
  }

  async function write(): Promise<void> {
    if (isSaved) return
    isSaved = true
    const now = clock()
    for (const [connectionId, until] of pauses) if (until <= now) pauses.delete(connectionId)
    for (const [connectionId, { taken }] of windows)
      if (taken.every(([at]) => at + longestWindowMs <= now)) windows.delete(connectionId)
    await document.write({
      version: 1,
      pauses: Array.from(pauses, ([connectionId, until]) => ({ connectionId, until })),
      windows: Array.from(windows, ([connectionId, window]) => ({
        ...window,
        connectionId,
        taken: [...window.taken],
      })),
    } satisfies z.infer<typeof StoredLimits>)
  }

  return {
    pauses: async now =>
      Array.from(pauses, ([connectionId, until]) => ({ connectionId, until })).filter(
        ({ until }) => until > now,
      ),
    async setPause({ connectionId, until }) {
      pauses.set(connectionId, Math.max(until, pauses.get(connectionId) ?? 0))
      isSaved = false
      await write()
    },
    async endPause(connectionId) {
      if (!pauses.delete(connectionId)) return
      isSaved = false
      await write()
    },
    async change(connectionId, change) {
      const { window, result } = change(windows.get(connectionId) ?? emptyWindow, clock())
      windows.set(connectionId, window)
      isSaved = false
      saving.ask()
      return result
    },
    async close() {
      saving.stop()
      await saved
      await write()
    },
  }
}
