import { parsePath, pathText } from '#shared/model/variable-path.ts'
import { maxStepDepth } from '#shared/model/workflow.ts'
import { calledKeyIn } from '#shared/workflows/scope.ts'
import {
  kindOf,
  maxSteps,
  type Step,
  type StepType,
  stepLists,
  walkSteps,
} from '#shared/workflows/steps/kinds.ts'
import { replaceVariables } from '#shared/workflows/templates.ts'
import { isSamePath, type Path, pathKey, placedSteps } from '../../../entities/workflow/step-paths.ts'
import { viewOf } from '../../../entities/workflow/steps/views.ts'

/** A place between the steps of a list. */
export type Slot = { readonly list: Path; readonly index: number }
type Steps = readonly Step[]
/** Steps after a change, and the path of the step that was changed. */
export type Changed = { readonly steps: Step[]; readonly path: Path }

/** Returns the step at a path; undefined if there is none. */
export function stepAt(steps: Steps, path: Path): Step | undefined {
  return placedSteps(steps).find(placed => isSamePath(placed.path, path))?.step
}

/** Returns the steps with one of their lists changed. */
function changeList(steps: Steps, list: Path, change: (list: Steps) => Steps): Step[] {
  const [, index, ...inside] = list
  if (index === undefined) return [...change(steps)]
  return steps.map((step, at) => (at === index ? changeInside(step, inside, change) : step))
}

function changeInside(step: Step, list: Path, change: (list: Steps) => Steps): Step {
  return changeLists(step, (inner, path) => {
    const isAround = isSamePath(path, list.slice(0, path.length))
    return isAround ? changeList(inner, list.slice(path.length - 1), change) : [...inner]
  })
}

/** Returns a step with the lists of steps inside it changed. */
function changeLists(step: Step, change: (list: Steps, path: Path) => Step[]): Step {
  return kindOf(step).inside?.change(step, change) ?? step
}

const listOf = (path: Path): Path => path.slice(0, -1)
const indexOf = (path: Path): number => Number(path.at(-1))

/** Returns the slot before a step, or the one after it. */
export function slotAt(path: Path, side: 'before' | 'after' = 'before'): Slot {
  return { list: listOf(path), index: indexOf(path) + (side === 'after' ? 1 : 0) }
}

export function insertStep(steps: Steps, { list, index }: Slot, step: Step): Changed {
  return {
    steps: changeList(steps, list, before => before.toSpliced(index, 0, step)),
    path: [...list, index],
  }
}

export function replaceStep(steps: Steps, path: Path, step: Step): Step[] {
  return changeList(steps, listOf(path), before => before.with(indexOf(path), step))
}

export function removeStep(steps: Steps, path: Path): Step[] {
  return changeList(steps, listOf(path), before => before.toSpliced(indexOf(path), 1))
}

/** Returns all slots in the order in which the steps run. */
function slotsOf(steps: Steps, list: Path = ['steps']): Slot[] {
  return [
    ...steps.flatMap((step, index) => [
      { list, index },
      ...stepLists(step).flatMap(inside => slotsOf(inside.steps, [...list, index, ...inside.path])),
    ]),
    { list, index: steps.length },
  ]
}

/** Returns how many levels a step and the steps in it take. */
function levelsOf(step: Step): number {
  return Math.max(...[...walkSteps([step])].map(({ depth }) => depth))
}

/** Returns how deep the steps of a list are: 1 for those of the workflow itself. */
function depthOf(steps: Steps, list: Path): number {
  const isInside = (path: Path) => pathKey(list).startsWith(`${pathKey(path)}.`)
  return 1 + placedSteps(steps).filter(({ path }) => isInside(path)).length
}

/**
 * Moves a step one place up (-1) or down (1) in the order in which the steps run: into a branch or loop beside it, and
 * out of the one around it. Returns null where there is no such place, or where it would be nested too deep.
 */
export function stepOver(steps: Steps, path: Path, by: 1 | -1): Changed | null {
  const step = stepAt(steps, path)
  if (step === undefined) return null
  const rest = removeStep(steps, path)
  const slots = slotsOf(rest)
  const from = slotAt(path)
  const at = slots.findIndex(({ list, index }) => index === from.index && isSamePath(list, from.list))
  const levels = levelsOf(step)
  for (let next = at + by; next >= 0 && next < slots.length; next += by) {
    const slot = slots[next]
    if (slot !== undefined && depthOf(rest, slot.list) + levels - 1 <= maxStepDepth)
      return insertStep(rest, slot, step)
  }
  return null
}

/** Moves a step to a slot. Returns null if the slot is inside the step or beside it, or nested too deep. */
export function moveStep(steps: Steps, path: Path, slot: Slot): Changed | null {
  const step = stepAt(steps, path)
  if (step === undefined || pathKey(slot.list).startsWith(`${pathKey(path)}.`)) return null
  if (depthOf(steps, slot.list) + levelsOf(step) - 1 > maxStepDepth) return null
  const isBeside = isSamePath(slot.list, listOf(path))
  if (isBeside && (slot.index === indexOf(path) || slot.index === indexOf(path) + 1)) return null
  // Stands at the old place until the step is at the new one, so that no path changes in between.
  const gap: Step = { ...step }
  const moved = insertStep(replaceStep(steps, path, gap), slot, step)
  const left = placedSteps(moved.steps).find(placed => placed.step === gap)
  const result = left === undefined ? moved.steps : removeStep(moved.steps, left.path)
  const placed = placedSteps(result).find(one => one.step === step)
  return placed === undefined ? null : { steps: result, path: placed.path }
}

/** Returns whether a workflow can have another step at a slot, such as one with steps inside. */
export function hasRoom(steps: Steps, slot: Slot, step?: Step): boolean {
  const count = step === undefined ? 1 : placedSteps([step]).length
  const levels = step === undefined ? 1 : levelsOf(step)
  return (
    placedSteps(steps).length + count <= maxSteps && depthOf(steps, slot.list) + levels - 1 <= maxStepDepth
  )
}

/** Inserts a copy of a step after it. */
export function copyStep(steps: Steps, path: Path): Changed | null {
  const step = stepAt(steps, path)
  return step === undefined ? null : insertCopies(steps, slotAt(path, 'after'), [step])
}

/**
 * Inserts copies of steps. They and the steps in them get keys of their own. Returns null for none, and where they have
 * no room; the path is that of the first one.
 */
export function insertCopies(steps: Steps, slot: Slot, copied: Steps): Changed | null {
  const taken = new Set(keysOf(steps))
  const names = new Map<string, string>()
  for (const key of keysOf(copied)) {
    names.set(key, freeKey(key, taken))
    taken.add(names.get(key) ?? key)
  }
  let result: Changed | null = null
  for (const step of copied.toReversed()) {
    const before = result?.steps ?? steps
    if (!hasRoom(before, slot, step)) return null
    result = insertStep(before, slot, renamed(step, names))
  }
  return result
}

export function keysOf(steps: Steps): string[] {
  return placedSteps(steps).map(({ step }) => step.key)
}

/** Returns a key that no other step has: `notify`, else `notify_2`. */
export function freeKey(wanted: string, taken: ReadonlySet<string>): string {
  if (!taken.has(wanted)) return wanted
  const stem = wanted.replace(/_\d+$/, '')
  for (let count = 2; ; count++) if (!taken.has(`${stem}_${count}`)) return `${stem}_${count}`
}

/** Gives a step another key, also in all variables that read its output. */
export function renameStep(steps: Steps, path: Path, key: string): Step[] {
  const step = stepAt(steps, path)
  if (step === undefined || step.key === key) return [...steps]
  const isUnique = keysOf(steps).filter(other => other === step.key).length === 1
  if (!isUnique) return replaceStep(steps, path, { ...step, key })
  return steps.map(one => renamed(one, new Map([[step.key, key]])))
}

/** Returns a step with other keys for itself and the steps in it, also in its variables. */
function renamed(step: Step, names: ReadonlyMap<string, string>): Step {
  return renamedKeys(renamedTexts(step, names), names)
}

function renamedKeys(step: Step, names: ReadonlyMap<string, string>): Step {
  const key = names.get(step.key) ?? step.key
  return changeLists({ ...step, key }, list => list.map(one => renamedKeys(one, names)))
}

function renamedTexts<Value>(value: Value, names: ReadonlyMap<string, string>): Value
function renamedTexts(value: unknown, names: ReadonlyMap<string, string>): unknown {
  if (typeof value === 'string') return renamedText(value, names)
  if (Array.isArray(value)) return value.map(part => renamedTexts(part, names))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, renamedTexts(part, names)]))
}

function renamedText(text: string, names: ReadonlyMap<string, string>): string {
  return replaceVariables(text, (path, source) => {
    const [root, key = '', ...rest] = parsePath(path) ?? []
    const called = calledKeyIn(path)
    const renamed = called === null ? undefined : names.get(called)
    if (called !== null && renamed !== undefined) return source.replace(called, renamed)
    const to = root === 'steps' ? names.get(key) : undefined
    return to === undefined ? source : `{{${pathText(['steps', to, ...rest])}}}`
  })
}

/** Returns a new step of a type, with as little as it needs. */
export function newStep(type: StepType, steps: Steps): Step {
  const { key, blank } = viewOf({ type })
  return blank(freeKey(key, new Set(keysOf(steps))))
}
