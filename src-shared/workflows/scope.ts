import { valueAt } from '../json/value-at.ts'
import { EnvironmentName, mask } from '../model/environment.ts'
import { stepsOf } from './templates.ts'

/** The values that templates can use. */
export type Scope = {
  /** Fields of the trigger payload, `eventName` and `connectionId` among them. */
  readonly payload: Readonly<Record<string, unknown>>
  /** Outputs of the steps that have ended, by their keys. */
  readonly steps: ReadonlyMap<string, unknown>
  /** Outputs that are shown otherwise than they are, by their keys: a mask, or with masks in them. */
  readonly shown?: ReadonlyMap<string, unknown>
  /** Inside a loop only. `shown`: the item, if it is shown otherwise than it is. */
  readonly loop?: { readonly item: unknown; readonly index: number; readonly shown?: unknown }
  /** Header fields of the event by their names in lower case, for the key of a trigger only. */
  readonly headers?: Readonly<Record<string, string>>
  /** Returns the value of an environment variable, for headers; undefined if it is not set. */
  readonly environment?: (name: string) => string | undefined
  /** The work that the run may still do; absent for any amount. All its steps take from it. */
  readonly budget?: Budget
}

/** How many UTF-16 units of templates and values may be read. A unit takes about 5 ns. */
export type Budget = { left: number }

/** The cost of each, besides the texts that it reads: it takes time, even if these are empty. */
export const costOfStep = 200
export const costOfItem = 100
export const costOfTemplate = 100
export const costOfVariable = 20

/** @throws BudgetSpent */
export function spend(budget: Budget | undefined, units: number): void {
  if (budget === undefined) return
  budget.left -= units
  if (budget.left < 0) throw new BudgetSpent()
}

/** Thrown by a renderer when the budget of its run is spent. */
export class BudgetSpent extends Error {}

/** Variables of the run, whatever environment variables there are. */
const ofRun = new Set(['eventName', 'connectionId', 'event', 'steps', 'item', 'index'])

/** Returns whether a variable in a header can be an environment variable. */
export function mayBeEnvironment(path: string): boolean {
  return !ofRun.has(path) && EnvironmentName.safeParse(path).success
}

/** Returns the value of a variable; `undefined` if it has none. Inherited properties are ignored. */
export function resolve(path: string, scope: Scope): unknown {
  const [root = '', ...rest] = stepsOf(path)
  if (root === 'steps') {
    const [key = '', ...inside] = rest
    return valueAt(scope.steps.get(key), inside)
  }
  if (root === 'event') return valueAt(scope.payload, rest)
  if (scope.headers !== undefined && root === 'headers') return valueAt(scope.headers, rest)
  if (scope.loop !== undefined && (root === 'item' || root === 'index'))
    return valueAt(scope.loop[root], rest)
  return valueAt(scope.payload, stepsOf(path))
}

/** Returns the value of a variable as it is shown: a mask in place of a private value. */
export function resolveShown(path: string, scope: Scope): unknown {
  const value = resolve(path, scope)
  if (value === undefined) return undefined
  const [root = '', ...rest] = stepsOf(path)
  const { shown, loop } = scope
  if (root === 'steps') {
    const [key = '', ...inside] = rest
    return shown?.has(key) ? partShown(shown.get(key), inside) : value
  }
  return root === 'item' && loop?.shown !== undefined ? partShown(loop.shown, rest) : value
}

/** Returns a part of a value that is shown. Masks can be in place of the names that lead to it, too. */
function partShown(shown: unknown, inside: readonly string[]): unknown {
  const found = shown === mask ? mask : valueAt(shown, inside)
  return found === undefined ? mask : found
}
