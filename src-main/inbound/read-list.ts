import { setImmediate } from 'node:timers/promises'
import { createTimeSlices } from '#main/lib/time-slices.ts'
import type { ConnectionRecord } from '#main/storage/config.ts'
import type { LoggedEvent, NewEvent } from '#main/storage/event-log.ts'
import type { NewRuns } from '#main/storage/runs.ts'
import type { Storage } from '#main/storage/storage.ts'
import type { ListedEvent } from './sender-body.ts'

/** Milliseconds that a list takes of a turn of the event loop: 1,000 events that start runs can take hundreds. */
const sliceMs = 4

/**
 * Returns the runs that an event starts.
 *
 * @param data of the event's body, which is parsed once. @param events of its request; one by default.
 */
export type RunsFor = (
  event: LoggedEvent,
  workspaceId: string,
  data: Readonly<Record<string, unknown>>,
  events?: number,
) => NewRuns

/** Events whose reading and storing share a turn of the event loop with the check of their request. */
const few = 50

/** A list of events in one request. */
export type ReceivedList = {
  readonly connection: ConnectionRecord
  /** The fields that its events have in common. */
  readonly event: LoggedEvent
  readonly listed: readonly ListedEvent[]
}

/** Creates the part of the receiver that reads lists of events. */
export function createListReader(parts: {
  readonly workflows: { readonly runsFor: RunsFor }
  readonly decidesBy: Storage['decidesBy']
  /** Returns whether a record is the present one of its connection. */
  readonly isPresent: (record: ConnectionRecord) => boolean
  readonly nextEventId: () => string
}) {
  const { workflows, decidesBy, isPresent, nextEventId } = parts
  const slices = createTimeSlices({ sliceMs, isBusy: () => false })

  /** Returns an event of a list. Its body is the text of the item, so that nothing parses the whole list for it again. */
  const eventOf = (event: LoggedEvent, { eventName, data }: ListedEvent): LoggedEvent => ({
    ...event,
    ...{ eventName, bodyText: JSON.stringify(data), bodyBytes: undefined },
  })

  return {
    /** Returns the events of a list, each with an id of its own. */
    eventsOf: ({ event, listed }: ReceivedList) =>
      listed.map(one => ({ ...eventOf(event, one), eventId: nextEventId() })),
    /**
     * Reads the events of a list and the runs that they start, with turns for other work.
     *
     * @throws Error if the configuration that decides this has changed meanwhile.
     */
    async read({ connection, event, listed }: ReceivedList): Promise<NewEvent[]> {
      const decidedBy = decidesBy()
      const ownTurn = async () => {
        if (listed.length > few) await setImmediate()
      }
      await ownTurn()
      const entries: NewEvent[] = []
      for (const one of listed)
        entries.push(
          await slices.run(() => {
            const own = eventOf(event, one)
            return {
              event: own,
              runs: workflows.runsFor(own, connection.workspaceId, one.data, listed.length),
            }
          }),
        )
      await ownTurn()
      if (decidesBy() !== decidedBy || !isPresent(connection))
        throw new Error('The configuration has changed meanwhile.')
      // Only now: the log takes events in the order of their ids, and others have arrived since the first was read.
      return entries.map(entry => ({ ...entry, event: { ...entry.event, eventId: nextEventId() } }))
    },
  }
}
