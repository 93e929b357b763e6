import type { z } from 'zod'
import { variablesIn } from '#shared/model/action-headers.ts'
import type { ConnectionWithWarnings } from '#shared/model/connection.ts'
import { ConnectionAuth } from '#shared/model/connection-auth.ts'
import {
  BasicVariable,
  type EnvironmentVariable,
  OAuth2Variable,
  type VariableInput,
} from '#shared/model/environment-variable.ts'
import type { Fields } from '../../../ui/draft/draft.ts'
import { type RateLimitDraft, rateLimitDraftOf, rateLimitProblems } from './rate-limit-draft.ts'

/** How calls sign in, in the words of the page, with what each of them then carries. */
export const signInKinds = {
  none: { title: 'No sign-in', about: 'Only the signature' },
  bearer: { title: 'Bearer token', about: 'authorization: Bearer …' },
  basic: { title: 'User and password', about: 'authorization: Basic …' },
  key: { title: 'API key', about: 'In a header or the query' },
  oauth2: { title: 'OAuth 2', about: 'Client credentials' },
} as const
export type SignInKind = keyof typeof signInKinds
export const kindNames: readonly SignInKind[] = ['none', 'bearer', 'basic', 'key', 'oauth2']

/** A connection and the variables that its sign-in may need. */
export type SignInRecord = z.infer<typeof ConnectionWithWarnings> & {
  readonly variables: readonly EnvironmentVariable[]
}

export type SignInDraft = RateLimitDraft & {
  readonly kind: SignInKind
  /** The variable with the bearer token. */
  readonly tokenVariable: string | null
  readonly user: string
  readonly passwordVariable: string | null
  readonly keyIn: 'header' | 'query'
  readonly keyName: string
  /** A template with variables. */
  readonly keyValue: string
  readonly tokenUrl: string
  readonly clientId: string
  readonly secretVariable: string | null
  /** Empty for none. */
  readonly scope: string
  readonly audience: string
  readonly clientAuth: 'basic' | 'body'
}

export const signInFields: Fields<SignInDraft> = {
  kind: { label: 'sign-in', show: kind => signInKinds[kind].title },
  tokenVariable: 'variable of the token',
  user: 'user name',
  passwordVariable: 'variable of the password',
  keyIn: 'place of the key',
  keyName: 'name of the key',
  keyValue: { label: 'value of the key', stored: null },
  tokenUrl: 'token URL',
  clientId: 'client ID',
  secretVariable: 'variable of the secret',
  scope: 'scope',
  audience: 'audience',
  clientAuth: 'way of the secret',
  isLimited: { label: 'rate limit', show: isLimited => (isLimited ? 'on' : 'off') },
  calls: 'calls of the rate limit',
  perSeconds: 'seconds of the rate limit',
}

const blank: Omit<SignInDraft, 'kind' | keyof RateLimitDraft> = {
  tokenVariable: null,
  user: '',
  passwordVariable: null,
  keyIn: 'header',
  keyName: 'X-API-Key',
  keyValue: '',
  tokenUrl: '',
  clientId: '',
  secretVariable: null,
  scope: '',
  audience: '',
  clientAuth: 'basic',
}

const inAuthorization = /^(Bearer|Basic) \{\{(\w+)\}\}$/

/** Returns the variable that an `Authorization` header consists of, and its scheme; null for another sign-in. */
function soleVariable(auth: ConnectionAuth | null): { scheme: string; name: string } | null {
  if (auth?.in !== 'header' || auth.name.toLowerCase() !== 'authorization') return null
  const [, scheme, name] = inAuthorization.exec(auth.value) ?? []
  return scheme === undefined || name === undefined ? null : { scheme, name }
}

/** Returns the draft of a record. */
export function signInDraftOf(
  record: Pick<SignInRecord, 'auth' | 'variables'> & Partial<Pick<SignInRecord, 'rateLimit'>>,
): SignInDraft {
  return { ...authDraftOf(record), ...rateLimitDraftOf(record.rateLimit ?? null) }
}

function authDraftOf({
  auth,
  variables,
}: Pick<SignInRecord, 'auth' | 'variables'>): Omit<SignInDraft, keyof RateLimitDraft> {
  if (auth === null) return { ...blank, kind: 'none' }
  const sole = soleVariable(auth)
  const made = variables.find(({ name }) => name === sole?.name)
  if (sole?.scheme === 'Bearer' && made?.oauth2 !== undefined) {
    const { scope = '', audience = '', ...oauth2 } = made.oauth2
    return { ...blank, kind: 'oauth2', ...oauth2, scope, audience }
  }
  if (sole?.scheme === 'Basic' && made?.basic !== undefined) return { ...blank, kind: 'basic', ...made.basic }
  if (sole?.scheme === 'Bearer') return { ...blank, kind: 'bearer', tokenVariable: sole.name }
  return { ...blank, kind: 'key', keyIn: auth.in, keyName: auth.name, keyValue: auth.value }
}

/**
 * Returns the name of the variable that a draft makes: the one of the saved sign-in if that is of the same kind, else one
 * that is free.
 */
export function madeName(kind: 'basic' | 'oauth2', { auth, name, variables }: SignInRecord): string {
  const sole = soleVariable(auth)
  const saved = variables.find(variable => variable.name === sole?.name)
  if (saved?.kind === kind) return saved.name
  const words = name
    .normalize('NFKD')
    .toUpperCase()
    .split(/[^A-Z0-9]+/)
    .filter(word => word !== '')
  const start = words.join('_').slice(0, 100) || 'CALLS'
  const base = `${/^\d/.test(start) ? '_' : ''}${start}_${kind === 'basic' ? 'BASIC' : 'TOKEN'}`
  const taken = new Set(variables.map(variable => variable.name))
  for (let count = 1; ; count++) {
    const free = count === 1 ? base : `${base}_${count}`
    if (!taken.has(free)) return free
  }
}

/** Returns the variable that a draft makes, unchecked; null if it makes none. */
export function madeOf(draft: SignInDraft): VariableInput | null {
  const { kind, user, passwordVariable, tokenUrl, clientId, secretVariable, scope, audience, clientAuth } =
    draft
  if (kind === 'basic') return { basic: { user, passwordVariable: passwordVariable ?? '' } }
  if (kind !== 'oauth2') return null
  return {
    oauth2: {
      tokenUrl: tokenUrl.trim(),
      clientId,
      secretVariable: secretVariable ?? '',
      ...(scope.trim() !== '' && { scope: scope.trim() }),
      ...(audience.trim() !== '' && { audience: audience.trim() }),
      clientAuth,
    },
  }
}

/** Returns the sign-in of a draft, unchecked. */
export function authOfDraft(draft: SignInDraft, record: SignInRecord): ConnectionAuth | null {
  const bearer = (value: string): ConnectionAuth => ({ in: 'header', name: 'Authorization', value })
  switch (draft.kind) {
    case 'none':
      return null
    case 'bearer':
      return bearer(`Bearer {{${draft.tokenVariable ?? ''}}}`)
    case 'basic':
      return bearer(`Basic {{${madeName('basic', record)}}}`)
    case 'oauth2':
      return bearer(`Bearer {{${madeName('oauth2', record)}}}`)
    case 'key':
      return { in: draft.keyIn, name: draft.keyName.trim(), value: draft.keyValue }
  }
}

const choose = 'Choose the variable, or make a new one.'

/** Returns the problems of a draft by field. */
export function signInProblems(draft: SignInDraft, record: SignInRecord): Record<string, string> {
  const problems: Record<string, string> = { ...rateLimitProblems(draft) }
  if (draft.kind === 'bearer' && draft.tokenVariable === null) problems.tokenVariable = choose
  if (draft.kind === 'basic' && draft.passwordVariable === null) problems.passwordVariable = choose
  if (draft.kind === 'oauth2' && draft.secretVariable === null) problems.secretVariable = choose
  const { basic, oauth2 } = madeOf(draft) ?? {}
  const found = [
    ...(basic === undefined ? [] : (BasicVariable.safeParse(basic).error?.issues ?? [])),
    ...(oauth2 === undefined ? [] : (OAuth2Variable.safeParse(oauth2).error?.issues ?? [])),
  ]
  for (const { path, message } of found) problems[String(path[0])] ??= message
  if (draft.kind !== 'key') return problems
  const { error } = ConnectionAuth.safeParse(authOfDraft(draft, record))
  for (const { path, message } of error?.issues ?? [])
    problems[path[0] === 'value' ? 'keyValue' : 'keyName'] ??= message
  return problems
}

/** Returns the names of the variables whose values a person has to set for a draft. */
export function neededVariables(draft: SignInDraft): string[] {
  const { kind, tokenVariable, passwordVariable, secretVariable, keyValue } = draft
  if (kind === 'key') return variablesIn(keyValue)
  const name = { none: null, bearer: tokenVariable, basic: passwordVariable, oauth2: secretVariable }[kind]
  return name === null ? [] : [name]
}

/** Returns what each call then carries, with masks: `authorization: Bearer ••••`. */
export function carriedText(draft: SignInDraft): string | null {
  const dots = '•'.repeat(12)
  switch (draft.kind) {
    case 'none':
      return null
    case 'basic':
      return `authorization: Basic ${dots}`
    case 'key': {
      const value = draft.keyValue.replace(/\{\{\w+\}\}/g, dots)
      return draft.keyIn === 'header'
        ? `${draft.keyName.toLowerCase()}: ${value}`
        : `?${draft.keyName}=${value}`
    }
    case 'bearer':
    case 'oauth2':
      return `authorization: Bearer ${dots}`
  }
}
