import { createSigningKey } from '#main/signing/sign.ts'
import type { SigningKey } from '#main/signing/signing-key.ts'
import type { ActionFields } from '#shared/model/action.ts'
import type { ActionUrl } from '#shared/model/action-url.ts'
import type { CallError } from '#shared/model/call.ts'
import { actionUrl, requestHeaders, variablesOfAction } from './build-request.ts'
import { type Environment, type HeaderMap, headerSecrets } from './header-values.ts'
import { keptTextMasker } from './mask-text.ts'
import { createMasker, type Masker } from './masking.ts'
import { compileMapping, type Mapping } from './read-response.ts'

/** What the calls of an action have in common. */
export type Preparation = {
  /** Names of the environment variables that its headers use. */
  readonly variables: readonly string[]
  readonly masker: Masker
  /** Null where there is no base URL that could be called. */
  readonly url: ActionUrl | null
  readonly mapping: Mapping | null
  readonly headers: { readonly ok: Readonly<HeaderMap> } | { readonly error: CallError }
}

type Values = ReadonlyMap<string, string | undefined>
type KeptAction = Preparation & {
  readonly baseUrl: string | null
  readonly values: Values
  readonly known: readonly string[]
}
const noSecrets: readonly string[] = []
type Connection = { readonly baseUrl: string | null; readonly signingSecret: string }

/**
 * Prepares calls, and keeps what it made for as long as the records are there that it was made of: patterns
 * and keys cost more than a call. Environment variables are asked for at every call (decisions: `{{ENV}}`).
 */
export function createPreparations(environment: Environment, version: string) {
  const keptActions = new WeakMap<ActionFields, KeptAction>()
  const keptKeys = new WeakMap<Connection, { secret: string; key: SigningKey }>()

  /** The actions of a service have their secrets in common, so they share one masker. */
  function maskerOf(shown: Readonly<HeaderMap>, own: readonly string[], known: readonly string[]): Masker {
    const secrets = [...new Set([...known, ...own.filter(value => value !== '')])]
    if (secrets.length > new Set(known).size) return createMasker({ shown, secrets })
    return createMasker({ shown, secrets }, keptTextMasker(known))
  }

  return {
    action(action: ActionFields, baseUrl: string | null): Preparation {
      const kept = keptActions.get(action)
      const variables = kept?.variables ?? variablesOfAction(action)
      const known = environment.secrets?.() ?? noSecrets
      if (kept?.baseUrl === baseUrl && kept.known === known && isUnchanged(kept.values, environment))
        return kept
      const values = new Map(variables.map(name => [name, environment.resolve(name)]))
      const filled = requestHeaders(action, values, version)
      const failed = 'error' in filled
      const own = Object.values(action.headers ?? {}).flatMap(template => headerSecrets(template, values))
      const made: KeptAction = {
        variables,
        baseUrl,
        values,
        known,
        masker: maskerOf(failed ? {} : filled.shown, own, known),
        url: baseUrl === null ? null : actionUrl(baseUrl, action),
        mapping: compileMapping(action.responseMapping),
        headers: failed ? { error: filled.error } : { ok: filled.headers },
      }
      keptActions.set(action, made)
      return made
    },

    key(connection: Connection): SigningKey {
      const kept = keptKeys.get(connection)
      if (kept?.secret === connection.signingSecret) return kept.key
      const key = createSigningKey(connection.signingSecret)
      keptKeys.set(connection, { secret: connection.signingSecret, key })
      return key
    },
  }
}

function isUnchanged(values: Values, environment: Environment): boolean {
  for (const [name, value] of values) if (environment.resolve(name) !== value) return false
  return true
}
