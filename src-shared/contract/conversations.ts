import { eventIterator } from '@orpc/contract'
import { z } from 'zod'
import { FoundModels, ModelServer, ModelTest } from '../model/assistant-model.ts'
import { CallArguments } from '../model/call.ts'
import {
  CallDecision,
  Conversation,
  ConversationAgent,
  ConversationChange,
  ConversationFields,
  ConversationSummary,
  ExportFormat,
  FormValues,
  maxMessageLength,
} from '../model/conversation.ts'
import { parseSample } from '../model/event-type.ts'
import { WorkspaceId } from '../model/identifiers.ts'
import { NewName } from '../model/text.ts'
import { Deleted, ifUpdatedAt, routesOf } from './base.ts'

const ofModels = routesOf('conversations', '/assistant/models')
const route = routesOf('conversations', '/conversations')
const One = z.object({ conversationId: z.string() })

export const conversations = {
  models: ofModels('GET', '', 'Look for model servers on this computer').output(FoundModels),
  testModel: ofModels('POST', '/test', 'Try a model server, and a model of it')
    .input(ModelTest)
    .output(ModelServer),
  list: route('GET', '', 'Conversations, the last changed first')
    .input(
      z.object({
        workspaceId: z.string().optional(),
        text: z
          .string()
          .min(1)
          .max(200)
          .optional()
          .describe('Case-insensitive; anywhere in the title, the messages, arguments and results.'),
        before: z.string().max(64).optional().describe('`nextBefore` of the previous page.'),
        limit: z.coerce.number().int().min(1).max(200).default(50),
      }),
    )
    .output(
      z.object({
        conversations: z
          .array(ConversationSummary)
          .describe(
            'A search checks a bounded amount of text, so there may be fewer than the limit, or none.',
          ),
        nextBefore: z.string().nullable().describe('`before` of the next page; null if this is the last.'),
      }),
    ),
  create: route('POST', '', 'Start a conversation', ['workspace_not_found'])
    .route({ successStatus: 201 })
    .input(
      z.object({
        workspaceId: WorkspaceId.default('default'),
        title: NewName.optional().describe('Left out: the beginning of the first message.'),
        agent: ConversationAgent.nullish().describe(
          'Null for none. Left out: the agent “default” of the workspace, or else its first agent.',
        ),
        tools: Conversation.shape.tools.default('all'),
      }),
    )
    .output(Conversation),
  get: route('GET', '/{conversationId}', 'One conversation with its messages')
    .input(One)
    .output(Conversation),
  update: route('PATCH', '/{conversationId}', 'Rename a conversation, or choose its agent or tools', [
    'changed_meanwhile',
  ])
    .input(
      One.extend({
        title: NewName.optional(),
        agent: ConversationAgent.nullish().describe(
          'Null for none. Applies from the next step of an answer on.',
        ),
        tools: Conversation.shape.tools.optional(),
        ...ifUpdatedAt,
      }),
    )
    .output(ConversationFields),
  remove: route('DELETE', '/{conversationId}', 'Delete a conversation and stop its answer')
    .input(One)
    .output(Deleted),
  export: route('GET', '/{conversationId}/export', 'A conversation as one text')
    .input(One.extend({ format: ExportFormat.default('markdown') }))
    .output(z.object({ fileName: z.string(), text: z.string() })),
  send: route(
    'POST',
    '/{conversationId}/messages',
    'Send a message. The service makes the answer; follow it live. Calls that wait for a decision are declined.',
    ['conversation_busy', 'not_last_message', 'no_model'],
  )
    .input(
      One.extend({
        text: z.string().trim().min(1, 'Write a message.').max(maxMessageLength),
        replaces: z
          .string()
          .optional()
          .describe('The last message of the user: this one takes its place and that of all after it.'),
      }),
    )
    .output(Conversation),
  stop: route('POST', '/{conversationId}/stop', 'Stop the answer; what was written is kept')
    .input(One)
    .output(Conversation),
  retry: route(
    'POST',
    '/{conversationId}/retry',
    'Answer the last message again. An answer without calls is replaced, one with calls is continued.',
    ['conversation_busy', 'nothing_to_retry', 'no_model'],
  )
    .input(One)
    .output(Conversation),
  continue: route(
    'POST',
    '/{conversationId}/continue',
    'Continue the last answer, which was cut, stopped or has failed, in another answer',
    ['conversation_busy', 'nothing_to_continue', 'no_model'],
  )
    .input(One)
    .output(Conversation),
  decide: route('POST', '/{conversationId}/calls/{toolCallId}', 'Allow or decline a call that waits', [
    'call_not_waiting',
    'always_not_allowed',
  ])
    .input(
      One.extend({
        toolCallId: z.string(),
        decision: CallDecision,
        arguments: CallArguments.optional().describe(
          'Replace those of the model. The model is told what was sent.',
        ),
        argumentsText: z
          .string()
          .refine(text => parseSample(text) !== null, 'The arguments must be a JSON object.')
          .optional()
          .describe('`arguments` as JSON text, which keeps all digits of numbers; takes precedence.'),
      }),
    )
    .output(Conversation),
  submitForm: route(
    'POST',
    '/{conversationId}/forms/{formId}',
    'Submit a form: post its fields to its URL, and return the conversation with the outcome',
    ['form_not_open', 'form_changed'],
  )
    .input(
      One.extend({
        formId: z.string(),
        fields: FormValues.default({}).describe('Fields that are left out are sent as empty texts.'),
      }),
    )
    .output(Conversation),
  dismissForm: route('DELETE', '/{conversationId}/forms/{formId}', 'Dismiss a form', ['form_not_open'])
    .input(One.extend({ formId: z.string() }))
    .output(Conversation),
  follow: route(
    'GET',
    '/{conversationId}/live',
    'A conversation as server-sent events: first the whole, then its changes',
  )
    .input(One)
    .output(eventIterator(ConversationChange)),
}
