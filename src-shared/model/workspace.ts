import { z } from 'zod'
import { Moment, WorkspaceId } from './identifiers.ts'
import { Webhook } from './platform/webhook.ts'
import { SavedWarning } from './saved-warning.ts'
import { Name, NewName } from './text.ts'
import { BaseUrl } from './urls.ts'

/** A group of connections. Its public URL replaces the listener's in the displayed URLs. */
export const Workspace = z.object({
  workspaceId: WorkspaceId,
  name: Name,
  publicBaseUrl: z
    .string()
    .nullable()
    .describe('A tunnel or custom domain; null for the listener’s own address.'),
  webhook: Webhook.nullable().describe('Where it sends the platform’s webhook events; null for nowhere.'),
  createdAt: Moment,
  updatedAt: Moment,
})
export type Workspace = z.infer<typeof Workspace>

/** A workspace as answers give it. */
export const WorkspaceAnswer = Workspace.extend({
  warnings: z
    .array(SavedWarning)
    .optional()
    .describe('What is valid but does not work yet. Left out if there is nothing.'),
})
export type WorkspaceAnswer = z.infer<typeof WorkspaceAnswer>

export const NewWorkspace = z.object({
  name: NewName,
  publicBaseUrl: BaseUrl.nullish(),
  webhook: Webhook.nullish(),
})
export const WorkspaceChange = NewWorkspace.partial()
export type NewWorkspace = z.output<typeof NewWorkspace>
export type WorkspaceChange = z.output<typeof WorkspaceChange>
