import type { EventLog, LoggedEvent } from '#main/storage/event-log.ts'
import { eventTextOf } from '#shared/model/sender/reading.ts'
import { parseBodyText } from './body.ts'
import type { Examined } from './examine.ts'
import type { Repeated } from './occurrences.ts'
import { parseHeaderLines } from './signed-headers.ts'

/** Starts again what an event has not done. Returns how many runs. */
export type Redeliver = (
  event: LoggedEvent,
  workspaceId: string,
  data: Readonly<Record<string, unknown>>,
) => Promise<number>

/**
 * Returns a function that starts the event of a repeat again, if its sender says so and both have the same id of the
 * delivery. It returns undefined for any other repeat, also of an event that is not stored.
 *
 * @param repeatOf the event with the same signature; undefined if it is not known.
 */
export function createRedelivery(log: Pick<EventLog, 'get'>, redeliver: Redeliver) {
  return async (
    { connection, otherScheme }: Examined,
    repeat: LoggedEvent,
    repeatOf: string | undefined,
  ): Promise<Repeated['redelivery']> => {
    const header = otherScheme?.deliveryHeader ?? null
    if (header === null || repeatOf === undefined) return undefined
    const { connectionId, workspaceId } = connection.record
    // A damaged event starts nothing.
    const original = await log.get(connectionId, repeatOf).catch(() => null)
    if (original === null || !isSameDelivery(header, repeat, original)) return undefined
    // The body and the name of the stored event, because the name in a header of a copy may be another one.
    const body = parseBodyText(eventTextOf(original))
    if (!body.ok) return undefined
    return { of: original.eventId, runs: await redeliver(original, workspaceId, body.data) }
  }
}

function isSameDelivery(header: string, repeat: LoggedEvent, original: LoggedEvent): boolean {
  const idOf = ({ headerLines }: LoggedEvent) =>
    parseHeaderLines(headerLines).find(([name]) => name.toLowerCase() === header)?.[1]
  const id = idOf(repeat)
  return id !== undefined && id !== '' && id === idOf(original)
}
