import type { WorkflowRecord } from '#main/storage/config.ts'
import type { Once } from '#shared/model/workflow.ts'
import { type EventValues, type Fits, keyOf, type Needed } from './trigger-condition.ts'

/** A workflow that only some events of its connection and names start. */
export type ChoosyWorkflow = {
  readonly workflow: WorkflowRecord
  /** The condition that an event has to fit; null for none. */
  readonly fits: Fits | null
  /** Values that templates must become for an event to fit. */
  readonly needed: readonly Needed[]
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
    choosy.flatMap(({ needed }) => needed),
    textOfNeeded,
  )
  const shares = (one: Needed) => sharing.get(textOfNeeded(one))?.length ?? 0
  const rarest = choosy.map(({ needed }) => needed.toSorted((a, b) => shares(a) - shares(b))[0])
  const byTemplate = Map.groupBy(choosy.keys(), position => rarest[position]?.template)
  const always = byTemplate.get(undefined) ?? []
  byTemplate.delete(undefined)
  const groups = Array.from(byTemplate, ([template, positions]) => ({
    ...{ template, positions },
    byKey: Map.groupBy<string | null | undefined, number>(positions, position => rarest[position]?.key),
  }))
  return values => {
    const budget = { left: values.most }
    const found = [always]
    for (const { template = '', positions, byKey } of groups) {
      const key = keyOf(template, values, budget)
      found.push(key === undefined ? positions : (byKey.get(key) ?? []))
    }
    const positions = found.flat().sort((a, b) => a - b)
    return positions.flatMap(position => choosy[position] ?? [])
  }
}

const textOfNeeded = ({ template, key }: Needed) => JSON.stringify([template, key])
