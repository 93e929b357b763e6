import type { RefObject } from 'react'
import { useSearchState } from '../../ui/search-state.ts'
import { useShortcut } from '../../ui/shortcuts.tsx'
import { type Column, isFailing, type MapNode } from './graph.ts'
import { alongEdge } from './select-nodes.ts'
import type { MapData } from './use-map.ts'
import type { useOpenNode } from './use-open-node.ts'

/** Binds the keys of the map, wherever the focus is. */
export function useMapKeys(
  parts: {
    readonly group: string
    readonly map: MapData
    readonly chosen: MapNode | undefined
    /** The nodes from top to bottom; undefined until they are placed. */
    readonly columns: Readonly<Record<Column, readonly string[]>> | undefined
    readonly canvas: RefObject<HTMLDivElement | null>
    /** Chooses a node and moves the focus to it. */
    readonly go: (id: string) => void
  } & Pick<ReturnType<typeof useOpenNode>, 'openOf' | 'start' | 'startOf'>,
): void {
  const { group, map, chosen, columns, canvas, go, openOf, start, startOf } = parts
  const [, change] = useSearchState('/map')
  const { graph, edges } = map
  const all = columns === undefined ? [] : Object.values(columns)

  /** The chosen node, or else the one that has the focus. */
  function current(): string | undefined {
    const { activeElement } = document
    if (chosen !== undefined) return chosen.id
    if (!(activeElement instanceof HTMLElement) || canvas.current?.contains(activeElement) !== true) return
    return activeElement.dataset.node
  }
  function step(by: number): void {
    const at = current()
    const column = at === undefined ? undefined : all.find(ids => ids.includes(at))
    const next = at === undefined ? all.flat()[0] : column?.[column.indexOf(at) + by]
    if (next !== undefined) go(next)
  }
  function follow(direction: 'left' | 'right'): void {
    const at = current()
    const next = at === undefined ? all.flat()[0] : alongEdge(edges, at, direction)
    if (next != null) go(next)
  }
  /** Goes through the workflows that fail, from top to bottom. */
  function nextFailing(): void {
    const failing = (columns?.workflow ?? []).filter(id => {
      const node = graph.nodes.get(id)
      return node !== undefined && isFailing(node)
    })
    const next = failing[failing.indexOf(current() ?? '') + 1] ?? failing[0]
    if (next !== undefined) go(next)
  }
  /** A row of the list that has the focus, or the chosen node. */
  function startHere(): void {
    const row = document.activeElement?.closest<HTMLElement>('[data-starts]')
    start(row == null ? startOf(chosen) : (graph.startNothing[Number(row.dataset.starts)] ?? null))
  }
  useShortcut({ keys: 'arrowdown', label: 'Next in the column', group }, () => step(1))
  useShortcut({ keys: 'arrowup', label: 'Previous in the column', group }, () => step(-1))
  useShortcut({ keys: 'arrowright', label: 'Follow the strongest edge', group }, () => follow('right'))
  useShortcut({ keys: 'arrowleft', label: 'Follow the strongest edge back', group }, () => follow('left'))
  useShortcut({ keys: 'enter', label: 'Open the chosen one', group }, () => openOf(chosen)?.())
  useShortcut({ keys: 'f8', label: 'Next that fails', group }, nextFailing)
  useShortcut({ keys: 'w', label: 'Start a workflow from the chosen one', group }, startHere)
  useShortcut(
    { keys: 'escape', label: 'Clear the choice', group },
    () => change({ node: undefined }),
    chosen !== undefined,
  )
}
