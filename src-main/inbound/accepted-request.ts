import { type Answer, acceptedAnswer, acceptedListAnswer } from './answers.ts'
import type { Question } from './challenges.ts'
import type { Examined } from './examine.ts'

/**
 * Bytes that an event in progress takes besides its body: header fields, answer, place in the event log's queue.
 * They count too, or the number of waiting events without a body would be unlimited.
 */
export const eventOverhead = 4096

/** Returns the bytes that an event, or all events of a list, take until they are answered. */
export function memoryOf({ bodyText, otherScheme }: Examined, bodyBytes: number): number {
  if (otherScheme === null) return bodyBytes + eventOverhead
  // What was read of an XML document, or of escaped text, is longer than the body.
  const longest = Math.max(bodyBytes, bodyText.length)
  return longest + Math.max(1, otherScheme.events?.length ?? 1) * eventOverhead
}

/** Returns the answer to an accepted request. */
export function answerTo({ connection, otherScheme }: Examined): Answer {
  if (otherScheme === null) return acceptedAnswer
  const { events, noEvent } = otherScheme
  if (noEvent?.question != null) return noEvent.question.answer
  const own = connection.sender?.answer ?? null
  return own ?? (events === null ? acceptedAnswer : acceptedListAnswer(events.length))
}

/** Returns the question that a request asks; null for an event, and for a request without either. */
export const questionOf = ({ otherScheme }: Examined): Question | null =>
  otherScheme?.noEvent?.question ?? null
