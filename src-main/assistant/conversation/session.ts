import { createBus } from '#main/lib/bus.ts'
import { createSerialQueue } from '#main/lib/serial-queue.ts'
import { createThrottle } from '#main/lib/throttle.ts'
import type { ConversationStore } from '#main/storage/conversations.ts'
import type { Conversation } from '#shared/model/conversation.ts'
import { writeOf } from './stored-transcript.ts'
import type { Transcript } from './transcript.ts'

/** Milliseconds between two writes of a growing answer. */
const writeEveryMs = 50
/** Milliseconds until the next attempt after a write failed. */
const retryAfterMs = 1000

/**
 * An open conversation. A change applies at once, is stored soon, and is shown only then, so that nothing that was shown
 * is lost when the process ends.
 */
export type Session = ReturnType<typeof createSession>

/**
 * @param stored what the storage holds of it. @param present what it is now, if that differs.
 * @param view adds what is not stored. @param nextNumber numbers each write.
 * @param onFailure receives the error of a failed write, which is tried again.
 */
export function createSession(parts: {
  readonly stored: Transcript
  readonly present?: Transcript
  readonly store: Pick<ConversationStore, 'write'>
  readonly nextNumber: () => number
  readonly view: (transcript: Transcript) => Conversation
  readonly onFailure: (error: unknown) => void
}) {
  const { store, nextNumber, view, onFailure } = parts
  let stored = parts.stored
  let present = parts.present ?? stored
  let shown = view(present)
  let isEnded = false
  /** Published after each change of `shown`, and at the end. */
  const changes = createBus<void>(onFailure)

  const inTurn = createSerialQueue()
  let isWaiting = false
  let retry: NodeJS.Timeout | undefined

  async function write(): Promise<void> {
    isWaiting = false
    const next = present
    if (next === stored || isEnded) return
    const exists = await store.write(writeOf(stored, next, nextNumber()))
    if (!exists) return end()
    stored = next
    show()
  }

  const throttle = createThrottle(writeEveryMs, () => {
    if (isWaiting || isEnded) return
    isWaiting = true
    inTurn(write).catch(error => {
      onFailure(error)
      retry = setTimeout(throttle.ask, retryAfterMs).unref()
    })
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
    clearTimeout(retry)
    changes.publish()
  }

  if (present !== stored) throttle.ask()

  return {
    /** Includes what is not stored yet. */
    now: () => present,
    change(change: (transcript: Transcript) => Transcript) {
      if (isEnded) return
      present = change(present)
      if (present !== stored) throttle.ask()
    },
    /** As stored, for readers. */
    shown: () => shown,
    /** Shows facts that are not stored, such as the model. */
    refresh: show,
    changes,
    /** Resolves when everything until now is stored. @throws ServiceError `storage_unavailable` */
    saved: () => inTurn(write),
    end,
    isEnded: () => isEnded,
  }
}
