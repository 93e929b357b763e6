import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { type Act, call, say, type Turn } from '../../support/scripted-model.ts'
import { sharedService } from '../../support/service-fixture.ts'
import { callsOf, lastMessage, startTalk, textsOf } from './fixtures.ts'

const cleanService = sharedService()
const start = async () => startTalk({ at: await cleanService() })
type Started = Awaited<ReturnType<typeof start>>

/** Returns the messages of the last request to the model, without the instructions. */
function told({ model }: Started) {
  return model.requests
    .at(-1)
    ?.messages.slice(1)
    .map(({ role, content }) => [role, content])
}

async function markdownOf(talk: Started): Promise<string> {
  return z.object({ text: z.string() }).parse((await talk.ask('GET', '/export')).body).text
}

/** One event of a stream with a delta. */
const delta = (fields: object): Act => ({
  raw: `data: ${JSON.stringify({ choices: [{ index: 0, delta: fields }] })}\n\n`,
})

describe('an answer that its server has cut', () => {
  test.each([
    ['length', 'model_output_cut'],
    ['max_tokens', 'model_output_cut'],
    ['model_length', 'model_output_cut'],
    ['model_context_window_exceeded', 'model_output_cut'],
    ['token_limit', 'model_output_cut'],
    ['maxTokens', 'model_output_cut'],
    ['content_filter', 'model_output_filtered'],
    ['SAFETY', 'model_output_filtered'],
    ['PROHIBITED_CONTENT', 'model_output_filtered'],
    ['refusal', 'model_output_filtered'],
    ['guardrail_intervened', 'model_output_filtered'],
  ])('with %s is stored as cut, and exported so', async (finish, code) => {
    const talk = await start()
    talk.model.script([{ text: 'The first half' }, { finish }])
    await talk.send('Tell me.')
    const answered = await talk.until('idle')
    expect(lastMessage(answered)).toMatchObject({ ended: 'cut', error: { code } })
    expect(textsOf(answered)[1]).toBe('The first half')
    expect(await markdownOf(talk)).toContain(`*Cut (${code}): The answer is cut`)
  })

  test('stays cut over a restart, and is continued in another answer', async () => {
    const talk = await startTalk()
    talk.model.script([{ text: 'The first half' }, { finish: 'length' }], say(' and the second.'))
    await talk.send('Tell me.')
    await talk.until('idle')
    await talk.restart()
    expect(lastMessage(await talk.now())).toMatchObject({ ended: 'cut' })
    expect((await talk.ask('POST', '/continue')).status).toBe(200)
    const continued = await talk.until('idle')
    expect(textsOf(continued)).toEqual(['Tell me.', 'The first half', ' and the second.'])
    expect(lastMessage(continued)).toMatchObject({ ended: 'complete', error: null })
    const nudge = ['user', expect.stringMatching(/cut off.*Continue/)]
    expect(told(talk)).toEqual([['user', 'Tell me.'], ['assistant', 'The first half'], nudge])
    // Two answers in a row never reach a model: some servers refuse them.
    talk.model.script(say('Yes.'))
    await talk.send('Is that all?')
    await talk.until('idle')
    expect(told(talk)?.slice(1)).toEqual([
      ['assistant', 'The first half'],
      nudge,
      ['assistant', ' and the second.'],
      ['user', 'Is that all?'],
    ])
  })

  test('that was stopped or has failed is continued too; a complete one is not', async () => {
    const talk = await start()
    expect((await talk.ask('POST', '/continue')).body).toMatchObject({ code: 'nothing_to_continue' })
    // A text that ends like the beginning of a secret (hexadecimal) is shown once more of it is known.
    talk.model.script(
      [{ text: 'Half.' }, { hold: true }, { cut: true }],
      [{ text: ' More.' }, { hold: true }],
      say(' All.'),
    )
    await talk.send('Tell me.')
    await expect.poll(async () => textsOf(await talk.now())[1]).toBe('Half.')
    talk.model.release()
    await talk.until('failed')
    await talk.ask('POST', '/continue')
    await expect.poll(async () => textsOf(await talk.now())[2]).toBe(' More.')
    await talk.ask('POST', '/stop')
    await talk.ask('POST', '/continue')
    expect(textsOf(await talk.until('idle'))).toEqual(['Tell me.', 'Half.', ' More.', ' All.'])
    expect((await talk.ask('POST', '/continue')).body).toMatchObject({ code: 'nothing_to_continue' })
    talk.model.script(say('New.'))
    await talk.ask('POST', '/retry')
    expect(textsOf(await talk.until('idle'))).toEqual(['Tell me.', 'New.'])
  })

  test('is cut although nothing was written', async () => {
    const talk = await start()
    talk.model.script([{ finish: 'content_filter' }])
    await talk.send('Tell me.')
    expect(lastMessage(await talk.until('idle'))).toMatchObject({
      ended: 'cut',
      error: { code: 'model_output_filtered' },
    })
    expect((await talk.ask('POST', '/continue')).body).toMatchObject({ code: 'nothing_to_continue' })
  })

  test.each([
    ['without a reason', null, 'model_stream_broken'],
    ['because the server gave up', 'insufficient_system_resource', 'model_stream_broken'],
    ['because its time was over', 'time_limit', 'model_stream_broken'],
    ['because it could not read a call', 'MALFORMED_FUNCTION_CALL', 'model_stream_broken'],
  ])('%s has failed, with its text kept', async (_how, finish, code) => {
    const talk = await start()
    talk.model.script([{ text: 'Half' }, { finish }])
    await talk.send('Tell me.')
    const failed = await talk.until('failed')
    expect(lastMessage(failed)).toMatchObject({ ended: 'failed', error: { code } })
    expect(textsOf(failed)[1]).toBe('Half')
  })

  test.each(['stop', 'eos', 'eos_token', 'end_turn', 'stop_sequence', 'COMPLETE', 'function_call', ''])(
    'with %j is complete',
    async finish => {
      const talk = await start()
      talk.model.script([{ text: 'All.' }, { finish }])
      await talk.send('Tell me.')
      expect(lastMessage(await talk.until('idle'))).toMatchObject({ ended: 'complete', error: null })
    },
  )

  test.each<{ of: string; begun: string }>([
    { of: 'in the middle', begun: '{"order_id": "OR' },
    { of: 'before they begin', begun: '' },
  ])('makes no call whose arguments are cut $of', async ({ begun }) => {
    const talk = await start()
    // Without arguments, the call would be one that asks nobody.
    const name = talk.names.lookUp
    talk.model.script(
      [{ text: 'I look.' }, { call: name, arguments: begun }, { finish: 'length' }],
      say('Done.'),
    )
    await talk.send('Look.')
    const cut = await talk.until('idle')
    expect(lastMessage(cut)).toMatchObject({ ended: 'cut', error: { code: 'model_output_cut' } })
    expect(callsOf(cut)[0]).toMatchObject({
      state: 'failed',
      error: { code: 'model_output_cut' },
      callId: null,
    })
    await talk.ask('POST', '/continue')
    await talk.until('idle')
    expect(talk.system.requests).toEqual([])
    expect(told(talk)?.at(-1)?.[1]).toContain('cut in the middle of this call')
  })

  test('makes the calls that are complete, then ends', async () => {
    const talk = await start()
    talk.model.script([call(talk.names.lookUp, { order_id: '1' }), { finish: 'length' }])
    await talk.send('Look.')
    const cut = await talk.until('idle')
    expect(lastMessage(cut)).toMatchObject({ ended: 'cut' })
    expect(callsOf(cut)[0]).toMatchObject({ state: 'answered' })
    expect(talk.model.requests).toHaveLength(1)
  })

  test('makes no call of a stream that ends in the middle of it', async () => {
    const talk = await start()
    talk.model.script([{ call: talk.names.lookUp, arguments: '' }, { finish: null }])
    await talk.send('Look.')
    const failed = await talk.until('failed')
    expect(lastMessage(failed)).toMatchObject({ error: { code: 'model_stream_broken' } })
    expect([talk.system.requests, callsOf(failed)]).toEqual([[], []])
  })
})

describe('the reasoning of a model', () => {
  test.each<{ of: string; turn: Turn }>([
    {
      of: 'reasoning_content',
      turn: [{ reasoning: 'Three or ' }, { reasoning: 'four?' }, { text: 'Four.' }],
    },
    { of: 'reasoning', turn: [delta({ reasoning: 'Three or four?' }), { text: 'Four.' }] },
    {
      of: 'a part of the content',
      turn: [
        delta({ content: [{ type: 'thinking', thinking: [{ type: 'text', text: 'Three or four?' }] }] }),
        { text: 'Four.' },
      ],
    },
    { of: '<think>', turn: say('<think>\nThree or four?\n</think>\n\nFour.') },
    { of: 'a closing mark alone', turn: say('Three or four?\n</think>\n\nFour.') },
    {
      of: '<think> in pieces',
      turn: [...'<think>\nThree or four?\n</think>\n\nFour.'].map(text => ({ text })),
    },
  ])('in $of is stored apart, exported, and not sent back', async ({ turn }) => {
    const talk = await start()
    talk.model.script(turn, say('Yes.'))
    await talk.send('How many?')
    const answered = await talk.until('idle')
    expect(lastMessage(answered)).toMatchObject({
      ended: 'complete',
      parts: [
        { type: 'reasoning', text: 'Three or four?' },
        { type: 'text', text: 'Four.' },
      ],
    })
    expect(await markdownOf(talk)).toContain('**Reasoning**\n\n```\nThree or four?\n```\n\nFour.')
    await talk.send('Sure?')
    await talk.until('idle')
    expect(told(talk)).toEqual([
      ['user', 'How many?'],
      ['assistant', 'Four.'],
      ['user', 'Sure?'],
    ])
  })

  test('is followed live in pieces, with a call after it', async () => {
    const talk = await start()
    talk.model.script(
      [
        { text: '<think>\nI look it up.' },
        { hold: true },
        { text: '\n</think>\n' },
        call(talk.names.lookUp, { order_id: '1' }),
      ],
      say('Found.'),
    )
    await talk.send('Look.')
    await expect.poll(async () => textsOf(await talk.now())[1]).toBe('(I look it up.)')
    talk.model.release()
    expect(textsOf(await talk.until('idle'))[1]).toBe('(I look it up.)[look_up_order answered]Found.')
    expect(told(talk)?.map(([role]) => role)).toEqual(['user', 'assistant', 'tool'])
    expect(JSON.stringify(told(talk))).not.toContain('I look it up')
  })

  test('that was not closed before the answer was cut is reasoning still', async () => {
    const talk = await start()
    talk.model.script([{ text: '<think>\nHm, ' }, { finish: 'length' }], say('Four.'))
    await talk.send('How many?')
    const cut = await talk.until('idle')
    expect(lastMessage(cut)).toMatchObject({ ended: 'cut', parts: [{ type: 'reasoning', text: 'Hm,' }] })
    await talk.ask('POST', '/retry')
    expect(textsOf(await talk.until('idle'))[1]).toBe('Four.')
    expect(told(talk)).toEqual([['user', 'How many?']])
  })

  test('is not an answer by itself', async () => {
    const talk = await start()
    talk.model.script([{ reasoning: 'Four.' }])
    await talk.send('How many?')
    const { error, parts } = lastMessage(await talk.until('failed'))
    expect(error).toMatchObject({
      code: 'model_wrote_nothing',
      message: expect.stringContaining('reasoning'),
    })
    expect(parts).toEqual([{ type: 'reasoning', text: 'Four.' }])
  })

  test('that changes with the text ten thousand times is stored in a bounded number of parts', async () => {
    const talk = await start()
    const acts = Array.from({ length: 1000 }, () => [{ reasoning: 'a' }, { text: 'b' }])
    talk.model.script(acts.flat())
    await talk.send('Go.')
    expect(lastMessage(await talk.until('idle')).parts.length).toBeLessThan(50)
  })
})

describe('a server that does not stream', () => {
  const whole = (message: object, more: object = {}): Turn => ({
    status: 200,
    body: JSON.stringify({ id: 'a', error: null, choices: [{ index: 0, message, ...more }] }),
  })

  test('has its answer shown, with its reasoning and its call', async () => {
    const talk = await start()
    const called = { name: talk.names.lookUp, arguments: { order_id: 'ORD-1' } }
    talk.model.script(
      whole(
        {
          role: 'assistant',
          content: '<think>Hm.</think>I look.',
          tool_calls: [{ id: 'a', function: called }],
        },
        { finish_reason: 'tool_calls' },
      ),
      whole({ role: 'assistant', content: 'Found.' }),
    )
    await talk.send('Look.')
    expect(textsOf(await talk.until('idle'))[1]).toBe('(Hm.)I look.[look_up_order answered]Found.')
    expect(talk.system.requests.map(({ url }) => url)).toEqual(['/orders?order_id=ORD-1'])
  })

  test('has an answer that it cut marked as cut', async () => {
    const talk = await start()
    talk.model.script(whole({ content: 'Half' }, { finish_reason: 'length' }))
    await talk.send('Tell me.')
    expect(lastMessage(await talk.until('idle'))).toMatchObject({
      ended: 'cut',
      error: { code: 'model_output_cut' },
    })
  })

  test.each<[of: string, body: string, code: string, message: string]>([
    ['an error', '{"error": {"message": "The queue is full."}}', 'model_refused', 'The queue is full.'],
    ['a list with an error', '[{"error": {"message": "No quota."}}]', 'model_refused', 'No quota.'],
    ['a full context', '{"error": "The context length is exceeded."}', 'context_full', 'context length'],
    ['a web page', '\n<!doctype html><title>Sign in</title>', 'model_invalid_response', '/v1'],
    ['JSON of something else', '{"status": "ok"}', 'model_invalid_response', 'OpenAI-compatible'],
    ['JSON that is cut', '{"choices": [{"mess', 'model_invalid_response', 'OpenAI-compatible'],
  ])('with %s instead of an answer says so', async (_of, body, code, message) => {
    const talk = await start()
    talk.model.script({ status: 200, body })
    await talk.send('Tell me.')
    const { error } = lastMessage(await talk.until('failed'))
    expect(error).toMatchObject({ code, message: expect.stringContaining(message) })
    expect(error?.message).not.toContain('status')
  })
})

test('an error that is null is none', async () => {
  const talk = await start()
  const events = [
    '{"choices":[{"index":0,"delta":{"content":"Four \\"error\\": null."}}],"error":null}',
    '{"choices":[{"index":0,"delta":{},"finish_reason":"stop"}],"error" : null}',
  ]
  talk.model.script([{ raw: events.map(event => `data: ${event}\n\n`).join('') }])
  await talk.send('How many?')
  expect(textsOf(await talk.until('idle'))[1]).toBe('Four "error": null.')
})

test('an error in the middle of a stream is told in the words of the server', async () => {
  const talk = await start()
  talk.model.script([{ text: 'Half' }, { raw: 'data: {"error": {"message": "Overloaded."}}\n\n' }])
  await talk.send('Tell me.')
  const { error } = lastMessage(await talk.until('failed'))
  expect(error).toMatchObject({
    code: 'model_refused',
    message: expect.stringMatching(/reported.*Overloaded/),
  })
})

describe('a call of a model', () => {
  test.each<{ of: string; turn: (name: string) => Turn }>([
    {
      of: 'an object',
      turn: name => [
        delta({
          tool_calls: [
            { index: 0, id: 'a', type: 'function', function: { name, arguments: { order_id: 'ORD-1' } } },
          ],
        }),
        { finish: 'tool_calls' },
      ],
    },
    {
      of: 'an object, with a large number next to it',
      turn: name => [
        {
          raw: `data:{"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"function":{"name":"${name}","arguments" : {"order_id":"ORD-1"}}}]},"finish_reason":"tool_calls"}],"n":12345678901234567890}\r\n\r\n`,
        },
      ],
    },
    { of: 'JSON text', turn: name => [call(name, { order_id: 'ORD-1' })] },
    {
      of: 'JSON text of JSON text',
      turn: name => [{ call: name, arguments: JSON.stringify('{"order_id":"ORD-1"}') }],
    },
  ])('is made with arguments that are $of', async ({ turn }) => {
    const talk = await start()
    talk.model.script(turn(talk.names.lookUp), say('Found.'))
    await talk.send('Look.')
    const answered = await talk.until('idle')
    expect(callsOf(answered)[0]).toMatchObject({ state: 'answered', arguments: { order_id: 'ORD-1' } })
    expect(talk.system.requests.map(({ url }) => url)).toEqual(['/orders?order_id=ORD-1'])
  })

  test('keeps the digits of numbers in arguments that are an object', async () => {
    const talk = await start()
    const given = '{"order_id":"1","amount":12345678901234567890}'
    const delta = `{"tool_calls":[{"index":0,"id":"a","function":{"name":"${talk.names.refund}","arguments":${given}}}]}`
    talk.model.script(
      [{ raw: `data: {"choices":[{"index":0,"delta":${delta}}]}\n\n` }, { finish: 'tool_calls' }],
      say('Done.'),
    )
    await talk.send('Refund.')
    const [waiting] = callsOf(await talk.until('asking'))
    await talk.decide(waiting!, { decision: 'once' })
    await talk.until('idle')
    expect(talk.system.requests.map(({ body }) => body)).toEqual([given])
  })

  test.each<{ of: string; written: (name: string) => Turn }>([
    {
      of: 'XML',
      written: name =>
        say(`I look.\n<tool_call>\n{"name": "${name}", "arguments": {"order_id": "1"}}\n</tool_call>`),
    },
    { of: 'JSON', written: name => say(`{"name": "${name}", "parameters": {"order_id": "1"}}`) },
    {
      of: 'its reasoning',
      written: name => [{ reasoning: `<tool_call>{"name": "${name}", "arguments": {}}` }],
    },
  ])('that is written as $of is not made, and the answer says so', async ({ written }) => {
    const talk = await start()
    talk.model.script(written(talk.names.lookUp))
    await talk.send('Look.')
    const failed = await talk.until('failed')
    expect(lastMessage(failed).error).toMatchObject({
      code: 'model_call_as_text',
      message: expect.stringMatching(/^The model wrote a tool call as text/),
    })
    expect(talk.system.requests).toEqual([])
  })
})
