import { kindOf, type Step, walkSteps } from '#shared/workflows/steps/kinds.ts'
import { dataWithoutSecrets, withSecretsOf } from '../../../ui/draft/without-secrets.ts'

type Steps = readonly Step[]

/**
 * Returns the steps without the values of their headers, and without the texts of their data whose names are those of
 * credentials: the browser must not store them.
 */
export function storedSteps(steps: Steps): Step[] {
  return mapData(
    mapHeaders(steps, () => ''),
    (_, __, data) => dataWithoutSecrets(data),
  )
}

/** Returns stored steps with what the steps of the record have of that. */
export function completedSteps(stored: Steps, base: Steps): Step[] {
  const known = new Map<string, Step>()
  for (const { step } of walkSteps(base)) known.set(step.key, step)
  const headersOfBase = (key: string) => {
    const step = known.get(key)
    return new Map(Object.entries((step && headersOf(step)) ?? {}))
  }
  const withHeaders = mapHeaders(stored, (key, name) => headersOfBase(key).get(name) ?? '')
  return mapData(withHeaders, (key, field, data) => {
    const of: unknown = Object(known.get(key))[field]
    return withSecretsOf(data, dataWithoutSecrets(of), of)
  })
}

/** The fields of steps with data that a user has written. */
const dataFields = ['body', 'arguments', 'values'] as const

/** Returns the steps, also those inside of others, with other data. */
function mapData(steps: Steps, dataOf: (key: string, field: string, data: unknown) => unknown): Step[] {
  return steps.map(step => {
    const outer = kindOf(step).inside?.change(step, inner => mapData(inner, dataOf)) ?? step
    const changed = { ...outer }
    for (const field of dataFields)
      if (Object.hasOwn(outer, field))
        Reflect.set(changed, field, dataOf(outer.key, field, Reflect.get(outer, field)))
    return changed
  })
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
