import { z } from 'zod'
import {
  ConnectionChange,
  ConnectionSummary,
  ConnectionWithWarnings,
  Credentials,
  GraceHours,
  NewConnection,
} from '../model/connection.ts'
import { Moment } from '../model/identifiers.ts'
import { Deleted, ifUpdatedAt, pageOf, routesOf } from './base.ts'

const route = routesOf('connections', '/connections')
/** Accepts any string, so that a wrong id returns 404 and not 400. */
export const OneConnection = z.object({ connectionId: z.string() })

export const connections = {
  list: route('GET', '', 'Connections of one workspace or of all', ['workspace_not_found'])
    .input(
      z.object({
        workspaceId: z.string().optional(),
        text: z
          .string()
          .max(200)
          .optional()
          .describe('Only those with each word in the name, base URL or id.'),
        ...pageOf('connectionId'),
      }),
    )
    .output(z.array(ConnectionSummary)),
  create: route('POST', '', 'Create a connection; the response contains its credentials', [
    'workspace_not_found',
  ])
    .route({ successStatus: 201 })
    .input(NewConnection)
    .output(ConnectionWithWarnings.extend({ credentials: Credentials })),
  get: route('GET', '/{connectionId}', 'One connection with its settings')
    .input(OneConnection)
    .output(ConnectionWithWarnings),
  update: route('PATCH', '/{connectionId}', 'Change a connection', ['changed_meanwhile'])
    .input(OneConnection.extend({ ...ConnectionChange.shape, ...ifUpdatedAt }))
    .output(ConnectionWithWarnings),
  remove: route(
    'DELETE',
    '/{connectionId}',
    'Delete a connection with its actions, event types, stored events and workflow runs',
  )
    .input(OneConnection)
    .output(Deleted),
  discard: route(
    'POST',
    '/{connectionId}/discard',
    'Delete a connection, and keep it with all its data for 30 seconds to restore it',
  )
    .input(OneConnection)
    .output(z.object({ restorableUntil: Moment })),
  restore: route(
    'POST',
    '/{connectionId}/restore',
    'Restore a connection that was discarded in the last 30 seconds',
  )
    .input(OneConnection)
    .output(ConnectionWithWarnings),
  credentials: route('GET', '/{connectionId}/credentials', 'Inbound URL, inbound token and signing secret')
    .input(OneConnection)
    .output(Credentials),
  rotateSecret: route(
    'POST',
    '/{connectionId}/rotate-secret',
    'Create a new signing secret; inbound events may use the old one during the grace period',
    ['too_many_old_secrets'],
  )
    .input(OneConnection.extend({ graceHours: GraceHours.default(24) }))
    .output(Credentials),
  regenerateToken: route(
    'POST',
    '/{connectionId}/regenerate-token',
    'Create a new inbound token; the old URL stops working at once',
  )
    .input(OneConnection)
    .output(Credentials),
}
