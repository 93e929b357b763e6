import type { History, Proof, Read, Rules, Span, Walk } from './history.ts'

const ended = ['succeeded', 'failed', 'cancelled']

/** Rules of reads by id, and of lists that are read page by page. */
export const readRules: Rules = {
  'reads of records that were seen and are not found': history => {
    const seen = firstSeen(history)
    return history.reads.flatMap(read => {
      const before = seen.get(read.recordId)
      return read.status === 404 && before !== undefined && before.to < read.from ? [[before, read]] : []
    })
  },
  'reads of another record': ({ reads }) =>
    reads.filter(({ found, recordId }) => found !== undefined && found !== recordId).map(read => [read]),
  'reads answered otherwise than with 200, 404 or 503': ({ reads }) =>
    reads.filter(({ status }) => status !== null && ![200, 404, 503].includes(status)).map(read => [read]),
  'runs that went on after their end': ({ reads }) =>
    [...Map.groupBy(reads, ({ recordId }) => recordId).values()].flatMap(wentOn),
  'lists out of order, or with a record twice': ({ walks }) =>
    walks.flatMap(walk => {
      const wrong = walk.ids.findIndex((id, index) => index > 0 && id >= (walk.ids[index - 1] ?? ''))
      return wrong === -1 ? [] : [[walk, walk.ids.slice(wrong - 1, wrong + 1)]]
    }),
  'lists that miss a record from before': history => {
    const known = { events: knownEvents(history), runs: knownRuns(history) }
    return history.walks.flatMap(walk => missed(walk, known[walk.of].get(walk.stream) ?? []))
  },
}

/** A record that was there when the proof of it ended. */
type Known = { readonly id: string; readonly proof: Span }

/** Returns for each id the read or list that was the first to show it. */
function firstSeen({ reads, walks }: History): ReadonlyMap<string, Span> {
  const seen = new Map<string, Span>()
  const note = (id: string, proof: Span) => {
    const before = seen.get(id)
    if (before === undefined || proof.to < before.to) seen.set(id, proof)
  }
  for (const read of reads) if (read.status === 200) note(read.recordId, read)
  for (const walk of walks) for (const id of walk.ids) note(id, walk)
  return seen
}

function wentOn(reads: readonly Read[]): Proof[] {
  const ends = reads.filter(({ state }) => state !== undefined && ended.includes(state))
  const end = ends.toSorted((a, b) => a.to - b.to)[0]
  if (end === undefined) return []
  return reads
    .filter(({ from, state }) => from > end.to && state !== undefined && state !== end.state)
    .map(read => [end, read])
}

/** Returns the events of each stream that were answered 200 or seen, as far as they are stored. */
function knownEvents(history: History): ReadonlyMap<string, readonly Known[]> {
  const answered = acknowledged(history)
  const seen = firstSeen(history)
  return group(
    history.events.flatMap(({ stream, id, eventId }) =>
      [answered.get(id), seen.get(eventId)].flatMap(proof => (proof ? { stream, id: eventId, proof } : [])),
    ),
  )
}

/** Returns the runs of each stream whose event was answered 200, and those that were seen. */
function knownRuns(history: History): ReadonlyMap<string, readonly Known[]> {
  const answered = acknowledged(history)
  const ids = new Map(history.events.map(({ eventId, id }) => [eventId, id]))
  const seen = firstSeen(history)
  return group(
    history.runs.flatMap(({ stream, runId, eventId }) =>
      [answered.get(ids.get(eventId) ?? ''), seen.get(runId)].flatMap(proof =>
        proof ? { stream, id: runId, proof } : [],
      ),
    ),
  )
}

const group = (known: readonly (Known & { readonly stream: string })[]) =>
  Map.groupBy(known, ({ stream }) => stream)

/** Returns for each id the first request that was answered 200. */
function acknowledged({ sent }: History): ReadonlyMap<string, Span> {
  const first = new Map<string, Span>()
  for (const one of sent.toSorted((a, b) => b.to - a.to)) if (one.status === 200) first.set(one.id, one)
  return first
}

/** Returns the records that a list does not show, although they were known before it was read. */
function missed(walk: Walk, known: readonly Known[]): Proof[] {
  const shown = new Set(walk.ids)
  const last = walk.isWhole ? '' : walk.ids.at(-1)
  if (last === undefined) return []
  return known
    .filter(({ id, proof }) => proof.to < walk.from && id > last && !shown.has(id))
    .map(({ id, proof }) => [{ id }, proof, walk])
}
