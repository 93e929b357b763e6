import { headerSecrets, type MissingTokens } from '#main/outbound/header-values.ts'
import { secretTexts } from '#main/outbound/mask-text.ts'
import { type TokenFailure, type Tokens, tokenError } from '#main/outbound/tokens.ts'
import type { Config } from '#main/storage/config.ts'
import type { ConfigStore } from '#main/storage/config-store.ts'
import type {
  EnvironmentVariable,
  OAuth2Variable,
  VariableTrial,
} from '#shared/model/environment-variable.ts'
import { type Definition, definitionOf, neededBy } from './made-variables.ts'
import {
  followUses,
  madeSecrets,
  namesIn,
  neededByName,
  usersByName,
  workflowsByName,
} from './variable-uses.ts'

/** The service's own variables, including its key and token. Headers may not use them. */
const ownPrefix = /^CUSTOM_CONNECTION_/i

/** The values of `{{NAME}}` in headers. */
export type Environment = ReturnType<typeof createEnvironment>

/**
 * @param processEnv the service's environment, read for each use.
 * @param tokens keeps the tokens of variables; without it, these have no value.
 */
export function createEnvironment(
  store: Pick<ConfigStore, 'snapshot' | 'onChange'>,
  processEnv: NodeJS.ProcessEnv,
  tokens?: Tokens,
) {
  function ofProcess(config: Config, name: string): string | undefined {
    if (!mayUse(config.settings.environmentPatterns, name)) return undefined
    // Inherited properties, such as `constructor`, are not variables.
    return Object.hasOwn(processEnv, name) ? processEnv[name] : undefined
  }

  function definition(name: string): Definition | null {
    const stored = store.snapshot().environment.get(name)
    return stored === undefined ? null : definitionOf(stored)
  }

  /**
   * Returns the value from the settings, else from the process if allowed; undefined if it is not set, or if a token has
   * to be fetched for it.
   */
  function resolve(name: string): string | undefined {
    const config = store.snapshot()
    const stored = config.environment.get(name)
    return stored === undefined ? ofProcess(config, name) : made(definitionOf(stored), resolve)
  }

  /** Returns the value of a definition. @param valueFor returns that of the variable that it needs. */
  function made(
    defined: Definition | null,
    valueFor: (name: string) => string | undefined,
  ): string | undefined {
    if (defined === null || defined.kind === 'value') return defined?.value
    const needed = valueFor(
      defined.kind === 'basic' ? defined.basic.passwordVariable : defined.oauth2.secretVariable,
    )
    if (needed === undefined) return undefined
    if (defined.kind === 'basic') return basicPair(defined.basic.user, needed)
    return tokens?.current({ ...defined.oauth2, secret: needed })
  }

  /** Returns the value, after fetching the tokens that it needs; undefined if a variable is not set. */
  async function fetchValue(name: string): Promise<string | undefined | FailedVariable> {
    const defined = definition(name)
    const needed = neededBy(defined)
    if (defined === null || defined.kind === 'value' || needed === null) return resolve(name)
    const secret = await fetchValue(needed)
    if (typeof secret !== 'string') return secret
    if (defined.kind === 'basic') return basicPair(defined.basic.user, secret)
    const outcome = await tokens?.get({ ...defined.oauth2, secret })
    if (outcome === undefined || 'token' in outcome) return outcome?.token
    return { name, failure: outcome }
  }

  /**
   * Returns null if no token has to be fetched for variables without a value. Else fetches these, and resolves to the
   * values, or to why there is no token.
   */
  function fetchMissing(names: readonly string[]): Promise<MissingTokens> | null {
    const missing = names.filter(name => neededBy(definition(name)) !== null)
    return missing.length === 0 ? null : fetchAll(missing)
  }

  async function fetchAll(names: readonly string[]): Promise<MissingTokens> {
    const found = await Promise.all(names.map(async name => [name, await fetchValue(name)] as const))
    const values = new Map<string, string>()
    for (const [name, value] of found)
      if (typeof value === 'object') return { error: tokenError(value.name, value.failure) }
      else if (value !== undefined) values.set(name, value)
    return { values }
  }

  /** Forgets the tokens among values that were refused. */
  function dropTokens(values: Iterable<string | undefined>): void {
    for (const value of values) if (value !== undefined) tokens?.drop(value)
  }

  /** Returns whether the value of a variable is a token, or is made from one, and so has to be fetched first. */
  function isFetched(name: string): boolean {
    const defined = definition(name)
    if (defined?.kind === 'oauth2') return true
    return defined?.kind === 'basic' && isFetched(defined.basic.passwordVariable)
  }

  /**
   * Gets the value of a variable; a token always from its server. Never returns the value.
   *
   * @param instead what to try in place of what is set.
   */
  async function tryOut(name: string, instead?: OAuth2Variable): Promise<VariableTrial> {
    const defined: Definition | null =
      instead === undefined ? definition(name) : { kind: 'oauth2', oauth2: instead }
    const needed = defined?.kind === 'oauth2' ? defined.oauth2.secretVariable : name
    const value = await fetchValue(needed)
    if (typeof value === 'object') return failedTrial(value.failure)
    if (value === undefined)
      return { ok: false, status: null, error: 'missing_environment_variable', expiresInSeconds: null }
    if (defined?.kind !== 'oauth2' || tokens === undefined)
      return { ok: true, status: null, error: null, expiresInSeconds: null }
    const outcome = await tokens.renew({ ...defined.oauth2, secret: value })
    return 'token' in outcome
      ? { ok: true, status: 200, error: null, expiresInSeconds: Math.floor(outcome.lifeMs / 1000) }
      : failedTrial(outcome)
  }

  /** Returns where a variable is set; an empty list if it is not. */
  function sourcesOf(name: string): EnvironmentVariable['sources'] {
    const config = store.snapshot()
    const sources: EnvironmentVariable['sources'] = []
    if (config.environment.has(name)) sources.push('settings')
    if (ofProcess(config, name) !== undefined) sources.push('process')
    return sources
  }

  /** Returns where each variable is set that is. */
  function set(): ReadonlyMap<string, EnvironmentVariable['sources']> {
    const names = new Set([...store.snapshot().environment.keys(), ...Object.keys(processEnv)])
    return new Map(
      Array.from(names, name => [name, sourcesOf(name)] as const).filter(([, sources]) => sources.length > 0),
    )
  }

  const used = followUses(store)
  let known: ReturnType<typeof used> | null = null
  let values: readonly (string | undefined)[] = []
  let found: readonly string[] = []
  let tokensSeen: readonly string[] = []

  /**
   * Returns everything to mask: the values of these variables, the credentials in them and in the headers that use
   * them, and the signing secrets. Returns the same array until something changes.
   */
  function secrets(): readonly string[] {
    // Names and headers change only with the configuration. The process's variables can change at any time.
    const uses = used()
    const { names, templates, signing } = uses
    const isSame = known === uses
    const next = names.map(resolve)
    const fetched = tokens?.remembered() ?? noTexts
    const isUnchanged = isSame && fetched === tokensSeen
    if (isUnchanged && next.every((value, index) => value === values[index])) return found
    known = uses
    values = next
    tokensSeen = fetched
    const byName = new Map(names.map((name, index) => [name, next[index]]))
    const all = new Set([
      ...next.flatMap(value => (value === undefined ? [] : secretTexts(value))),
      ...templates.flatMap(template => headerSecrets(template, byName)),
      ...signing,
      ...fetched,
      ...madeSecrets(store.snapshot(), resolve),
    ])
    all.delete('')
    const same = all.size === found.length && found.every(secret => all.has(secret))
    if (!same) found = [...all]
    return found
  }

  /**
   * Returns the variables of the settings, of the headers of actions, and those that workflows use with `$env`, set or not,
   * and those of the process that headers of workflows use, sorted by name.
   */
  function list(): EnvironmentVariable[] {
    const config = store.snapshot()
    const users = usersByName(config)
    const workflows = workflowsByName(config)
    const needers = neededByName(config)
    // In a header, a name that is not set is a field of the event.
    const used = [...workflows].flatMap(([name, { isCertain }]) =>
      isCertain || sourcesOf(name).length > 0 ? [name] : [],
    )
    return [...new Set([...namesIn(config), ...used])].sort().map(name => {
      const count = workflows.get(name)?.count
      const webhooks = [...config.workspaces.values()].filter(one => one.webhook?.secretVariable === name)
      return {
        name,
        sources: sourcesOf(name),
        ...shownDefinition(name),
        usedBy: users.get(name) ?? [],
        ...(needers.has(name) && { neededBy: needers.get(name) ?? [] }),
        ...(count !== undefined && { workflows: count }),
        ...(webhooks.length > 0 && { webhooks: webhooks.length }),
        ...(config.settings.assistantModel?.keyVariable === name && { model: true as const }),
      }
    })
  }

  /** Returns how a variable is made, without its value. */
  function shownDefinition(name: string): Pick<EnvironmentVariable, 'kind' | 'basic' | 'oauth2' | 'state'> {
    const defined = definition(name)
    if (defined?.kind === 'basic') return defined
    if (defined?.kind !== 'oauth2') return { kind: 'value' }
    const secret = resolve(defined.oauth2.secretVariable)
    const { expiresAt = null, error = null } =
      secret === undefined ? {} : (tokens?.state({ ...defined.oauth2, secret }) ?? {})
    return {
      ...defined,
      state: { expiresAt: expiresAt === null ? null : new Date(expiresAt).toISOString(), error },
    }
  }

  /** Returns the value of a variable for a step of a workflow: null for a token, which is fetched before it is sent. */
  const inStep = (name: string) => (tokens !== undefined && isFetched(name) ? null : resolve(name))

  return { resolve, inStep, sourcesOf, set, list, secrets, fetchMissing, dropTokens, tryOut }
}

type FailedVariable = { readonly name: string; readonly failure: TokenFailure }

const noTexts: readonly string[] = []

function failedTrial({ status, error }: TokenFailure): VariableTrial {
  return { ok: false, status, error, expiresInSeconds: null }
}

function basicPair(user: string, password: string): string {
  return Buffer.from(`${user}:${password}`).toString('base64')
}

/** Returns whether headers may use a variable of the process: a pattern matches, and it is not the service's own. */
export function mayUse(patterns: readonly string[], name: string): boolean {
  return !ownPrefix.test(name) && patterns.some(pattern => fits(pattern, name))
}

/** Matches a pattern in which `*` stands for any characters, or none. Without backtracking, because users write it. */
function fits(pattern: string, name: string): boolean {
  const [first = '', ...rest] = pattern.split('*')
  const last = rest.pop()
  if (last === undefined) return name === pattern
  if (!name.startsWith(first)) return false
  let position = first.length
  for (const part of rest) {
    const found = name.indexOf(part, position)
    if (found === -1) return false
    position = found + part.length
  }
  return name.length - last.length >= position && name.endsWith(last)
}
