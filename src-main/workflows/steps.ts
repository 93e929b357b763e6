import { actionRequest, argumentError, shownRequest } from '#main/outbound/action-request.ts'
import { type TakenArguments, takenArguments } from '#main/outbound/arguments.ts'
import type { Calls } from '#main/outbound/calls.ts'
import {
  type Environment,
  type MissingTokens,
  missingVariables,
  withHeaders,
} from '#main/outbound/header-values.ts'
import { shownHost } from '#main/outbound/masking.ts'
import {
  type ImpossibleRequest,
  type Initiator,
  noHeaders,
  type OutboundRequest,
  signingKeyOf,
} from '#main/outbound/outbound-request.ts'
import { pathBelow, signInFor } from '#main/outbound/sign-in.ts'
import { SigningKey } from '#main/signing/signing-key.ts'
import { type ActionRecord, type Config, type ConnectionRecord, isKept } from '#main/storage/config.ts'
import type { CallErrorCode } from '#shared/errors/call.ts'
import type { RunErrorCode } from '#shared/errors/run.ts'
import { ServiceError } from '#shared/errors.ts'
import { serviceConnectionId } from '#shared/model/alert.ts'
import { type CallError, headerValues } from '#shared/model/call.ts'
import { connectionDefaults } from '#shared/model/connection.ts'
import type { Parameter } from '#shared/model/parameter.ts'
import { fittedValue } from '#shared/model/parameter-kinds.ts'
import { MissingValue } from '#shared/workflows/renderer.ts'
import { environmentOf } from '#shared/workflows/step-environment.ts'
import { soleVariable } from '#shared/workflows/templates.ts'
import type { Attempted } from './attempt-records.ts'
import type { EffectContext, OuterEffect } from './execute.ts'
import { createKeyedSemaphore } from './keyed-semaphore.ts'
import { replyMessage } from './reply-message.ts'
import { isRetriable, isRetriableError } from './retry.ts'
import type { RunSpans } from './run-spans.ts'
import { summaryOf } from './run-view.ts'
import { traceHeaders } from './trace-context.ts'
import { webhookOf } from './webhook.ts'

export type StepParts = {
  readonly config: () => Config
  readonly calls: Calls
  /** Returns how many processes make calls of workflows, this one included. */
  readonly living: () => number
  /** Returns the value of an environment variable; undefined if it is not set. */
  readonly variable: (name: string) => string | undefined
  /** Fetches tokens. */
  readonly fetching?: Pick<Environment, 'fetchMissing' | 'dropTokens'> | undefined
  /** Shows a message of a `notify` step to the people who run the service. */
  readonly notify: (message: string, context: EffectContext) => void
  /** Adds the spans of steps and calls; absent without tracing. */
  readonly spans?: RunSpans | undefined
}

/** Maximum number of concurrent calls of workflows to one connection. Each process takes its share. */
const maxPerConnection = 16

/**
 * Creates the function that carries out the effects of steps. Calls go the same way as all others: the same checks,
 * signature, environment and masking. Each carries an `Idempotency-Key` that is the same for every attempt.
 */
export function createSteps({ config, calls, living, variable, fetching, notify, spans }: StepParts) {
  const concurrency = createKeyedSemaphore(() => Math.ceil(maxPerConnection / living()))

  /** @param name of what answers, for messages. */
  async function call(
    request: OutboundRequest | ImpossibleRequest,
    name: string,
    context: EffectContext,
  ): Promise<Attempted> {
    const { run, path, signal, isDryRun, comesAgain, discard, isPrivate } = context
    if (isDryRun) return { ok: true, output: null, callId: null }
    const own = 'rawHeaders' in request ? request.rawHeaders : undefined
    const added = {
      'Idempotency-Key': `${run.runId}.${path}`,
      ...traceHeaders(spans?.contextOfCall(context) ?? summaryOf(run), request.headers, own ?? noHeaders),
    }
    const rawHeaders = withHeaders(added, own ?? noHeaders)
    const { connectionId } = request
    const sent = { ...request, rawHeaders }
    // A run that cannot wait for its turn waits as a person does.
    const inTurn = (): ReturnType<Calls['runInTurn']> =>
      comesAgain ? calls.runInTurn(sent, signal) : calls.run(sent, signal)
    const outcome = await concurrency.use(connectionId ?? run.workflowId, signal, inTurn).catch(goneOf)
    if ('isRetriable' in outcome) return outcome
    const heldUntil = (until: number, isPaused: boolean) =>
      connectionId === null ? {} : { held: { connectionId, until, isPaused } }
    if ('until' in outcome) {
      const { until, because, error } = outcome
      return { ok: false, error, isRetriable: true, ...heldUntil(until, because === 'pause'), callId: null }
    }
    spans?.called(context, request, outcome)
    const { pausedUntil = null } = outcome
    const { ok, callId, response, error, result, mapped } = outcome
    const answer = response && {
      answer: {
        status: response.status,
        headers: headerValues(response),
        bodyText: response.body,
        ...(error && { error: factsError(error) }),
      },
    }
    if (ok) return { ok, output: mapped ?? result, callId, ...answer }
    const status = response?.status ?? null
    // The words of a response are contents like any other, so what keeps none leaves them out.
    const words = discard || isPrivate ? null : replyMessage(result)
    const answered = `${name} answered ${status}`
    // The words come first, because rows of a timeline have no room for more.
    const message = words === null ? `${answered}.` : `“${words}” (${answered})`
    const problem = error ?? { code: `http_${status}`, message }
    return {
      ok,
      error: { code: problem.code, message: problem.message },
      isRetriable: error === null ? isRetriable(null, status) : isRetriableError(error, status),
      response,
      ...answer,
      ...(pausedUntil !== null && heldUntil(pausedUntil, true)),
      callId,
    }
  }

  /** The step is retried while the deletion of the connection can be undone. */
  const unknownConnection = (connectionId: string): Attempted => ({
    ...refused('unknown_connection', 'The connection does not exist any more.'),
    isRetriable: isKept(config(), connectionId),
  })

  /** @param problem why the call cannot be made; null if it can. */
  async function carryOut(
    effect: OuterEffect,
    context: EffectContext,
    problem: CallError | null,
  ): Promise<Attempted> {
    const made = (request: OutboundRequest | ImpossibleRequest) =>
      problem === null ? request : { ...request, error: problem }
    switch (effect.kind) {
      case 'notify':
        // The message of a private step is shown, but not stored.
        if (!context.isDryRun)
          notify(effect.message, { ...context, discard: context.discard || context.isPrivate })
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
        const { parameters } = action
        const written = fitted(parameters, effect.arguments)
        const masked = effect.shown === undefined ? written : fitted(parameters, effect.shown)
        const hasSecret = (name: string) => masked[name] !== written[name]
        const { given, converted } = takenArguments(parameters, written, hasSecret)
        const missing = missingValue(action, effect)
        const wrong = context.isDryRun ? argumentError(action, given) : null
        const failed =
          missing !== null
            ? refused('missing_value', missing.message)
            : wrong && refused('invalid_arguments', wrong.message)
        const shown = masked === written ? given : shownAs(masked, hasSecret, { given, converted })
        if (failed !== null) return { ...failed, input: shown }
        const request = actionRequest(connection, action, given, { ...initiatorOf(context), converted })
        const parts =
          shown === given ? null : { shown: shownRequest(connection, action, given, shown), arguments: shown }
        const sent = made({ ...request, ...parts, variables: environmentOf(effect.step) })
        return { ...(await call(sent, connection.name, context)), input: shown }
      }
      case 'http': {
        const { signWith } = effect.step
        const connectionId = signWith ?? context.run.connectionId
        const connection = config().connections.get(connectionId ?? '') ?? null
        if (connectionId !== null && connection === null) return unknownConnection(connectionId)
        const webhook = webhookOf(config(), context.run.workflowId)
        const secret = webhook && variable(webhook.secretVariable)
        if (webhook !== null && !secret)
          return refused('missing_environment_variable', missingSecret(webhook.secretVariable))
        const isSigned = signWith !== undefined && isAtConnection(effect, connection)
        const ofConnection = isSigned ? connection && signingKeyOf(connection) : null
        const key = secret ? new SigningKey(secret) : ofConnection
        const signer = signWith === undefined ? null : connection
        const request = httpRequest(effect, connection, key, initiatorOf(context))
        const more = { ...signInOf(signer, effect), variables: environmentOf(effect.step) }
        return call(made({ ...request, ...more }), shownHost(request), context)
      }
    }
  }

  async function perform(effect: OuterEffect, context: EffectContext): Promise<Attempted> {
    const { unfetched, isDryRun } = context
    if (unfetched === undefined || isDryRun) return carryOut(effect, context, null)
    const fetched = (await fetching?.fetchMissing?.(unfetched.names)) ?? noneFetched
    if ('error' in fetched) return carryOut(effect, context, fetched.error)
    const { values } = fetched
    const missing = unfetched.names.filter(name => !values.has(name))
    if (missing.length > 0) return carryOut(effect, context, missingVariables(missing, 'The step'))
    const ready = unfetched.withValues(values)
    if (ready.kind === 'failed') return { ok: false, error: ready.error, isRetriable: false, callId: null }
    if (ready.kind !== 'action' && ready.kind !== 'http') throw new Error(`A step became ${ready.kind}.`)
    const attempted = await carryOut(ready, context, null)
    if (!attempted.ok && attempted.error.code === 'http_401') fetching?.dropTokens?.(values.values())
    return attempted
  }

  return async (effect: OuterEffect, context: EffectContext): Promise<Attempted> => {
    const end = spans?.beginStep(context, effect.kind)
    const attempted = await perform(effect, context)
    end?.(attempted)
    return attempted
  }
}

const factsError = ({ code, message }: CallError) => ({ code, message })

function initiatorOf({ run, path, discard, kept }: EffectContext): Initiator {
  const { runId, workflowId } = run
  const isForAlert = run.connectionId === serviceConnectionId
  return { source: 'workflow', step: { runId, path }, workflowId, isForAlert, isPrivate: discard, kept }
}

/** Returns the request of an `http` step. */
function httpRequest(
  { step, url, headers, maskedHeaders, body, encoding, shown }: Extract<OuterEffect, { kind: 'http' }>,
  connection: ConnectionRecord | null,
  key: SigningKey | null,
  initiator: Initiator,
): OutboundRequest {
  const { origin, pathname, search } = new URL(url)
  return {
    ...initiator,
    connectionId: connection?.connectionId ?? null,
    actionId: null,
    toolName: 'http',
    arguments: {},
    method: step.method,
    origin,
    target: pathname + search,
    headers: noHeaders,
    rawHeaders: headers,
    shown: { ...shown, headers: maskedHeaders },
    body,
    encoding,
    key,
    timeoutMs: (connection ?? connectionDefaults).timeoutMs,
    responseMapping: null,
  }
}

/** Returns whether a request may be signed with the secret of a connection: data must not choose who gets to see that. */
function isAtConnection(
  { step, url }: Extract<OuterEffect, { kind: 'http' }>,
  connection: ConnectionRecord | null,
): boolean {
  if (step.hosts === undefined) return true
  const baseUrl = connection?.baseUrl ?? null
  return baseUrl !== null && pathBelow(baseUrl, new URL(url)) !== null
}

/** Returns what the sign-in of the connection that signs adds to an `http` step. */
function signInOf(
  signer: ConnectionRecord | null,
  { url, headers }: Extract<OuterEffect, { kind: 'http' }>,
): Pick<OutboundRequest, 'headers' | 'query'> {
  if (signer === null) return { headers: noHeaders }
  const { headers: added, query } = signInFor(signer, new URL(url), headers)
  return { headers: added, ...(query !== null && { query }) }
}

/** Returns why a call could not be made whose connection or action was deleted while it waited. */
function goneOf(error: unknown): Refused {
  const code = error instanceof ServiceError ? error.code : null
  if (code === 'connection_not_found')
    return refused('unknown_connection', 'The connection does not exist any more.')
  if (code === 'action_not_found') return refused('unknown_action', 'The action does not exist any more.')
  throw error
}

const noneFetched: MissingTokens = { values: new Map() }

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

/** Returns masked arguments in which those that were converted and have no secret are as they are sent. */
function shownAs(
  masked: Readonly<Record<string, unknown>>,
  hasSecret: (name: string) => boolean,
  { given, converted }: TakenArguments,
): Record<string, unknown> {
  const names = new Set(converted.map(({ name }) => name).filter(name => !hasSecret(name)))
  return Object.fromEntries(
    Object.entries(masked).flatMap(([name, value]) => {
      if (!names.has(name)) return [[name, value]]
      return Object.hasOwn(given, name) ? [[name, given[name]]] : []
    }),
  )
}

/** Returns arguments as their parameters take them. */
function fitted(
  parameters: readonly Parameter[],
  given: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  const byName = new Map(parameters.map(parameter => [parameter.name, parameter]))
  return Object.fromEntries(
    Object.entries(given).map(([name, value]) => {
      const parameter = byName.get(name)
      return [name, parameter === undefined ? value : fittedValue(parameter, value)]
    }),
  )
}
