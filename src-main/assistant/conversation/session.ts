import { createBus } from '#main/lib/bus.ts'
import { createSerialQueue } from '#main/lib/serial-queue.ts'
import { createThrottle } from '#main/lib/throttle.ts'
import type { ConversationStore } from '#main/storage/conversations.ts'
import type { Conversation } from '#shared/model/conversation.ts'
import { writeOf } from './stored-transcript.ts'
import { interrupted, sharing, type Transcript } from './transcript.ts'

/** Milliseconds between two reads of what another node changes. */
const readEveryMs = 150
/** Milliseconds until the next attempt after a write or a read failed. */
const retryAfterMs = 1000
/** Milliseconds between two polls of the lease of an answer that another node makes. */
const pollEveryMs = 2000

/** A conversation as the storage has it. */
export type Loaded = {
  readonly transcript: Transcript
  readonly updated: number
  /** The nodes that make its answer or send its forms. */
  readonly owners: readonly string[]
}

/**
 * Changes a transcript. After another node has changed it, this is applied again to what it is then. It may throw for a
 * state that it does not fit.
 */
export type Change = (transcript: Transcript) => Transcript

type Pending = {
  readonly change: Change
  readonly key: string | undefined
  /** Receives what the change throws when it is applied again; it is then dropped. */
  readonly onDrop: (error: unknown) => void
}

/**
 * An open conversation. A change applies at once, is stored soon, and is shown only then, so that nothing that was shown
 * is lost when the process ends. Changes of other nodes come in between.
 */
export type Session = ReturnType<typeof createSession>

/**
 * @param read returns what the storage has now; null if the conversation is gone.
 * @param node the owner of this node's leases.
 * @param view adds what is not stored. @param nextNumber numbers each write.
 * @param onFailure receives the error of a failed write or read, which is tried again.
 */
export function createSession(parts: {
  readonly loaded: Loaded
  readonly read: () => Promise<Loaded | null>
  readonly node: string
  readonly store: Pick<ConversationStore, 'write' | 'writeEveryMs'>
  readonly nextNumber: () => number
  readonly view: (transcript: Transcript) => Conversation
  readonly onFailure: (error: unknown) => void
}) {
  const { read, node, store, nextNumber, view, onFailure } = parts
  let { transcript: stored, updated, owners } = parts.loaded
  /** The stored transcript, marked as interrupted if nobody works on it any more, though it has not ended. */
  let base = owners.length === 0 ? interrupted(stored) : stored
  /** The changes that turn `base` into `present`. */
  let pending: Pending[] = []
  let present = base
  let shown = view(present)
  let isEnded = false
  /** The version that is being written, or whose write has failed, and what it contains. */
  let written: { readonly updated: number; readonly pending: ReadonlySet<Pending> } | null = null
  let isWriting = false
  /** Published after each change of `shown`, and at the end. */
  const changes = createBus<void>(onFailure)

  const inTurn = createSerialQueue()
  let isWaiting = false
  let retry: NodeJS.Timeout | undefined
  let pollTimer: NodeJS.Timeout | undefined

  /** @throws what the change throws. */
  function add(one: Pending): void {
    const next = one.change(present)
    if (next === present) return
    present = next
    const last = pending.at(-1)
    const isReplaced = one.key !== undefined && last?.key === one.key && !written?.pending.has(last)
    if (isReplaced) pending.pop()
    pending.push(one)
  }

  function applyAgain(changes: readonly Pending[]): void {
    present = base
    pending = []
    for (const one of changes) {
      try {
        add(one)
      } catch (error) {
        one.onDrop(error)
      }
    }
  }

  function adopt(found: Loaded | null): void {
    if (found === null) {
      end()
      return
    }
    if (found.updated !== updated) stored = sharing(stored, found.transcript)
    ;({ updated, owners } = found)
    base = owners.length === 0 ? interrupted(stored) : stored
    const isStored = written?.updated === updated ? written.pending : null
    written = null
    shown = view(stored)
    applyAgain(pending.filter(one => !isStored?.has(one)))
    changes.publish()
    pollAgain()
  }

  /** Nobody tells that the lease of another node has ended. */
  function pollAgain(): void {
    clearTimeout(pollTimer)
    const isElsewhere = owners.length > 0 && !owners.includes(node) && interrupted(stored) !== stored
    if (isElsewhere && !isEnded) pollTimer = setTimeout(readThrottle.ask, pollEveryMs).unref()
  }

  async function write(): Promise<void> {
    isWaiting = false
    // A write that failed may have been stored.
    if (written !== null) adopt(await read())
    while (present !== stored && !isEnded) {
      const next = present
      written = { updated: Math.max(nextNumber(), updated + 1), pending: new Set(pending) }
      isWriting = true
      const outcome = await store
        .write(writeOf(stored, next, written.updated), updated)
        .finally(() => (isWriting = false))
      if (outcome === 'gone') return end()
      if (outcome === 'changed') {
        adopt(await read())
        continue
      }
      const { pending: done } = written
      pending = pending.filter(one => !done.has(one))
      ;({ updated } = written)
      written = null
      stored = next
      base = next
      return show()
    }
  }

  async function load(): Promise<void> {
    if (isEnded) return
    adopt(await read())
    if (present !== stored) throttle.ask()
  }

  function tryAgain(ask: () => void, error: unknown): void {
    onFailure(error)
    retry = setTimeout(ask, retryAfterMs).unref()
  }

  const throttle = createThrottle(store.writeEveryMs, () => {
    if (isWaiting || isEnded) return
    isWaiting = true
    inTurn(write).catch(error => tryAgain(throttle.ask, error))
  })
  const readThrottle = createThrottle(readEveryMs, () => {
    inTurn(load).catch(error => tryAgain(readThrottle.ask, error))
  })

  function show(): void {
    if (isEnded) return
    shown = view(stored)
    changes.publish()
  }

  /** Nothing is written from then on. */
  function end(): void {
    if (isEnded) return
    isEnded = true
    throttle.stop()
    readThrottle.stop()
    clearTimeout(retry)
    clearTimeout(pollTimer)
    changes.publish()
  }

  if (present !== stored) throttle.ask()
  pollAgain()

  return {
    /** Includes what is not stored yet. */
    now: () => present,
    /** @param key a change replaces the one before it with the same key, if that is not being stored yet. */
    change(change: Change, key?: string) {
      if (isEnded) return
      add({ change, key, onDrop: onFailure })
      if (present !== stored) throttle.ask()
    },
    /**
     * Changes the conversation, and resolves when that is stored. If it rejects, the change is not applied.
     *
     * @throws what the change throws; ServiceError `storage_unavailable`.
     */
    async save(change: Change): Promise<void> {
      if (isEnded) return
      const dropped: unknown[] = []
      const one: Pending = { change, key: undefined, onDrop: error => dropped.push(error) }
      add(one)
      if (present !== stored) throttle.ask()
      try {
        await inTurn(write)
      } catch (error) {
        applyAgain(pending.filter(other => other !== one))
        throw error
      }
      if (dropped.length > 0) throw dropped[0]
    },
    /** As stored, for readers. */
    shown: () => shown,
    /** Shows facts that are not stored, such as the model. */
    refresh: show,
    changes,
    /** Resolves when everything until now is stored. @throws ServiceError `storage_unavailable` */
    saved: () => inTurn(write),
    /** Takes note of a change of the storage. @param version null for a deletion. */
    changed(version: number | null) {
      const isOwn = isWriting && version === written?.updated
      if (isEnded || isOwn || (version !== null && version <= updated)) return
      readThrottle.ask()
    },
    /** Reads what the storage has now. @throws ServiceError `storage_unavailable` */
    load: () => inTurn(load),
    /** Resolves when what is shown meets a condition, when the conversation is deleted, and after a time at the latest. */
    async until(isMet: () => boolean, mostMs: number): Promise<void> {
      const { promise, resolve } = Promise.withResolvers<void>()
      const check = () => {
        if (isEnded || isMet()) resolve()
      }
      const timer = setTimeout(resolve, mostMs)
      const stop = changes.subscribe(check)
      check()
      await promise
      stop()
      clearTimeout(timer)
    },
    /** Looks after nothing any more. What is not stored yet still is. */
    close: () => clearTimeout(pollTimer),
    end,
    isEnded: () => isEnded,
  }
}
