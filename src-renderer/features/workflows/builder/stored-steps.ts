import { kindOf, type Step, walkSteps } from '#shared/workflows/steps/kinds.ts'

type Steps = readonly Step[]

/** Returns the steps without the values of their headers, which the browser must not store. */
export function storedSteps(steps: Steps): Step[] {
  return mapHeaders(steps, () => '')
}

/** Returns stored steps with the values of the headers that the steps of the record have. */
export function completedSteps(stored: Steps, base: Steps): Step[] {
  const known = new Map<string, Readonly<Record<string, string>>>()
  for (const { step } of walkSteps(base)) known.set(step.key, headersOf(step) ?? {})
  return mapHeaders(stored, (key, name) => new Map(Object.entries(known.get(key) ?? {})).get(name) ?? '')
}

/** Returns the steps, also those inside of others, with other values of their headers. */
function mapHeaders(steps: Steps, headerOf: (key: string, name: string) => string): Step[] {
  return steps.map(step => {
    const outer = kindOf(step).inside?.change(step, inner => mapHeaders(inner, headerOf)) ?? step
    const names = Object.keys(headersOf(outer) ?? {})
    if (names.length === 0) return outer
    return { ...outer, headers: Object.fromEntries(names.map(name => [name, headerOf(outer.key, name)])) }
  })
}

const headersOf = (step: Step) => ('headers' in step ? step.headers : undefined)
