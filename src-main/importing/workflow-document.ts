import type { Config, ConnectionRecord, WorkflowRecord } from '#main/storage/config.ts'
import { type JsonPath, locateInJson } from '#shared/json/locate.ts'
import { ConnectionId } from '#shared/model/identifiers.ts'
import { importVersion } from '#shared/model/import-document.ts'
import type { ImportIssue } from '#shared/model/import-preview.ts'
import {
  constantKeyProblem,
  maxWorkflowBytes,
  maxWorkflowValues,
  WorkflowFields,
} from '#shared/model/workflow.ts'
import { ImportedWorkflow, type WorkflowDocument } from '#shared/model/workflow-document.ts'
import { unknownFields } from '#shared/unknown-fields.ts'
import { workflowIssues } from '#shared/workflows/references.ts'
import { mayBeEnvironment } from '#shared/workflows/scope.ts'
import { environmentOf } from '#shared/workflows/step-environment.ts'
import { type DocumentStep, kindOf, type Step, walkSteps } from '#shared/workflows/steps/kinds.ts'
import { variablesIn } from '#shared/workflows/templates.ts'
import { readJson, sizeProblem, unusable } from './parse.ts'
import { place } from './place.ts'
import { type Problem, problem, warning, zodProblems } from './problem.ts'

/**
 * Returns a workflow as a document that names connections instead of their ids. It keeps an id that no name would lead
 * back to: that of a connection that is gone, is in another workspace, or shares its name.
 */
export function exportWorkflow(config: Config, workflow: WorkflowRecord): WorkflowDocument {
  const byName = namesIn(config, workflow.workspaceId)
  const nameOf = (connectionId: string) => {
    const name = config.connections.get(connectionId)?.name
    const [found, another] = name === undefined ? [] : (byName.get(name) ?? [])
    return name !== undefined && found?.connectionId === connectionId && another === undefined
      ? name
      : connectionId
  }
  const { name, enabled, trigger, steps, ordered, concurrency } = workflow
  const { connectionId, ...rest } = trigger
  return {
    version: importVersion,
    workflow: {
      ...{ name, enabled, ordered, concurrency },
      trigger: { ...rest, connection: connectionId && nameOf(connectionId) },
      steps: steps.map(step => toDocument(step, nameOf)),
    },
  }
}

/** A document that was read. `fields` is null if an issue is an error. */
export type ReadWorkflow = { readonly fields: WorkflowFields | null; readonly issues: readonly ImportIssue[] }

/**
 * Reads a document for a workspace. A connection that does not exist is a warning, and a name of several connections is
 * an error. A workflow with a connection or an action that does not exist is disabled. Pure.
 */
export function readWorkflow(config: Config, workspaceId: string, text: string): ReadWorkflow {
  const size = sizeProblem(text, maxWorkflowBytes)
  const read = size === null ? readJson(text, undefined, maxWorkflowValues) : { failed: unusable(text, size) }
  if ('failed' in read) return { fields: null, issues: place(read.failed, read.failed.problems).issues }
  const found = fieldsOf(read.value, config, workspaceId)
  const problems = [...read.problems, ...found.problems]
  const { issues } = place({ text, locate: locateInJson(text), omissions: [] }, problems)
  const isUsable = issues.every(({ severity }) => severity === 'warning')
  return { fields: isUsable ? found.fields : null, issues }
}

type Found = { readonly fields: WorkflowFields | null; readonly problems: readonly Problem[] }

function fieldsOf(value: unknown, config: Config, workspaceId: string): Found {
  const unknown = unknownFields(ImportedWorkflow, value).map(({ path, message }) => ({
    ...warning(stepsOf(path), message),
    atKey: true,
  }))
  const document = ImportedWorkflow.safeParse(value)
  if (!document.success) return { fields: null, problems: [...unknown, ...zodProblems(document.error, [])] }
  const names: Problem[] = []
  const idOf = idsIn(config, workspaceId, found => names.push(found))
  const { trigger, steps, ...rest } = document.data.workflow
  const { connection, ...of } = trigger
  const connectionId = connection === null ? null : idOf(connection, ['workflow', 'trigger', 'connection'])
  const fields = WorkflowFields.safeParse({
    ...rest,
    trigger: { ...of, connectionId },
    steps: steps.map((step, index) => fromDocument(step, idOf, ['workflow', 'steps', index])),
  })
  const sent = fields.success ? environmentWarnings(fields.data.steps, config) : []
  const problems = [...unknown, ...names, ...sent]
  const constant = fields.success ? constantKeyProblem(fields.data.trigger) : null
  if (constant !== null) {
    const path = ['workflow', 'trigger', 'once', 'key']
    return { fields: null, problems: [...problems, problem(path, constant)] }
  }
  if (!fields.success)
    return { fields: null, problems: [...problems, ...zodProblems(fields.error, ['workflow'])] }
  const isComplete = workflowIssues(fields.data, { ...config, sample: null }).every(
    ({ code }) => code !== 'unknown_connection' && code !== 'unknown_action',
  )
  return { fields: { ...fields.data, enabled: fields.data.enabled && isComplete }, problems }
}

/** Returns a warning for each environment variable that the steps send, with the host that gets its value. */
function environmentWarnings(steps: readonly Step[], config: Config): Problem[] {
  const warnings = new Map<string, Problem>()
  for (const { step, path } of walkSteps(steps)) {
    const host = kindOf(step).sendsTo(step, id => config.connections.get(id)?.baseUrl ?? null)
    for (const name of new Set([...environmentOf(step), ...headerVariables(step, config)])) {
      const to = host ?? 'a connection without a base URL'
      const found = warning(['workflow', ...path], `The environment variable ${name} is sent to ${to}.`)
      warnings.set(`${name} ${to}`, warnings.get(`${name} ${to}`) ?? found)
    }
  }
  return [...warnings.values()]
}

/** Returns the names in the headers of a step that are variables of the settings, or look like some of the process. */
function headerVariables(step: Step, { environment }: Config): string[] {
  return kindOf(step)
    .texts(step)
    .flatMap(({ text, as }) => (as === 'header' ? variablesIn(text) : []))
    .map(({ path }) => path)
    .filter(path => mayBeEnvironment(path) && (environment.has(path) || /^[A-Z][A-Z0-9_]*$/.test(path)))
}

function toDocument(step: Step, nameOf: (connectionId: string) => string): DocumentStep {
  return kindOf(step).document.write(step, steps => steps.map(one => toDocument(one, nameOf)), nameOf)
}

type IdOf = (name: string, path: JsonPath) => string

function fromDocument(step: DocumentStep, idOf: IdOf, path: JsonPath): Step {
  return kindOf(step).document.read(
    step,
    (steps, at) => steps.map((one, index) => fromDocument(one, idOf, [...path, ...at, index])),
    (name, at) => idOf(name, [...path, ...at]),
  )
}

/** Returns the look-up of a connection by name, else by id. One that is not found gets an id that no connection has. */
function idsIn(config: Config, workspaceId: string, add: (found: Problem) => void): IdOf {
  const byName = namesIn(config, workspaceId)
  return (name, path) => {
    const [found, another] = byName.get(name) ?? []
    if (another !== undefined) {
      const message = `Several connections are named ${JSON.stringify(name)}. Write the id of one of them.`
      add(problem(path, message))
    }
    if (found !== undefined) return found.connectionId
    if (config.connections.has(name)) return name
    const message = `No connection is named ${JSON.stringify(name)}. The workflow is imported disabled.`
    add(warning(path, message))
    return ConnectionId.safeParse(name).success ? name : placeholderFor(name)
  }
}

/** Returns an id of the right form that shows the name: `conn_missing_Warehouse-WMS`. */
function placeholderFor(name: string): string {
  return `conn_missing_${name.replace(/[^A-Za-z0-9_]/g, '-').slice(0, 48)}`
}

function namesIn({ connections }: Config, workspaceId: string): Map<string, ConnectionRecord[]> {
  const inWorkspace = [...connections.values()].filter(one => one.workspaceId === workspaceId)
  return Map.groupBy(inWorkspace, ({ name }) => name)
}

const stepsOf = (path: string): JsonPath =>
  path.split('.').map(step => (/^\d+$/.test(step) ? Number(step) : step))
