import { findModels, testModel } from '#main/assistant/conversation/find-models.ts'
import {
  type Conversation,
  type ConversationChange,
  ConversationFields,
  type Message,
  type MessagePart,
} from '#shared/model/conversation.ts'
import { argumentsOf } from './call-arguments.ts'
import { deletedOne, type Handlers, nowOf, type RpcParts, requireVersion } from './context.ts'
import { withVerbatimArguments } from './verbatim.ts'

export function conversations(parts: RpcParts): Handlers['conversations'] {
  const { conversations: all, models, environment } = parts
  return {
    models: () => findModels(models.http, models.servers, nowOf(parts)),
    testModel: ({ input: { baseUrl, model, keyVariable } }) =>
      testModel(models.http, { baseUrl, model, keyVariable }, environment),
    list: ({ input }) => all.list(input),
    create: async ({ input: { workspaceId, ...given } }) =>
      verbatimConversation(await all.create(workspaceId, given)),
    get: async ({ input }) => verbatimConversation(await all.get(input.conversationId)),
    update: ({ input: { conversationId, ifUpdatedAt, ...change } }) =>
      all.update(conversationId, change, before => requireVersion(before, ifUpdatedAt, ConversationFields)),
    remove: ({ input }) => deletedOne(all.remove(input.conversationId)),
    send: async ({ input: { conversationId, ...message } }) =>
      verbatimConversation(await all.send(conversationId, message)),
    stop: async ({ input }) => verbatimConversation(await all.stopAnswer(input.conversationId)),
    retry: async ({ input }) => verbatimConversation(await all.retry(input.conversationId)),
    continue: async ({ input }) => verbatimConversation(await all.continueAnswer(input.conversationId)),
    decide: async ({ input, context }) => {
      const { conversationId, toolCallId, decision } = input
      const given = argumentsOf({ ...input, arguments: input.arguments }, context)
      return verbatimConversation(await all.decide(conversationId, { toolCallId, decision, given }))
    },
    submitForm: async ({ input: { conversationId, formId, fields } }) =>
      verbatimConversation(await all.submitForm(conversationId, formId, fields)),
    dismissForm: async ({ input: { conversationId, formId } }) =>
      verbatimConversation(await all.dismissForm(conversationId, formId)),
    export: ({ input }) => all.export(input.conversationId, input.format),
    follow: async ({ input, signal }) => verbatimChanges(await all.follow(input.conversationId, signal)),
  }
}

async function* verbatimChanges(changes: AsyncIterable<ConversationChange>) {
  for await (const change of changes) yield verbatimChange(change)
}

function verbatimChange(change: ConversationChange): ConversationChange {
  switch (change.type) {
    case 'conversation':
      return { ...change, conversation: verbatimConversation(change.conversation) }
    case 'message':
      return { ...change, message: verbatimMessage(change.message) }
    case 'part':
      return { ...change, value: verbatimPart(change.value) }
    default:
      return change
  }
}

/** Returns a conversation whose arguments keep all digits of their numbers. */
function verbatimConversation(conversation: Conversation): Conversation {
  return { ...conversation, messages: conversation.messages.map(verbatimMessage) }
}

function verbatimMessage(message: Message): Message {
  return { ...message, parts: message.parts.map(verbatimPart) }
}

function verbatimPart(part: MessagePart): MessagePart {
  return part.type === 'call' ? withVerbatimArguments(part) : part
}
