import { argumentError, type CallExtras } from '#main/outbound/build-request.ts'
import type { CallRequest, Calls } from '#main/outbound/calls.ts'
import { type ActionRecord, type Config, isKept } from '#main/storage/config.ts'
import type { CallErrorCode } from '#shared/errors/call.ts'
import type { RunErrorCode } from '#shared/errors/run.ts'
import { numberText } from '#shared/json/exact-json.ts'
import { httpStepActionId } from '#shared/model/action.ts'
import { connectionDefaults } from '#shared/model/connection.ts'
import type { Parameter } from '#shared/model/parameter.ts'
import { MissingValue, soleVariable } from '#shared/workflows/templates.ts'
import type { Attempted, EffectContext, OuterEffect } from './execute.ts'
import { replyMessage } from './reply-message.ts'
import { isRetriable } from './retry.ts'
import { webhookOf } from './webhook.ts'

export type StepParts = {
  readonly config: () => Config
  readonly calls: Calls
  /** Returns the value of an environment variable; undefined if it is not set. */
  readonly variable: (name: string) => string | undefined
  /** Shows a message of a `notify` step to the people who run the service. */
  readonly notify: (message: string, context: EffectContext) => void
}

/** The parts of a connection that a call needs. */
type Target = CallRequest['connection'] & { readonly connectionId: string; readonly name: string }

/** Maximum number of concurrent calls of workflows to one connection. */
const maxPerConnection = 16

/**
 * Creates the function that carries out the effects of steps. Calls go the same way as all others: the same checks,
 * signature, environment and masking. Each carries an `Idempotency-Key` that is the same for every attempt.
 */
export function createSteps({ config, calls, variable, notify }: StepParts) {
  const slots = createSlots(maxPerConnection)

  async function call(
    connection: Target,
    action: ActionRecord,
    given: Record<string, unknown>,
    context: EffectContext,
    extras: CallExtras = {},
  ): Promise<Attempted> {
    if (context.isDryRun) return { ok: true, output: null, callId: null }
    const { run, path, signal } = context
    const headers = { 'Idempotency-Key': `${run.runId}.${path}`, ...extras.headers }
    const outcome = await slots.use(connection.connectionId || run.workflowId, signal, () =>
      calls.run({
        connection,
        action,
        arguments: given,
        source: 'workflow',
        step: { runId: run.runId, path },
        isPrivate: context.discard,
        extras: { ...extras, headers },
        signal,
      }),
    )
    const { ok, response, error, result, mapped } = outcome
    const callId = connection.connectionId === '' ? null : outcome.callId
    if (ok) return { ok, output: mapped ?? result, callId }
    const status = response?.status ?? null
    // The words of a response are contents like any other, so a run that keeps none leaves them out.
    const words = context.discard ? null : replyMessage(result)
    const answered = `${connection.name} answered ${status}`
    // The words come first, because rows of a timeline have no room for more.
    const message = words === null ? `${answered}.` : `“${words}” (${answered})`
    const problem = error ?? { code: `http_${status}`, message }
    return {
      ok,
      error: { code: problem.code, message: problem.message },
      isRetriable: isRetriable(error?.code ?? null, status),
      callId,
    }
  }

  /** The step is retried while the deletion of the connection can be undone. */
  const unknownConnection = (connectionId: string): Attempted => ({
    ...refused('unknown_connection', 'The connection does not exist any more.'),
    isRetriable: isKept(config(), connectionId),
  })

  return async function perform(effect: OuterEffect, context: EffectContext): Promise<Attempted> {
    switch (effect.kind) {
      case 'notify':
        if (!context.isDryRun) notify(effect.message, context)
        return { ok: true, output: { message: effect.message }, callId: null }
      case 'action': {
        const { connectionId, toolName } = effect.step
        const connection = config().connections.get(connectionId)
        if (connection === undefined) return unknownConnection(connectionId)
        const action = connection.actions.find(one => one.toolName === toolName)
        if (action === undefined)
          return refused('unknown_action', `${connection.name} has no action ${toolName}.`)
        if (!connection.enabled) return refused('connection_off', `${connection.name} is switched off.`)
        if (!action.isEnabled) return refused('action_off', `The action ${toolName} is switched off.`)
        const given = fitted(action.parameters, effect.arguments)
        const missing = missingValue(action, effect)
        const wrong = context.isDryRun ? argumentError(action, given) : null
        const failed =
          missing !== null
            ? refused('missing_value', missing.message)
            : wrong && refused('invalid_arguments', wrong.message)
        return { ...(failed ?? (await call(connection, action, given, context))), input: given }
      }
      case 'http': {
        const { method, signWith } = effect.step
        const connectionId = signWith ?? context.run.connectionId
        const { origin, host, pathname, search } = new URL(effect.url)
        const webhook = webhookOf(config(), context.run.workflowId)
        const secret = webhook && variable(webhook.secretVariable)
        if (webhook !== null && !secret)
          return refused('missing_environment_variable', missingSecret(webhook.secretVariable))
        const connection =
          connectionId === ''
            ? { ...noConnection, ...(secret && { signingSecret: secret }) }
            : config().connections.get(connectionId)
        if (connection === undefined) return unknownConnection(connectionId)
        return call({ ...connection, name: host, baseUrl: origin }, { ...httpRequest, method }, {}, context, {
          headers: effect.headers,
          maskedHeaders: effect.maskedHeaders,
          body: effect.body,
          encoding: effect.encoding,
          target: pathname + search,
          isUnsigned: signWith === undefined && !secret,
        })
      }
    }
  }
}

/** Stands for the connection of a test that names none. Its requests are not signed, so the secret is never used. */
const noConnection = {
  connectionId: '',
  baseUrl: null,
  signingSecret: 'unused',
  timeoutMs: connectionDefaults.timeoutMs,
}

/** An HTTP request of a workflow, in the form of an action. */
const httpRequest: ActionRecord = {
  actionId: httpStepActionId,
  name: 'HTTP request',
  toolName: 'http',
  description: 'A request of a workflow.',
  method: 'GET',
  path: '/',
  headers: null,
  parameters: [],
  responseMapping: null,
  isEnabled: true,
  createdAt: '1970-01-01T00:00:00.000Z',
  updatedAt: '1970-01-01T00:00:00.000Z',
}

type Refused = Extract<Attempted, { ok: false }>

const missingSecret = (name: string) =>
  `The environment variable ${name} with the signing secret is not set. Set it, then retry the delivery.`

function refused(code: RunErrorCode | CallErrorCode, message: string): Refused {
  return { ok: false, error: { code, message }, isRetriable: false, callId: null }
}

/** Returns the error of a required parameter whose argument is a variable without a value; null if there is none. */
function missingValue(
  { parameters }: ActionRecord,
  { step, arguments: given }: Extract<OuterEffect, { kind: 'action' }>,
): MissingValue | null {
  for (const { name, required } of parameters) {
    if (!required || !Object.hasOwn(step.arguments, name)) continue
    const template = step.arguments[name]
    const path = typeof template === 'string' ? soleVariable(template) : null
    const hasValue = Object.hasOwn(given, name) && given[name] !== null
    if (path !== null && !hasValue) return new MissingValue(path, `the parameter ${name}`)
  }
  return null
}

/** Converts numbers and booleans to strings where a parameter is a string: `{{order_id}}` may be a number in the event. */
function fitted(
  parameters: readonly Parameter[],
  given: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  const texts = new Set(parameters.filter(({ type }) => type === 'string').map(({ name }) => name))
  return Object.fromEntries(
    Object.entries(given).map(([name, value]) => {
      const text = numberText(value) ?? (typeof value === 'boolean' ? String(value) : null)
      return [name, texts.has(name) && text !== null ? text : value]
    }),
  )
}

/** Limits the concurrent uses of each key. Further uses wait in the order of their arrival, until they are aborted. */
function createSlots(most: number) {
  const waiting = new Map<string, { active: number; next: (() => void)[] }>()
  return {
    async use<Result>(key: string, signal: AbortSignal, run: () => Promise<Result>): Promise<Result> {
      const slot = waiting.get(key) ?? { active: 0, next: [] }
      waiting.set(key, slot)
      if (slot.active >= most) await turnOf(slot.next, signal)
      else slot.active++
      try {
        signal.throwIfAborted()
        return await run()
      } finally {
        const next = slot.next.shift()
        if (next !== undefined) next()
        else if (--slot.active === 0) waiting.delete(key)
      }
    },
  }
}

/** Waits until a function in `queue` is called. @throws the reason of `signal` if that is aborted before. */
async function turnOf(queue: (() => void)[], signal: AbortSignal): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const leave = () => {
    const place = queue.indexOf(resolve)
    if (place === -1) return
    queue.splice(place, 1)
    reject(signal.reason)
  }
  queue.push(resolve)
  signal.addEventListener('abort', leave, { once: true })
  await promise.finally(() => signal.removeEventListener('abort', leave))
}
