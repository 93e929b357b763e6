import type { Action } from '#shared/model/action.ts'
import type { Condition, Operator } from '#shared/model/condition.ts'
import { actionOf } from '#shared/workflows/steps/action.ts'
import type { Step, StepType } from '#shared/workflows/steps/kinds.ts'
import { type Path, placedSteps } from './step-paths.ts'

export const stepNames: Readonly<Record<StepType, string>> = {
  action: 'Call an action',
  http: 'HTTP request',
  branch: 'Branch',
  each: 'For each',
  wait: 'Wait',
  notify: 'Notify',
  stop: 'Stop',
}

type Named = Pick<Action, 'name' | 'toolName'>
/** Returns the actions of a connection; null until they are known. */
export type ActionNames = (connectionId: string) => readonly Named[] | null

/** Returns the title of a step: the name of its action, or its type. */
export function stepTitle(step: Step, actionsOf: ActionNames): string {
  if (step.type !== 'action') return stepNames[step.type]
  return actionOf(step, actionsOf)?.name ?? (step.toolName === '' ? stepNames.action : step.toolName)
}

export const stepPurposes: Readonly<Record<StepType, string>> = {
  action: 'Calls an action of a connection, signed',
  http: 'Sends a request to any address',
  branch: 'Runs the first case whose condition is true',
  each: 'Runs its steps once for each item of a list',
  wait: 'Waits for a duration, or until a date and time',
  notify: 'Shows a message in Activity and as a desktop notification',
  stop: 'Ends the run as succeeded or failed',
}
/** In the order of the menu. */
export const stepTypes = Object.keys(stepNames) as StepType[]

export const operatorWords: Readonly<Record<Operator, string>> = {
  equals: 'is',
  not_equals: 'is not',
  contains: 'contains',
  starts_with: 'starts with',
  greater: 'is greater than',
  less: 'is less than',
  exists: 'has a value',
  not_exists: 'has no value',
}

/** Returns “10 s”, “5 min”, “1 h 30 min” or “2 days”. */
export function durationText(seconds: number): string {
  const parts: [number, string][] = [
    [Math.floor(seconds / 86_400), 'd'],
    [Math.floor((seconds % 86_400) / 3600), 'h'],
    [Math.floor((seconds % 3600) / 60), 'min'],
    [seconds % 60, 's'],
  ]
  const text = parts.flatMap(([count, unit]) => (count > 0 ? [`${count} ${unit}`] : [])).join(' ')
  return text === '' ? '0 s' : text
}

/** Returns a condition as one sentence with its variables in braces. */
export function conditionText(condition: Condition): string {
  if ('all' in condition) return condition.all.map(inner).join(' and ')
  if ('any' in condition) return condition.any.map(inner).join(' or ')
  const { value, operator, operand } = condition
  const compared =
    operand === undefined ? '' : ` ${typeof operand === 'string' ? operand : JSON.stringify(operand)}`
  return `${value} ${operatorWords[operator]}${compared}`
}

function inner(condition: Condition): string {
  const isGroup =
    ('all' in condition && condition.all.length > 1) || ('any' in condition && condition.any.length > 1)
  return isGroup ? `(${conditionText(condition)})` : conditionText(condition)
}

/** Returns the host of a step's URL; the URL itself while it is not valid. */
export function hostOf(url: string): string {
  return /^https?:\/\/([^/?#{}\s]+)/i.exec(url)?.[1] ?? url
}

/** A thing that a test run really does outside the service. */
export type Effect = { readonly kind: 'call' | 'notify'; readonly text: string }

/**
 * Returns what a test run really calls, each once.
 *
 * @param nameOf returns the name of a connection.
 */
export function effectsOf(steps: readonly Step[], nameOf: (connectionId: string) => string): Effect[] {
  const effects = placedSteps(steps).flatMap(({ step }): Effect[] => {
    if (step.type === 'action')
      return step.toolName === ''
        ? []
        : [{ kind: 'call', text: `${nameOf(step.connectionId)} · ${step.toolName}` }]
    if (step.type === 'http')
      return step.url === '' ? [] : [{ kind: 'call', text: `${step.method} ${hostOf(step.url)}` }]
    return step.type === 'notify' ? [{ kind: 'notify', text: 'a notification' }] : []
  })
  return effects.filter(({ text }, index) => effects.findIndex(other => other.text === text) === index)
}

/** Names the case that a step is in, which its number does not tell. */
export function laneOf(path: Path): string {
  const [lane, index] = path.at(-2) === 'otherwise' ? ['otherwise', 0] : path.slice(-4, -2)
  if (lane === 'otherwise') return ', otherwise'
  return lane === 'cases' ? `, case ${Number(index) + 1}` : ''
}
