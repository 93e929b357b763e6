import { isObject, numberText } from '../json/exact-json.ts'
import { valueOfText } from '../json/value-of-text.ts'
import { serviceConnectionId, serviceEventNames } from '../model/alert.ts'
import { variablesOf } from '../model/event-variables.ts'
import type { JsonType } from '../model/parameter.ts'
import { isOddPath, parsePath, pathText } from '../model/variable-path.ts'
import type { WorkflowFields } from '../model/workflow.ts'
import type { WorkflowIssue } from '../model/workflow-issue.ts'
import { nearestName } from '../nearest-name.ts'
import {
  calledKeyIn,
  environmentNameIn,
  isOfService,
  isServiceVariable,
  mayBeEnvironment,
  resolve,
  serviceProblem,
} from './scope.ts'
import { conditionProblems, conditionTexts } from './steps/branch.ts'
import { kindOf, type Step, stepLists } from './steps/kinds.ts'
import type { KnownConnection, Path } from './steps/step-kind.ts'
import { isNamed, wildcardProblem } from './takes.ts'
import {
  noRunYet,
  noSecretHere,
  soleVariable,
  variablesIn,
  wrongName,
  wrongVariable,
  wrongVariablesIn,
} from './templates.ts'

export type Known = {
  readonly connections: ReadonlyMap<string, KnownConnection>
  /** A payload that the trigger gives; null where nobody knows one, and then its variables are not checked. */
  readonly sample: Readonly<Record<string, unknown>> | null
  /** Returns whether an environment variable is set. */
  readonly isVariableSet?: (name: string) => boolean
}

/** Maximum number of issues of variables and arguments. A document can have many, and each answer finds them again. */
const maxIssues = 100

/** The names that the templates of a step can use. The fields of an output are null if they are unknown. */
type Names = {
  readonly steps: Map<string, readonly string[] | null>
  /** The keys of the steps that make calls. */
  readonly calls: Set<string>
  readonly isInLoop: boolean
}

/** Whether a template may use environment variables. */
type Place = { readonly isHeader: boolean; readonly takesSecrets: boolean }
/** The place of the templates of a trigger, and the names that they can use besides those of the event. */
const inTrigger: Place = { isHeader: false, takesSecrets: false }
const noNames = (): Names => ({ steps: new Map(), calls: new Set(), isInLoop: false })

/**
 * Returns the invalid references of a workflow: missing or disabled connections and actions, mismatching arguments,
 * variables that neither the trigger nor an earlier step provides. An error makes a step fail; a warning may be
 * intentional. After `maxIssues`, only the connections and actions of steps are checked.
 */
export function workflowIssues(
  workflow: Pick<WorkflowFields, 'trigger' | 'steps'>,
  known: Known,
): WorkflowIssue[] {
  const issues: WorkflowIssue[] = []
  const actionsOf = (id: string) => known.connections.get(id)?.actions ?? null
  const variables = ['eventName', 'connectionId', ...variablesOf(known.sample)]

  const payload = { eventName: '', connectionId: '', ...known.sample }
  const isInSample = (path: string) => resolve(path, { payload, steps: noOutputs }) !== undefined

  function add(
    severity: WorkflowIssue['severity'],
    code: WorkflowIssue['code'],
    stepKey: string | null,
    path: Path,
    message: string,
    nearest: string | null = null,
  ): void {
    const hint = nearest === null ? '' : ` Did you mean ${nearest}?`
    issues.push({ severity, code, stepKey, path: path.join('.'), message: message + hint, nearest })
  }

  function checkSteps(steps: readonly Step[], names: Names, path: Path): void {
    for (const [index, step] of steps.entries()) {
      const here = [...path, index]
      checkStep(step, names, here)
      const { inside, outputNames } = kindOf(step)
      names.steps.set(step.key, outputNames(step, actionsOf))
      if (kindOf(step).does === 'call') names.calls.add(step.key)
      const isLoop = inside !== null && inside.itemsOf(step) !== null
      const namesInside = isLoop
        ? { steps: new Map(names.steps), calls: new Set(names.calls), isInLoop: true }
        : names
      for (const list of stepLists(step)) checkSteps(list.steps, namesInside, [...here, ...list.path])
    }
  }

  function checkStep(step: Step, names: Names, path: Path): void {
    const kind = kindOf(step)
    for (const { text, path: to, as } of kind.texts(step)) {
      const at = [...path, ...to]
      if (as === 'name') add('error', 'invalid_variable', step.key, at, wrongName(text))
      else
        checkTemplate(step.key, text, names, at, {
          isHeader: as === 'header',
          takesSecrets: kind.takesSecrets,
        })
    }
    kind.check(step, {
      connections: known.connections,
      isFull: () => issues.length >= maxIssues,
      typesGiven: value => typesGiven(value, names, known.sample),
      add: (severity, code, to, message, nearest) =>
        add(severity, code, step.key, [...path, ...to], message, nearest),
    })
  }

  /** @param stepKey null for the trigger. */
  function checkTemplate(stepKey: string | null, text: string, names: Names, path: Path, place: Place): void {
    for (const wrong of wrongVariablesIn(text)) {
      if (issues.length >= maxIssues) return
      add('error', 'invalid_variable', stepKey, path, wrongVariable(wrong))
    }
    checkVariables(stepKey, text, names, path, place)
  }

  function checkVariables(
    stepKey: string | null,
    text: string,
    names: Names,
    path: Path,
    { isHeader, takesSecrets }: Place,
  ): void {
    for (const variable of new Set(variablesIn(text).map(one => one.path))) {
      if (issues.length >= maxIssues) return
      if (isOfService(variable)) {
        checkService(stepKey, variable, names, path, takesSecrets)
        continue
      }
      if (isHeader && mayBeEnvironment(variable)) {
        if (known.isVariableSet?.(variable)) continue
        // The name of a credential, which the sample of an event would not have.
        if (known.isVariableSet && upperCase.test(variable) && !Object.hasOwn(known.sample ?? {}, variable)) {
          const message = `No environment variable and no field of the event is named ${variable}.`
          add('warning', 'unknown_variable', stepKey, path, message)
          continue
        }
      }
      const [root = '', second = '', third] = parsePath(variable) ?? []
      const meant = meantBy(stepKey, variable, names)
      if (stepKey === null && root === 'headers') {
        if (second === second.toLowerCase()) continue
        const message = `Write the name of the header ${second} in lower case.`
        add('error', 'unknown_variable', null, path, message, `{{${pathText([root, second.toLowerCase()])}}}`)
        continue
      }
      if (isOddPath(variable) && !isInSample(variable)) {
        add('error', 'invalid_variable', stepKey, path, wrongVariable(`{{${variable}}}`))
      } else if (root === 'steps') {
        const outputs = names.steps.get(second)
        if (outputs === undefined) {
          const nearest = nearestName(second, [...names.steps.keys()])
          const suggestion = nearest && `{{steps.${nearest}}}`
          add(
            'error',
            'unknown_step',
            stepKey,
            path,
            `No step before this one has the key ${second}.`,
            suggestion,
          )
        } else if (outputs !== null && third !== undefined && !outputs.includes(third)) {
          const nearest = nearestName(third, outputs)
          const suggestion = nearest && `{{${pathText(['steps', second, nearest])}}}`
          add(
            'warning',
            'unknown_variable',
            stepKey,
            path,
            `The output of ${second} has no field ${third}.`,
            suggestion,
          )
        }
      } else if (meant !== null) {
        const isRefused = environmentNameIn(meant) !== null && !takesSecrets
        const more = isRefused ? noSecretHere(meant) : 'Variables of the service begin with $.'
        const message = `{{${variable}}} is a field of the event. ${more}`
        add('warning', 'unknown_variable', stepKey, path, message, isRefused ? null : `{{${meant}}}`)
      } else if (known.sample !== null && !(names.isInLoop && (root === 'item' || root === 'index'))) {
        if (isInSample(variable)) continue
        const nearest = nearestName(variable.replace(/^event\./, ''), variables)
        const suggestion = nearest && `{{${nearest}}}`
        add('warning', 'unknown_variable', stepKey, path, `The event has no field ${variable}.`, suggestion)
      }
    }
  }

  /** @param path of the template. */
  function checkService(
    stepKey: string | null,
    variable: string,
    names: Names,
    path: Path,
    takesSecrets: boolean,
  ): void {
    const problem = serviceProblem(variable)
    if (problem !== null) {
      add('error', 'unknown_variable', stepKey, path, problem.message, problem.nearest)
      return
    }
    const name = environmentNameIn(variable)
    if (name === null) {
      const key = calledKeyIn(variable)
      if (stepKey === null) add('error', 'invalid_variable', null, path, noRunYet(variable))
      else if (key !== null && !names.calls.has(key)) {
        const nearest = nearestName(key, [...names.calls])
        const message = `No action or http step before this one has the key ${key}.`
        add('error', 'unknown_step', stepKey, path, message, nearest && `{{$calls.${nearest}}}`)
      }
      return
    }
    if (!takesSecrets) add('error', 'invalid_variable', stepKey, path, noSecretHere(variable))
    else if (known.isVariableSet?.(name) === false)
      add('warning', 'unknown_variable', stepKey, path, `The environment variable ${name} is not set.`)
  }

  /** Returns the variable of the service that one without `$` probably means; null if it means a field of the event. */
  function meantBy(stepKey: string | null, variable: string, names: Names): string | null {
    const meant = mayBeEnvironment(variable) ? `$env.${variable}` : `$${variable}`
    if (!isServiceVariable(meant) || (known.sample !== null && isInSample(variable))) return null
    const name = environmentNameIn(meant)
    if (name === null) {
      const key = calledKeyIn(meant)
      return stepKey === null || (key !== null && !names.calls.has(key)) ? null : meant
    }
    if (known.isVariableSet?.(name) !== true) return null
    return known.sample === null && !upperCase.test(name) ? null : meant
  }

  const { connectionId } = workflow.trigger
  const isOfAlerts = connectionId === serviceConnectionId
  if (connectionId !== null && !isOfAlerts && !known.connections.has(connectionId))
    add(
      'error',
      'unknown_connection',
      null,
      ['trigger', 'connectionId'],
      'The connection of the trigger does not exist.',
    )
  const { eventName, eventNames, once, when } = workflow.trigger
  const names: [Path, string][] =
    eventName === null
      ? (eventNames ?? []).map((name, index) => [['trigger', 'eventNames', index], name])
      : [[['trigger', 'eventName'], eventName]]
  for (const [at, name] of names) {
    const problem = wildcardProblem(name)
    if (problem !== null) add('warning', 'unclear_name', null, at, problem)
    else if (isOfAlerts && !serviceEventNames.some(eventName => isNamed(eventName, name)))
      add('warning', 'unknown_event', null, at, `This service has no event "${name}".`)
  }
  if (when !== undefined) {
    const at = ['trigger', 'when']
    for (const { text, path, as } of conditionTexts(when, at))
      if (as === 'name') add('error', 'invalid_variable', null, path, wrongName(text))
      else checkTemplate(null, text, noNames(), path, inTrigger)
    for (const { code, path, message, nearest } of conditionProblems(when, at))
      add('warning', code, null, path, message, nearest)
  }
  if (once !== undefined) {
    const at = ['trigger', 'once', 'key']
    if (isOfAlerts)
      add('warning', 'unused_key', null, at, 'An alert starts a workflow only once: it needs no key.')
    checkTemplate(null, once.key, noNames(), at, inTrigger)
    const problem = unclearKey(once.key)
    if (problem !== null) add('warning', 'unclear_key', null, at, problem)
  }
  checkSteps(workflow.steps, noNames(), ['steps'])
  return issues
}

/** Returns why different events can have the same key; null if they cannot. */
function unclearKey(key: string): string | null {
  if (!key.includes('{{')) return 'A key without a variable is the same for each event.'
  const variables = variablesIn(key)
  const index = variables.findIndex(({ to }, at) => variables[at + 1]?.from === to)
  const [first, second] = variables.slice(index, index + 2).map(({ from, to }) => key.slice(from, to))
  if (index === -1) return null
  return `Nothing separates ${first} from ${second}, so 1 and 23 are the same key as 12 and 3. Put a text between them.`
}

/** Matches a name as environment variables usually have it. */
const upperCase = /^[A-Z][A-Z0-9_]*$/
const noOutputs: ReadonlyMap<string, unknown> = new Map()

/** Returns the types that an argument may be taken as, its own first; null where they are not known. */
function typesGiven(value: unknown, names: Names, sample: Known['sample']): readonly JsonType[] | null {
  if (typeof value !== 'string') return [typeOf(value)]
  const variable = soleVariable(value)
  if (variable === null) return typesTaken(filledForCheck(value))
  if (environmentNameIn(variable) !== null) return null
  if (isOfService(variable)) return calledKeyIn(variable) === null ? ['string'] : null
  const [root = ''] = parsePath(variable) ?? []
  if (root === 'steps' || sample === null) return null
  if (names.isInLoop && root === 'item') return null
  if (names.isInLoop && root === 'index') return ['number']
  const found = resolve(variable, { payload: sample, steps: noOutputs })
  return found === undefined ? null : typesTaken(found)
}

/** Returns a text with a digit in place of each variable: if that is JSON, the text may be. */
function filledForCheck(text: string): string {
  return variablesIn(text).reduceRight(
    (filled, { from, to }) => `${filled.slice(0, from)}1${filled.slice(to)}`,
    text,
  )
}

/** Returns the types that a value of an argument is taken as: a text may be JSON, and an empty one is not given. */
function typesTaken(value: unknown): readonly JsonType[] {
  const own = typeOf(value)
  if (typeof value !== 'string') return [own]
  const as = value === '' ? 'null' : valueOfText(value)?.as
  return as === undefined ? [own] : [own, as]
}

/** Returns the type of a JSON value. */
export function typeOf(value: unknown): JsonType {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'list'
  if (isObject(value)) return 'object'
  if (typeof value === 'boolean') return 'boolean'
  return numberText(value) === null ? 'string' : 'number'
}
