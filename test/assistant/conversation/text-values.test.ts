import { expect, test } from 'vitest'
import { call, say } from '../../support/scripted-model.ts'
import { callsOf, startTalk } from './fixtures.ts'

const written = { order_id: '7', amount: '12345678901234567890.10' }
const sent = '{"order_id":"7","amount":12345678901234567890.10}'

test('texts of a model are taken as the JSON that they are, and shown as they are sent while a call waits', async () => {
  const talk = await startTalk()
  talk.model.script(
    [call(talk.names.refund, written)],
    [call(talk.names.refund, { ...written, amount: '5 EUR' })],
    say('Refunded.'),
  )
  await talk.send('Refund order 7.')
  const asking = await talk.until('asking')
  expect((await talk.ask('GET')).text).toContain(`"argumentsText":${JSON.stringify(sent)}`)
  await talk.decide(callsOf(asking)[0]!, { decision: 'once' })
  const [made, refused] = callsOf(await talk.until('idle'))
  expect(made).toMatchObject({ state: 'answered', edited: false })
  expect(talk.system.requests.map(({ body }) => body)).toEqual([sent])
  expect((await talk.rest('GET', `/calls/${made?.callId}`)).body).toMatchObject({
    converted: [{ name: 'amount', as: 'number' }],
  })
  expect(refused).toMatchObject({ state: 'failed', error: { code: 'invalid_arguments' } })
})

test('arguments that a person has changed are taken as they are given', async () => {
  const talk = await startTalk()
  talk.model.script([call(talk.names.refund, written)], say('Refunded.'))
  await talk.send('Refund order 7.')
  const [waiting] = callsOf(await talk.until('asking'))
  const text = { decision: 'once', arguments: { ...written, amount: '6' } }
  expect((await talk.ask('POST', `/calls/${waiting?.toolCallId}`, text)).body).toMatchObject({
    code: 'invalid_input',
  })
  await talk.decide(waiting!, { decision: 'once', arguments: { ...written, amount: 6 } })
  const [made] = callsOf(await talk.until('idle'))
  expect(made).toMatchObject({ state: 'answered', edited: true, arguments: { order_id: '7', amount: 6 } })
  const { body } = await talk.rest('GET', `/calls/${made?.callId}`)
  expect(body).not.toHaveProperty('converted')
})
