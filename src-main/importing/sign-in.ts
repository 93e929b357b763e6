import type { ConnectionRecord } from '#main/storage/config.ts'
import type { Action } from '#shared/model/action.ts'
import { variablesIn } from '#shared/model/action-headers.ts'
import type { ConnectionAuth } from '#shared/model/connection-auth.ts'
import type { ImportAuth } from '#shared/model/import-auth.ts'
import type { Parsed } from './parse.ts'
import { type Problem, problem } from './problem.ts'

/**
 * How the calls of imported actions sign in. `connection`: by the `auth` that the connection gets, with a scheme of the
 * document (null for its first one). `required`: the same, but only with a scheme that the operations of its server
 * require. `kept`: by the `auth` that the connection has. `actions`: by headers of each action.
 */
export type SignInMode =
  | { readonly kind: 'connection'; readonly scheme: string | null; readonly variable: string | null }
  | { readonly kind: 'required'; readonly preferred: string | null }
  | { readonly kind: 'kept'; readonly auth: ConnectionAuth }
  | { readonly kind: 'actions' | 'none' }

export const firstScheme: SignInMode = { kind: 'connection', scheme: null, variable: null }

/** Returns how the connection of a server signs in. */
export type SignInFor = (url: string, isBase: boolean) => SignInMode

/**
 * Returns how each connection of an import signs in. A variable that is asked for is only for the base URL: no other host
 * gets its value.
 *
 * @param existing returns the connection that a server's actions go to; null for a new one.
 */
export function signInFor(
  asked: ImportAuth | null | undefined,
  existing: (url: string, isBase: boolean) => Target | null,
): SignInFor {
  return (url, isBase) => {
    const target = existing(url, isBase)
    if (isBase) return signInOf(asked, target)
    if (target !== null || asked === null) return signInOf(asked === null ? null : undefined, target)
    return { kind: 'required', preferred: asked?.scheme ?? null }
  }
}

/** Returns how new connections sign in. */
export const signInOfNew: SignInFor = signInFor(undefined, () => null)

type Target = Pick<ConnectionRecord, 'auth'>
type TargetAgain = Target & {
  readonly actions: readonly { readonly imported?: unknown; readonly headers: Action['headers'] }[]
}

/**
 * Returns how an import signs in.
 *
 * @param asked of the request: null for none, undefined if it does not say.
 * @param target null for a new connection.
 */
export function signInOf(asked: ImportAuth | null | undefined, target: Target | null): SignInMode {
  if (asked) return { kind: 'connection', scheme: asked.scheme, variable: asked.variable ?? null }
  if (target === null) return asked === null ? { kind: 'none' } : firstScheme
  if (target.auth !== undefined) return { kind: 'kept', auth: target.auth }
  return { kind: asked === null ? 'none' : 'actions' }
}

/** Returns how importing a document again signs in: as the actions of the last import do. */
export function signInAgain({ auth, actions }: TargetAgain): SignInMode {
  if (auth !== undefined) return { kind: 'kept', auth }
  const signs = actions.some(
    ({ imported, headers }) =>
      imported !== undefined && Object.values(headers ?? {}).some(value => variablesIn(value).length > 0),
  )
  return { kind: signs || actions.length === 0 ? 'actions' : 'none' }
}

/** Returns an error for a scheme that the document does not have. */
export function unknownScheme({ auth = [] }: Parsed, asked: ImportAuth | null | undefined): Problem[] {
  if (!asked) return []
  const { scheme } = asked
  if (auth.some(one => one.scheme === scheme)) return []
  const names = auth.map(one => one.scheme).join(', ')
  const instead = names === '' ? 'It has none.' : `It has ${names}.`
  return [
    problem(
      [],
      `"auth.scheme" is ${scheme}, but the document has no such scheme to sign in with. ${instead}`,
    ),
  ]
}
