import type { Call, History, Proof, Rules, StoredRun } from './history.ts'

/** A run and the calls of its steps that came, the first one first. */
type Called = { readonly run: StoredRun; readonly calls: readonly Call[]; readonly first: Call }

/** Rules of the calls that came to the receiver. */
export const callRules: Rules = {
  'steps called under several keys': ({ calls }) =>
    [...Map.groupBy(calls, ({ stream, id, step }) => `${stream} ${id} ${step}`).values()].filter(
      of => new Set(of.map(({ key }) => key)).size > 1,
    ),
  'keys of several steps': ({ calls }) =>
    [...Map.groupBy(calls, ({ key }) => key).values()].filter(
      of => new Set(of.map(({ id, step }) => `${id} ${step}`)).size > 1,
    ),
  'calls that belong to no run of their event': ({ calls, runs, events }) => {
    const idOf = new Map(events.map(({ eventId, id }) => [eventId, id]))
    const runOf = new Map(runs.map(run => [run.runId, run]))
    return calls.flatMap(call => {
      const run = runOf.get(runIdOf(call))
      if (run === undefined) return [[call]]
      return idOf.get(run.eventId) === call.id ? [] : [[call, run]]
    })
  },
  'steps of runs that were never called': ({ streams, calls, runs }) => {
    const came = new Set(calls.map(({ key }) => key))
    return runs.flatMap(run =>
      (streams[run.stream]?.steps ?? [])
        .filter(step => run.status === 'succeeded' && !came.has(`${run.runId}.${step}`))
        .map(step => [run, { step }]),
    )
  },
  'calls of a step after those of a later step': history =>
    called(history).flatMap(({ run, calls }) => {
      const steps = history.streams[run.stream]?.steps ?? []
      return pairsOutOfOrder(calls, ({ step }) => steps.indexOf(step))
    }),
  'runs of a lane that overlap': history => lanes(history).flatMap(overlaps),
  'runs of a lane in another order than their events': history =>
    lanes(history).flatMap(lane => unorderedRuns(history, lane)),
}

const runIdOf = ({ key }: Call) => key.slice(0, key.indexOf('.'))

function called({ calls, runs }: History): Called[] {
  const ofRun = Map.groupBy(calls, runIdOf)
  return runs.flatMap(run => {
    const own = (ofRun.get(run.runId) ?? []).toSorted((a, b) => a.from - b.from)
    const [first] = own
    return first === undefined ? [] : [{ run, calls: own, first }]
  })
}

/** Returns the runs of each ordered stream, in the order of their first calls. */
function lanes(history: History): Called[][] {
  const ordered = called(history).filter(({ run }) => history.streams[run.stream]?.isOrdered)
  return [...Map.groupBy(ordered, ({ run }) => run.stream).values()].map(lane =>
    lane.toSorted((a, b) => a.first.from - b.first.from),
  )
}

/** Returns the calls before which one with a higher place came, each with that one. */
function pairsOutOfOrder(calls: readonly Call[], placeOf: (call: Call) => number): Proof[] {
  let last = calls[0]
  return calls.flatMap(call => {
    if (last !== undefined && placeOf(call) < placeOf(last)) return [[last, call]]
    last = call
    return []
  })
}

/** Returns the time of the last that is known of a call: a call that was given up may be answered by nobody. */
const endOf = ({ from, to, isAnswered }: Call) => (isAnswered ? to : from)

/** Returns the runs whose first call came before the end of a run that began earlier, each with that one. */
function overlaps(lane: readonly Called[]): Proof[] {
  let last: Call | undefined
  return lane.flatMap(({ calls, first }) => {
    const proof = last !== undefined && endOf(last) > first.from ? [[last, first]] : []
    for (const call of calls) if (last === undefined || endOf(call) > endOf(last)) last = call
    return proof
  })
}

/** Returns the runs whose event was sent after another one was answered 200, and whose first call came earlier. */
function unorderedRuns({ sent, events }: History, lane: readonly Called[]): Proof[] {
  const eventIds = new Map(events.map(({ id, eventId }) => [id, eventId]))
  const firstCall = new Map(lane.map(({ run, first }) => [run.eventId, first]))
  const own = sent
    .flatMap(one => {
      const call = firstCall.get(eventIds.get(one.id) ?? '')
      return call === undefined ? [] : [{ sent: one, call }]
    })
    .toSorted((a, b) => a.sent.from - b.sent.from)
  const answered = own
    .filter(one => one.sent.status === 200)
    .toSorted((a, b) => a.sent.to - b.sent.to)
    .values()
  let next = answered.next().value
  let latest: (typeof own)[number] | undefined
  return own.flatMap(one => {
    for (; next !== undefined && next.sent.to < one.sent.from; next = answered.next().value)
      if (latest === undefined || next.call.from > latest.call.from) latest = next
    if (latest === undefined || latest.call.from <= one.call.from || latest.sent.id === one.sent.id) return []
    return [[latest.sent, one.sent, one.call, latest.call]]
  })
}
