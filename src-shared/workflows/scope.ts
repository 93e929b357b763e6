import { valueAt } from '../json/value-at.ts'
import { EnvironmentName, mask } from '../model/environment.ts'
import { pathText } from '../model/variable-path.ts'
import { nearestName } from '../nearest-name.ts'
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
  readonly environment?: Environment
  /** Absent while the run has no id. */
  readonly run?: RunFacts
  /** How the calls of steps went, by their keys. */
  readonly calls?: ReadonlyMap<string, unknown>
  /** Those that are shown otherwise than they are, as in `shown`. */
  readonly shownCalls?: ReadonlyMap<string, unknown>
  /** Set for a step that inserts environment variables with `$env`, and may. */
  readonly usesEnvironment?: true
  /** The work that the run may still do; absent for any amount. All its steps take from it. */
  readonly budget?: Budget
}

/** The values of `$run`. They are the same in every attempt. */
export type RunFacts = {
  readonly id: string
  /** ISO 8601. */
  readonly queuedAt: string
  /** A UUID, which no other run has. */
  readonly uuid: string
  /** Null for a run that no event has started. */
  readonly eventId: string | null
}

/** The names of `$run`. */
export const runNames = ['id', 'queuedAt', 'uuid', 'eventId'] as const

/**
 * Returns the value of an environment variable: undefined if it is not set, and null if it is a token, which is fetched
 * just before it is sent.
 */
export type Environment = (name: string) => string | null | undefined

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
  if (budget.left < 0) throw spent
}

/** Thrown by a renderer when the budget of its run is spent. */
export class BudgetSpent extends Error {}

/** One for all: an event with hundreds of workflows throws it for each, and a stack takes longer than the run. */
const spent = new BudgetSpent()

/** Variables of the run, whatever environment variables there are. */
const ownNames = new Set(['eventName', 'connectionId', 'event', 'steps', 'item', 'index'])

/** Returns whether a variable in a header can be an environment variable. */
export function mayBeEnvironment(path: string): boolean {
  return !ownNames.has(path) && EnvironmentName.safeParse(path).success
}

/** The first words of variables whose values come from the service. Fields of events hardly have such names. */
const serviceNames: readonly string[] = ['$env', '$run', '$calls']

/** The names of `$calls.KEY`. */
export const callNames = ['status', 'headers', 'links', 'bodyText', 'error'] as const

/** Returns the key of the step whose call a variable reads; null for any other variable. */
export function calledKeyIn(path: string): string | null {
  const [root, key = ''] = isOfService(path) ? stepsOf(path) : []
  return root === '$calls' ? key : null
}

/** Returns whether the value of a variable comes from the service: its first word, without quotes, begins with `$`. */
export function isOfService(path: string): boolean {
  return path.startsWith('$')
}

/** Returns whether a path is a variable of the service that exists, whatever its run has. */
export function isServiceVariable(path: string): boolean {
  return serviceNames.includes(stepsOf(path)[0] ?? '') && serviceProblem(path) === null
}

/** Returns the name of the environment variable that `$env.NAME` names; null for any other path. */
export function environmentNameIn(path: string): string | null {
  if (!path.startsWith('$env')) return null
  const [root, name = '', ...rest] = stepsOf(path)
  return root === '$env' && rest.length === 0 && EnvironmentName.safeParse(name).success ? name : null
}

/** Why a variable of the service does not exist, and a text that can take its place; null if there is none. */
export type ServiceProblem = { readonly message: string; readonly nearest: string | null }

/** Returns why a variable of the service does not exist; null if it does. */
export function serviceProblem(path: string): ServiceProblem | null {
  if (environmentNameIn(path) !== null) return null
  const [root = '', name = '', ...rest] = stepsOf(path)
  if (root === '$run') {
    if (rest.length === 0 && isRunName(name)) return null
    const nearest = nearestName(name, runNames)
    return {
      message: `{{${path}}} does not exist. $run has ${runNames.join(', ')}.`,
      nearest: nearest && `{{$run.${nearest}}}`,
    }
  }
  if (root === '$calls') return callProblem(path, name, rest)
  if (root === '$env')
    return {
      message: `Write the name of an environment variable after $env, such as {{$env.API_KEY}}.`,
      nearest: null,
    }
  const nearest = nearestName(root, serviceNames)
  return {
    message: `There is no variable {{${path}}}. A field of the event with this name is {{event.${path}}}.`,
    nearest: nearest && `{{${nearest}${path.slice(root.length)}}}`,
  }
}

function callProblem(path: string, key: string, [part, ...inside]: readonly string[]): ServiceProblem | null {
  if (key === '')
    return {
      message: 'Write the key of an earlier step after $calls, such as {{$calls.find.status}}.',
      nearest: null,
    }
  if (part === undefined) return null
  if (callNames.some(name => name === part)) return inLowerCase(path, key, part, inside)
  const nearest = nearestName(part, callNames)
  return {
    message: `{{${path}}} does not exist. A call has ${callNames.join(', ')}.`,
    nearest: nearest && variableOfCall(key, nearest, ...inside),
  }
}

/** The names of headers and the relations of links, which calls have in lower case. */
function inLowerCase(
  path: string,
  key: string,
  part: string,
  inside: readonly string[],
): ServiceProblem | null {
  const [name = '', ...rest] = inside
  const lower = name.toLowerCase()
  if ((part !== 'headers' && part !== 'links') || name === lower || name === lengthName) return null
  return {
    message: `{{${path}}} does not exist. Write ${name} in lower case.`,
    nearest: variableOfCall(key, part, lower, ...rest),
  }
}

const variableOfCall = (...steps: string[]) =>
  `{{${pathText(['$calls', ...steps]).replace('["$calls"]', '$calls')}}}`

const isRunName = (name: string): name is keyof RunFacts => runNames.some(one => one === name)

/** Returns the value of a variable; `undefined` if it has none. Inherited properties are ignored. */
export function resolve(path: string, scope: Scope): unknown {
  if (isOfService(path)) return ofService(path, scope)
  const [root = '', ...rest] = stepsOf(path)
  if (root === 'steps') {
    const [key = '', ...inside] = rest
    return partAt(scope.steps.get(key), inside)
  }
  if (root === 'event') return partAt(scope.payload, rest)
  if (scope.headers !== undefined && root === 'headers') return valueAt(scope.headers, rest)
  if (scope.loop !== undefined && (root === 'item' || root === 'index')) return partAt(scope.loop[root], rest)
  return partAt(scope.payload, stepsOf(path))
}

/** The last word of a path that is the length of a list. */
const lengthName = '$length'

/** Returns the value at a path; for the length of a list, its last step is `$length`. A field of that name comes first. */
function partAt(value: unknown, steps: readonly string[]): unknown {
  const found = valueAt(value, steps)
  if (found !== undefined || steps.at(-1) !== lengthName) return found
  const list = valueAt(value, steps.slice(0, -1))
  return Array.isArray(list) ? list.length : undefined
}

function ofService(path: string, { run, calls }: Scope): unknown {
  const [root, name = '', ...inside] = stepsOf(path)
  if (root === '$calls') return partAt(calls?.get(name), inside)
  return root === '$run' && isRunName(name) ? run?.[name] : undefined
}

/** Returns the value of a variable as it is shown: a mask in place of a private value. */
export function resolveShown(path: string, scope: Scope): unknown {
  const value = resolve(path, scope)
  if (value === undefined) return undefined
  const [root = '', ...rest] = stepsOf(path)
  const { shown, shownCalls, loop } = scope
  const called = calledKeyIn(path)
  if (called !== null)
    return shownCalls?.has(called) ? partShown(shownCalls.get(called), rest.slice(1)) : value
  if (root === 'steps') {
    const [key = '', ...inside] = rest
    return shown?.has(key) ? partShown(shown.get(key), inside) : value
  }
  return root === 'item' && loop?.shown !== undefined ? partShown(loop.shown, rest) : value
}

/** Returns a part of a value that is shown. Masks can be in place of the names that lead to it, too. */
function partShown(shown: unknown, inside: readonly string[]): unknown {
  const found = shown === mask ? mask : partAt(shown, inside)
  return found === undefined ? mask : found
}
