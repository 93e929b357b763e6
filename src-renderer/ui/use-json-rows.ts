import { useMemo, useState } from 'react'
import {
  dotPath,
  indexOfSteps,
  type JsonNode,
  type JsonNodes,
  matchingNodes,
  nodeAt,
  openDepth,
  visibleNodes,
  withContainers,
} from './json-nodes.ts'

type Steps = JsonNode['steps']
/** A container that the user opened or closed. */
type Toggled = { readonly steps: Steps; readonly closed: boolean }

/** About how many rows are visible at first. */
const initialRows = 300

/**
 * Returns the visible rows of a JSON tree and the selected one. Both are kept by path, so they survive another text of
 * the same shape: the next event, the next response.
 *
 * @param selectedPath undefined if the tree keeps its own selection.
 */
export function useJsonRows(nodes: JsonNodes, selectedPath: string | null | undefined, search: string) {
  const [toggled, setToggled] = useState<ReadonlyMap<string, Toggled>>(new Map())
  const [chosen, setChosen] = useState<Steps | null>(null)

  const selectedSteps = selectionOf(chosen, selectedPath)
  const selected = useMemo(
    () => (selectedSteps === null ? null : indexOfSteps(nodes, selectedSteps)),
    [nodes, selectedSteps],
  )
  const isClosed = useMemo(() => {
    const depth = openDepth(nodes, initialRows)
    const known = new Map<number, boolean>()
    for (const { steps, closed } of toggled.values()) {
      const index = indexOfSteps(nodes, steps)
      if (index !== null) known.set(index, closed)
    }
    return (index: number) => known.get(index) ?? (nodes.depths[index] ?? 0) >= depth
  }, [nodes, toggled])
  const found = useMemo(() => (search === '' ? null : matchingNodes(nodes, search)), [nodes, search])
  const rows = useMemo(() => {
    if (found !== null) return withContainers(nodes, found)
    const holdsSelected = (index: number) =>
      selected !== null && index < selected && selected < (nodes.ends[index] ?? 0)
    return visibleNodes(nodes, index => isClosed(index) && !holdsSelected(index))
  }, [nodes, found, selected, isClosed])

  return {
    rows,
    selected,
    /** The number of matches; null without a search. */
    matches: found?.size ?? null,
    isOpen(row: number): boolean {
      const [index = 0, next] = rows.slice(row, row + 2)
      return next !== undefined && nodes.parents[next] === index
    },
    choose: (node: JsonNode) => setChosen(node.steps),
    toggle(index: number, closed: boolean) {
      const { steps } = nodeAt(nodes, index)
      setToggled(before => new Map(before).set(JSON.stringify(steps), { steps, closed }))
    },
  }
}

/** Returns the selection: `selectedPath` wins over `chosen`, except for values without a path. */
function selectionOf(chosen: Steps | null, selectedPath: string | null | undefined): Steps | null {
  if (selectedPath === undefined) return chosen
  const chosenPath = chosen === null ? null : dotPath(chosen)
  if (selectedPath === chosenPath) return chosen
  return selectedPath === null ? null : selectedPath.split('.')
}
