import { z } from 'zod'
import { blockedHost } from '#main/outbound/address-guard.ts'
import type { Config } from '#main/storage/config.ts'
import type { ConfigChange } from '#main/storage/config-store.ts'
import { ServiceError } from '#shared/errors.ts'
import { variablesIn } from '#shared/model/action-headers.ts'
import { BasicVariable, OAuth2Variable, type VariableInput } from '#shared/model/environment-variable.ts'

/** A variable of the settings: a value, or how it is made from another variable. */
export type Definition =
  | { readonly kind: 'value'; readonly value: string }
  | { readonly kind: 'basic'; readonly basic: BasicVariable }
  | { readonly kind: 'oauth2'; readonly oauth2: OAuth2Variable }

/**
 * The beginning of the stored text of a made variable. No value has this character, so the text is never a value. An
 * earlier version takes it for one and refuses to send it, because no header can.
 */
const madeMark = '\0made:'

const Made = z.union([
  z.object({ kind: z.literal('basic'), basic: BasicVariable }),
  z.object({ kind: z.literal('oauth2'), oauth2: OAuth2Variable }),
])

/** Definitions by their stored texts. Only a made variable is parsed, and there are few. */
const parsed = new Map<string, Definition | null>()
const maxParsed = 1000

/** Returns what a stored text defines; null for a kind that only a later version knows. */
export function definitionOf(stored: string): Definition | null {
  if (!stored.startsWith(madeMark)) return { kind: 'value', value: stored }
  const known = parsed.get(stored)
  if (known !== undefined) return known
  if (parsed.size >= maxParsed) parsed.clear()
  const made = parse(stored.slice(madeMark.length))
  parsed.set(stored, made)
  return made
}

function parse(text: string): Definition | null {
  try {
    return Made.safeParse(JSON.parse(text)).data ?? null
  } catch {
    return null
  }
}

/** Returns the text that is stored for what a variable is set to. */
export function storedTextOf({ value, basic, oauth2 }: VariableInput): string {
  if (basic !== undefined) return madeMark + JSON.stringify({ kind: 'basic', basic })
  if (oauth2 !== undefined) return madeMark + JSON.stringify({ kind: 'oauth2', oauth2 })
  return value ?? ''
}

/** Returns the variable that a definition is made from; null for a value. */
export function neededBy(definition: Definition | null): string | null {
  if (definition?.kind === 'basic') return definition.basic.passwordVariable
  return definition?.kind === 'oauth2' ? definition.oauth2.secretVariable : null
}

/**
 * Sets or replaces a variable in the settings.
 *
 * @throws ServiceError `invalid_input` for a variable that needs itself, and for a token URL at a refused address.
 */
export function setVariable(config: Config, name: string, input: VariableInput): ConfigChange<void> {
  const { basic, oauth2 } = input
  const blocked = oauth2 === undefined ? null : blockedHost(oauth2.tokenUrl)
  if (blocked !== null)
    throw invalid('oauth2.tokenUrl', `Calls to this address are refused: it is ${blocked}.`)
  const environment = new Map(config.environment).set(name, storedTextOf(input))
  if (needsItself(environment, name))
    throw invalid(
      basic === undefined ? 'oauth2.secretVariable' : 'basic.passwordVariable',
      `${name} would need itself. Choose a variable that is not made from ${name}.`,
    )
  return { next: { ...config, environment }, result: undefined }
}

function needsItself(environment: Config['environment'], name: string): boolean {
  const seen = new Set<string>()
  for (let next: string | null = name; next !== null; next = neededBy(definitionIn(environment, next))) {
    if (seen.has(next)) return true
    seen.add(next)
  }
  return false
}

function definitionIn(environment: Config['environment'], name: string): Definition | null {
  const stored = environment.get(name)
  return stored === undefined ? null : definitionOf(stored)
}

/** @throws ServiceError `environment_variable_not_found`; `variable_in_use` naming what needs it. */
export function removeVariable(config: Config, name: string): ConfigChange<void> {
  if (!config.environment.has(name)) throw new ServiceError('environment_variable_not_found')
  const users = [
    ...variablesMadeFrom(config, name).map(made => `the variable ${made}`),
    ...[...config.connections.values()]
      .filter(({ auth }) => auth !== undefined && variablesIn(auth.value).includes(name))
      .map(connection => `the sign-in of ${connection.name}`),
  ]
  if (users.length > 0) {
    const named = users.slice(0, 3).join(', ')
    const more = users.length > 3 ? ` and ${users.length - 3} more` : ''
    throw new ServiceError('variable_in_use', {
      detail: `${name} is needed by ${named}${more}. Change that first.`,
    })
  }
  const environment = new Map(config.environment)
  environment.delete(name)
  return { next: { ...config, environment }, result: undefined }
}

/** Returns the names of the variables that are made from this one. */
export function variablesMadeFrom({ environment }: Config, name: string): string[] {
  return [...environment]
    .filter(([, stored]) => neededBy(definitionOf(stored)) === name)
    .map(([made]) => made)
}

function invalid(path: string, message: string): ServiceError {
  return new ServiceError('invalid_input', { data: { issues: [{ path, message }] } })
}
