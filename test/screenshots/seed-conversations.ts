import { setTimeout } from 'node:timers/promises'
import { z } from 'zod'
import { Conversation } from '#shared/model/conversation.ts'
import { Tool } from '#shared/model/tool.ts'
import type { Rest } from '../support/rest-client.ts'
import { call, type ScriptedModel, say } from '../support/scripted-model.ts'

const pollEveryMs = 20
const longestWaitMs = 20_000
const damaged = 'Maya Lindqvist writes that both USB-C cables in ORD-20418 arrived damaged. Refund them.'

/** Earlier conversations: hours ago and the question. */
const earlier = [
  { hoursAgo: 120, question: 'First try' },
  { hoursAgo: 96, question: 'Refund policy test' },
  { hoursAgo: 30, question: 'Cancel ORD-20388' },
  { hoursAgo: 27, question: 'Invoice for Berg AB' },
  { hoursAgo: 3, question: 'Which orders are late' },
  { hoursAgo: 1, question: 'Stock of grey keyboards' },
]

/**
 * Sets the model. Returns functions that have conversations with it: `before`, those of earlier days, and `now`, where
 * one waits for a decision and one is still being answered.
 */
export async function seedConversations(parts: {
  readonly rest: Rest
  readonly model: ScriptedModel
  readonly hoursAgo: (hours: number) => void
}) {
  const { rest, model, hoursAgo } = parts
  await rest('PATCH', '/settings', { assistantModel: { ...model.model, provider: 'ollama' } })
  const tools = z.array(Tool).parse((await rest('GET', '/tools')).body)
  const use = (toolName: string, given: object) =>
    call(tools.find(tool => tool.toolName === toolName)?.name ?? toolName, given)

  async function begin(text: string): Promise<string> {
    const { conversationId } = Conversation.parse((await rest('POST', '/conversations', {})).body)
    await rest('POST', `/conversations/${conversationId}/messages`, { text })
    return conversationId
  }
  async function until(id: string, isThere: (conversation: Conversation) => boolean): Promise<Conversation> {
    const giveUpAt = performance.now() + longestWaitMs
    for (;;) {
      const now = Conversation.parse((await rest('GET', `/conversations/${id}`)).body)
      if (isThere(now)) return now
      if (performance.now() > giveUpAt) throw new Error(`Conversation “${now.title}” stays ${now.status}.`)
      await setTimeout(pollEveryMs)
    }
  }
  async function decide(id: string, decision: 'once' | 'decline'): Promise<void> {
    const { messages } = await until(id, ({ status }) => status === 'asking')
    const asked = messages.at(-1)?.parts.find(part => part.type === 'call' && part.state === 'asking')
    if (asked?.type === 'call')
      await rest('POST', `/conversations/${id}/calls/${asked.toolCallId}`, { decision })
  }

  async function ask(questions: typeof earlier): Promise<void> {
    for (const one of questions) {
      hoursAgo(one.hoursAgo)
      model.script([use('look_up_order', { order_id: 'ORD-20418' })], say('Here it is.'))
      await until(await begin(one.question), ({ status }) => status === 'idle')
    }
  }

  const before = () => ask(earlier.filter(one => one.hoursAgo >= 24))

  async function now(): Promise<void> {
    await ask(earlier.filter(one => one.hoursAgo < 24))
    hoursAgo(5 / 60)
    const order = [
      { text: 'I’ll look at the order and at the customer’s other orders first.' },
      use('look_up_order', { order_id: 'ORD-20418' }),
      use('list_recent_orders', { email: 'maya.lindqvist@example.com' }),
    ]
    const refund = [
      { text: 'The order holds **2 cables at 12.50 EUR**, so the refund is 25.00 EUR. 140 are in stock.' },
      use('create_refund', {
        order_id: 'ORD-20418',
        amount: 25,
        reason: 'Arrived damaged',
        notify_customer: true,
      }),
    ]
    model.script(
      order,
      refund,
      [use('reserve_stock', { order_id: 'ORD-20418', sku: 'CBL-USBC-2M', quantity: 2, note: 'New' })],
      [use('look_up_order', { order_id: 'ORD-2041' })],
      [
        {
          text: 'I’ve refunded **25.00 EUR** for both cables. It is pending and settles on 24 November; Maya gets a message about it. You declined the reservation, so no new cables are set aside',
        },
        { hold: true },
      ],
    )
    await rest('PUT', '/environment/ACME_TENANT', { name: 'ACME_TENANT', value: 'demonstration-value-3' })
    const answering = await begin(damaged)
    await decide(answering, 'once')
    await decide(answering, 'decline')
    await until(answering, ({ messages }) => messages.at(-1)?.parts.at(-1)?.type === 'text')
    await rest('DELETE', '/environment/ACME_TENANT')
    await rest('PATCH', `/conversations/${answering}`, { title: 'Damaged cables, again' })
    model.script(order, refund)
    const asking = await begin(damaged)
    await until(asking, ({ status }) => status === 'asking')
    await rest('PATCH', `/conversations/${asking}`, { title: 'Damaged USB-C cables' })
  }
  return { before, now }
}
