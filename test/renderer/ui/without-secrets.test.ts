import { describe, expect, test } from 'vitest'
import { dataWithoutSecrets, isSecretName, textWithoutSecrets } from '#renderer/ui/draft/without-secrets.ts'

describe('a text without credentials', () => {
  test.for([
    ['https://shop:pa55@api.example/orders', 'https://api.example/orders'],
    ['https://api.example/v1?api_key=abc&page=2', 'https://api.example/v1?api_key=&page=2'],
    ['/orders?access_token=a%20b#top', '/orders?access_token=#top'],
    ['{"user": "ada", "password": "pa\\"55", "n": 1}', '{"user": "ada", "password": "", "n": 1}'],
    ['{"client_secret":"x","note":"y"}', '{"client_secret":"","note":"y"}'],
    ['Authorization: Bearer abcdefgh12345678', 'Authorization: Bearer '],
    ['the key is whsec_abc+/=', 'the key is whsec_'],
    ['http://127.0.0.1:8787/api/connect/TOKEN/events', 'http://127.0.0.1:8787/api/connect//events'],
  ])('%s', ([text, rest]) => {
    expect(textWithoutSecrets(text ?? '')).toBe(rest)
    expect(textWithoutSecrets(rest ?? '')).toBe(rest)
  })

  test.for([
    'https://api.example/orders?page=2&sort=-created',
    'https://api.example/?token={{TOKEN}}',
    '{"password": "{{PASSWORD}}", "passenger": "Ada", "author": "Bo", "signed": "yes"}',
    'Bearer of good news, ask ada@example.com about https://a.example/@ada',
    '',
  ])('is the same if it has none: %s', text => {
    expect(textWithoutSecrets(text)).toBe(text)
  })
})

test('data has none under a name of one either, at any depth', () => {
  expect(
    dataWithoutSecrets({
      user: 'ada',
      auth: { password: 'x', tokens: ['a', 'b'], pin: '{{PIN}}' },
      n: 1,
      x: null,
    }),
  ).toEqual({ user: 'ada', auth: { password: '', tokens: ['', ''], pin: '{{PIN}}' }, n: 1, x: null })
})

test('names of credentials are told from others', () => {
  for (const name of [
    'password',
    'X-Api-Key',
    'apiKey',
    'access_token',
    'clientSecret',
    'Set-Cookie',
    'auth',
    'x-sig',
  ])
    expect([name, isSecretName(name)]).toEqual([name, true])
  for (const name of ['name', 'key', 'author', 'passenger', 'design', 'shipping', 'order_id', 'keyboard'])
    expect([name, isSecretName(name)]).toEqual([name, false])
})
