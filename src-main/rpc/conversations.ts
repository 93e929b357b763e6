import { findModels, testModel } from '#main/assistant/conversation/find-models.ts'
import type { Conversation, ConversationChange, Message, MessagePart } from '#shared/model/conversation.ts'
import type { Base } from './base.ts'
import { argumentsOf } from './call-arguments.ts'
import { nowOf, type RpcParts } from './context.ts'
import { withVerbatimArguments } from './verbatim.ts'

export function conversations(os: Base, parts: RpcParts) {
  const { conversations: all, models, environment } = parts
  return os.conversations.router({
    models: os.conversations.models.handler(() => findModels(models.http, models.servers, nowOf(parts))),
    testModel: os.conversations.testModel.handler(({ input: { baseUrl, model, keyVariable } }) =>
      testModel(models.http, { baseUrl, model, keyVariable }, environment),
    ),
    list: os.conversations.list.handler(({ input }) => all.list(input)),
    create: os.conversations.create.handler(async ({ input }) =>
      verbatimConversation(await all.create(input.workspaceId)),
    ),
    get: os.conversations.get.handler(async ({ input }) =>
      verbatimConversation(await all.get(input.conversationId)),
    ),
    rename: os.conversations.rename.handler(({ input }) => all.rename(input.conversationId, input.title)),
    remove: os.conversations.remove.handler(async ({ input }) => {
      await all.remove(input.conversationId)
      return { deleted: 1 }
    }),
    send: os.conversations.send.handler(async ({ input: { conversationId, ...message } }) =>
      verbatimConversation(await all.send(conversationId, message)),
    ),
    stop: os.conversations.stop.handler(async ({ input }) =>
      verbatimConversation(await all.stopAnswer(input.conversationId)),
    ),
    retry: os.conversations.retry.handler(async ({ input }) =>
      verbatimConversation(await all.retry(input.conversationId)),
    ),
    decide: os.conversations.decide.handler(async ({ input, context }) => {
      const { conversationId, toolCallId, decision } = input
      const given = argumentsOf({ ...input, arguments: input.arguments }, context)
      return verbatimConversation(await all.decide(conversationId, { toolCallId, decision, given }))
    }),
    export: os.conversations.export.handler(({ input }) => all.export(input.conversationId, input.format)),
    follow: os.conversations.follow.handler(async ({ input, signal }) =>
      verbatimChanges(await all.follow(input.conversationId, signal)),
    ),
  })
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
