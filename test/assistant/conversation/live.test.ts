import { createRouterClient } from '@orpc/server'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { Conversation, ConversationChange } from '#shared/model/conversation.ts'
import { httpClient, signIn } from '../../support/rpc-client.ts'
import { call, say } from '../../support/scripted-model.ts'
import { callsOf, startTalk, type Talk, textsOf } from './fixtures.ts'

/** The state of a reader that applies each change like the dashboard. */
class Reader {
  readonly types: string[] = []
  state: Conversation | null = null

  apply(change: ConversationChange): void {
    this.types.push(change.type)
    if (change.type === 'conversation') this.state = change.conversation
    const { state } = this
    if (state === null) throw new Error('A change came before the whole.')
    if (change.type === 'fields') this.state = { ...state, ...change.conversation }
    if (change.type === 'removed')
      this.state = {
        ...state,
        messages: state.messages.filter(({ messageId }) => !change.messageIds.includes(messageId)),
      }
    if (change.type === 'message') {
      const others = state.messages.filter(({ messageId }) => messageId !== change.message.messageId)
      this.state = { ...state, messages: [...others, change.message] }
    }
    if (change.type === 'text' || change.type === 'part') {
      const message = state.messages.find(({ messageId }) => messageId === change.messageId)
      if (message === undefined) throw new Error('A part came before its message.')
      const known = message.parts[change.part]
      message.parts[change.part] =
        change.type === 'part'
          ? change.value
          : { type: 'text', text: (known?.type === 'text' ? known.text : '') + change.text }
    }
  }
}

/** Follows the conversation over the dashboard's own connection until the test ends. */
async function follow(talk: Talk, onChange: (change: ConversationChange) => void): Promise<Promise<void>> {
  const session = await signIn(talk.dashboardUrl)
  const client = httpClient(
    () => talk.dashboardUrl,
    () => session,
  )
  const stop = new AbortController()
  onTestFinished(() => stop.abort())
  const changes = await client.conversations.follow(
    { conversationId: talk.conversationId },
    { signal: stop.signal },
  )
  const ended = (async () => {
    for await (const change of changes) onChange(change)
  })()
  ended.catch(() => {})
  return ended
}

async function nextOf(changes: AsyncIterator<ConversationChange>): Promise<ConversationChange> {
  const { value, done } = await changes.next()
  if (done) throw new Error('The stream has ended.')
  return value
}

describe('a live conversation', () => {
  test('comes whole first, then as changes that give the same conversation', async () => {
    const talk = await startTalk()
    const reader = new Reader()
    const ended = follow(talk, change => reader.apply(change))
    await expect.poll(() => reader.state?.status).toBe('idle')
    talk.model.script(
      [
        { text: 'I look at the order. ' },
        { hold: true },
        { text: 'One moment. ' },
        call(talk.names.lookUp, { order_id: '1' }),
        call(talk.names.refund, { order_id: '1', amount: 5 }),
      ],
      say('Refunded.'),
      say('Edited.'),
    )
    await talk.send('Refund it')
    await expect.poll(() => reader.state && textsOf(reader.state)[1]).toContain('I look at the')
    talk.model.release()
    await expect.poll(() => reader.state?.status).toBe('asking')
    await expect.poll(() => callsOf(reader.state!)[0]?.state).toBe('answered')
    await talk.decide(callsOf(reader.state!)[1]!, { decision: 'once' })
    await expect.poll(() => reader.state?.status).toBe('idle')
    const answered = await talk.now()
    await expect.poll(() => reader.state).toEqual(answered)
    expect(reader.types[0]).toBe('conversation')
    expect(reader.types.filter(type => type === 'conversation')).toHaveLength(1)
    expect(reader.types).toContain('text')
    await talk.send('Edit it', { replaces: answered.messages[0]?.messageId })
    await talk.until('idle')
    await expect.poll(() => textsOf(reader.state!)).toEqual(['Edit it', 'Edited.'])
    await talk.ask('PATCH', '', { title: 'Refund' })
    await expect.poll(() => reader.state?.title).toBe('Refund')
    await talk.rest('PATCH', '/settings', { assistantModel: null })
    await expect.poll(() => reader.state?.model).toBeNull()
    await talk.ask('DELETE')
    await ended
    expect(reader.types.at(-1)).toBe('deleted')
  })

  test('gives a reader that was slow several changes as one', async () => {
    const talk = await startTalk()
    talk.model.script([...Array.from({ length: 200 }, () => ({ text: 'many words come ' })), { hold: true }])
    const reader = new Reader()
    // In the process itself, because a socket has buffers.
    const client = createRouterClient(talk.service.router, { context: {} })
    const changes = await client.conversations.follow({ conversationId: talk.conversationId })
    reader.apply(await nextOf(changes))
    await talk.send('Write')
    await expect.poll(async () => textsOf(await talk.now())[1]?.length).toBeGreaterThan(3000)
    const { messages, status } = await talk.now()
    for (let count = 0; textsOf(reader.state!).length < 2 || reader.state?.status !== status; count++) {
      expect(count).toBeLessThan(10)
      reader.apply(await nextOf(changes))
    }
    expect(reader.state?.messages).toEqual(messages)
    await changes.return(undefined)
  })
})
