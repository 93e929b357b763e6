import type { EnvironmentVariable, VariableTrial } from '#shared/model/environment-variable.ts'
import { formatDuration } from '../../../ui/format.ts'
import { neededVariables, type SignInDraft } from './sign-in-draft.ts'

/** A check of a sign-in: what was looked at, and what was found. */
export type Check = {
  readonly name: string
  readonly state: 'passed' | 'failed' | 'not_reached'
  readonly found: string
}

/** Codes of calls that did not get to the token server. */
const unreached = new Set(['blocked_address', 'dns_failure', 'connection_refused'])

/**
 * Returns the checks of a sign-in in their order.
 *
 * @param trial of a token; undefined while there is none.
 */
export function checksOf(
  draft: SignInDraft,
  variables: readonly EnvironmentVariable[],
  trial: VariableTrial | undefined,
): Check[] {
  const checks: Check[] = neededVariables(draft).map(name => {
    const isSet = variables.some(one => one.name === name && one.sources.length > 0)
    return {
      name: 'Variable',
      state: isSet ? 'passed' : 'failed',
      found: `\`${name}\` is ${isSet ? 'set' : 'not set'}`,
    }
  })
  if (draft.kind !== 'oauth2' || trial === undefined) return checks
  const { ok, status, error, expiresInSeconds } = trial
  const host = URL.canParse(draft.tokenUrl) ? new URL(draft.tokenUrl).host : draft.tokenUrl
  if (error === 'missing_environment_variable') return checks
  const isUnreached = status === null && error !== null && unreached.has(error)
  const address: Check = isUnreached
    ? { name: 'Address', state: 'failed', found: `\`${host}\`: \`${error}\`` }
    : { name: 'Address', state: 'passed', found: `\`${host}\` is allowed and reached` }
  const said = [status, error === null ? null : `\`${error}\``].filter(part => part !== null).join(' ')
  const answer: Check = isUnreached
    ? { name: 'Answer', state: 'not_reached', found: 'not reached' }
    : { name: 'Answer', state: ok ? 'passed' : 'failed', found: said }
  const lasts: Check =
    ok && expiresInSeconds !== null
      ? { name: 'Lasts', state: 'passed', found: `${lifeOf(expiresInSeconds)}, the next is fetched before` }
      : { name: 'Lasts', state: 'not_reached', found: 'not reached' }
  return [address, ...checks, answer, lasts]
}

/** Returns how long a token lasts, in words: “58 minutes”. */
export function lifeOf(seconds: number): string {
  return formatDuration(seconds * 1000)
}

/** Why there is no token, and whether the other way of sending the secret may help. */
export type Remedy = { readonly title: string; readonly text: string; readonly triesOtherWay: boolean }

/** Returns the remedy of a trial without a token; null for one that worked, or whose check says it all. */
export function remedyOf({ ok, status, error }: VariableTrial, draft: SignInDraft): Remedy | null {
  if (ok || error === 'missing_environment_variable') return null
  const other = draft.clientAuth === 'basic' ? 'in the body' : 'as a Basic header'
  const said = error === null ? `It answered ${status}.` : `It answered \`${error}\`.`
  if (error === 'invalid_client' || status === 401)
    return {
      title: 'The token server does not know this client',
      text: `${said} Either the secret is outdated, or the server expects ID and secret ${other}.`,
      triesOtherWay: true,
    }
  if (error === 'invalid_scope')
    return {
      title: 'The token server does not give this scope',
      text: `${said} Remove the scope, or write one that the client may have.`,
      triesOtherWay: false,
    }
  if (status === null)
    return {
      title: 'The token server was not reached',
      text: `The request failed with \`${error}\`. Check the token URL, and the network of this service.`,
      triesOtherWay: false,
    }
  if (status >= 300 && status < 400)
    return {
      title: 'The token server redirects',
      text: 'A redirect is not followed, because it would take the secret elsewhere. Write the final address.',
      triesOtherWay: false,
    }
  return {
    title: 'The token server gave no token',
    text: `${said} Check the token URL, the client ID and the scope.`,
    triesOtherWay: false,
  }
}
