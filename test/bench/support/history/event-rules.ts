import type { History, Rules, Sent } from './history.ts'

/** The answer that says neither that an event is accepted nor that it is refused. */
const unavailable = 503

/** Rules of the events that were answered and of those that are stored. */
export const eventRules: Rules = {
  'events answered 200 that are not stored': ({ sent, events }) => {
    const stored = new Set(events.map(({ id }) => id))
    return sent.filter(({ status, id }) => status === 200 && !stored.has(id)).map(one => [one])
  },
  'events stored more than once': ({ sent, events }) =>
    [...Map.groupBy(events, ({ id }) => id)]
      .filter(([, stored]) => stored.length > 1)
      .map(([id, stored]) => [...sent.filter(one => one.id === id), ...stored]),
  'ids of events that are not unique': ({ events }) =>
    [...Map.groupBy(events, ({ eventId }) => eventId).values()].filter(stored => stored.length > 1),
  'events stored although they were refused': history =>
    storedWith(history)
      .filter(({ sent }) => sent.length > 0 && sent.every(isRefused))
      .map(proofOf),
  'events stored that were never sent': history =>
    storedWith(history)
      .filter(({ sent }) => sent.length === 0)
      .map(proofOf),
  'events refused although they are right': ({ sent }) =>
    sent.filter(one => isRefused(one) && one.mayBeRefused === undefined).map(one => [one]),
}

const isRefused = ({ status }: Sent) => status !== null && ![200, unavailable].includes(status)

/** Returns each stored event with the requests that carried it. */
function storedWith({ sent, events }: History) {
  const byId = Map.groupBy(sent, ({ id }) => id)
  return events.map(stored => ({ stored, sent: byId.get(stored.id) ?? [] }))
}

const proofOf = ({ stored, sent }: ReturnType<typeof storedWith>[number]) => [...sent, stored]
