import type { CallHolder } from '#main/assistant/call-holder.ts'
import type { HeldCall, HeldCallStore } from '#main/storage/held-calls.ts'
import { ServiceError } from '#shared/errors.ts'
import type { Conversation } from '#shared/model/conversation.ts'
import { type Answer, makeAnswer, stopReason } from './answer.ts'
import type { AnswerParts } from './answer-parts.ts'
import { declineCalls, type WaitingCalls } from './decide-call.ts'
import type { Leases } from './leases.ts'
import type { Held, OpenConversation } from './open-conversations.ts'
import type { Change, Session } from './session.ts'
import { numberOfConversation } from './stored-transcript.ts'
import { isAnswering, type Transcript, withAnswer } from './transcript.ts'

/** An answer that is being made; `answer` is null until its start is stored. */
type Running = { readonly controller: AbortController; answer: Answer | null; done: Promise<void> }

/** Stops an answer; `decline` also declines its calls that wait. */
type Stop = 'stop' | 'decline'

/** The kind of the answers among the held calls: another node stops one by a decision. */
const answerKind = 'answer'
/** Milliseconds to wait until another node has stopped its answer. If it has died, its lease ends within that. */
const stopMs = 15_000
/** Milliseconds until a node is asked again that was not yet ready to stop an answer. */
const askAgainMs = 100

/** The answers that are being made here, one at a time for each conversation over all nodes. */
export function createAnswers(parts: {
  readonly partsOf: (session: OpenConversation) => AnswerParts
  readonly leases: Pick<Leases, 'hold'>
  readonly held: Pick<HeldCallStore, 'decide'>
  readonly holder: Pick<CallHolder, 'hold'>
  readonly newAnswer: () => { readonly messageId: string; readonly at: string }
  /** ISO 8601. */
  readonly now: () => string
  readonly onError: (error: unknown) => void
}) {
  const { partsOf, leases, held, holder, newAnswer, now, onError } = parts
  const running = new Map<string, Running>()
  let isStopping = false

  async function stopHere({ controller, answer, done }: Running, how: Stop): Promise<void> {
    if (how === 'decline' && answer !== null) await declineCalls(held, answer.waiting, now()).catch(onError)
    controller.abort(stopReason.person)
    await done
  }

  /** Stops the answer when another node asks for that, and when its message is gone. Returns the end of it. */
  function followStops(run: Running, session: Session, messageId: string): () => void {
    const ended = new AbortController()
    const call: HeldCall = { ...{ id: messageId, kind: answerKind, doc: '{}', size: 0 }, expiresAt: null }
    const stop = (how: Stop) => void stopHere(run, how).catch(onError)
    const asked = (how: string) => stop(how === 'decline' ? how : 'stop')
    holder.hold(call, ended.signal, null, asked).catch(onError)
    const check = () => {
      if (session.isEnded() || !isMaking(session.now(), messageId)) stop('stop')
    }
    const stopFollowing = session.changes.subscribe(check)
    check()
    return () => {
      stopFollowing()
      ended.abort()
    }
  }

  return {
    /**
     * Applies a change, and makes an answer to it. Takes over the hold on the conversation.
     *
     * @throws ServiceError `conversation_busy`; the error of `change`; `storage_unavailable`, then nothing has changed.
     */
    async start({ session, release }: Held, change: Change): Promise<Conversation> {
      const { conversationId } = session.now()
      // An end is shown before the answer has cleared up behind it.
      if (!isAnswering(session.now())) await running.get(conversationId)?.done
      else if (!running.has(conversationId)) await session.load()
      const ended = Promise.withResolvers<void>()
      const run: Running = { controller: new AbortController(), answer: null, done: ended.promise }
      const ends = [ended.resolve, release]
      const finish = () => {
        if (running.get(conversationId) === run) running.delete(conversationId)
        for (const end of ends.toReversed()) end()
      }
      const answer = newAnswer()
      try {
        if (isStopping) throw new ServiceError('storage_unavailable')
        if (running.has(conversationId)) throw new ServiceError('conversation_busy')
        running.set(conversationId, run)
        const interrupt = () => run.controller.abort(stopReason.service)
        ends.push(await leases.hold(numberOfConversation(conversationId) ?? 0, interrupt))
        await session.save(transcript => {
          if (isAnswering(transcript)) throw new ServiceError('conversation_busy')
          return withAnswer(change(transcript), answer)
        })
      } catch (error) {
        finish()
        throw error
      }
      const answerParts = { ...partsOf(session), session: ofAnswer(session, answer.messageId) }
      run.answer = makeAnswer(answerParts, run.controller.signal)
      ends.push(followStops(run, session, answer.messageId))
      run.answer.done.catch(onError).finally(finish)
      return session.shown()
    },

    isRunning: (conversationId: string) => running.has(conversationId),

    /** Returns the calls of an answer that wait here. */
    waiting: (conversationId: string): WaitingCalls =>
      running.get(conversationId)?.answer?.waiting ?? new Map(),

    /** Stops the answer, if one is being made on any node, and waits until it has ended. */
    async stop(session: Session, how: Stop = 'stop'): Promise<void> {
      const { conversationId } = session.now()
      const run = running.get(conversationId)
      if (run !== undefined) return stopHere(run, how)
      if (session.isEnded()) return
      await session.load()
      const messageId = session.now().messages.at(-1)?.messageId
      if (messageId === undefined || !isAnswering(session.now())) return
      const isOver = () => session.isEnded() || !isMaking(session.shown(), messageId)
      const until = performance.now() + stopMs
      // An answer is shown a moment before its node can be asked to stop it.
      const isAsked = async () => (await held.decide(answerKind, messageId, how)) !== null
      while (!isOver() && performance.now() < until && !(await isAsked()))
        await session.until(isOver, askAgainMs)
      await session.until(isOver, until - performance.now())
    },

    /** Ends all answers as interrupted. */
    async stopAll() {
      isStopping = true
      for (const { controller } of running.values()) controller.abort(stopReason.service)
      await Promise.all(Array.from(running.values(), ({ done }) => done))
    },
  }
}

/** Returns whether a message is the answer that is being made. */
function isMaking({ messages }: Pick<Transcript, 'messages'>, messageId: string): boolean {
  const last = messages.at(-1)
  return last?.messageId === messageId && last.ended === null
}

/** Returns the session of an answer, whose changes concern only that answer: another node may have started the next one. */
function ofAnswer({ now, change, saved }: Session, messageId: string): AnswerParts['session'] {
  return {
    ...{ now, saved },
    change: (act, key) =>
      change(
        transcript => (transcript.messages.at(-1)?.messageId === messageId ? act(transcript) : transcript),
        key,
      ),
  }
}
