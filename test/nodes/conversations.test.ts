import { createRouterClient } from '@orpc/server'
import { expect, onTestFinished } from 'vitest'
import { z } from 'zod'
import type { Storage } from '#main/storage/storage.ts'
import { ServiceError } from '#shared/errors.ts'
import { Conversation, type ConversationChange } from '#shared/model/conversation.ts'
import {
  callsOf,
  formsOf,
  lastMessage,
  startTalk,
  type Talk,
  textsOf,
} from '../assistant/conversation/fixtures.ts'
import { startExternalSystem } from '../support/external-system.ts'
import type { RestAnswer } from '../support/rest-client.ts'
import { call, say } from '../support/scripted-model.ts'
import type { ServiceFixture } from '../support/service-fixture.ts'
import { openTwoNodes, sharedNodes, test, withOther } from './open-nodes.ts'

const takeNodes = sharedNodes()

const Conversations = z.object({ conversations: z.array(z.looseObject({ conversationId: z.string() })) })

/** A conversation of A, and what B sees of it. @param of as for nodes of this test alone. */
async function startTalkOfTwo(of?: (storage: Storage, node: number) => Storage) {
  const [a, b] = await (of === undefined ? takeNodes() : openTwoNodes({}, of))
  const talk = await startTalk({ at: a })
  const onB = talkOf(b, talk)
  return { a, b, talk, onB }
}

function talkOf({ rest }: ServiceFixture, talk: Talk) {
  const path = `/conversations/${talk.conversationId}`
  const read = ({ status, body, text }: RestAnswer) => {
    if (status >= 300) throw new Error(`Refused: ${text}`)
    return Conversation.parse(body)
  }
  const ask = (method: 'GET' | 'POST' | 'PATCH' | 'DELETE', below = '', body?: object) =>
    rest(method, path + below, body)
  return {
    ask,
    now: async () => read(await ask('GET')),
    act: async (below: string, body: object = {}) => read(await ask('POST', below, body)),
    listed: async () => {
      const { conversations } = Conversations.parse((await rest('GET', '/conversations')).body)
      return conversations.find(({ conversationId }) => conversationId === talk.conversationId)
    },
  }
}

/** Follows a conversation in the process itself until the test ends. `text` returns all that was sent. */
async function follow({ service }: ServiceFixture, { conversationId }: Talk) {
  const client = createRouterClient(service.router, { context: {} })
  const stop = new AbortController()
  const changes = await client.conversations.follow({ conversationId }, { signal: stop.signal })
  const seen: ConversationChange[] = []
  const ended = (async () => {
    for await (const change of changes) seen.push(change)
  })()
  onTestFinished(async () => {
    stop.abort()
    await ended
  })
  const textOf = (change: ConversationChange): string => {
    if (change.type === 'text') return change.text
    if (change.type !== 'message') return ''
    return change.message.parts.map(part => (part.type === 'text' ? part.text : '')).join('')
  }
  return { seen, ended, text: () => seen.map(textOf).join('') }
}

test('an answer on one node streams to a reader on another, and is not marked there as interrupted', async () => {
  const { b, talk, onB } = await startTalkOfTwo()
  const reader = await follow(b, talk)
  talk.model.script([{ text: 'First words. ' }, { hold: true }, { text: 'Last words.' }])
  await talk.send('Write')
  await expect.poll(reader.text).toContain('First words. ')
  expect(reader.text()).not.toContain('Last words.')
  expect(await onB.now()).toMatchObject({ status: 'answering', context: { messages: expect.any(Number) } })
  expect(await onB.listed()).toMatchObject({ status: 'answering', title: 'Write' })
  talk.model.release()
  await expect.poll(reader.text).toContain('Last words.')
  await expect.poll(async () => (await onB.now()).status).toBe('idle')
  expect((await onB.now()).messages).toEqual((await talk.now()).messages)
  // Only what grew was sent again.
  expect(reader.seen.filter(({ type }) => type === 'message').length).toBeLessThan(6)
  expect(reader.seen.filter(({ type }) => type === 'conversation')).toHaveLength(1)
})

test('an answer that another node opens while it is being made ends as if it had not', async () => {
  const { talk, onB } = await startTalkOfTwo()
  talk.model.script([{ text: 'First words. ' }, { hold: true }, { text: 'Last words.' }])
  await talk.send('Write')
  await expect.poll(async () => textsOf(await onB.now())[1]).toContain('First')
  talk.model.release()
  expect(textsOf(await talk.until('idle'))).toEqual(['Write', 'First words. Last words.'])
  expect(lastMessage(await onB.now())).toMatchObject({ ended: 'complete', error: null })
})

test('a list on another node learns of conversations that begin, are renamed and are deleted', async () => {
  const { b, talk } = await startTalkOfTwo()
  const client = createRouterClient(b.service.router, { context: {} })
  const stop = new AbortController()
  onTestFinished(() => stop.abort())
  let changes = 0
  const stream = await client.live.follow({}, { signal: stop.signal })
  void (async () => {
    for await (const { type } of stream) if (type === 'conversations') changes++
  })()
  for (const act of [
    () => talk.rest('POST', '/conversations', {}),
    () => talk.ask('PATCH', '', { title: 'Renamed' }),
    () => talk.ask('DELETE'),
  ]) {
    const before = changes
    await act()
    await expect.poll(() => changes).toBeGreaterThan(before)
  }
})

test('another node stops an answer', async () => {
  const { talk, onB } = await startTalkOfTwo()
  talk.model.script([{ text: 'First words. ' }, { hold: true }])
  await talk.send('Write')
  await expect.poll(async () => textsOf(await onB.now())[1]).toContain('First')
  const stopped = await onB.act('/stop')
  expect(lastMessage(stopped)).toMatchObject({ ended: 'stopped', error: null })
  await talk.model.requests[0]?.closed
  expect((await talk.now()).messages).toEqual(stopped.messages)
})

test('another node allows, edits and declines the calls of an answer', async () => {
  const { talk, onB } = await startTalkOfTwo()
  const refund = (order: string) => call(talk.names.refund, { order_id: order, amount: 5 })
  talk.model.script([refund('1'), refund('2'), call(talk.names.remove, { order_id: '3' })], say('Done.'))
  await talk.send('Refund')
  await expect
    .poll(async () => callsOf(await onB.now()).map(({ state }) => state))
    .toEqual(Array(3).fill('asking'))
  const [first, second, third] = callsOf(await onB.now())
  const path = (id: string | undefined) => `/calls/${id}`
  expect(await onB.ask('POST', path(third?.toolCallId), { decision: 'always' })).toMatchObject({
    body: { code: 'always_not_allowed' },
  })
  expect(
    (await onB.ask('POST', path(first?.toolCallId), { decision: 'once', arguments: { order_id: 1 } })).body,
  ).toMatchObject({ code: 'invalid_input' })
  const edited = { decision: 'once', arguments: { order_id: '1', amount: 3.5 } }
  const decided = callsOf(await onB.act(path(first?.toolCallId), edited))
  expect(decided[0]).toMatchObject({ decision: 'once', edited: true, arguments: { amount: 3.5 } })
  await onB.act(path(second?.toolCallId), { decision: 'decline' })
  const answers = await Promise.all([
    onB.ask('POST', path(third?.toolCallId), { decision: 'once' }),
    talk.ask('POST', path(third?.toolCallId), { decision: 'decline' }),
  ])
  expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409])
  expect(answers.find(({ status }) => status === 409)?.body).toMatchObject({ code: 'call_not_waiting' })
  const isAllowed = answers[0]?.status === 200
  const ended = await talk.until('idle')
  expect(callsOf(ended).map(({ state }) => state)).toEqual([
    ...['answered', 'declined', isAllowed ? 'answered' : 'declined'],
  ])
  expect(talk.system.requests.map(({ method, body }) => [method, body])).toEqual([
    ['POST', '{"order_id":"1","amount":3.5}'],
    ...(isAllowed ? [['DELETE', expect.any(String)]] : []),
  ])
  expect((await onB.now()).messages).toEqual(ended.messages)
})

test('“always” on another node holds for the other calls of the action too', async () => {
  const { talk, onB } = await startTalkOfTwo()
  const refund = (order: string) => call(talk.names.refund, { order_id: order, amount: 5 })
  talk.model.script([refund('1'), refund('2')], [refund('3')], say('Done.'))
  await talk.send('Refund')
  await expect
    .poll(async () => callsOf(await onB.now()).map(({ state }) => state))
    .toEqual(['asking', 'asking'])
  const [first] = callsOf(await onB.now())
  await onB.act(`/calls/${first?.toolCallId}`, { decision: 'always' })
  const ended = await talk.until('idle')
  expect(callsOf(ended).map(({ state, decision }) => [state, decision])).toEqual([
    ...[
      ['answered', 'always'],
      ['answered', 'always'],
      ['answered', 'automatic'],
    ],
  ])
  expect((await onB.now()).always).toEqual([talk.actions.refund.actionId])
})

test('a message on another node declines the calls that wait, and is answered there', async () => {
  const { talk, onB } = await startTalkOfTwo()
  talk.model.script([call(talk.names.refund, { order_id: '1', amount: 5 })], say('Then not.'))
  await talk.send('Refund')
  await expect.poll(async () => (await onB.now()).status).toBe('asking')
  await onB.act('/messages', { text: 'Better not' })
  expect(textsOf(await talk.until('idle'))).toEqual([
    ...['Refund', '[create_refund declined]', 'Better not', 'Then not.'],
  ])
  expect(talk.system.requests).toHaveLength(0)
})

test('two renames and an answer at once lose nothing', async () => {
  const { talk, onB } = await startTalkOfTwo()
  const words = Array.from({ length: 100 }, (_, n) => `word ${n}. `)
  talk.model.script([
    ...words.slice(0, 50).map(text => ({ text })),
    { hold: true },
    ...words.slice(50).map(text => ({ text })),
  ])
  await talk.rest('PUT', '/platform/conversation-actions', [])
  await talk.send('Write')
  await expect.poll(async () => textsOf(await onB.now())[1]).toContain('word 49.')
  talk.model.release()
  const agent = { agentId: 'default', language: false, texts: false, knowledge: false, forms: false }
  const renamed = await Promise.all([
    onB.ask('PATCH', '', { title: 'Named on B' }),
    talk.ask('PATCH', '', { agent }),
    onB.ask('PATCH', '', { agent }),
    talk.ask('PATCH', '', { title: 'Named on A' }),
  ])
  expect(renamed.map(({ status }) => status)).toEqual([200, 200, 200, 200])
  await onB.ask('PATCH', '', { title: 'Named last' })
  const ended = await talk.until('idle')
  expect(textsOf(ended)).toEqual(['Write', words.join('')])
  await expect.poll(async () => (await talk.now()).title).toBe('Named last')
  expect((await talk.now()).agent).toEqual(agent)
  await expect.poll(async () => (await onB.now()).messages).toEqual(ended.messages)
})

test('refuses a rename of a version that another node has changed', async () => {
  const { talk, onB } = await startTalkOfTwo()
  const { updatedAt } = await talk.now()
  const both = await Promise.all([
    onB.ask('PATCH', '', { title: 'On B', ifUpdatedAt: updatedAt }),
    talk.ask('PATCH', '', { title: 'On A', ifUpdatedAt: updatedAt }),
  ])
  expect(both.map(({ status }) => status).toSorted()).toEqual([200, 409])
})

test('two messages on two nodes at once start one answer', async () => {
  const { talk, onB } = await startTalkOfTwo()
  talk.model.script([{ hold: true }])
  const sent = await Promise.all([
    talk.ask('POST', '/messages', { text: 'On A' }),
    onB.ask('POST', '/messages', { text: 'On B' }),
  ])
  expect(sent.map(({ status }) => status).toSorted()).toEqual([200, 409])
  expect((await onB.now()).messages).toHaveLength(2)
  await onB.act('/stop')
  expect((await talk.now()).messages.map(({ ended }) => ended)).toEqual([null, 'stopped'])
})

test('an answer that another node has only begun can be stopped', async () => {
  const asked = Promise.withResolvers<void>()
  const { talk, onB } = await startTalkOfTwo((storage, node) => {
    const { hold, decide } = storage.heldCalls
    const late: Partial<Storage['heldCalls']> = {
      hold: async (...call) => {
        await asked.promise
        return hold(...call)
      },
    }
    const asking: Partial<Storage['heldCalls']> = {
      decide: (...call) => decide(...call).finally(asked.resolve),
    }
    return withOther(storage, { heldCalls: withOther(storage.heldCalls, node === 0 ? late : asking) })
  })
  talk.model.script([{ text: 'First words. ' }, { hold: true }])
  await talk.send('Write')
  await onB.act('/stop')
  expect(lastMessage(await onB.now())).toMatchObject({ ended: 'stopped' })
})

test('a deletion on another node ends the answer and its readers', async () => {
  const { a, talk, onB } = await startTalkOfTwo()
  talk.model.script([{ text: 'First words. ' }, { hold: true }])
  const reader = await follow(a, talk)
  await talk.send('Write')
  await expect.poll(reader.text).toContain('First')
  expect((await onB.ask('DELETE')).status).toBe(200)
  await talk.model.requests[0]?.closed
  await reader.ended
  expect(reader.seen.at(-1)).toEqual({ type: 'deleted' })
  expect((await talk.ask('GET')).status).toBe(404)
})

test('a form that one node sends is not marked as interrupted by another, nor sent twice', async () => {
  const { talk, onB } = await startTalkOfTwo()
  const answer = Promise.withResolvers<void>()
  const system = await startExternalSystem((_request, response) => {
    void answer.promise.then(() => response.end('{}'))
  })
  const form = { fields: ['order_id'], submitUrl: system.url }
  await talk.rest('PUT', '/platform/conversation-actions', [
    { trigger: 'keyword:refund', action: 'refund', form },
  ])
  await talk.ask('PATCH', '', { agent: { agentId: 'default' } })
  talk.model.script(say('Fill in the form.'))
  await talk.send('A refund')
  const [offered] = formsOf(await talk.until('idle'))
  const path = `/forms/${offered?.formId}`
  const sent = talk.ask('POST', path, { fields: { order_id: '1' } })
  await expect.poll(() => system.requests).toHaveLength(1)
  expect(formsOf(await onB.now())).toMatchObject([{ state: 'sending' }])
  expect((await onB.ask('POST', path, { fields: { order_id: '2' } })).body).toMatchObject({
    code: 'form_not_open',
  })
  await onB.ask('PATCH', '', { title: 'Renamed meanwhile' })
  answer.resolve()
  expect((await sent).status).toBe(200)
  await expect.poll(async () => formsOf(await onB.now())).toMatchObject([{ state: 'answered', status: 200 }])
  expect(await talk.now()).toMatchObject({ title: 'Renamed meanwhile' })
  expect(system.requests).toHaveLength(1)
})

/**
 * Gives the leases of A another length; A fails where `fails` says so. `onOwned` gets what takes the lease again, for so
 * many milliseconds.
 */
function withLeases(
  leaseMs: number,
  fails: () => boolean = () => false,
  onOwned: (own: (ms: number) => Promise<unknown>) => void = () => {},
) {
  return (storage: Storage, node: number): Storage => {
    if (node !== 0) return storage
    const { conversations } = storage
    const unlessFailing = <Result>(act: () => Promise<Result>) =>
      fails() ? Promise.reject(new ServiceError('storage_unavailable')) : act()
    return {
      ...storage,
      conversations: {
        ...conversations,
        own(number, owner) {
          onOwned(ms => conversations.own(number, owner, ms))
          return unlessFailing(() => conversations.own(number, owner, leaseMs))
        },
        disown: (number, owner) => unlessFailing(() => conversations.disown(number, owner)),
        write: (change, expected) => unlessFailing(() => conversations.write(change, expected)),
        get: number => unlessFailing(() => conversations.get(number)),
      },
    }
  }
}

const interruption = { ended: 'failed', error: { code: 'answer_interrupted' } }

test('the answer of a node that dies is interrupted once its lease has ended, and can be retried', async () => {
  let isDead = false
  let own: (ms: number) => Promise<unknown> = async () => {}
  const { b, talk, onB } = await startTalkOfTwo(
    withLeases(
      600_000,
      () => isDead,
      again => {
        own = again
      },
    ),
  )
  talk.model.script([{ text: 'First words. ' }, { hold: true }], say('Again.'))
  await talk.send('Write')
  const reader = await follow(b, talk)
  await expect.poll(async () => textsOf(await onB.now())[1]).toContain('First')
  isDead = true
  await own(1)
  await expect.poll(async () => lastMessage(await onB.now())).toMatchObject(interruption)
  expect(textsOf(await onB.now())).toEqual(['Write', 'First words. '])
  expect(reader.seen.some(({ type }) => type === 'message')).toBe(true)
  await onB.act('/retry')
  await expect.poll(async () => textsOf(await onB.now())).toEqual(['Write', 'Again.'])
})

test('the answer of a node that stops is interrupted at once, and can be retried on another', async () => {
  const { a, talk, onB } = await startTalkOfTwo(storage => storage)
  talk.model.script([{ text: 'First words. ' }, { hold: true }], say('Again.'))
  await talk.send('Write')
  await expect.poll(async () => textsOf(await onB.now())[1]).toContain('First')
  await a.stop()
  const stopped = await onB.now()
  expect(stopped.status).toBe('failed')
  expect(lastMessage(stopped)).toMatchObject(interruption)
  await onB.act('/retry')
  await expect.poll(async () => textsOf(await onB.now())).toEqual(['Write', 'Again.'])
})

test('a node gives up an answer that another one has marked as interrupted', async () => {
  const { talk, onB } = await startTalkOfTwo(withLeases(1))
  talk.model.script([{ text: 'First words. ' }, { hold: true }], say('Again.'))
  await talk.send('Write')
  await expect.poll(async () => textsOf(await talk.now())[1]).toContain('First')
  await expect.poll(async () => lastMessage(await onB.now())).toMatchObject(interruption)
  await talk.model.requests[0]?.closed
  await expect.poll(async () => (await talk.now()).messages).toEqual((await onB.now()).messages)
  await onB.act('/retry')
  await expect.poll(async () => textsOf(await talk.now())).toEqual(['Write', 'Again.'])
})

test('a write whose answer is lost is not applied twice', async () => {
  let losses = 0
  const { talk, onB } = await startTalkOfTwo((storage, node) => {
    if (node !== 0) return storage
    const { conversations } = storage
    return {
      ...storage,
      conversations: {
        ...conversations,
        async write(change, expected) {
          const outcome = await conversations.write(change, expected)
          if (losses-- > 0) throw new ServiceError('storage_unavailable')
          return outcome
        },
      },
    }
  })
  const lookUp = call(talk.names.lookUp, { order_id: '1' })
  talk.model.script(
    [{ text: 'First words. ' }, { hold: true }, { text: 'I look. ' }, { hold: true }, lookUp],
    say('Found.'),
  )
  await talk.send('Write')
  await expect.poll(async () => textsOf(await onB.now())[1]).toContain('First')
  losses = 1
  talk.model.release()
  await expect.poll(async () => textsOf(await onB.now())[1]).toContain('I look.')
  expect(losses).toBeLessThan(1)
  losses = 1
  talk.model.release()
  const ended = await talk.until('idle')
  expect(textsOf(ended)).toEqual(['Write', 'First words. I look. [look_up_order answered]Found.'])
  expect(losses).toBeLessThan(1)
  await expect.poll(async () => (await onB.now()).messages).toEqual(ended.messages)
})

test('a rename that cannot be stored leaves the answer as it is', async () => {
  let fails = false
  const { talk, onB } = await startTalkOfTwo(withLeases(10_000, () => fails))
  talk.model.script([{ text: 'First words. ' }, { hold: true }, { text: 'Last words.' }])
  await talk.send('Write')
  await expect.poll(async () => textsOf(await onB.now())[1]).toContain('First')
  fails = true
  expect(await talk.ask('PATCH', '', { title: 'Lost' })).toMatchObject({ status: 503 })
  fails = false
  talk.model.release()
  const ended = await talk.until('idle')
  expect(textsOf(ended)).toEqual(['Write', 'First words. Last words.'])
  expect(ended.title).toBe('Write')
  expect(lastMessage(ended)).toMatchObject({ ended: 'complete', error: null })
})
