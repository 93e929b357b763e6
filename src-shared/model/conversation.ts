import { z } from 'zod'
import { Method } from './action.ts'
import { AssistantModel } from './assistant-model.ts'
import { CallArguments } from './call.ts'
import {
  ActionId,
  CallId,
  ConnectionId,
  ConversationId,
  MessageId,
  Moment,
  ToolCallId,
  WorkspaceId,
} from './identifiers.ts'

/** In UTF-16 units. */
export const maxMessageLength = 32_768

export const ConversationStatus = z
  .enum(['idle', 'answering', 'asking', 'failed'])
  .describe('asking: a call waits for a decision. failed: the last answer failed, see its `error`.')
export type ConversationStatus = z.infer<typeof ConversationStatus>

export const ConversationSummary = z.object({
  conversationId: ConversationId,
  workspaceId: WorkspaceId,
  title: z.string().describe('From the first message, unless it was renamed; empty before that.'),
  createdAt: Moment,
  updatedAt: Moment.describe('Of the last message, answer or decision.'),
  calls: z.int().describe('Calls that were made.'),
  status: ConversationStatus,
})
export type ConversationSummary = z.infer<typeof ConversationSummary>

const Problem = z.object({
  code: z.string().describe('Stable; `docs/errors.md` describes each.'),
  message: z.string().describe('One or two English sentences for the person reading.'),
})

export const TextPart = z.object({ type: z.literal('text'), text: z.string() })
export type TextPart = z.infer<typeof TextPart>

export const ToolCallState = z
  .enum(['asking', 'running', 'answered', 'failed', 'declined', 'unknown_tool', 'cancelled'])
  .describe(
    'asking: waits for a decision. failed: no response, a status other than 2xx, or wrong arguments. cancelled: the answer ended before the call was made.',
  )
export type ToolCallState = z.infer<typeof ToolCallState>

/** A person's decision about a call that waits. */
export const CallDecision = z.enum(['once', 'always', 'decline'])
export type CallDecision = z.infer<typeof CallDecision>

/** A call of a tool that the model asked for. */
export const ToolCallPart = z.object({
  type: z.literal('call'),
  toolCallId: ToolCallId,
  name: z.string().describe('The name that the model used: the tool’s combined name.'),
  connectionId: ConnectionId.nullable().describe('Null for an unknown tool, as the next three.'),
  actionId: ActionId.nullable(),
  toolName: z.string().describe('The action’s own name; `name` for an unknown tool.'),
  method: Method.nullable(),
  arguments: CallArguments.describe('As sent; before that, as the model asked for them.'),
  edited: z.boolean().describe('Whether a person changed the arguments.'),
  state: ToolCallState,
  decision: CallDecision.extract(['once', 'always'])
    .or(z.literal('automatic'))
    .nullable()
    .describe('automatic: a GET, or “always” from before. Null until allowed, or if it was not.'),
  decidedAt: Moment.nullable(),
  callId: CallId.nullable().describe('The call in history; null if no call was made.'),
  status: z.int().nullable().describe('Null without a response.'),
  totalMs: z.number().nullable(),
  resultText: z.string().nullable().describe('What the model was told.'),
  error: Problem.nullable().describe('Why there is no response; null for a response with any status.'),
})
export type ToolCallPart = z.infer<typeof ToolCallPart>

export const MessagePart = z.discriminatedUnion('type', [TextPart, ToolCallPart])
export type MessagePart = z.infer<typeof MessagePart>

export const Message = z.object({
  messageId: MessageId,
  role: z.enum(['user', 'assistant']),
  at: Moment,
  parts: z.array(MessagePart),
  usage: z
    .object({ inputTokens: z.int(), outputTokens: z.int() })
    .nullable()
    .describe(
      'As the model’s server counted: the input of the last step, the output of all. Null if unknown.',
    ),
  tookMs: z
    .number()
    .nullable()
    .describe('Of an answer that has ended, without the time that it waited for a person.'),
  ended: z
    .enum(['complete', 'stopped', 'failed'])
    .nullable()
    .describe('Null for a user’s message and while the answer is being made.'),
  error: Problem.nullable().describe('Why the answer failed.'),
})
export type Message = z.infer<typeof Message>

/** Returns the texts of a message, without its calls. */
export function textOf({ parts }: Pick<Message, 'parts'>): string {
  return parts.map(part => (part.type === 'text' ? part.text : '')).join('')
}

/** An estimate in tokens of what the model reads for the next answer. */
export const ContextUse = z.object({
  instructionsAndTools: z.int(),
  messages: z.int(),
  results: z.int(),
  limit: z.int().nullable().describe('`contextTokens` of the model; null without a model.'),
  state: z
    .enum(['enough', 'nearly_full', 'full'])
    .describe('nearly_full: over 80 %. full: the next answer is refused, nothing is left out silently.'),
})
export type ContextUse = z.infer<typeof ContextUse>

export const Conversation = ConversationSummary.extend({
  model: AssistantModel.nullable().describe(
    'The model for the next answer: `assistantModel` of the settings.',
  ),
  messages: z.array(Message),
  context: ContextUse.nullable().describe('Null until it is counted.'),
  always: z
    .array(ActionId)
    .describe('Actions that are called without asking in this conversation; never a DELETE.'),
})
export type Conversation = z.infer<typeof Conversation>

export const ExportFormat = z.enum(['markdown', 'json'])
export type ExportFormat = z.infer<typeof ExportFormat>

const Fields = Conversation.omit({ messages: true })

/**
 * A change of a conversation. The first message of a stream, and any after a gap, has it all. Parts are addressed by
 * their place in the message.
 */
export const ConversationChange = z.discriminatedUnion('type', [
  z.object({ type: z.literal('conversation'), conversation: Conversation }),
  z.object({
    type: z.literal('fields').describe('Everything but the messages.'),
    conversation: Fields,
  }),
  z.object({
    type: z
      .literal('text')
      .describe('Text to append to a text part; place equals the number of parts for a new one.'),
    messageId: MessageId,
    part: z.int(),
    text: z.string(),
  }),
  z.object({
    type: z.literal('part').describe('A call that is new or has changed, or a text that was replaced.'),
    messageId: MessageId,
    part: z.int(),
    value: MessagePart,
  }),
  z.object({
    type: z.literal('message').describe('A new message, or one that has changed, with all of its parts.'),
    message: Message,
  }),
  z.object({
    type: z.literal('removed').describe('These messages were replaced.'),
    messageIds: z.array(MessageId),
  }),
  z.object({ type: z.literal('deleted').describe('The conversation was deleted; the stream ends.') }),
])
export type ConversationChange = z.infer<typeof ConversationChange>
