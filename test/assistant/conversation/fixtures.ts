import type { ServerResponse } from 'node:http'
import { expect, onTestFinished } from 'vitest'
import {
  Conversation,
  type FormPart,
  type Message,
  type MessagePart,
  type ToolCallPart,
} from '#shared/model/conversation.ts'
import { Tool } from '#shared/model/tool.ts'
import { type CreatedAction, createAction } from '../../support/actions.ts'
import { type SystemRequest, startExternalSystem } from '../../support/external-system.ts'
import { createConnection, type RestAnswer } from '../../support/rest-client.ts'
import { type ScriptedModel, startScriptedModel } from '../../support/scripted-model.ts'
import {
  type ServiceFixture,
  type ServiceFixtureOptions,
  startService,
} from '../../support/service-fixture.ts'

/** Exact names of the tools of the shop. */
export type ToolNames = Readonly<Record<'lookUp' | 'refund' | 'remove', string>>

export type Talk = ServiceFixture & {
  readonly model: ScriptedModel
  readonly system: { readonly url: string; readonly requests: SystemRequest[] }
  readonly names: ToolNames
  readonly actions: Readonly<Record<'lookUp' | 'refund' | 'remove', CreatedAction>>
  readonly conversationId: string
  /** Calls REST below the conversation. */
  ask(method: 'GET' | 'POST' | 'PATCH' | 'DELETE', path?: string, body?: object): Promise<RestAnswer>
  /** Sends a message, and returns the conversation as it is then. */
  send(text: string, more?: object): Promise<Conversation>
  now(): Promise<Conversation>
  /** Waits until the conversation has a status, and returns it. */
  until(status: Conversation['status']): Promise<Conversation>
  decide(call: ToolCallPart, decision: object): Promise<Conversation>
}

/** A service with a model, a shop with three actions, and an empty conversation. */
export async function startTalk(
  options: ServiceFixtureOptions & {
    /** An existing service. */
    readonly at?: ServiceFixture
    readonly answer?: (request: SystemRequest, response: ServerResponse) => void
  } = {},
): Promise<Talk> {
  const model = await startScriptedModel()
  onTestFinished(() => model.close())
  const system = await startExternalSystem(options.answer)
  const fixture = options.at ?? (await startService(options))
  const { rest } = fixture
  const { connectionId } = await createConnection(rest, { name: 'Shop', baseUrl: system.url })
  const order = { name: 'order_id', type: 'string', description: 'The order', required: true }
  const amount = { name: 'amount', type: 'number', description: 'In EUR', required: true }
  const actions = {
    lookUp: await createAction(rest, connectionId, { name: 'Look up order', parameters: [order] }),
    refund: await createAction(rest, connectionId, {
      ...{ name: 'Create refund', method: 'POST', path: '/refunds', parameters: [order, amount] },
    }),
    remove: await createAction(rest, connectionId, {
      ...{ name: 'Remove order', method: 'DELETE', path: '/orders', parameters: [order] },
    }),
  }
  await rest('PATCH', '/settings', { assistantModel: model.model })
  const tools = Tool.array().parse((await rest('GET', '/tools')).body)
  const nameOf = ({ actionId }: CreatedAction) => tools.find(tool => tool.actionId === actionId)?.name ?? ''
  const read = ({ status, body, text }: RestAnswer) => {
    if (status >= 300) throw new Error(`Refused: ${text}`)
    return Conversation.parse(body)
  }
  const created = read(await rest('POST', '/conversations', {}))
  const { conversationId } = created
  const path = `/conversations/${conversationId}`

  const talk: Omit<Talk, keyof ServiceFixture> = {
    ...{ model, system, actions, conversationId },
    names: {
      lookUp: nameOf(actions.lookUp),
      refund: nameOf(actions.refund),
      remove: nameOf(actions.remove),
    },
    ask: (method, below = '', body) => rest(method, path + below, body),
    send: async (text, more = {}) => read(await rest('POST', `${path}/messages`, { text, ...more })),
    now: async () => read(await rest('GET', path)),
    async until(status) {
      await expect.poll(async () => (await talk.now()).status).toBe(status)
      return talk.now()
    },
    decide: async ({ toolCallId }, decision) =>
      read(await rest('POST', `${path}/calls/${toolCallId}`, decision)),
  }
  // Keeps the getters of the fixture, whose addresses change.
  return Object.create(fixture, Object.getOwnPropertyDescriptors(talk))
}

export function lastMessage({ messages }: Conversation): Message {
  const last = messages.at(-1)
  if (last === undefined) throw new Error('The conversation has no messages.')
  return last
}

export function callsOf(conversation: Conversation): ToolCallPart[] {
  return conversation.messages
    .flatMap(({ parts }) => parts)
    .flatMap(part => (part.type === 'call' ? [part] : []))
}

export function formsOf({ messages }: Conversation): FormPart[] {
  return messages.flatMap(({ parts }) => parts.flatMap(part => (part.type === 'form' ? [part] : [])))
}

function shownPart(part: MessagePart): string {
  switch (part.type) {
    case 'text':
      return part.text
    case 'reasoning':
      return `(${part.text})`
    case 'call':
      return `[${part.toolName} ${part.state}]`
    case 'search':
      return `[search ${part.state}]`
    case 'form':
      return `[form ${part.state}]`
  }
}

export function textsOf(conversation: Conversation): string[] {
  return conversation.messages.map(({ parts }) => parts.map(shownPart).join(''))
}
