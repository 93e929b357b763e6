import { z } from 'zod'
import { ConnectionId } from '#shared/model/identifiers.ts'
import { inputsOf, type JsonType } from '#shared/model/parameter.ts'
import { takenBy } from '#shared/model/parameter-kinds.ts'
import { TemplatedJson } from '#shared/model/template.ts'
import { nearestName } from '#shared/nearest-name.ts'
import { hostOfUrl } from '../http-hosts.ts'
import {
  type ActionsOf,
  type CheckContext,
  ConnectionName,
  type KnownConnection,
  type StepKind,
  simple,
  stepFields,
  textsIn,
} from './step-kind.ts'

export const ActionStep = z.object({
  ...stepFields,
  type: z.literal('action'),
  connectionId: ConnectionId,
  toolName: z.string().min(1, 'Choose an action.'),
  arguments: z.record(z.string(), TemplatedJson).default({}),
})
export type ActionStep = z.infer<typeof ActionStep>

const Written = ActionStep.omit({ connectionId: true }).extend({ connection: ConnectionName })
export type DocumentAction = z.infer<typeof Written>

type ActionEffect = {
  readonly kind: 'action'
  readonly step: ActionStep
  readonly arguments: Record<string, unknown>
  /** The arguments as they are shown; absent if that is as they are. */
  readonly shown?: Record<string, unknown>
}

/** Calls an action of a connection. */
export const action: StepKind<ActionStep, ActionEffect, DocumentAction> = {
  ...simple(ActionStep),
  does: 'call',
  takesSecrets: true,
  document: {
    schema: () => Written,
    write: ({ connectionId, ...rest }, _change, nameOf) => ({ ...rest, connection: nameOf(connectionId) }),
    read: ({ connection, ...rest }, _change, idOf) => ({
      ...rest,
      connectionId: idOf(connection, ['connection']),
    }),
  },
  texts: step => textsIn({ arguments: step.arguments }),
  sendsTo({ connectionId }, baseUrlOf) {
    const baseUrl = baseUrlOf(connectionId)
    return baseUrl === null ? null : hostOfUrl(baseUrl)
  },
  uses: ({ connectionId, toolName }) => [{ connectionId, toolName }],
  check(step, context) {
    const { connections, isFull, add } = context
    const connection = connections.get(step.connectionId)
    if (connection === undefined) {
      add('error', 'unknown_connection', ['connectionId'], 'The connection does not exist.')
      return
    }
    const { name, enabled, baseUrl, actions } = connection
    const called = actions.find(({ toolName }) => toolName === step.toolName)
    if (called === undefined) {
      const names = actions.map(({ toolName }) => toolName)
      const nearest = isFull() ? null : nearestName(step.toolName, names)
      add('error', 'unknown_action', ['toolName'], `${name} has no action ${step.toolName}.`, nearest)
      return
    }
    if (baseUrl === null)
      add('error', 'no_base_url', ['connectionId'], `${name} has no base URL, so it cannot be called.`)
    if (!enabled) add('error', 'connection_off', ['connectionId'], `${name} is switched off.`)
    if (!called.isEnabled)
      add('error', 'action_off', ['toolName'], `The action ${step.toolName} is switched off.`)
    checkArguments(step, called, context)
  },
  outputNames(step, actionsOf) {
    const mapping = actionOf(step, actionsOf)?.responseMapping ?? null
    return mapping && Object.keys(mapping)
  },
  prepare(step, render) {
    const given = render.givenFields(step.arguments)
    if (render.shown === null) return { input: given, effect: { kind: 'action', step, arguments: given } }
    const shown = render.shown.givenFields(step.arguments)
    return { input: shown, effect: { kind: 'action', step, arguments: given, shown } }
  },
}

function checkArguments(
  step: ActionStep,
  called: KnownConnection['actions'][number],
  { typesGiven, isFull, add }: CheckContext,
): void {
  const inputs = inputsOf(called.parameters)
  const parameters = new Map(inputs.map(parameter => [parameter.name, parameter]))
  for (const [argument, value] of Object.entries(step.arguments)) {
    if (isFull()) return
    const at = ['arguments', argument]
    const parameter = parameters.get(argument)
    if (parameter === undefined) {
      const nearest = nearestName(argument, [...parameters.keys()])
      add('error', 'unknown_argument', at, `The action has no parameter ${argument}.`, nearest)
      continue
    }
    const types = typesGiven(value)
    const taken = takenBy(parameter)
    if (types === null || taken === null) continue
    const [own] = types
    const isTaken = types.some(type => taken.takes.includes(type) || (type === 'null' && !parameter.required))
    if (own !== undefined && !isTaken)
      add('error', 'type_mismatch', at, `${argument} expects ${taken.noun}, not ${nouns[own]}.`)
  }
  for (const { name, required } of inputs)
    if (required && !Object.hasOwn(step.arguments, name))
      add('error', 'missing_argument', ['arguments', name], `${name} is required.`)
}

const nouns: Readonly<Record<JsonType, string>> = {
  string: 'a text',
  number: 'a number',
  boolean: 'true or false',
  object: 'an object',
  list: 'a list',
  null: 'null',
}

/** Returns the action that a step calls; undefined while it is not known, and for one that is gone. */
export function actionOf<One extends { readonly toolName: string }>(
  { connectionId, toolName }: Pick<ActionStep, 'connectionId' | 'toolName'>,
  actionsOf: ActionsOf<One>,
): One | undefined {
  return actionsOf(connectionId)?.find(one => one.toolName === toolName)
}
