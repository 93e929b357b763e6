import { headerSecrets } from '#main/outbound/header-values.ts'
import { secretTexts } from '#main/outbound/mask-text.ts'
import type { ActionRecord, Config, WorkflowRecord } from '#main/storage/config.ts'
import type { ConfigChange, ConfigStore } from '#main/storage/config-store.ts'
import { ServiceError } from '#shared/errors.ts'
import { variablesIn } from '#shared/model/action-headers.ts'
import type { EnvironmentVariable } from '#shared/model/environment.ts'
import { kindOf, walkSteps } from '#shared/workflows/steps/kinds.ts'
import { mayBeEnvironment, variablesIn as pathsIn, replaceVariables } from '#shared/workflows/templates.ts'

/** The service's own variables, including its key and token. Headers may not use them. */
const ownPrefix = /^CUSTOM_CONNECTION_/i

/** The values of `{{NAME}}` in headers. */
export type Environment = ReturnType<typeof createEnvironment>

/** @param processEnv the service's environment, read for each use. */
export function createEnvironment(store: ConfigStore, processEnv: NodeJS.ProcessEnv) {
  function ofProcess(config: Config, name: string): string | undefined {
    if (!mayUse(config.settings.environmentPatterns, name)) return undefined
    // Inherited properties, such as `constructor`, are not variables.
    return Object.hasOwn(processEnv, name) ? processEnv[name] : undefined
  }

  /** Returns the value from the settings, else from the process if allowed; undefined if it is not set. */
  function resolve(name: string): string | undefined {
    const config = store.snapshot()
    return config.environment.get(name) ?? ofProcess(config, name)
  }

  /** Returns where a variable is set; an empty list if it is not. */
  function sourcesOf(name: string): EnvironmentVariable['sources'] {
    const config = store.snapshot()
    const sources: EnvironmentVariable['sources'] = []
    if (config.environment.has(name)) sources.push('settings')
    if (ofProcess(config, name) !== undefined) sources.push('process')
    return sources
  }

  let known: {
    config: Config
    names: readonly string[]
    templates: readonly string[]
    signing: readonly string[]
  } | null = null
  let values: readonly (string | undefined)[] = []
  let found: readonly string[] = []

  /**
   * Returns everything to mask: the values of these variables, the credentials in them and in the headers that use
   * them, and the signing secrets. Returns the same array until something changes.
   */
  function secrets(): readonly string[] {
    const config = store.snapshot()
    const isSame = known?.config === config
    // Names and headers change only with the configuration. The process's variables can change at any time.
    if (known === null || !isSame) {
      const signing = signingSecretsIn(config)
      const names = [...namesIn(config), ...workflowsByName(config).keys()]
      known = { config, names: [...new Set(names)], templates: templatesIn(config), signing }
    }
    const { names, templates, signing } = known
    const next = names.map(resolve)
    if (isSame && next.every((value, index) => value === values[index])) return found
    values = next
    const byName = new Map(names.map((name, index) => [name, next[index]]))
    const all = new Set([
      ...next.flatMap(value => (value === undefined ? [] : secretTexts(value))),
      ...templates.flatMap(template => headerSecrets(template, byName)),
      ...signing,
    ])
    all.delete('')
    const same = all.size === found.length && found.every(secret => all.has(secret))
    if (!same) found = [...all]
    return found
  }

  /**
   * Returns the variables of the settings and of the headers of actions, set or not, and those of the process that
   * headers of workflows use, sorted by name.
   */
  function list(): EnvironmentVariable[] {
    const config = store.snapshot()
    const users = usersByName(config)
    const workflows = workflowsByName(config)
    // A name in a workflow that is not set is a field of the event.
    const used = [...workflows.keys()].filter(name => sourcesOf(name).length > 0)
    return [...new Set([...namesIn(config), ...used])].sort().map(name => {
      const count = workflows.get(name)
      const webhooks = [...config.workspaces.values()].filter(one => one.webhook?.secretVariable === name)
      return {
        name,
        sources: sourcesOf(name),
        usedBy: users.get(name) ?? [],
        ...(count !== undefined && { workflows: count }),
        ...(webhooks.length > 0 && { webhooks: webhooks.length }),
        ...(config.settings.assistantModel?.keyVariable === name && { model: true as const }),
      }
    })
  }

  return { resolve, sourcesOf, list, secrets }
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

/** Returns the names of variables in the settings, in headers, for the model’s key and for webhooks, sorted. */
function namesIn(config: Config): string[] {
  const names = new Set(config.environment.keys())
  const keyVariable = config.settings.assistantModel?.keyVariable
  if (keyVariable) names.add(keyVariable)
  for (const { webhook } of config.workspaces.values())
    if (webhook !== null) names.add(webhook.secretVariable)
  for (const { actions } of config.connections.values())
    for (const action of actions) for (const name of mentioned(action)) names.add(name)
  return [...names].sort()
}

/** Returns the signing secrets of all connections, also replaced ones, and of those that can still be restored. */
function signingSecretsIn(config: Config): string[] {
  const held = [...(config.held?.values() ?? [])].map(({ record }) => record)
  return [...config.connections.values(), ...held].flatMap(({ signingSecret, oldSecrets }) => [
    signingSecret,
    ...oldSecrets.map(({ secret }) => secret),
  ])
}

/** Returns the values of headers with variables, without duplicates. */
function templatesIn(config: Config): string[] {
  const templates = new Set<string>()
  for (const { actions } of config.connections.values())
    for (const { headers } of actions)
      for (const value of Object.values(headers ?? {})) if (value.includes('{{')) templates.add(value)
  // In a workflow, a variable can have spaces around its name.
  for (const workflow of config.workflows.values())
    for (const value of workflowHeaders(workflow))
      if (value.includes('{{')) templates.add(replaceVariables(value, path => `{{${path}}}`))
  return [...templates]
}

/** Returns the connections whose actions use each variable, in the order of creation. */
function usersByName({ connections }: Config): Map<string, EnvironmentVariable['usedBy']> {
  const users = new Map<string, EnvironmentVariable['usedBy']>()
  for (const { connectionId, name: connectionName, actions } of connections.values()) {
    const counts = new Map<string, number>()
    for (const action of actions)
      for (const name of new Set(mentioned(action))) counts.set(name, (counts.get(name) ?? 0) + 1)
    for (const [name, count] of counts) {
      const usedBy = users.get(name) ?? []
      usedBy.push({ connectionId, connectionName, actions: count })
      users.set(name, usedBy)
    }
  }
  return users
}

/** Returns the values of the headers that workflows send. */
function* workflowHeaders({ steps }: WorkflowRecord): Generator<string> {
  for (const { step } of walkSteps(steps))
    for (const { text, as } of kindOf(step).texts(step)) if (as === 'header') yield text
}

/** Returns how many workflows use each variable in a header. Some of them may be fields of events. */
function workflowsByName({ workflows }: Config): Map<string, number> {
  const counts = new Map<string, number>()
  for (const workflow of workflows.values()) {
    const paths = [...workflowHeaders(workflow)].flatMap(text => pathsIn(text).map(({ path }) => path))
    for (const name of new Set(paths.filter(mayBeEnvironment))) counts.set(name, (counts.get(name) ?? 0) + 1)
  }
  return counts
}

function* mentioned({ headers }: Pick<ActionRecord, 'headers'>): Generator<string> {
  for (const value of Object.values(headers ?? {})) yield* variablesIn(value)
}

/** Sets or replaces a variable in the settings. */
export function setVariable(config: Config, name: string, value: string): ConfigChange<void> {
  const environment = new Map(config.environment).set(name, value)
  return { next: { ...config, environment }, result: undefined }
}

/** @throws ServiceError `environment_variable_not_found`. */
export function removeVariable(config: Config, name: string): ConfigChange<void> {
  const environment = new Map(config.environment)
  if (!environment.delete(name)) throw new ServiceError('environment_variable_not_found')
  return { next: { ...config, environment }, result: undefined }
}
