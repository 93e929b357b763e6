import type { WorkflowRecord } from '#main/storage/config.ts'
import type { Once } from '#shared/model/workflow.ts'
import { type EventValues, type Fits, keyOf, type Needed } from './trigger-condition.ts'

/** A workflow that only some events of its connection and names start. */
export type ChoosyWorkflow = {
  readonly workflow: WorkflowRecord
  /** The condition that an event has to fit; null for none. */
  readonly fits: Fits | null
  /** Values that templates must become for an event to fit, one of each list. */
  readonly needed: readonly (readonly Needed[])[]
  /** Set if only the first event with a key starts it. */
  readonly once: Once | undefined
}

export type Candidates = (values: EventValues) => readonly ChoosyWorkflow[]

/**
 * Indexes workflows by a value that their conditions need. Returns what finds those that an event may fit, in their order,
 * so that an event is not compared with a thousand conditions of which ten hold.
 */
export function createCandidates(choosy: readonly ChoosyWorkflow[]): Candidates {
  let isUsed = false
  let index: Candidates | null = null
  return values => {
    // Each event may have a name of its own, which is not worth an index.
    if (!isUsed) {
      isUsed = true
      return choosy
    }
    index ??= createIndex(choosy)
    return index(values)
  }
}

function createIndex(choosy: readonly ChoosyWorkflow[]): Candidates {
  // All may need `action` to be `opened`, and each a repository of its own.
  const sharing = Map.groupBy(
    choosy.flatMap(({ needed }) => needed.flat()),
    textOfNeeded,
  )
  const shares = (some: readonly Needed[]) =>
    some.reduce((sum, one) => sum + (sharing.get(textOfNeeded(one))?.length ?? 0), 0)
  const always: number[] = []
  const places: Place[] = []
  for (const [position, { needed }] of choosy.entries()) {
    const [rarest] = needed.toSorted((a, b) => shares(a) - shares(b))
    if (rarest === undefined) always.push(position)
    else for (const one of rarest) places.push({ ...one, position })
  }
  const groups = Array.from(
    Map.groupBy(places, ({ template }) => template),
    ([template, all]) => ({ template, all, byKey: Map.groupBy<string | null, Place>(all, ({ key }) => key) }),
  )
  return values => {
    const budget = { left: values.most }
    const found = new Set(always)
    for (const { template, all, byKey } of groups) {
      const key = keyOf(template, values, budget)
      for (const { position } of key === undefined ? all : (byKey.get(key) ?? [])) found.add(position)
    }
    return [...found].sort((a, b) => a - b).flatMap(position => choosy[position] ?? [])
  }
}

type Place = Needed & { readonly position: number }
const textOfNeeded = ({ template, key }: Needed) => JSON.stringify([template, key])
