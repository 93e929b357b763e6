import { listConnections } from '#main/connections/connection-order.ts'
import { findWorkspace } from '#main/connections/workspaces.ts'
import { exportWorkflow, readWorkflow } from '#main/importing/workflow-document.ts'
import { eventBody } from '#main/inbound/post-event.ts'
import type { ConnectionRecord, WorkflowRecord } from '#main/storage/config.ts'
import type { LoggedEvent } from '#main/storage/event-log.ts'
import {
  outlookOf,
  type ReceivedEvents,
  toWorkflowFigures,
  triggerFigures,
  unhandledEvents,
} from '#main/workflows/figures.ts'
import { keyScope } from '#main/workflows/matching.ts'
import { anyWorkflow } from '#main/workflows/webhook.ts'
import {
  changeWorkflow,
  createWorkflow,
  findWorkflow,
  listWorkflows,
  removeWorkflow,
} from '#main/workflows/workflows.ts'
import { ServiceError } from '#shared/errors.ts'
import { isObject } from '#shared/json/exact-json.ts'
import { defaultWorkspaceId } from '#shared/model/identifiers.ts'
import { eventTextOf } from '#shared/model/sender/reading.ts'
import { CheckedWorkflow } from '#shared/model/workflow.ts'
import { workflowIssues } from '#shared/workflows/references.ts'
import { namesOf } from '#shared/workflows/takes.ts'
import { deletedOne, exactField, type Handlers, nowOf, type RpcParts, requireVersion } from './context.ts'
import { runAnswer } from './runs.ts'

export function workflows(parts: RpcParts): Handlers['workflows'] {
  const { store, engine, log, runs, statistics, environment, clock, random } = parts

  const isVariableSet = (name: string) => environment.sourcesOf(name).length > 0

  /** Returns a workflow with its invalid references. The declared sample tells which fields its events have. */
  function withIssues(workflow: WorkflowRecord) {
    const { connections } = store.snapshot()
    const { connectionId } = workflow.trigger
    const names = namesOf(workflow.trigger)
    const declared = connectionId === null ? [] : (connections.get(connectionId)?.eventTypes ?? [])
    // Events of several names may have other fields.
    const eventName = names?.length === 1 ? names[0] : null
    const sample = declared.find(type => type.eventName === eventName)?.samplePayload ?? null
    return { ...workflow, issues: workflowIssues(workflow, { connections, sample, isVariableSet }) }
  }

  /** Returns the events that a connection received in the last 24 hours, by name. */
  function eventsOf({ connectionId, workspaceId, eventTypes }: ConnectionRecord): ReceivedEvents[] {
    const declared = eventTypes.map(({ eventName }) => eventName)
    return statistics
      .eventNamesOf(connectionId, declared)
      .flatMap(({ lastAt, count, ...name }) =>
        count === 0 || lastAt === null
          ? []
          : [{ ...name, connectionId, workspaceId, received: count, lastAt }],
      )
  }

  async function findEvent(workflow: WorkflowRecord, eventId: string): Promise<LoggedEvent> {
    const { connectionId } = workflow.trigger
    const candidates =
      connectionId === null ? listConnections(store.snapshot(), workflow.workspaceId) : [{ connectionId }]
    for (const candidate of candidates) {
      const event = await log.get(candidate.connectionId, eventId)
      if (event !== null) return event
    }
    throw new ServiceError('event_not_found')
  }

  return {
    list: ({ input: { workspaceId } }) => listWorkflows(store.snapshot(), workspaceId).map(withIssues),
    overview: async ({ input: { workspaceId } }) => {
      const config = store.snapshot()
      const shown = listWorkflows(config, workspaceId)
      const ids = shown.map(({ workflowId }) => workflowId)
      const [figures, lanes] = await Promise.all([runs.figures(ids, clock()), runs.laneCounts()])
      const events = listConnections(config, workspaceId).flatMap(connection => eventsOf(connection))
      return {
        workflows: figures.map(one => toWorkflowFigures(one, lanes)),
        untakenEvents: unhandledEvents(events, shown),
      }
    },
    trigger: ({ input }) => {
      const { workspaceId = defaultWorkspaceId, connectionId = null, eventName = null } = input
      const connections = listConnections(store.snapshot(), workspaceId).filter(
        one => connectionId === null || one.connectionId === connectionId,
      )
      return outlookOf(
        { connectionId, eventName },
        connections.map(one => ({
          connectionId: one.connectionId,
          persistEvents: one.persistEvents,
          names: statistics.eventNamesOf(
            one.connectionId,
            one.eventTypes.map(type => type.eventName),
          ),
        })),
      )
    },
    steps: async ({ input }) => {
      const { workflowId, workspaceId, trigger } = findWorkflow(store.snapshot(), input.workflowId)
      const events = listConnections(store.snapshot(), workspaceId)
        .filter(({ connectionId }) => trigger.connectionId === null || trigger.connectionId === connectionId)
        .flatMap(connection => eventsOf(connection))
      const { runs: counted, steps } = await runs.stepFigures(workflowId)
      return { runs: counted, steps: [...steps], trigger: triggerFigures(trigger, events) }
    },
    get: ({ input: { workflowId } }) =>
      withIssues(anyWorkflow(store.snapshot(), workflowId) ?? findWorkflow(store.snapshot(), workflowId)),
    create: async ({ input }) =>
      withIssues(await store.update(config => createWorkflow(config, input, nowOf(parts), random))),
    update: async ({ input: { workflowId, ifUpdatedAt, ...change } }) =>
      withIssues(
        await store.update(config => {
          requireVersion(findWorkflow(config, workflowId), ifUpdatedAt, CheckedWorkflow, withIssues)
          return changeWorkflow(config, workflowId, change, nowOf(parts))
        }),
      ),
    remove: ({ input }) => deletedOne(store.update(config => removeWorkflow(config, input.workflowId))),
    export: ({ input }) => {
      const config = store.snapshot()
      return exportWorkflow(config, findWorkflow(config, input.workflowId))
    },
    import: async ({ input, context }) => {
      const { workspaceId = defaultWorkspaceId } = input
      const text = input.text ?? context.inputText?.() ?? JSON.stringify(input)
      const { result, issues } = await store.update(config => {
        findWorkspace(config, workspaceId)
        const { fields, issues } = readWorkflow(config, workspaceId, text)
        if (fields === null) throw new ServiceError('invalid_document', { data: { issues: [...issues] } })
        const { next, result } = createWorkflow(config, { ...fields, workspaceId }, nowOf(parts), random)
        return { next, result: { result, issues } }
      })
      return { workflow: withIssues(result), warnings: [...issues] }
    },
    test: async ({ input, context }) => {
      const workflow = findWorkflow(store.snapshot(), input.workflowId)
      const { eventId = null, dryRun: isDryRun, contents } = input
      if (eventId !== null) {
        const event = await findEvent(workflow, eventId)
        const { connectionId, eventName } = event
        const { headers } = keyScope(event, {})
        const options = { connectionId, eventName, eventId, isDryRun, headers }
        return runAnswer(await engine.test(workflow, eventTextOf(event), options), contents)
      }
      const exact = exactField(context, 'payload') ?? input.payload ?? {}
      const { eventName: name, connectionId: id, ...data } = isObject(exact) ? exact : {}
      const { trigger } = workflow
      const eventName = typeof name === 'string' && name !== '' ? name : (namesOf(trigger)?.[0] ?? 'test')
      const connectionId = (typeof id === 'string' ? id : trigger.connectionId) || null
      const options = { connectionId, eventName, eventId, isDryRun }
      return runAnswer(
        await engine.test(workflow, eventBody(eventName, JSON.stringify(data)), options),
        contents,
      )
    },
  }
}
