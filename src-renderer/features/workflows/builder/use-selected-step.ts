import { useCallback, useEffect, useRef, useState } from 'react'
import { flushSync } from 'react-dom'
import type { Step } from '#shared/workflows/steps/kinds.ts'
import {
  isSamePath,
  laneOf,
  type Path,
  pathKey,
  placedSteps,
  stepNumbers,
} from '../../../entities/workflow/step-paths.ts'
import { triggerPath } from './builder-context.ts'
import { type Changed, removeStep, stepAt, stepOver } from './steps.ts'

/**
 * Returns the selected step, and functions that select, focus, move and remove steps.
 *
 * @param props.isFlow whether the steps are shown.
 * @param props.first what is selected at first; null for nothing.
 */
export function useSelectedStep(props: {
  readonly steps: readonly Step[]
  readonly numbers: ReadonlyMap<string, string>
  readonly edit: (fields: { readonly steps: Step[] }) => void
  readonly isFlow: boolean
  readonly first: Path | null
}) {
  const { steps, numbers, edit, isFlow, first } = props
  const flow = useRef<HTMLDivElement>(null)
  const [selected, setSelected] = useState(first)
  const [announcement, setAnnouncement] = useState('')
  /** The step to focus once the steps are shown. */
  const awaited = useRef<Path | null>(null)

  const focusStep = useCallback((path: Path) => {
    awaited.current = flow.current === null ? path : null
    const found = flow.current?.querySelector<HTMLElement>(`[data-step="${CSS.escape(pathKey(path))}"]`)
    found?.focus()
    found?.scrollIntoView({ block: 'nearest' })
  }, [])
  useEffect(() => {
    if (isFlow && awaited.current !== null) focusStep(awaited.current)
  }, [isFlow, focusStep])
  // After an undo the selected step may be gone.
  useEffect(() => {
    if (selected !== null && selected[0] !== 'trigger' && stepAt(steps, selected) === undefined)
      setSelected(null)
  }, [steps, selected])

  function select(path: Path | null): void {
    flushSync(() => setSelected(path))
    if (path !== null) focusStep(path)
  }
  function change(next: Changed | null): void {
    if (next === null) return
    flushSync(() => {
      edit({ steps: next.steps })
      setSelected(next.path)
    })
    focusStep(next.path)
  }
  function move(path: Path, by: 1 | -1): void {
    const moved = stepOver(steps, path, by)
    change(moved)
    setAnnouncement(
      moved === null
        ? `The step is the ${by === 1 ? 'last' : 'first'} one.`
        : `Now step ${stepNumbers(moved.steps).get(pathKey(moved.path))}${laneOf(moved.path)}`,
    )
  }
  function remove(path: Path): void {
    const at = placedSteps(steps).findIndex(placed => isSamePath(placed.path, path))
    const number = numbers.get(pathKey(path))
    const next = removeStep(steps, path)
    const neighbour = placedSteps(next)[Math.min(at, placedSteps(next).length - 1)]
    change({ steps: next, path: neighbour?.path ?? triggerPath })
    setAnnouncement(`Step ${number} removed. Undo brings it back.`)
  }
  return {
    /** For the element around the steps. */
    flow,
    selected,
    select,
    unselect: () => setSelected(null),
    focusStep,
    /** Applies new steps and selects one of them. */
    change,
    move,
    remove,
    /** For screen readers: what a move or a removal did. */
    announcement,
  }
}
