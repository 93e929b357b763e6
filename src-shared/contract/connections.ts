import { z } from 'zod'
import {
  AllCredentials,
  ConnectionChange,
  ConnectionSummary,
  ConnectionWithWarnings,
  Credentials,
  GraceHours,
  NewConnection,
  NewSenderSecret,
} from '../model/connection.ts'
import { ConnectionFigures, ConnectionSearch, ConnectionSort, ListedRow } from '../model/connection-list.ts'
import { Moment } from '../model/identifiers.ts'
import { maxPage } from '../model/page.ts'
import { SenderActivation } from '../model/sender/sender-activation.ts'
import { SenderTrial, TriedRequest } from '../model/sender/sender-trial.ts'
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
  rows: route('GET', '/rows', 'Connections with the statistics of their last 24 hours, in pages', [
    'workspace_not_found',
  ])
    .input(
      ConnectionSearch.extend({
        sort: ConnectionSort.default('oldest'),
        limit: z.coerce.number().int().min(1).max(maxPage).default(100),
        after: z.string().max(1000).optional().describe('The `nextAfter` of the page before.'),
      }),
    )
    .output(
      z.object({
        connections: z.array(ListedRow),
        nextAfter: z.string().nullable().describe('Null on the last page.'),
      }),
    ),
  figures: route('GET', '/figures', 'How many connections there are, by what they do', [
    'workspace_not_found',
  ])
    .input(ConnectionSearch.pick({ workspaceId: true, text: true }))
    .output(ConnectionFigures),
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
  resume: route('POST', '/{connectionId}/resume', 'End the pause of a connection: its calls go on at once')
    .input(OneConnection)
    .output(ConnectionWithWarnings),
  credentials: route('GET', '/{connectionId}/credentials', 'Inbound URL, inbound token and secrets')
    .input(OneConnection)
    .output(AllCredentials),
  verifySender: route(
    'POST',
    '/{connectionId}/sender/verify',
    'Verify a captured request step by step, with a sender that may not be saved yet',
    ['attempt_not_found', 'verification_busy'],
  )
    .input(OneConnection.extend(TriedRequest.shape))
    .output(SenderTrial),
  rotateSecret: route(
    'POST',
    '/{connectionId}/rotate-secret',
    'Create a new signing secret; inbound events may use the old one during the grace period',
    ['too_many_old_secrets'],
  )
    .input(OneConnection.extend({ graceHours: GraceHours.default(24) }))
    .output(Credentials),
  setSenderSecret: route(
    'PUT',
    '/{connectionId}/sender/secret',
    'Set the secret of the sender; events may use the one before during the grace period',
    ['too_many_old_secrets'],
  )
    .input(OneConnection.extend(NewSenderSecret.shape))
    .output(ConnectionWithWarnings),
  senderActivation: route(
    'GET',
    '/{connectionId}/sender/activation',
    'Whether the sender has asked what it asks before it sends',
  )
    .input(OneConnection)
    .output(SenderActivation),
  resetSenderActivation: route(
    'POST',
    '/{connectionId}/sender/activation',
    'Answer the next question of the sender as if it were the first; forgets the secret that one brought',
  )
    .input(OneConnection.extend({ reset: z.literal(true) }))
    .output(SenderActivation),
  regenerateToken: route(
    'POST',
    '/{connectionId}/regenerate-token',
    'Create a new inbound token; the old URL stops working at once',
  )
    .input(OneConnection)
    .output(Credentials),
}
