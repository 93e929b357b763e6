import { expect, test } from 'vitest'
import { showable } from '#main/assistant/conversation/growing-text.ts'
import { textMasker } from '#main/outbound/mask-text.ts'
import { Credentials } from '#shared/model/connection.ts'
import { expectNowhere, filesBelow } from '../../support/leaks.ts'
import { call, say } from '../../support/scripted-model.ts'
import { callsOf, startTalk, textsOf } from './fixtures.ts'

const variables = {
  key: 'sk-key-canary-4711-of-the-model',
  value: 'value-canary-4712-of-the-settings',
}

test('neither the key nor a variable nor the signing secret is stored, shown, logged or sent to the model', async () => {
  const secrets = { ...variables, signing: '' }
  const talk = await startTalk({
    service: { env: { MODEL_KEY: secrets.key } },
    answer: ({ headers }, response) =>
      response.end(JSON.stringify({ got: headers['x-key'], signedWith: secrets.signing })),
  })
  await talk.rest('PUT', '/environment/SHOP_KEY', { value: secrets.value })
  const { actionId } = talk.actions.lookUp
  const [tool] = (await talk.service.storage.config.snapshot()).connections.values()
  const { body } = await talk.rest('GET', `/connections/${tool?.connectionId}/credentials`)
  secrets.signing = Credentials.parse(body).signingSecret
  await talk.rest('PATCH', `/connections/${tool?.connectionId}/actions/${actionId}`, {
    headers: { 'X-Key': '{{SHOP_KEY}}' },
  })
  await talk.rest('PATCH', '/settings', {
    assistantModel: { ...talk.model.model, keyVariable: 'MODEL_KEY' },
  })
  const both = `${secrets.key} and ${secrets.value}`
  const shown: string[] = []
  talk.model.script(
    [
      { text: `You wrote ${both.slice(0, 20)}` },
      { hold: true },
      { text: `${both.slice(20)}. ` },
      call(talk.names.lookUp, { order_id: secrets.value }),
      call(talk.names.refund, { order_id: secrets.key, amount: 1 }),
      call(`tool_${secrets.key}`, {}),
      call(`${'t'.repeat(180)}${secrets.key}`, {}),
    ],
    { status: 500, body: JSON.stringify({ error: { message: `${'no '.repeat(94)}${secrets.key}` } }) },
    say('Done.'),
  )
  await talk.send(`My key is ${both}, my secret ${secrets.signing}`)
  await expect.poll(async () => textsOf(await talk.now())[1]).toContain('You wrote')
  shown.push(JSON.stringify(await talk.now()))
  talk.model.release()
  const waiting = callsOf(await talk.until('asking')).find(({ state }) => state === 'asking')
  await talk.decide(waiting!, {
    decision: 'once',
    arguments: { order_id: `edited ${secrets.value}`, amount: 2 },
  })
  shown.push(JSON.stringify(await talk.until('failed')))
  await talk.ask('PATCH', '', { title: `About ${secrets.key}` })
  for (const path of ['/export', '/export?format=json', '']) shown.push((await talk.ask('GET', path)).text)
  shown.push((await talk.rest('GET', '/conversations')).text)
  // The call itself carries what the person wrote.
  expect(talk.system.requests.at(-1)?.body).toContain(secrets.value)
  expect(talk.model.requests[0]?.authorization).toBe(`Bearer ${secrets.key}`)
  const toModel = talk.model.requests.map(({ messages, tools }) => JSON.stringify({ messages, tools }))
  await talk.stop()
  const files = await filesBelow(talk.dataFolder, 'secret.key')
  expect(files.map(([name]) => name)).toContain('history.sqlite')
  expectNowhere(
    new Map(Object.entries(secrets)),
    new Map([
      ...files,
      ['log', JSON.stringify(talk.log.lines)],
      ...shown.map((text, index): [string, string] => [`answer ${index}`, text]),
      ...toModel.map((text, index): [string, string] => [`request ${index} to the model`, text]),
    ]),
  )
})

test('a growing text never shows the beginning of a secret', () => {
  const known = ['secret-of-32-characters-0123456789', 'two words 0123456789']
  const mask = textMasker(known)
  const text = `First ${known[0]} and then "${known[1]}", said slowly and without a pause at the end.`
  let longest = ''
  for (let length = 1; length <= text.length; length++) {
    const shown = showable(text.slice(0, length), mask, known)
    expect(shown).not.toMatch(/secret-of|two words/)
    // Shown text stays: it only grows, or waits until a secret has passed.
    expect(shown.startsWith(longest) || longest.startsWith(shown)).toBe(true)
    if (shown.length > longest.length) longest = shown
  }
  expect(longest).toBe('First •••• and then "••••", said slowly and without a pause ')
})

test('a growing text without spaces is shown at once', () => {
  const known = ['secret-of-32-characters-0123456789']
  const mask = textMasker(known)
  const shown = (text: string) => showable(text, mask, known)
  expect(shown('订单已发货')).toBe('订单已发货')
  expect(shown('密钥secret-of-32')).toBe('密钥')
  expect(shown('密钥secret-of-32-characters-0123456789是')).toBe('密钥••••是')
  // A spelling of this one may contain any character.
  expect(showable('订单', mask, [...known, 'Schlüssel-4711'])).toBe('')
})

test('a growing text waits for a signing secret, and for no other word', () => {
  const known = ['whsec_0123456789-of-a-connection']
  const mask = textMasker(known)
  const shown = (text: string) => showable(text, mask, known)
  expect(shown('It begins')).toBe('It begins')
  expect(shown('The secret whsec_0123456789-of')).toBe('The secret ')
  expect(shown(`The secret ${known[0]},`)).toBe('The secret whsec_••••,')
})

test('a growing text waits for a signing secret without its prefix, in each of its spellings', () => {
  const known = ['whsec_0123456789-of-a-connection', 'whsec_zyxwvutsrq_of-another-one']
  const mask = textMasker(known)
  const secret = '0123456789-of-a-connection'
  const percent = Buffer.from(secret).toString('hex').replace(/../g, '%$&')
  for (const spelling of [secret, percent, btoa(secret)])
    for (let length = 1; length < spelling.length - 1; length++) {
      const shown = showable(`It is ${spelling.slice(0, length)}`, mask, known)
      expect(['It is ', 'It is ••••']).toContain(shown)
    }
  expect(showable(`It is ${secret},`, mask, known)).toBe('It is ••••,')
  expect(showable('It is 012 or 01234', mask, known)).toBe('It is 012 or ')
})
