import { blockedHost, hostOf, isPlainHttp } from '#main/outbound/address-guard.ts'
import type { JsonPath } from '#shared/json/locate.ts'
import { actionWarnings, type NewAction } from '#shared/model/action.ts'
import { variablesIn } from '#shared/model/action-headers.ts'
import { authOf, sendsQuery } from '#shared/model/connection-auth.ts'
import type { ConnectionPlan } from './plan-connection.ts'
import { type Problem, problem, warning } from './problem.ts'
import type { Entry } from './validate-document.ts'

/** An environment variable that headers or a sign-in use. */
export type EnvironmentUse = {
  readonly name: string
  /** The host that its value would be sent to; null without a base URL. */
  readonly host: string | null
  /** The names of the headers, and the number of actions with them. */
  readonly headers: readonly string[]
  readonly actions: number
}

/**
 * Returns the variables in the headers of these actions, in the order of their first use.
 *
 * @param auth a sign-in that adds to each of them. Its variables are listed also where there is no action yet.
 */
export function environmentUses(
  actions: readonly { readonly headers?: Readonly<Record<string, string>> | null | undefined }[],
  baseUrl: string | null,
  auth: ConnectionPlan['auth'] = undefined,
): EnvironmentUse[] {
  const uses = new Map<string, { headers: Set<string>; actions: Set<unknown> }>()
  for (const action of actions) {
    const added = authOf(auth, action.headers ?? null)
    const sent = [
      ...Object.entries(action.headers ?? {}),
      ...(added ? [[added.name, added.value] as const] : []),
    ]
    for (const [header, value] of sent)
      for (const name of variablesIn(value)) {
        const use = uses.get(name) ?? { headers: new Set(), actions: new Set() }
        use.headers.add(header)
        use.actions.add(action)
        uses.set(name, use)
      }
  }
  for (const name of auth === undefined ? [] : variablesIn(auth.value))
    if (!uses.has(name)) uses.set(name, { headers: new Set([auth?.name ?? '']), actions: new Set() })
  const host = hostOf(baseUrl)
  return Array.from(uses, ([name, use]) => ({
    name,
    host,
    headers: [...use.headers],
    actions: use.actions.size,
  }))
}

/** Returns an error for each new action that sends a query parameter with which the connection signs in. */
export function signInProblems(
  connection: ConnectionPlan | null,
  actions: readonly Entry<NewAction>[],
): Problem[] {
  const auth = connection?.auth
  if (auth?.in !== 'query') return []
  return actions
    .filter(({ fields }) => sendsQuery(fields, auth.name))
    .map(({ path }) =>
      problem(
        path,
        `The connection signs in with the query parameter ${auth.name}, which this action sends already.`,
      ),
    )
}

/** Returns warnings about calling the new actions at the connection's base URL. */
export function baseUrlProblems(
  connection: ConnectionPlan | null,
  actions: readonly Entry<NewAction>[],
): Problem[] {
  if (connection === null) return []
  const { baseUrl, connectionId } = connection
  const path = connectionId === null ? ['connection', 'baseUrl'] : []
  const about = (message: string): Problem => ({ ...warning(path, message), code: 'host' })
  if (baseUrl === null) {
    const enabled = actions.filter(({ fields }) => fields.isEnabled).length
    if (enabled === 0) return []
    const message = `The connection has no base URL, so ${countOf(enabled, 'new action')} cannot be called yet.`
    return [about(message)]
  }
  const problems: Problem[] = []
  const blocked = blockedHost(baseUrl)
  if (blocked !== null) problems.push(about(`The base URL is ${blocked}. Calls to it are refused.`))
  const fields = actions.map(action => action.fields)
  if (isPlainHttp(baseUrl) && environmentUses(fields, baseUrl, connection.auth).length > 0)
    problems.push(
      about(
        'Environment variables would be sent over plain http, where others on the network can read them.',
      ),
    )
  return problems
}

/** Returns warnings about unusual but valid parts of an action. */
export function actionProblems(action: NewAction, path: JsonPath): Problem[] {
  const named = actionWarnings(action).map(({ path: steps, message }) =>
    warning([...path, ...steps.split('.').map(step => (/^\d+$/.test(step) ? Number(step) : step))], message),
  )
  const plain = Object.entries(action.headers ?? {})
    .filter(([name, value]) => isCredential(name) && value !== '' && variablesIn(value).length === 0)
    .map(([name]) =>
      warning(
        [...path, 'headers', name],
        `The header ${name} looks like a credential in plain text. Use an environment variable instead: {{NAME}}.`,
      ),
    )
  return [...named, ...plain]
}

/** Returns whether a header with this name is probably a secret. */
export function isCredential(headerName: string): boolean {
  if (/(?:idempotency|partition|routing|cache|surrogate|sort)[-_]?key$/i.test(headerName)) return false
  return /^(proxy-)?authorization$|^cookie$|(api|access)[-_]?key|[-_]key$|token|secret|pass(word|wd|phrase|code)|credential|session|jwt|(^|[-_])auth/i.test(
    headerName,
  )
}

function countOf(count: number, noun: string): string {
  return count === 1 ? `1 ${noun}` : `${count} ${noun}s`
}
