import type { StorageOutage } from '#shared/model/readiness.ts'
import { outageOf } from './outage.ts'

/** Milliseconds for which writes fail or wait until events should go elsewhere. */
const unreadyAfterMs = 2000
/** Milliseconds between two trial writes, and of waiting from which on they are made. */
const trialEveryMs = 1000
/** So many trials must succeed one after another before an outage is over. */
const trialsUntilOver = 2

type WriteHealthOptions = {
  /** Writes what an event writes, and takes it back. */
  readonly tryWrite: () => Promise<void>
  /** Receives the first failure of each outage. */
  readonly onError: (error: unknown) => void
}

/**
 * Follows whether what is accepted can be stored. Once a write has failed for a reason that is not its own, or waits, trial
 * writes look for the end of the outage, so that it ends without events.
 */
export class WriteHealth {
  readonly #options
  readonly #timer: NodeJS.Timeout
  /** The writes under way, the oldest first. */
  readonly #pending = new Set<{ readonly began: number }>()
  #failing: { readonly since: number; readonly outage: StorageOutage } | null = null
  #failures = 0
  #goodTrials = 0
  #isTrying = false
  #isClosed = false

  constructor(options: WriteHealthOptions) {
    this.#options = options
    this.#timer = setInterval(() => this.#look(), trialEveryMs).unref()
  }

  /** Returns why what is accepted cannot be stored; null if it can, as far as is known. */
  outage(): StorageOutage | null {
    const since = Math.min(this.#failing?.since ?? Number.POSITIVE_INFINITY, this.#waitingSince())
    return performance.now() < since + unreadyAfterMs ? null : (this.#failing?.outage ?? 'storage')
  }

  /** Returns the result of a write, and learns from it. */
  async watch<Result>(write: () => Promise<Result>): Promise<Result> {
    const one = { began: performance.now() }
    this.#pending.add(one)
    try {
      return await write()
    } catch (error) {
      this.failed(error)
      throw error
    } finally {
      this.#pending.delete(one)
      if (performance.now() >= one.began + unreadyAfterMs) this.#note(one.began, null)
    }
  }

  /** Call it with the failure of what writes need, for example a connection. */
  failed(error: unknown): void {
    const outage = outageOf(error)
    if (outage === null) return
    if (this.#failing === null && !this.#isClosed) this.#options.onError(error)
    this.#note(performance.now(), outage)
  }

  close(): void {
    this.#isClosed = true
    clearInterval(this.#timer)
  }

  #waitingSince(): number {
    for (const { began } of this.#pending) return began
    return Number.POSITIVE_INFINITY
  }

  #note(since: number, outage: StorageOutage | null): void {
    const known = this.#failing
    this.#failures++
    this.#goodTrials = 0
    this.#failing = {
      since: Math.min(known?.since ?? since, since),
      outage: outage ?? known?.outage ?? 'storage',
    }
    if (known === null) this.#look()
  }

  #look(): void {
    if (this.#isTrying || this.#isClosed) return
    if (this.#failing === null && performance.now() < this.#waitingSince() + trialEveryMs) return
    this.#isTrying = true
    void this.#try().finally(() => {
      this.#isTrying = false
    })
  }

  async #try(): Promise<void> {
    const before = this.#failures
    try {
      await this.#options.tryWrite()
    } catch (error) {
      this.#goodTrials = 0
      this.failed(error)
      return
    }
    // What has failed meanwhile may have begun later.
    if (this.#failures === before) this.#goodTrials++
    if (this.#goodTrials < trialsUntilOver) return
    this.#failing = null
    this.#goodTrials = 0
  }
}
