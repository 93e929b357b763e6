import { z } from 'zod'
import { ProbeResult } from '../model/probe.ts'
import { BaseUrl } from '../model/urls.ts'
import { NewWorkspace, Workspace, WorkspaceChange } from '../model/workspace.ts'
import { Deleted, route } from './base.ts'

const tag = 'workspaces'
/** Accepts any string, so that a wrong id returns 404 and not 400. */
const One = z.object({ workspaceId: z.string() })

export const workspaces = {
  list: route('GET', '/workspaces', { tag, summary: 'All workspaces' }).output(z.array(Workspace)),
  create: route('POST', '/workspaces', { tag, summary: 'Create a workspace', successStatus: 201 })
    .input(NewWorkspace)
    .output(Workspace),
  update: route('PATCH', '/workspaces/{workspaceId}', {
    tag,
    summary: 'Rename a workspace or set its public address',
    errors: ['workspace_not_found'],
  })
    .input(One.extend(WorkspaceChange.shape))
    .output(Workspace),
  probe: route('POST', '/workspaces/{workspaceId}/probe', {
    tag,
    summary: 'Send a signed probe to a public URL and report whether it arrives here unchanged',
    errors: ['workspace_not_found'],
  })
    .input(
      One.extend({
        publicBaseUrl: BaseUrl.optional().describe(
          'By default the address in the inbound URLs of the workspace.',
        ),
      }),
    )
    .output(ProbeResult),
  remove: route('DELETE', '/workspaces/{workspaceId}', {
    tag,
    summary: 'Delete an empty workspace',
    errors: ['workspace_not_found', 'workspace_not_empty', 'default_workspace'],
  })
    .input(One)
    .output(Deleted),
}
