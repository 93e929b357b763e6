import { z } from 'zod'
import { AssistantModel } from './assistant-model.ts'
import { CallArguments, ExactArguments } from './call.ts'
import {
  ActionId,
  CallId,
  ConnectionId,
  ConversationId,
  FormId,
  MessageId,
  Moment,
  ToolCallId,
  WorkspaceId,
} from './identifiers.ts'
import { Method } from './method.ts'
import { KnowledgePlace } from './platform/knowledge.ts'
import { AgentId, LanguageCode, textUpTo } from './platform/parts.ts'
import { ToolListing } from './tool.ts'

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
  updatedAt: Moment.describe(
    'The time of the last message, answer or decision; a millisecond later after each change of its title or agent.',
  ),
  calls: z.int().describe('Calls that were made.'),
  status: ConversationStatus,
})
export type ConversationSummary = z.infer<typeof ConversationSummary>

/** Why an answer, a call or a form has failed. */
export const ConversationProblem = z.object({
  code: z.string().describe('Stable; `docs/errors.md` describes each.'),
  message: z.string().describe('One or two English sentences for the person reading.'),
})

export const TextPart = z.object({ type: z.literal('text'), text: z.string() })
export type TextPart = z.infer<typeof TextPart>

/** The thoughts of a model before it wrote a text. They are never sent back to a model. */
export const ReasoningPart = z.object({ type: z.literal('reasoning'), text: z.string() })
export type ReasoningPart = z.infer<typeof ReasoningPart>

export const ToolCallState = z
  .enum(['asking', 'running', 'answered', 'failed', 'declined', 'unknown_tool', 'cancelled'])
  .describe(
    'asking: waits for a decision. failed: no response, a status other than 2xx, or wrong arguments. cancelled: the answer ended before the call was made.',
  )

/** A person's decision about a call that waits. */
export const CallDecision = z.enum(['once', 'always', 'decline'])
export type CallDecision = z.infer<typeof CallDecision>

/** The outcome of a call of a tool or a form. */
const outcome = {
  status: z.int().nullable().describe('Null without a response.'),
  totalMs: z.number().nullable(),
  resultText: z.string().nullable().describe('What the model was told.'),
  error: ConversationProblem.nullable().describe(
    'Why there is no response; null for a response with any status.',
  ),
}

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
  argumentsText: ExactArguments,
  edited: z.boolean().describe('Whether a person changed the arguments.'),
  state: ToolCallState,
  decision: CallDecision.extract(['once', 'always'])
    .or(z.literal('automatic'))
    .nullable()
    .describe('automatic: a GET, or “always” from before. Null until allowed, or if it was not.'),
  decidedAt: Moment.nullable(),
  callId: CallId.nullable().describe('The call in history; null if no call was made.'),
  ...outcome,
})
export type ToolCallPart = z.infer<typeof ToolCallPart>

/** A place in a knowledge file that a search has found. */
export const Passage = z.object({
  fileName: z.string(),
  place: KnowledgePlace,
  text: z.string(),
})
export type Passage = z.infer<typeof Passage>

/** A search of the agent’s knowledge that the model asked for. It runs without asking. */
export const SearchPart = z.object({
  type: z.literal('search'),
  toolCallId: ToolCallId,
  query: z.string(),
  state: z.enum(['running', 'answered', 'failed']),
  passages: z.array(Passage).describe('The best first.'),
  omitted: z.int().describe('Passages that were found, but do not fit.'),
  totalMs: z.number().nullable(),
  error: ConversationProblem.nullable().describe('Why the search failed.'),
})
export type SearchPart = z.infer<typeof SearchPart>

export const FormState = z
  .enum(['offered', 'sending', 'answered', 'failed', 'dismissed'])
  .describe('failed: no response, or a status other than 2xx. It can be submitted again.')

/** The values of a form by its fields. */
export const FormValues = z.record(z.string(), textUpTo(4000))
export type FormValues = z.infer<typeof FormValues>

/** A form of the agent’s conversation actions, offered because the message contains its keyword. */
export const FormPart = z.object({
  type: z.literal('form'),
  formId: FormId,
  agentId: AgentId,
  keyword: z.string(),
  action: z.string(),
  fields: z.array(z.string()),
  submitUrl: z.string(),
  state: FormState,
  values: FormValues.nullable().describe('As sent; null until it is submitted.'),
  decidedAt: Moment.nullable().describe('When it was submitted or dismissed.'),
  callId: CallId.nullable().describe('The call in history; null if none was made.'),
  ...outcome,
})
export type FormPart = z.infer<typeof FormPart>

export const MessagePart = z.discriminatedUnion('type', [
  TextPart,
  ReasoningPart,
  ToolCallPart,
  SearchPart,
  FormPart,
])
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
    .describe('Milliseconds that an ended answer took, without the time that it waited for a person.'),
  ended: z
    .enum(['complete', 'cut', 'stopped', 'failed'])
    .nullable()
    .describe(
      'cut: the model or its server ended the answer before it was complete. Null for a user’s message and while the answer is being made.',
    ),
  error: ConversationProblem.nullable().describe('Why the answer failed or was cut.'),
})
export type Message = z.infer<typeof Message>

/** Returns the texts of a message alone. */
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

/** The agent of a conversation, and which of its settings the conversation uses. */
export const ConversationAgent = z.object({
  agentId: AgentId,
  language: z.boolean().default(true).describe('The language of the answers.'),
  texts: z.boolean().default(true).describe('Text responses and translations, as fixed wordings.'),
  knowledge: z.boolean().default(true).describe('The tool search_knowledge.'),
  forms: z.boolean().default(true).describe('Conversation actions, as forms.'),
})
export type ConversationAgent = z.infer<typeof ConversationAgent>

/** The parts of an agent that a conversation can use, whether it is switched on or not. */
export const AgentUse = z.object({
  languages: z.array(LanguageCode).describe('The primary language, then the secondary one.'),
  autoDetect: z.boolean(),
  texts: z.int().describe('Text responses and translations.'),
  textsThatFit: z.int().describe('The model gets the first ones, up to a limit of size.'),
  files: z.int().describe('Knowledge files that can be searched.'),
  forms: z.int().describe('Conversation actions.'),
})
export type AgentUse = z.infer<typeof AgentUse>

const conversation = ConversationSummary.extend({
  agent: ConversationAgent.nullable().describe('Null for none.'),
  tools: ToolListing.describe(
    'all: the model gets all tools of the workspace. on demand: it gets find_tools, describe_tool and call_tool, with which it finds, reads and calls them.',
  ),
  agentUse: AgentUse.nullable().describe('Null without an agent, if it was deleted, or until it is counted.'),
  model: AssistantModel.nullable().describe(
    'The model for the next answer: `assistantModel` of the settings.',
  ),
  messages: z.array(Message),
  context: ContextUse.nullable().describe('Null until it is counted.'),
  always: z
    .array(ActionId)
    .describe(
      'Actions that are called without asking in this conversation; never a DELETE. A change of what an action sends ends it.',
    ),
})
type Inferred = typeof conversation
/** Has a name, because most routes of conversations answer it, and the compiler would write each of them out. */
export interface ConversationSchema extends Inferred {}
export const Conversation: ConversationSchema = conversation
export type Conversation = z.infer<typeof Conversation>

export const ExportFormat = z.enum(['markdown', 'json'])
export type ExportFormat = z.infer<typeof ExportFormat>

/** Everything but the messages. */
export const ConversationFields = Conversation.omit({ messages: true })

/**
 * A change of a conversation. The first message of a stream, and any after a gap, has it all. Parts are addressed by
 * their place in the message.
 */
export const ConversationChange = z.discriminatedUnion('type', [
  z.object({ type: z.literal('conversation'), conversation: Conversation }),
  z.object({
    type: z.literal('fields').describe('Everything but the messages.'),
    conversation: ConversationFields,
  }),
  z.object({
    type: z
      .literal('text')
      .describe(
        'Text to append to a text or reasoning part; place equals the number of parts for a new text part.',
      ),
    messageId: MessageId,
    part: z.int(),
    text: z.string(),
  }),
  z.object({
    type: z.literal('part').describe('A part that is new or has changed, other than a text that grows.'),
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
