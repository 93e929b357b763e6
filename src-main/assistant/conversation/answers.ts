import { ServiceError } from '#shared/errors.ts'
import { type Answer, makeAnswer, stopReason } from './answer.ts'
import type { AnswerParts } from './answer-parts.ts'
import type { Held } from './open-conversations.ts'
import { statusOf, type Transcript } from './transcript.ts'

/** An answer that is being made; `answer` is null until its start is stored. */
type Running = { readonly controller: AbortController; answer: Answer | null; done: Promise<void> }

const isBusy = (transcript: Transcript) => ['answering', 'asking'].includes(statusOf(transcript))

/** The answers that are being made, one at a time for each conversation. */
export function createAnswers(partsOf: (held: Held) => AnswerParts, onError: (error: unknown) => void) {
  const running = new Map<string, Running>()
  let isStopping = false

  return {
    /**
     * Applies a change that ends with a new answer, and makes that answer. Takes over the hold on the conversation.
     *
     * @throws ServiceError `conversation_busy`; the error of `change`; `storage_unavailable`, then nothing has changed.
     */
    async start(held: Held, change: (transcript: Transcript) => Transcript) {
      const { session, release } = held
      const { conversationId } = session.now()
      // An end is shown before the answer has cleared up behind it.
      if (!isBusy(session.now())) await running.get(conversationId)?.done
      const before = session.now()
      const ended = Promise.withResolvers<void>()
      const run: Running = { controller: new AbortController(), answer: null, done: ended.promise }
      const finish = () => {
        if (running.get(conversationId) === run) running.delete(conversationId)
        release()
        ended.resolve()
      }
      try {
        if (isStopping) throw new ServiceError('storage_unavailable')
        if (running.has(conversationId) || isBusy(before)) throw new ServiceError('conversation_busy')
        running.set(conversationId, run)
        session.change(change)
        await session.saved().catch(error => {
          session.change(() => before)
          throw error
        })
      } catch (error) {
        finish()
        throw error
      }
      run.answer = makeAnswer(partsOf(held), run.controller.signal)
      run.answer.done.catch(onError).finally(finish)
      return session.shown()
    },

    isRunning: (conversationId: string) => running.has(conversationId),

    of: (conversationId: string) => running.get(conversationId)?.answer ?? null,

    /** Stops an answer, and waits until it has ended. */
    async stop(conversationId: string) {
      const run = running.get(conversationId)
      run?.controller.abort(stopReason.person)
      await run?.done
    },

    /** Ends all answers as interrupted. */
    async stopAll() {
      isStopping = true
      for (const { controller } of running.values()) controller.abort(stopReason.service)
      await Promise.all(Array.from(running.values(), ({ done }) => done))
    },
  }
}
