import { z } from 'zod'
import { ProbeResult } from '../model/probe.ts'
import { RunContents, RunDetails } from '../model/run.ts'
import { BaseUrl } from '../model/urls.ts'
import { NewWorkspace, WorkspaceAnswer, WorkspaceChange } from '../model/workspace.ts'
import { Deleted, ifUpdatedAt, routesOf } from './base.ts'

const route = routesOf('workspaces', '/workspaces')
/** Accepts any string, so that a wrong id returns 404 and not 400. */
const One = z.object({ workspaceId: z.string() })

export const workspaces = {
  list: route('GET', '', 'All workspaces').output(z.array(WorkspaceAnswer)),
  create: route('POST', '', 'Create a workspace')
    .route({ successStatus: 201 })
    .input(NewWorkspace)
    .output(WorkspaceAnswer),
  update: route('PATCH', '/{workspaceId}', 'Rename a workspace, or set its public address or its webhook', [
    'changed_meanwhile',
  ])
    .input(One.extend({ ...WorkspaceChange.shape, ...ifUpdatedAt }))
    .output(WorkspaceAnswer),
  probe: route(
    'POST',
    '/{workspaceId}/probe',
    'Send a signed probe to a public URL and report whether it arrives here unchanged',
  )
    .input(
      One.extend({
        publicBaseUrl: BaseUrl.optional().describe(
          'By default the address in the inbound URLs of the workspace.',
        ),
      }),
    )
    .output(ProbeResult),
  testWebhook: route(
    'POST',
    '/{workspaceId}/webhook/test',
    'Send an example of conversation.started to the webhook now, without retries',
    ['webhook_not_set', 'run_interrupted'],
  )
    .input(One.extend({ contents: RunContents }))
    .output(RunDetails),
  remove: route('DELETE', '/{workspaceId}', 'Delete an empty workspace', [
    'workspace_not_empty',
    'default_workspace',
  ])
    .input(One)
    .output(Deleted),
}
