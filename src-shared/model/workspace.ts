import { z } from 'zod'
import { Moment, WorkspaceId } from './identifiers.ts'
import { BaseUrl } from './urls.ts'

export const WorkspaceName = z
  .string()
  .trim()
  .min(1, 'A name has at least one character.')
  .max(120, 'A name has at most 120 characters.')

/** A scope of connections, with the public address that replaces the listener's in the URLs shown. */
export const Workspace = z.object({
  workspaceId: WorkspaceId,
  name: WorkspaceName,
  publicBaseUrl: z
    .string()
    .nullable()
    .describe('A tunnel or custom domain; null uses the listener’s own address.'),
  createdAt: Moment,
  updatedAt: Moment,
})
export type Workspace = z.infer<typeof Workspace>

export const NewWorkspace = z.object({ name: WorkspaceName, publicBaseUrl: BaseUrl.nullish() })
export const WorkspaceChange = z.object({
  name: WorkspaceName.optional(),
  publicBaseUrl: BaseUrl.nullish(),
})
export type NewWorkspace = z.output<typeof NewWorkspace>
export type WorkspaceChange = z.output<typeof WorkspaceChange>
