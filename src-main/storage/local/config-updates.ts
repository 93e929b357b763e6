import type { Config } from '../config.ts'
import { type ConfigDiff, diffConfig } from '../config-diff.ts'
import type { ConfigChange } from '../config-store.ts'
import { freezeChanges } from '../freeze-config.ts'
import { type FileChange, toFileChange } from './config-change.ts'
import type { SealedTexts } from './sealed-texts.ts'

/** Milliseconds for which waiting updates are applied before those are written. */
const maxBatchMs = 4

/** An update that has not been applied. */
export type WaitingUpdate = {
  readonly apply: (config: Config) => { next: Config; resolve: () => void }
  readonly reject: (error: unknown) => void
}

/** An update that was applied and is to be made durable; without `diff`, it changed nothing. */
export type AppliedUpdate = {
  readonly previous: Config
  readonly next: Config
  readonly diff: ConfigDiff | null
  readonly resolve: () => void
  readonly reject: (error: unknown) => void
}

/** Queues a change in `waiting`. Returns its result, once it was taken from there and settled. */
export function waitIn<Result>(
  waiting: WaitingUpdate[],
  change: (config: Config) => ConfigChange<Result>,
): Promise<Result> {
  return new Promise<Result>((resolve, reject) => {
    const apply = (config: Config) => {
      const { next, result } = change(config)
      return { next, resolve: () => resolve(result) }
    }
    waiting.push({ apply, reject })
  })
}

/**
 * Takes waiting updates for a few milliseconds and applies each to the result of the one before; rejects those that
 * throw. Returns the others, and what they change.
 */
export function applyWaiting(
  waiting: WaitingUpdate[],
  snapshot: Config,
  texts: SealedTexts,
): { readonly applied: AppliedUpdate[]; readonly lines: FileChange[] } {
  const applied: AppliedUpdate[] = []
  const lines: FileChange[] = []
  const began = performance.now()
  let previous = snapshot
  for (let update = waiting.shift(); update !== undefined; update = waiting.shift()) {
    const { apply, reject } = update
    try {
      const { next, resolve } = apply(previous)
      const diff = next === previous ? null : diffConfig(previous, next)
      if (diff !== null) {
        lines.push(toFileChange(next, diff, texts))
        freezeChanges(next, diff)
      }
      applied.push({ previous, next, diff, resolve, reject })
      previous = next
    } catch (error) {
      reject(error)
    }
    if (performance.now() - began > maxBatchMs) break
  }
  return { applied, lines }
}
