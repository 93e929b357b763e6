import type { AlertStore, StoredAlert } from '#main/storage/alerts.ts'
import { closedAlerts } from '#main/storage/alerts.ts'
import { dayMs, hourMs } from '#shared/durations.ts'
import { createDeciding, type Deciding } from './decide-all.ts'
import { type Memory, readMemory, wasDown } from './memory.ts'

/** A step that comes sooner after the last one does nothing. */
const restMs = 10_000

/** Reads the numbers of a step, and decides. */
export type Reader = (
  deciding: Deciding,
  memory: Memory,
  facts: {
    /** Milliseconds since 1970. */
    readonly now: number
    readonly wasDown: boolean
  },
) => Promise<Memory>

type StepParts = {
  readonly store: Pick<AlertStore, 'load' | 'write' | 'told' | 'prune'>
  /** Reads the numbers of all subjects, and decides. Returns what to remember. */
  readonly readAll: Reader
  /** Tells the latest transition of an alert to its targets. Safe to repeat. */
  readonly tell: (alert: StoredAlert) => Promise<void>
  /** Returns until when nobody is told of alerts, in milliseconds since 1970; 0 for not at all. */
  readonly quietUntil: () => number
  readonly nextNumber: () => number
  /** Milliseconds since 1970. */
  readonly clock: () => number
  readonly onError: (error: unknown) => void
}

/**
 * Creates the step that opens and closes alerts. It writes a transition before it tells of it, and a later step repeats what
 * was not told. Two steps at once are safe: only one of them writes. A step that fails is reported, but not those after it.
 */
export function createAlertStep(parts: StepParts): () => Promise<void> {
  const { store, readAll, quietUntil, nextNumber, clock, onError } = parts

  async function tellAll(alerts: readonly StoredAlert[]): Promise<ReadonlySet<number>> {
    const told = new Set<number>()
    for (const alert of alerts) {
      if (alert.isTold) continue
      try {
        await parts.tell(alert)
        await store.told(alert)
        told.add(alert.number)
      } catch (error) {
        onError(error)
      }
    }
    return told
  }

  async function evaluate(): Promise<void> {
    const now = clock()
    const { memory, alerts } = await store.load()
    if (Math.abs(now - memory.at) < restMs) return
    const told = await tellAll(alerts)
    const open = alerts
      .filter(({ closedAt }) => closedAt === null)
      .map(alert => (told.has(alert.number) ? { ...alert, isTold: true } : alert))
    const deciding = createDeciding({ open, now, isQuiet: quietUntil() > now, nextNumber })
    const facts = { now, wasDown: wasDown(memory.at, now) }
    const next = await readAll(deciding, readMemory(memory.doc), facts)
    const isPruning = Math.abs(now - next.prunedAt) > hourMs
    const doc = JSON.stringify(isPruning ? { ...next, prunedAt: now } : next)
    const changed = deciding.end()
    if (!(await store.write({ readAt: memory.at, memory: { at: now, doc }, alerts: changed }))) return
    await tellAll(changed)
    if (isPruning) await store.prune(now - closedAlerts.days * dayMs)
  }

  let isFailing = false
  return async () => {
    try {
      await evaluate()
      isFailing = false
    } catch (error) {
      // The next step fails for the same reason.
      if (!isFailing) onError(error)
      isFailing = true
    }
  }
}
