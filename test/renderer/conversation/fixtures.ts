import type { Conversation, Message, ToolCallPart } from '#shared/model/conversation.ts'

export const toolCall = (fields: Partial<ToolCallPart> = {}): ToolCallPart => ({
  type: 'call',
  toolCallId: 'tool_1',
  name: 'acme_1234__create_refund',
  connectionId: 'conn_1',
  actionId: 'act_1',
  toolName: 'create_refund',
  method: 'POST',
  arguments: { order_id: 'ORD-20391', amount: 25 },
  edited: false,
  state: 'answered',
  decision: 'once',
  decidedAt: null,
  callId: 'call_1',
  status: 200,
  totalMs: 214,
  resultText: '{}',
  error: null,
  ...fields,
})

export const message = (fields: Partial<Message> = {}): Message => ({
  messageId: 'msg_1',
  role: 'assistant',
  at: '2026-11-22T14:33:00.000Z',
  parts: [],
  usage: null,
  tookMs: null,
  ended: null,
  error: null,
  ...fields,
})

export const conversation = (fields: Partial<Conversation> = {}): Conversation => ({
  conversationId: 'conv_1',
  workspaceId: 'default',
  title: 'Damaged cables',
  createdAt: '2026-11-22T14:33:00.000Z',
  updatedAt: '2026-11-22T14:33:00.000Z',
  calls: 0,
  status: 'answering',
  model: null,
  agent: null,
  tools: 'all',
  agentUse: null,
  messages: [],
  context: null,
  always: [],
  ...fields,
})
