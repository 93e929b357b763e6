import type { History, Proof, Rules, Shown, Span } from './history.ts'

/** Something that shows which value held at a moment between its beginning and its end. */
type Observed = Span & {
  readonly value: string
  /** Whether it is a change that was answered: until it is, some nodes may have it and others not. */
  readonly isAnswered: boolean
  readonly record: unknown
}

/** Rules of the configuration. */
export const registerRules: Rules = {
  'requests by a configuration that was replaced before': history =>
    [...observed(history).values()].flatMap(cameBack),
}

/** Returns the observations of each register. */
function observed({ sent, calls, looks, events }: History): ReadonlyMap<string, readonly Observed[]> {
  const found: (Observed & { readonly register: string })[] = []
  const note = (shown: Shown | undefined, span: Span, record: unknown, isAnswered = false) => {
    if (shown === undefined) return
    const { register, value } = shown
    found.push({ register, value, from: span.from, to: span.to, record, isAnswered })
  }
  for (const look of looks) note(look, look, look, look.by === 'change')
  const stored = new Set(events.map(({ id }) => id))
  const sentAt = new Map<string, number>()
  for (const one of sent) {
    sentAt.set(one.id, Math.min(one.from, sentAt.get(one.id) ?? one.from))
    if (one.status === 200) note(one.shows, one, one)
    // It was accepted at some time after it was sent.
    else if (stored.has(one.id)) note(one.shows, { ...one, to: Number.POSITIVE_INFINITY }, one)
  }
  // A step begins after its event was sent.
  for (const call of calls)
    note(call.shows, { from: sentAt.get(call.id) ?? Number.NEGATIVE_INFINITY, to: call.from }, call)
  return Map.groupBy(found, ({ register }) => register)
}

/** Returns what shows a value, a later change to another value, and what shows the first again after its answer. */
function cameBack(all: readonly Observed[]): Proof[] {
  return [...Map.groupBy(all, ({ value }) => value)].flatMap(([value, own]) => {
    const before = earliestEnd(own)
    const changes = all.filter(
      one => one.isAnswered && one.value !== value && before !== undefined && one.from > before.to,
    )
    const replaced = earliestEnd(changes)
    if (replaced === undefined) return []
    return own
      .filter(({ from }) => from > replaced.to)
      .map(again => [before?.record, replaced.record, again.record])
  })
}

function earliestEnd(all: readonly Observed[]): Observed | undefined {
  let first: Observed | undefined
  for (const one of all) if (first === undefined || one.to < first.to) first = one
  return first
}
