import { isObject, numberText } from '../json/exact-json.ts'
import type { ActionFields } from '../model/action.ts'
import { takesQuery } from '../model/action-url.ts'
import { variablesOf } from '../model/event-variables.ts'
import type { ParameterType } from '../model/parameter.ts'
import { isOddPath, parsePath, pathText } from '../model/variable-path.ts'
import {
  type ActionStep,
  type Condition,
  type Step,
  stepLists,
  type WorkflowFields,
  type WorkflowIssue,
} from '../model/workflow.ts'
import { nearestName } from '../nearest-name.ts'
import { parseTime, timeProblem } from '../time.ts'
import {
  mayBeEnvironment,
  resolve,
  soleVariable,
  variablesIn,
  wrongName,
  wrongVariable,
  wrongVariablesIn,
} from './templates.ts'

/** The parts of a connection that workflows can refer to. */
export type KnownConnection = {
  readonly name: string
  readonly enabled: boolean
  readonly baseUrl: string | null
  readonly actions: readonly Pick<ActionFields, 'toolName' | 'isEnabled' | 'parameters' | 'responseMapping'>[]
}

export type Known = {
  readonly connections: ReadonlyMap<string, KnownConnection>
  /** A payload that the trigger gives; null where nobody knows one, and then its variables are not checked. */
  readonly sample: Readonly<Record<string, unknown>> | null
  /** Returns whether an environment variable is set. */
  readonly isVariableSet?: (name: string) => boolean
}

/** Maximum number of issues of variables and arguments. A document can have many, and each answer finds them again. */
const maxIssues = 100

type Path = readonly (string | number)[]
/** The names that the templates of a step can use. The fields of an output are null if they are unknown. */
type Names = { readonly steps: Map<string, readonly string[] | null>; readonly isInLoop: boolean }

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
      names.steps.set(step.key, outputFields(step, actionsOf))
      for (const list of stepLists(step)) {
        const inside = step.type === 'each' ? { steps: new Map(names.steps), isInLoop: true } : names
        checkSteps(list.steps, inside, [...here, ...list.path])
      }
    }
  }

  function checkStep(step: Step, names: Names, path: Path): void {
    for (const [at, text, isName = false] of templatesOf(step, path))
      if (isName) add('error', 'invalid_variable', step.key, at, wrongName(text))
      else checkTemplate(step, text, names, at, step.type === 'http' && at[path.length] === 'headers')
    if (step.type === 'http' && step.body !== undefined && takesQuery(step.method))
      add(
        'warning',
        'body_not_sent',
        step.key,
        [...path, 'body'],
        'A GET is sent without its body. Choose another method, or remove the body.',
      )
    if (step.type === 'action') checkAction(step, names, path)
    if (step.type === 'http' && step.signWith !== undefined && !known.connections.has(step.signWith))
      add(
        'error',
        'unknown_connection',
        step.key,
        [...path, 'signWith'],
        'The connection that signs does not exist.',
      )
    for (const [at, problem] of timeProblems(step, path)) {
      if (issues.length >= maxIssues) return
      if (step.type === 'wait') add('error', 'invalid_time', step.key, at, problem)
      else add('warning', 'invalid_time', step.key, at, `${problem} It is compared as a text.`)
    }
  }

  function checkAction(step: ActionStep, names: Names, path: Path): void {
    const connection = known.connections.get(step.connectionId)
    if (connection === undefined) {
      add(
        'error',
        'unknown_connection',
        step.key,
        [...path, 'connectionId'],
        'The connection does not exist.',
      )
      return
    }
    const { name, enabled, baseUrl, actions } = connection
    const action = actions.find(({ toolName }) => toolName === step.toolName)
    if (action === undefined) {
      const names = actions.map(({ toolName }) => toolName)
      const nearest = issues.length < maxIssues ? nearestName(step.toolName, names) : null
      add(
        'error',
        'unknown_action',
        step.key,
        [...path, 'toolName'],
        `${name} has no action ${step.toolName}.`,
        nearest,
      )
      return
    }
    if (baseUrl === null)
      add(
        'error',
        'no_base_url',
        step.key,
        [...path, 'connectionId'],
        `${name} has no base URL, so it cannot be called.`,
      )
    if (!enabled)
      add('error', 'connection_off', step.key, [...path, 'connectionId'], `${name} is switched off.`)
    if (!action.isEnabled)
      add(
        'error',
        'action_off',
        step.key,
        [...path, 'toolName'],
        `The action ${step.toolName} is switched off.`,
      )
    const parameters = new Map(action.parameters.map(parameter => [parameter.name, parameter]))
    for (const [argument, value] of Object.entries(step.arguments)) {
      if (issues.length >= maxIssues) return
      const at = [...path, 'arguments', argument]
      const parameter = parameters.get(argument)
      if (parameter === undefined) {
        const nearest = nearestName(argument, [...parameters.keys()])
        add('error', 'unknown_argument', step.key, at, `The action has no parameter ${argument}.`, nearest)
        continue
      }
      const given = typeGiven(value, names, known.sample)
      const isLeftOut = given === 'null' && !parameter.required
      if (given !== null && !isLeftOut && !fits(parameter.type, given))
        add(
          'error',
          'type_mismatch',
          step.key,
          at,
          `${argument} expects ${nouns[parameter.type]}, not ${nouns[given]}.`,
        )
    }
    for (const { name: parameter, required } of action.parameters)
      if (required && !Object.hasOwn(step.arguments, parameter))
        add(
          'error',
          'missing_argument',
          step.key,
          [...path, 'arguments', parameter],
          `${parameter} is required.`,
        )
  }

  function checkTemplate(step: Step, text: string, names: Names, path: Path, isHeader: boolean): void {
    for (const wrong of wrongVariablesIn(text)) {
      if (issues.length >= maxIssues) return
      add('error', 'invalid_variable', step.key, path, wrongVariable(wrong))
    }
    checkVariables(step, text, names, path, isHeader)
  }

  function checkVariables(step: Step, text: string, names: Names, path: Path, isHeader: boolean): void {
    for (const variable of new Set(variablesIn(text).map(one => one.path))) {
      if (issues.length >= maxIssues) return
      if (isHeader && mayBeEnvironment(variable)) {
        if (known.isVariableSet?.(variable)) continue
        // The name of a credential, which the sample of an event would not have.
        if (known.isVariableSet && upperCase.test(variable) && !Object.hasOwn(known.sample ?? {}, variable)) {
          const message = `No environment variable and no field of the event is named ${variable}.`
          add('warning', 'unknown_variable', step.key, path, message)
          continue
        }
      }
      const [root = '', second = '', third] = parsePath(variable) ?? []
      if (isOddPath(variable) && !isInSample(variable)) {
        add('error', 'invalid_variable', step.key, path, wrongVariable(`{{${variable}}}`))
      } else if (root === 'steps') {
        const outputs = names.steps.get(second)
        if (outputs === undefined) {
          const nearest = nearestName(second, [...names.steps.keys()])
          const suggestion = nearest && `{{steps.${nearest}}}`
          add(
            'error',
            'unknown_step',
            step.key,
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
            step.key,
            path,
            `The output of ${second} has no field ${third}.`,
            suggestion,
          )
        }
      } else if (known.sample !== null && !(names.isInLoop && (root === 'item' || root === 'index'))) {
        if (isInSample(variable)) continue
        const nearest = nearestName(variable.replace(/^event\./, ''), variables)
        const suggestion = nearest && `{{${nearest}}}`
        add('warning', 'unknown_variable', step.key, path, `The event has no field ${variable}.`, suggestion)
      }
    }
  }

  const { connectionId } = workflow.trigger
  if (connectionId !== null && !known.connections.has(connectionId))
    add(
      'error',
      'unknown_connection',
      null,
      ['trigger', 'connectionId'],
      'The connection of the trigger does not exist.',
    )
  checkSteps(workflow.steps, { steps: new Map(), isInLoop: false }, ['steps'])
  return issues
}

/** Matches a name as environment variables usually have it. */
const upperCase = /^[A-Z][A-Z0-9_]*$/
const noOutputs: ReadonlyMap<string, unknown> = new Map()

type JsonType = ParameterType | 'null' | 'list'
const nouns: Readonly<Record<JsonType, string>> = {
  string: 'a text',
  number: 'a number',
  boolean: 'true or false',
  object: 'an object',
  list: 'a list',
  null: 'null',
}

/** A number or a boolean is written as text where a parameter wants text. */
function fits(wanted: ParameterType, given: JsonType): boolean {
  return wanted === given || (wanted === 'string' && (given === 'number' || given === 'boolean'))
}

/** Returns the type that an argument will have; null where that is not known. */
function typeGiven(value: unknown, names: Names, sample: Known['sample']): JsonType | null {
  if (typeof value !== 'string') return typeOf(value)
  const variable = soleVariable(value)
  if (variable === null) return 'string'
  const [root = ''] = parsePath(variable) ?? []
  if (root === 'steps' || sample === null) return null
  if (names.isInLoop && root === 'item') return null
  if (names.isInLoop && root === 'index') return 'number'
  const found = resolve(variable, { payload: sample, steps: noOutputs })
  return found === undefined ? null : typeOf(found)
}

function typeOf(value: unknown): JsonType {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'list'
  if (isObject(value)) return 'object'
  if (typeof value === 'boolean') return 'boolean'
  return numberText(value) === null ? 'string' : 'number'
}

/** Returns the names of a step's output; null where they are not known before it runs. */
export function outputFields(
  step: Step,
  actionsOf: (connectionId: string) => readonly Pick<ActionFields, 'toolName' | 'responseMapping'>[] | null,
): readonly string[] | null {
  if (step.type !== 'action') return null
  const mapping = actionOf(step, actionsOf)?.responseMapping ?? null
  return mapping && Object.keys(mapping)
}

/** Returns the action that a step calls; undefined while it is not known, and for one that is gone. */
export function actionOf<One extends Pick<ActionFields, 'toolName'>>(
  { connectionId, toolName }: ActionStep,
  actionsOf: (connectionId: string) => readonly One[] | null,
): One | undefined {
  return actionsOf(connectionId)?.find(action => action.toolName === toolName)
}

/** A text with its path, and whether it is the name of a field that looks like a template. */
type PlacedText = readonly [path: Path, text: string, isName?: boolean]

/** Returns the texts of a step that may hold variables, each with its path. Steps inside it have their own. */
function templatesOf(step: Step, path: Path): PlacedText[] {
  switch (step.type) {
    case 'action':
      return textsIn(step.arguments, [...path, 'arguments'])
    case 'http':
      return textsIn({ url: step.url, headers: step.headers, body: step.body }, path)
    case 'branch':
      return step.cases.flatMap(({ when }, index) => conditionTexts(when, [...path, 'cases', index, 'when']))
    case 'each':
      return [[[...path, 'items'], step.items]]
    case 'wait':
      return textsIn({ until: step.until }, path)
    case 'notify':
    case 'stop':
      return textsIn({ message: step.message }, path)
  }
}

/** Yields the times without variables that cannot be read, each with its path. */
function* timeProblems(step: Step, path: Path): Generator<[Path, string]> {
  if (step.type === 'wait' && step.until?.includes('{{') === false) {
    const { problem } = parseTime(step.until)
    if (problem !== null) yield [[...path, 'until'], problem]
  }
  if (step.type === 'branch')
    for (const [index, { when }] of step.cases.entries())
      yield* operandProblems(when, [...path, 'cases', index, 'when'])
}

function* operandProblems(condition: Condition, path: Path): Generator<[Path, string]> {
  if ('operator' in condition) {
    const { operator, operand } = condition
    const isOrdered = operator === 'greater' || operator === 'less'
    const problem = isOrdered && typeof operand === 'string' ? timeProblem(operand) : null
    if (problem !== null) yield [[...path, 'operand'], problem]
    return
  }
  const [name, parts] = 'all' in condition ? ['all', condition.all] : ['any', condition.any]
  for (const [index, part] of parts.entries()) yield* operandProblems(part, [...path, name, index])
}

function conditionTexts(condition: Condition, path: Path): PlacedText[] {
  if ('all' in condition)
    return condition.all.flatMap((part, index) => conditionTexts(part, [...path, 'all', index]))
  if ('any' in condition)
    return condition.any.flatMap((part, index) => conditionTexts(part, [...path, 'any', index]))
  return textsIn({ value: condition.value, operand: condition.operand }, path)
}

function textsIn(value: unknown, path: Path): PlacedText[] {
  if (typeof value === 'string') return [[path, value]]
  if (Array.isArray(value)) return value.flatMap((part, index) => textsIn(part, [...path, index]))
  if (!isObject(value)) return []
  return Object.entries(value).flatMap(([name, part]): PlacedText[] => {
    const at = [...path, name]
    return name.includes('{{') ? [[at, name, true]] : textsIn(part, at)
  })
}
