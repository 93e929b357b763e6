import { secretTexts } from '#main/outbound/mask-text.ts'
import { clientPair } from '#main/outbound/token-fetcher.ts'
import type { ActionRecord, Config, ConnectionRecord, WorkflowRecord } from '#main/storage/config.ts'
import type { ConfigStore } from '#main/storage/config-store.ts'
import { variablesIn } from '#shared/model/action-headers.ts'
import type { EnvironmentVariable } from '#shared/model/environment-variable.ts'
import { environmentNameIn, mayBeEnvironment } from '#shared/workflows/scope.ts'
import { environmentOf } from '#shared/workflows/step-environment.ts'
import { kindOf, walkSteps } from '#shared/workflows/steps/kinds.ts'
import { variablesIn as pathsIn, replaceVariables } from '#shared/workflows/templates.ts'
import { definitionOf, neededBy } from './made-variables.ts'

/** Returns the names of variables in the settings, in headers, for the model’s key and for webhooks, sorted. */
export function namesIn(config: Config): string[] {
  const names = namesBesides(config)
  for (const { actions, auth } of config.connections.values()) {
    for (const action of actions) for (const name of mentioned(action)) names.add(name)
    for (const name of variablesIn(auth?.value ?? '')) names.add(name)
  }
  return [...names].sort()
}

/** The same without the headers. */
function namesBesides({ environment, settings, workspaces }: Config): Set<string> {
  const names = new Set(environment.keys())
  for (const stored of environment.values()) {
    const needed = neededBy(definitionOf(stored))
    if (needed !== null) names.add(needed)
  }
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
export function followUses(store: Pick<ConfigStore, 'snapshot' | 'onChange'>): () => Uses {
  const names = createTally()
  const templates = createTally()
  const signing = createTally()
  let uses: Uses | null = null
  let isCounted = false

  function countSecrets(record: ConnectionRecord, by: 1 | -1): void {
    const { signingSecret, oldSecrets, senderSecret, verifyToken, oldSenderSecrets = [] } = record
    signing.add(signingSecret, by)
    if (senderSecret !== undefined) signing.add(senderSecret, by)
    if (verifyToken !== undefined) signing.add(verifyToken, by)
    for (const { secret } of [...oldSecrets, ...oldSenderSecrets]) signing.add(secret, by)
  }
  function count(record: ConnectionRecord, by: 1 | -1): void {
    countSecrets(record, by)
    if (record.auth !== undefined) {
      for (const name of variablesIn(record.auth.value)) names.add(name, by)
      templates.add(record.auth.value, by)
    }
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
      if (value.includes('{{'))
        yield replaceVariables(value, path => `{{${environmentNameIn(path) ?? path}}}`)
}

/** Returns the variables that are made from each one. */
export function neededByName({ environment }: Config): Map<string, string[]> {
  const needers = new Map<string, string[]>()
  for (const [name, stored] of environment) {
    const needed = neededBy(definitionOf(stored))
    if (needed !== null) needers.set(needed, [...(needers.get(needed) ?? []), name].sort())
  }
  return needers
}

/** Returns what is secret of made variables besides their values and what they are made from. */
export function* madeSecrets(
  { environment }: Config,
  resolve: (name: string) => string | undefined,
): Generator<string> {
  for (const [name, stored] of environment) {
    const defined = definitionOf(stored)
    if (defined?.kind === 'basic') {
      const pair = resolve(name)
      if (pair !== undefined) yield* secretTexts(`Basic ${pair}`)
    }
    const secret = defined?.kind === 'oauth2' ? resolve(defined.oauth2.secretVariable) : undefined
    if (defined?.kind === 'oauth2' && secret !== undefined) yield clientPair(defined.oauth2.clientId, secret)
  }
}

/** Returns the connections whose actions or sign-in use each variable, in the order of creation. */
export function usersByName({ connections }: Config): Map<string, EnvironmentVariable['usedBy']> {
  const users = new Map<string, EnvironmentVariable['usedBy']>()
  for (const { connectionId, name: connectionName, actions, auth } of connections.values()) {
    const counts = new Map<string, number>()
    for (const action of actions)
      for (const name of new Set(mentioned(action))) counts.set(name, (counts.get(name) ?? 0) + 1)
    const ofAuth = new Set(variablesIn(auth?.value ?? ''))
    for (const name of new Set([...counts.keys(), ...ofAuth])) {
      const usedBy = users.get(name) ?? []
      const isAuth = ofAuth.has(name) && { auth: true as const }
      usedBy.push({ connectionId, connectionName, actions: counts.get(name) ?? 0, ...isAuth })
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

/** How many workflows use a variable. Without `$env`, it may be a field of events. */
type WorkflowUses = { readonly count: number; readonly isCertain: boolean }

/** Returns how many workflows use each variable, in a header or with `$env`. */
export function workflowsByName({ workflows }: Config): Map<string, WorkflowUses> {
  const uses = new Map<string, WorkflowUses>()
  for (const workflow of workflows.values()) {
    const paths = [...workflowHeaders(workflow)].flatMap(text => pathsIn(text).map(({ path }) => path))
    const certain = new Set([...walkSteps(workflow.steps)].flatMap(({ step }) => environmentOf(step)))
    for (const name of new Set([...paths.filter(mayBeEnvironment), ...certain])) {
      const { count = 0, isCertain = false } = uses.get(name) ?? {}
      uses.set(name, { count: count + 1, isCertain: isCertain || certain.has(name) })
    }
  }
  return uses
}

function* mentioned({ headers }: Pick<ActionRecord, 'headers'>): Generator<string> {
  for (const value of Object.values(headers ?? {})) yield* variablesIn(value)
}
