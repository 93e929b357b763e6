import { expect, test } from 'vitest'
import { applyChange, createConversationStore } from '#renderer/features/conversation/conversation-store.ts'
import { newsOf } from '#renderer/features/conversation/news.ts'
import type { Conversation, ConversationChange } from '#shared/model/conversation.ts'
import { conversation, message, toolCall } from './fixtures.ts'

const asked = message({ messageId: 'msg_0', role: 'user', parts: [{ type: 'text', text: 'Refund them.' }] })

/** Applies changes to a conversation with a question and an empty answer. */
function after(...changes: readonly ConversationChange[]): Conversation | null {
  const start: Conversation | null = conversation({ messages: [asked, message()] })
  return changes.reduce<Conversation | null>(applyChange, start)
}

test('text is added to its part, and begins a new one after the last', () => {
  const words = (part: number, text: string) => ({ type: 'text', messageId: 'msg_1', part, text }) as const
  const now = after(words(0, 'I’ll '), words(0, 'look.'), {
    type: 'part',
    messageId: 'msg_1',
    part: 1,
    value: toolCall(),
  })
  expect(now?.messages[1]?.parts).toEqual([{ type: 'text', text: 'I’ll look.' }, toolCall()])
  expect(after(words(0, 'a'), words(1, 'b'))?.messages[1]?.parts).toEqual([
    { type: 'text', text: 'a' },
    { type: 'text', text: 'b' },
  ])
})

test('text is added to reasoning too', () => {
  const place = { messageId: 'msg_1', part: 0 }
  const now = after(
    { type: 'part', ...place, value: { type: 'reasoning', text: 'Hm' } },
    { type: 'text', ...place, text: ', four.' },
  )
  expect(now?.messages[1]?.parts).toEqual([{ type: 'reasoning', text: 'Hm, four.' }])
})

test('other messages stay the same objects, so that they are not rendered again', () => {
  const now = after({ type: 'text', messageId: 'msg_1', part: 0, text: 'a' })
  expect(now?.messages[0]).toBe(asked)
})

test('a message is added or replaced, messages are removed, and fields change', () => {
  const ended = message({ ended: 'complete' })
  expect(after({ type: 'message', message: ended })?.messages).toEqual([asked, ended])
  const another = message({ messageId: 'msg_2' })
  expect(after({ type: 'message', message: another })?.messages).toHaveLength(3)
  expect(after({ type: 'removed', messageIds: ['msg_1'] })?.messages).toEqual([asked])
  const { messages: _messages, ...fields } = conversation({ status: 'idle', title: 'Renamed' })
  expect(after({ type: 'fields', conversation: fields })).toMatchObject({
    status: 'idle',
    title: 'Renamed',
    messages: [{ messageId: 'msg_0' }, { messageId: 'msg_1' }],
  })
  expect(after({ type: 'deleted' })).toBeNull()
})

test('words that arrive together are shown in one render', () => {
  const scheduled: (() => void)[] = []
  const store = createConversationStore(flush => scheduled.push(flush))
  let renders = 0
  store.subscribe(() => renders++)
  store.start('conv_1')
  store.apply({ type: 'conversation', conversation: conversation({ messages: [message()] }) })
  for (const text of ['a', 'b', 'c']) store.apply({ type: 'text', messageId: 'msg_1', part: 0, text })
  expect(store.snapshot().conversation).toBeNull()
  scheduled.shift()?.()
  expect(scheduled).toHaveLength(0)
  expect(renders).toBe(1)
  expect(store.snapshot().conversation?.messages[0]?.parts).toEqual([{ type: 'text', text: 'abc' }])
})

test('a screen reader hears calls, questions and the end of an answer, not each word', () => {
  const of = (...parts: Parameters<typeof message>[0][]) =>
    conversation({ messages: [asked, ...parts.map(fields => message(fields))] })
  const text = (words: string) => ({ type: 'text', text: words }) as const
  expect(newsOf(null, of({ parts: [text('Earlier')], ended: 'complete' }))).toEqual([])
  expect(newsOf(of(), of({}))).toEqual(['Answering.'])
  expect(newsOf(of({}), of({ parts: [text('I’ll')] }))).toEqual([])
  const asks = of({ parts: [text('I’ll'), toolCall({ state: 'asking', decision: null, status: null })] })
  expect(newsOf(of({ parts: [text('I’ll')] }), asks)).toEqual(['Waiting for you: may it call create_refund?'])
  const done = of({ parts: [text('I’ll'), toolCall(), text('Refunded.')], ended: 'complete' })
  expect(newsOf(asks, done)).toEqual(['create_refund: 200', 'Refunded.'])
  const failed = of({ ended: 'failed', error: { code: 'model_unreachable', message: 'Ollama is gone.' } })
  expect(newsOf(of({}), failed)).toEqual(['Ollama is gone.'])
  const cut = of({
    parts: [text('Half')],
    ended: 'cut',
    error: { code: 'model_output_cut', message: 'It is cut.' },
  })
  expect(newsOf(of({ parts: [text('Half')] }), cut)).toEqual(['It is cut.'])
})
