import { z } from 'zod'
import { EventId } from '../model/identifiers.ts'
import { ImportIssue } from '../model/import-preview.ts'
import { AnyKey } from '../model/json-value.ts'
import { RunContents, RunDetails } from '../model/run.ts'
import { CheckedWorkflow, NewWorkflow, WorkflowChange } from '../model/workflow.ts'
import { WorkflowDocument } from '../model/workflow-document.ts'
import { TriggerFigures, WorkflowOverview, WorkflowSteps } from '../model/workflow-figures.ts'
import { Deleted, ifUpdatedAt, routesOf } from './base.ts'

const route = routesOf('workflows', '/workflows')
const One = z.object({ workflowId: z.string() })

export const workflows = {
  list: route('GET', '', 'Workflows')
    .input(z.object({ workspaceId: z.string().optional() }))
    .output(z.array(CheckedWorkflow)),
  overview: route('GET', '/overview', 'What the workflows did in the last 24 hours')
    .input(z.object({ workspaceId: z.string().optional() }))
    .output(WorkflowOverview),
  trigger: route('GET', '/trigger', 'What is known of the events that a trigger matches')
    .input(
      z.object({
        workspaceId: z.string().optional().describe('Left out: the default workspace.'),
        connectionId: z.string().optional().describe('Left out: every connection of the workspace.'),
        eventName: z.string().optional().describe('As in a trigger. Left out: every name.'),
      }),
    )
    .output(TriggerFigures),
  get: route('GET', '/{workflowId}', 'One workflow').input(One).output(CheckedWorkflow),
  create: route('POST', '', 'Create a workflow', ['workspace_not_found'])
    .route({ successStatus: 201 })
    .input(NewWorkflow)
    .output(CheckedWorkflow),
  update: route('PATCH', '/{workflowId}', 'Change a workflow', ['changed_meanwhile'])
    .input(
      One.extend({
        ...WorkflowChange.shape,
        ...ifUpdatedAt,
      }),
    )
    .output(CheckedWorkflow),
  remove: route(
    'DELETE',
    '/{workflowId}',
    'Delete a workflow; its queued, waiting and running runs are cancelled',
  )
    .input(One)
    .output(Deleted),
  steps: route(
    'GET',
    '/{workflowId}/steps',
    'How often the steps ran and failed in the newest runs, and how many events matched the trigger',
  )
    .input(One)
    .output(WorkflowSteps),
  export: route('GET', '/{workflowId}/export', 'A workflow as a document that names connections and actions')
    .input(One)
    .output(WorkflowDocument),
  import: route(
    'POST',
    '/import',
    'Import a workflow; it is disabled if a connection or an action does not exist',
    ['workspace_not_found', 'invalid_document'],
  )
    .route({ successStatus: 201 })
    .input(
      z.object({
        text: z
          .string()
          .optional()
          .describe(
            'The whole document as a string, at most 512 KiB. If omitted, `version` and `workflow` are the document.',
          ),
        version: z.unknown().optional(),
        workflow: z
          .unknown()
          .optional()
          .describe('The workflow of an export. Unknown fields cause a warning.'),
        workspaceId: z.string().optional().describe('Left out: the default workspace.'),
      }),
    )
    .output(z.object({ workflow: CheckedWorkflow, warnings: z.array(ImportIssue) })),
  test: route(
    'POST',
    '/{workflowId}/test',
    'Run a workflow now, without waits and retries, and return the finished run',
    ['event_not_found', 'run_interrupted'],
  )
    .input(
      One.extend({
        payload: z
          .record(AnyKey, z.unknown())
          .optional()
          .describe('The fields of the event. May include `eventName` and `connectionId`.'),
        eventId: EventId.optional().describe('Runs it with this stored event instead of a payload.'),
        dryRun: z.boolean().default(false).describe('Resolves every template and sends nothing.'),
        contents: RunContents,
      }),
    )
    .output(RunDetails),
}
