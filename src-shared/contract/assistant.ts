import { z } from 'zod'
import {
  Approval,
  ApprovalDecision,
  AssistantCallPage,
  AssistantTools,
  ClientToken,
  ClientTokenChange,
  CreatedClientToken,
  FoundTool,
  McpAddress,
  McpClient,
  NewClientToken,
} from '../model/assistant.ts'
import { Deleted, ifUpdatedAt, pageOf, routesOf } from './base.ts'

const route = routesOf('assistant', '/assistant')
const InWorkspace = z.object({ workspaceId: z.string().optional() })
const OneToken = z.object({ tokenId: z.string() })

export const assistant = {
  address: route('GET', '/address', 'How MCP clients reach this service').output(McpAddress),
  clients: route(
    'GET',
    '/clients',
    'The MCP clients that are connected, or have sent a request in the last five minutes',
    ['workspace_not_found'],
  )
    .input(InWorkspace)
    .output(z.array(McpClient)),
  calls: route('GET', '/calls', 'Tool calls over MCP and in conversations, also refused ones, newest first', [
    'workspace_not_found',
  ])
    .input(
      InWorkspace.extend({
        before: z.string().optional().describe('The `nextBefore` of the page before.'),
        limit: z.coerce.number().int().min(1).max(200).default(50),
      }),
    )
    .output(AssistantCallPage),
  tools: route('GET', '/tools', 'The tools as a model sees them, with the tokens of each', [
    'workspace_not_found',
  ])
    .input(InWorkspace.extend({ connectionId: z.string().optional(), ...pageOf('name') }))
    .output(AssistantTools),
  tokens: route('GET', '/tokens', 'The tokens of MCP clients').output(z.array(ClientToken)),
  createToken: route('POST', '/tokens', 'Create a token for an MCP client; it is shown only here', [
    'workspace_not_found',
    'connection_not_found',
    'too_many_client_tokens',
  ])
    .route({ successStatus: 201 })
    .input(NewClientToken)
    .output(CreatedClientToken),
  updateToken: route('PATCH', '/tokens/{tokenId}', 'Change what a token may do', [
    'workspace_not_found',
    'connection_not_found',
    'changed_meanwhile',
  ])
    .input(OneToken.extend({ ...ClientTokenChange.shape, ...ifUpdatedAt }))
    .output(ClientToken),
  findTools: route(
    'GET',
    '/tokens/{tokenId}/find',
    'What find_tools answers to a client with this token, the best tools first',
    ['client_token_not_found'],
  )
    .input(
      OneToken.extend({
        query: z.string().max(500),
        limit: z.coerce.number().int().min(1).max(20).default(5),
      }),
    )
    .output(
      z.object({ found: z.array(FoundTool), total: z.int().describe('The number of tools that fit.') }),
    ),
  removeToken: route('DELETE', '/tokens/{tokenId}', 'Revoke a token at once').input(OneToken).output(Deleted),
  approvals: route('GET', '/approvals', 'Calls of MCP clients that wait for a decision').output(
    z.array(Approval),
  ),
  decide: route('POST', '/approvals/{approvalId}', 'Allow or decline a waiting call')
    .input(z.object({ approvalId: z.string(), decision: ApprovalDecision }))
    .output(Approval),
}
