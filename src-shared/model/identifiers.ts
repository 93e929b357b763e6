import { z } from 'zod'

/** Returns the schema of an id: a prefix for its kind, then 21 URL-safe random characters. */
const identifier = (prefix: string) =>
  z
    .string()
    .regex(new RegExp(`^${prefix}_[A-Za-z0-9_-]{1,64}$`), `An id of this kind begins with "${prefix}_".`)

export const ConnectionId = identifier('conn')
export const ActionId = identifier('act')
export const CaseId = identifier('case')
export const EventTypeId = identifier('evtype')
export const EventId = identifier('evt')
export const AttemptId = identifier('att')
export const CallId = identifier('call')
export const WorkflowId = identifier('wf')
export const RunId = identifier('run')
export const ClientTokenId = identifier('tok')
export const McpClientId = identifier('client')
export const ApprovalId = identifier('appr')
/** A tool call that was refused. */
export const RefusalId = identifier('ref')
export const ConversationId = identifier('conv')
export const MessageId = identifier('msg')
export const ToolCallId = identifier('tool')
export const KnowledgeFileId = identifier('file')
/** A form that a conversation offers. */
export const FormId = identifier('form')
/** `default` always exists; others are `ws_` + 21 characters. */
export const WorkspaceId = z.union([z.literal('default'), identifier('ws')])

export const defaultWorkspaceId = 'default'

/** A time in the format of the REST interface: ISO 8601, UTC, milliseconds. */
export const Moment = z.iso.datetime()
