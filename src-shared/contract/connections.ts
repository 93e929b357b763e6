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
import { Deleted, route } from './base.ts'

const tag = 'connections'
/** Accepts any string, so that a wrong id returns 404 and not 400. */
export const OneConnection = z.object({ connectionId: z.string() })

export const connections = {
  list: route('GET', '/connections', {
    tag,
    summary: 'Connections of one workspace or of all',
    errors: ['workspace_not_found'],
  })
    .input(z.object({ workspaceId: z.string().optional() }))
    .output(z.array(ConnectionSummary)),
  create: route('POST', '/connections', {
    tag,
    summary: 'Create a connection; the response contains its credentials',
    errors: ['workspace_not_found'],
    successStatus: 201,
  })
    .input(NewConnection)
    .output(ConnectionWithWarnings.extend({ credentials: Credentials })),
  get: route('GET', '/connections/{connectionId}', {
    tag,
    summary: 'One connection with its settings',
    errors: ['connection_not_found'],
  })
    .input(OneConnection)
    .output(ConnectionWithWarnings),
  update: route('PATCH', '/connections/{connectionId}', {
    tag,
    summary: 'Change a connection',
    errors: ['connection_not_found'],
  })
    .input(OneConnection.extend(ConnectionChange.shape))
    .output(ConnectionWithWarnings),
  remove: route('DELETE', '/connections/{connectionId}', {
    tag,
    summary: 'Delete a connection with its event types and stored events',
    errors: ['connection_not_found'],
  })
    .input(OneConnection)
    .output(Deleted),
  discard: route('POST', '/connections/{connectionId}/discard', {
    tag,
    summary: 'Delete a connection, and keep it with all its data for 30 seconds to restore it',
    errors: ['connection_not_found'],
  })
    .input(OneConnection)
    .output(z.object({ restorableUntil: Moment })),
  restore: route('POST', '/connections/{connectionId}/restore', {
    tag,
    summary: 'Restore a connection that was discarded in the last 30 seconds',
    errors: ['connection_not_found'],
  })
    .input(OneConnection)
    .output(ConnectionWithWarnings),
  credentials: route('GET', '/connections/{connectionId}/credentials', {
    tag,
    summary: 'Inbound URL, inbound token and signing secret',
    errors: ['connection_not_found'],
  })
    .input(OneConnection)
    .output(Credentials),
  rotateSecret: route('POST', '/connections/{connectionId}/rotate-secret', {
    tag,
    summary: 'Create a new signing secret; inbound events may use the old one during the grace period',
    errors: ['connection_not_found', 'too_many_old_secrets'],
  })
    .input(OneConnection.extend({ graceHours: GraceHours.default(24) }))
    .output(Credentials),
  regenerateToken: route('POST', '/connections/{connectionId}/regenerate-token', {
    tag,
    summary: 'Create a new inbound token; the old URL stops working at once',
    errors: ['connection_not_found'],
  })
    .input(OneConnection)
    .output(Credentials),
}
