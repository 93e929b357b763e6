import type { History, Rules, StoredEvent } from './history.ts'

/** Rules of the runs that are stored. */
export const runRules: Rules = {
  'events without exactly one run': history => {
    const { streams, runs } = history
    const ofEvent = Map.groupBy(runs, ({ eventId }) => eventId)
    return history.events.flatMap(event => {
      const stream = streams[event.stream]
      if (stream === undefined || stream.isOnce) return []
      const started = ofEvent.get(event.eventId) ?? []
      return started.length === (stream.steps.length > 0 ? 1 : 0) ? [] : [[event, ...started]]
    })
  },
  'keys without exactly one run': history => {
    const ofEvent = Map.groupBy(history.runs, ({ eventId }) => eventId)
    return [...eventsByKey(history).values()].flatMap(events => {
      const started = events.flatMap(({ eventId }) => ofEvent.get(eventId) ?? [])
      return started.length === 1 ? [] : [[...events, ...started]]
    })
  },
  'runs of events that are not stored': ({ events, runs }) => {
    const stored = new Set(events.map(({ eventId }) => eventId))
    return runs.filter(({ eventId }) => !stored.has(eventId)).map(run => [run])
  },
  'ids of runs that are not unique': ({ runs }) =>
    [...Map.groupBy(runs, ({ runId }) => runId).values()].filter(stored => stored.length > 1),
  'runs that have not succeeded': ({ runs }) =>
    runs.filter(({ status }) => status !== 'succeeded').map(run => [run]),
}

/** Returns the stored events of streams with `once`, by stream and key. */
function eventsByKey({ streams, sent, events }: History): ReadonlyMap<string, readonly StoredEvent[]> {
  const keys = new Map(sent.map(({ id, key }) => [id, key]))
  const once = events.filter(({ stream }) => streams[stream]?.isOnce)
  return Map.groupBy(once, ({ stream, id }) => `${stream} ${keys.get(id)}`)
}
