import { headerSecrets } from '#main/outbound/header-values.ts'
import { secretTexts } from '#main/outbound/mask-text.ts'
import type { ActionRecord, Config, ConnectionRecord, WorkflowRecord } from '#main/storage/config.ts'
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
export function createEnvironment(
  store: Pick<ConfigStore, 'snapshot' | 'onChange'>,
  processEnv: NodeJS.ProcessEnv,
) {
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
    if (isSame && next.every((value, index) => value === values[index])) return found
    known = uses
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

  return { resolve, sourcesOf, set, list, secrets }
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
  const names = namesBesides(config)
  for (const { actions } of config.connections.values())
    for (const action of actions) for (const name of mentioned(action)) names.add(name)
  return [...names].sort()
}

/** The same without the headers. */
function namesBesides({ environment, settings, workspaces }: Config): Set<string> {
  const names = new Set(environment.keys())
  const keyVariable = settings.assistantModel?.keyVariable
  if (keyVariable) names.add(keyVariable)
  for (const { webhook } of workspaces.values()) if (webhook !== null) names.add(webhook.secretVariable)
  return names
}

type Uses = {
  readonly names: readonly string[]
  /** The values of headers with variables, without duplicates. */
  readonly templates: readonly string[]
  /** The signing secrets and those of senders, also replaced ones, and those of connections that can still be restored. */
  readonly signing: readonly string[]
}

/**
 * Returns a function that returns what is to be masked. It returns the same object until something of that changes. A
 * change of the configuration costs only what it changes; everything is counted when it is first asked for.
 */
function followUses(store: Pick<ConfigStore, 'snapshot' | 'onChange'>): () => Uses {
  const names = createTally()
  const templates = createTally()
  const signing = createTally()
  let uses: Uses | null = null
  let isCounted = false

  function countSecrets(record: ConnectionRecord, by: 1 | -1): void {
    const { signingSecret, oldSecrets, senderSecret, oldSenderSecrets = [] } = record
    signing.add(signingSecret, by)
    if (senderSecret !== undefined) signing.add(senderSecret, by)
    for (const { secret } of [...oldSecrets, ...oldSenderSecrets]) signing.add(secret, by)
  }
  function count(record: ConnectionRecord, by: 1 | -1): void {
    countSecrets(record, by)
    for (const action of record.actions) {
      for (const name of mentioned(action)) names.add(name, by)
      for (const value of Object.values(action.headers ?? {}))
        if (value.includes('{{')) templates.add(value, by)
    }
  }
  store.onChange((_next, _previous, diff) => {
    if (!isCounted) return
    for (const { before, after } of diff.connections) {
      if (after !== undefined) count(after, 1)
      if (before !== undefined) count(before, -1)
    }
    for (const { before, after } of diff.held) {
      if (after !== undefined) countSecrets(after.record, 1)
      if (before !== undefined) countSecrets(before.record, -1)
    }
    const isSameElsewhere =
      !diff.settings && [diff.environment, diff.workspaces, diff.workflows].every(part => part.length === 0)
    const isSame = [names, templates, signing].map(tally => tally.isUnchanged()).every(Boolean)
    if (!isSameElsewhere || !isSame) uses = null
  })

  return () => {
    const config = store.snapshot()
    if (!isCounted) {
      for (const record of config.connections.values()) count(record, 1)
      for (const { record } of config.held?.values() ?? []) countSecrets(record, 1)
      for (const tally of [names, templates, signing]) tally.isUnchanged()
      isCounted = true
    }
    uses ??= {
      names: [...new Set([...names.keys(), ...namesBesides(config), ...workflowsByName(config).keys()])],
      templates: [...new Set([...templates.keys(), ...workflowTemplates(config)])],
      signing: [...signing.keys()],
    }
    return uses
  }
}

/** Counts how often texts are used. */
function createTally() {
  const counts = new Map<string, number>()
  let isChanged = false
  return {
    add(text: string, by: 1 | -1): void {
      const count = (counts.get(text) ?? 0) + by
      if (count === 0) counts.delete(text)
      else counts.set(text, count)
      isChanged ||= count === 0 || (count === 1 && by === 1)
    },
    keys: () => counts.keys(),
    /** Returns whether the same texts are used as when it was last asked. */
    isUnchanged(): boolean {
      const wasChanged = isChanged
      isChanged = false
      return !wasChanged
    },
  }
}

/** Returns the values of the headers of workflows with variables. There, a variable can have spaces around its name. */
function* workflowTemplates({ workflows }: Config): Generator<string> {
  for (const workflow of workflows.values())
    for (const value of workflowHeaders(workflow))
      if (value.includes('{{')) yield replaceVariables(value, path => `{{${path}}}`)
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
