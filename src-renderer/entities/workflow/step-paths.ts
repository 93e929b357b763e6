import { type PlacedStep, type Step, stepLists, walkSteps } from '#shared/workflows/steps/kinds.ts'

/** The path of a step or of a list of steps in a workflow: `['steps', 0, 'cases', 1, 'steps', 2]`. */
export type Path = readonly (string | number)[]

export const pathKey = (path: Path) => path.join('.')
export const isSamePath = (one: Path, other: Path) => pathKey(one) === pathKey(other)

/** Returns the steps of a workflow in the order in which they run. */
export const placedSteps = (steps: readonly Step[]): PlacedStep[] => [...walkSteps(steps)]

/** Returns the number of each step by its path: `2.1` is the first step inside the second. */
export function stepNumbers(steps: readonly Step[]): ReadonlyMap<string, string> {
  const numbers = new Map<string, string>()
  number(steps, ['steps'], '', 0)
  return numbers

  function number(list: readonly Step[], path: Path, prefix: string, before: number): void {
    for (const [index, step] of list.entries()) {
      const own = `${prefix}${before + index + 1}`
      numbers.set(pathKey([...path, index]), own)
      let inside = 0
      for (const { steps: next, path: to } of stepLists(step)) {
        number(next, [...path, index, ...to], `${own}.`, inside)
        inside += next.length
      }
    }
  }
}

/** Names the case that a step is in, which its number does not tell. */
export function laneOf(path: Path): string {
  const [lane, index] = path.at(-2) === 'otherwise' ? ['otherwise', 0] : path.slice(-4, -2)
  if (lane === 'otherwise') return ', otherwise'
  return lane === 'cases' ? `, case ${Number(index) + 1}` : ''
}
