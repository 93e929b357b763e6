import { z } from 'zod'
import { parseJson } from '#shared/json/parse-json.ts'
import type { Attempt } from '#shared/model/attempt.ts'
import { headerOf } from '../../entities/event/checks.ts'
import { formatCount, formatNumber } from '../../ui/format.ts'

/** The names of events in bodies of the common senders. */
const Named = z
  .object({ event: z.string() })
  .or(z.object({ type: z.string() }).transform(({ type }) => ({ event: type })))
/** Names that are listed. */
const mostNames = 3

/**
 * Returns who has sent the refused requests of a group, and which events, in words: “One sender: shop/3.1”, “order.paid 38”.
 * Empty if none of them is kept.
 *
 * @param attempts the kept ones of its connection.
 */
export function senderWords(attempts: readonly Attempt[], cause: string, count: number): readonly string[] {
  const own = attempts.filter(({ code, diagnosis }) => (diagnosis?.code ?? code) === cause)
  if (own.length === 0) return []
  const agents = tallied(own.map(({ headers }) => headerOf(headers, 'user-agent') ?? ''))
  const names = tallied(own.flatMap(({ bodyText }) => Named.safeParse(parseJson(bodyText)).data?.event ?? []))
  const [[agent] = ['']] = agents
  const of = own.length < count ? ` of the newest ${formatNumber(own.length)}` : ''
  return [
    agents.length === 1
      ? `One sender${of}${agent === '' ? ', without a user-agent' : `: ${agent}`}`
      : `${formatCount(agents.length, 'sender')}${of}: ${agents.map(([name]) => name || 'no user-agent').join(', ')}`,
    ...names.slice(0, mostNames).map(([name, times]) => `${name} ${formatNumber(times)}`),
    ...(names.length > mostNames ? [`${formatCount(names.length - mostNames, 'other event')}`] : []),
  ]
}

/** Returns each text with its count, the most frequent first. */
function tallied(texts: readonly string[]): readonly (readonly [text: string, count: number])[] {
  const counts = new Map<string, number>()
  for (const text of texts) counts.set(text, (counts.get(text) ?? 0) + 1)
  return [...counts].sort(([, one], [, other]) => other - one)
}
