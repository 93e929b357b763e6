import { z } from 'zod'
import { AssistantSource, CallArguments, CallRecord } from './call.ts'
import {
  ActionId,
  ApprovalId,
  CallId,
  ClientTokenId,
  ConnectionId,
  McpClientId,
  Moment,
  RefusalId,
  WorkspaceId,
} from './identifiers.ts'
import { Method } from './method.ts'
import { Permission } from './permission.ts'
import { Name, NewName } from './text.ts'
import { Tool, ToolListing } from './tool.ts'
import { ToolWarning } from './tool-warning.ts'

/** Maximum number of actions for which a token has permissions of their own. */
const maxPermissions = 10_000

const tokenFields = {
  name: Name,
  workspaceId: WorkspaceId.nullable().describe('Only the tools of this workspace; null for all.'),
  connectionId: ConnectionId.nullable().describe('Only the tools of this connection; null for all.'),
  readOnly: z.boolean().describe('Only the tools that are a GET.'),
  askFirst: z.boolean().describe('Every call but a GET waits until somebody allows it in the dashboard.'),
  permissions: z
    .record(ActionId, Permission)
    .refine(
      permissions => Object.keys(permissions).length <= maxPermissions,
      `A token has at most ${maxPermissions} permissions.`,
    )
    .describe('By actionId; they take precedence over askFirst, but not over readOnly.'),
  tools: ToolListing.describe(
    'all: the client lists all its tools. on demand: it lists find_tools, describe_tool and call_tool, with which it finds, reads and calls them, by the same rules.',
  ),
}

/** A token with which an MCP client may list and call tools, and nothing else. */
export const ClientToken = z.object({
  tokenId: ClientTokenId,
  ...tokenFields,
  createdAt: Moment,
  updatedAt: Moment,
  lastUsedAt: Moment.nullable().describe('Null if it was never used. Stored at most every ten minutes.'),
})
export type ClientToken = z.infer<typeof ClientToken>

/** A tool that `find_tools` finds for a client, and what it may do with it. */
export const FoundTool = z.object({
  name: z.string().describe('As the client calls it.'),
  title: z.string(),
  description: z.string().describe('Its beginning.'),
  score: z.number().min(0).max(1),
  connectionId: ConnectionId,
  connectionName: z.string(),
  actionId: ActionId,
  method: Method,
  permission: Permission,
})

/** A new token. The token itself is in this answer only. */
export const CreatedClientToken = ClientToken.extend({ token: z.string() })
export type CreatedClientToken = z.infer<typeof CreatedClientToken>

export const NewClientToken = z.object({
  ...tokenFields,
  name: NewName,
  workspaceId: tokenFields.workspaceId.default(null),
  connectionId: tokenFields.connectionId.default(null),
  readOnly: tokenFields.readOnly.default(false),
  askFirst: tokenFields.askFirst.default(false),
  permissions: tokenFields.permissions.default({}),
  tools: tokenFields.tools.default('all'),
})
export type NewClientToken = z.output<typeof NewClientToken>

export const ClientTokenChange = z.object({ ...tokenFields, name: NewName }).partial()
export type ClientTokenChange = z.output<typeof ClientTokenChange>

/** How MCP clients reach this service. */
export const McpAddress = z.object({
  url: z
    .string()
    .nullable()
    .describe('The base of the Streamable HTTP addresses; null if there is none on TCP.'),
  command: z.string().describe('The program of the stdio server.'),
  args: z.array(z.string()).describe('Its arguments, with the data folder.'),
})
export type McpAddress = z.infer<typeof McpAddress>

/**
 * An MCP client that is connected, or has sent a request in the last five minutes, to any node: one for each name, token
 * and address.
 */
export const McpClient = z.object({
  clientId: McpClientId,
  name: z.string().describe('As the client calls itself; the name of its token if it does not say.'),
  version: z.string().nullable(),
  protocol: z.string().describe('The version of MCP, such as 2025-11-25.'),
  transport: z.enum(['http', 'stdio']),
  tokenId: ClientTokenId.nullable().describe('Null for the admin token.'),
  tokenName: z.string().nullable(),
  workspaceId: WorkspaceId.nullable().describe('The workspace of its address; null for a connection’s.'),
  connectionId: ConnectionId.nullable().describe('The connection of its address; null for a workspace’s.'),
  connectedAt: Moment.describe('Since when it is listed.'),
  lastSeenAt: Moment,
  calls: z.int().describe('The tool calls since it is listed.'),
  connections: z
    .int()
    .describe(
      'The connections that it has open: over stdio, for changes, or for a request. Often 0 over HTTP.',
    ),
})
export type McpClient = z.infer<typeof McpClient>

const { method, totalMs, callId } = CallRecord.shape

/** A tool call over MCP or in a conversation, also one that was refused. */
export const AssistantCall = CallRecord.pick({
  at: true,
  actionId: true,
  toolName: true,
  status: true,
  ok: true,
  argumentsText: true,
}).extend({
  id: z.union([CallId, RefusalId]).describe('Grows with time; `before` takes it.'),
  source: AssistantSource,
  clientName: z.string().nullable(),
  tokenId: ClientTokenId.nullable(),
  tokenName: z.string().nullable(),
  connectionId: ConnectionId.nullable().describe('Null for a tool that does not exist.'),
  name: z.string().describe('The tool’s name as the client saw it.'),
  method: method.nullable(),
  arguments: CallArguments.describe('With masked values.'),
  code: z.string().nullable().describe('Why there is no usable response, or why the call was refused.'),
  reason: z.string().nullable().describe('The code in one sentence.'),
  totalMs: totalMs.nullable().describe('Null for a refused call.'),
  callId: callId.nullable().describe('Null for a refused call.'),
})
export type AssistantCall = z.infer<typeof AssistantCall>

export const AssistantCallPage = z.object({
  calls: z.array(AssistantCall),
  nextBefore: z.string().nullable().describe('Null on the last page.'),
})
export type AssistantCallPage = z.infer<typeof AssistantCallPage>

/** A tool with what it costs. */
export const AssistantTool = Tool.extend({
  tokens: z
    .int()
    .nullable()
    .describe('Tokens of its definition, counted with o200k_base; null if they could not be counted.'),
  warnings: z.array(ToolWarning),
})
export type AssistantTool = z.infer<typeof AssistantTool>

export const AssistantTools = z.object({
  tools: z.array(AssistantTool),
  totalTokens: z
    .int()
    .nullable()
    .describe('The tokens of the tools of all pages; null while they are counted, or if that fails.'),
  totalTools: z.int().describe('The number of tools on all pages.'),
  onDemandTokens: z
    .int()
    .nullable()
    .describe('The tokens of the three tools that a client has on demand; null if counting fails.'),
})
export type AssistantTools = z.infer<typeof AssistantTools>

/** A call that waits for a decision. */
export const Approval = AssistantCall.pick({
  clientName: true,
  tokenId: true,
  tokenName: true,
  toolName: true,
  name: true,
  arguments: true,
  argumentsText: true,
}).extend({
  approvalId: ApprovalId,
  requestedAt: Moment,
  expiresAt: Moment.describe('The call is refused if nobody has decided until then.'),
  connectionId: ConnectionId,
  actionId: ActionId,
  method: Method,
})
export type Approval = z.infer<typeof Approval>

export const ApprovalDecision = z.enum(['allow', 'decline'])
export type ApprovalDecision = z.infer<typeof ApprovalDecision>
