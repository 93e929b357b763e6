import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { keptTextMasker, secretTexts, textMasker } from '#main/outbound/mask-text.ts'
import { createMasker } from '#main/outbound/masking.ts'
import type { CallResult } from '#shared/model/call.ts'
import { lookupIn, parameter, serve, startCaller } from './support.ts'

/** Values as a header can hold them: printable ASCII, tab and the upper half of Latin-1. */
const headerCharacter = fc.oneof(
  fc.integer({ min: 0x20, max: 0x7e }),
  fc.constantFrom(...Array.from('\t "\\/+=&%<>\'', character => character.charCodeAt(0))),
  fc.integer({ min: 0x80, max: 0xff }),
)
const secretOf = (maxLength: number) =>
  fc
    .array(headerCharacter, { minLength: 8, maxLength })
    .map(codes => String.fromCharCode(...codes))
    // Any prose may hold a value of blanks alone.
    .filter(text => /[^\s\\]{4}/.test(text))

const upper = (text: string) => text.replace(/%[0-9a-f]{2}/gi, byte => byte.toUpperCase())
const lower = (text: string) => text.replace(/%[0-9a-f]{2}/gi, byte => byte.toLowerCase())
const form = (text: string) => new URLSearchParams([['v', text]]).toString().slice(2)
const everyByte = (text: string) =>
  [...Buffer.from(text)].map(byte => `%${byte.toString(16).padStart(2, '0')}`).join('')
const json = (text: string) => JSON.stringify(text).slice(1, -1)
const pythonJson = (text: string) =>
  json(text).replace(/[\u0080-\uffff]/g, unit => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)

/** How a value may be written in an answer. */
const spellings: Record<string, (text: string) => string> = {
  plain: text => text,
  'percent-encoded': encodeURIComponent,
  'percent-encoded in lower case': text => lower(encodeURIComponent(text)),
  'as a form': form,
  'as a form in lower case': text => lower(form(text)),
  'every byte percent-encoded': everyByte,
  'percent-encoded twice': text => upper(encodeURIComponent(encodeURIComponent(text))),
  'as JSON': json,
  'as JSON within JSON': text => json(json(text)),
  'as JSON of ASCII': pythonJson,
  'as JSON with slashes escaped': text => json(text).replaceAll('/', '\\/'),
  'as percent-encoded JSON': text => encodeURIComponent(json(text)),
  'as HTML': text => text.replace(/[&<>"']/g, character => `&#${character.charCodeAt(0)};`),
}

const encodings = ['base64', 'base64url'] as const

describe('a value', () => {
  test.each(Object.entries(spellings))('does not survive %s', (_name, spell) => {
    fc.assert(
      fc.property(secretOf(40), fc.string(), fc.string(), (secret, before, after) => {
        const masked = textMasker([secret])?.(before + spell(secret) + after) ?? ''
        expect(masked).not.toContain(spell(secret))
        expect(masked).toContain('••••')
      }),
      { numRuns: 150 },
    )
  })

  test.each(encodings)('does not survive in %s, wherever it begins and ends', encoding => {
    const bytes = fc.uint8Array({ maxLength: 7 })
    fc.assert(
      fc.property(
        secretOf(40),
        bytes,
        bytes,
        fc.constantFrom('utf8', 'latin1'),
        (secret, before, after, charset) => {
          const inner = Buffer.from(secret, charset)
          const text = Buffer.concat([before, inner, after]).toString(encoding)
          const masked = textMasker([secret])?.(text) ?? ''
          expect(masked).toContain('••••')
          // The rest does not decode to the secret.
          const left = Buffer.from(masked.replaceAll('•', ''), encoding).toString('latin1')
          expect(left).not.toContain(inner.toString('latin1'))
          expect(masked.length).toBeLessThan(text.length - inner.length + 4)
        },
      ),
      { numRuns: 300 },
    )
  })

  test('of any length does not survive', () => {
    for (const length of [255, 256, 257, 1000, 5000, 16_384]) {
      const secret = Array.from(
        { length },
        (_, index) => 'abc"\\\\ /+é'[(index * 7 + (index >> 5)) % 10],
      ).join('')
      const mask = textMasker([secret])
      for (const spell of Object.values(spellings)) {
        const text = spell(secret)
        const masked = mask?.(`<${text}>`) ?? ''
        expect(masked, `${length} ${text.slice(0, 20)}`).toMatch(/^<••••>$/)
      }
      for (const encoding of encodings)
        for (const before of ['', 'u:', 'me:'])
          expect(mask?.(Buffer.from(before + secret).toString(encoding))).toMatch(/^[\w+/=-]{0,4}••••=*$/)
    }
  })

  test('among several does not survive, beside one that it begins with', () => {
    const mask = textMasker(['password', 'password-long', 'another-one'])
    expect(mask?.('password-long password another-one passwor')).toBe('•••• •••• •••• passwor')
  })

  test('shorter than 8 characters is left in texts', () => {
    expect(textMasker(['1234567', ''])).toBeNull()
  })

  test('is masked by a kept masker as soon and as long as it is in the list', () => {
    const signing = ['a', 'b', 'c'].map(letter => `whsec_${letter.repeat(43)}`)
    const text = `${signing.join(' ')} first-value second-value`
    const masked = (...secrets: string[]) => keptTextMasker(secrets)?.(text)
    expect(masked(...signing, 'first-value')).toBe('whsec_•••• whsec_•••• whsec_•••• •••• second-value')
    expect(masked(...signing, 'first-value', 'second-value')).toMatch(/ •••• ••••$/)
    expect(masked(...signing, 'second-value')).toBe('whsec_•••• whsec_•••• whsec_•••• first-value ••••')
    expect(masked(...signing.slice(1), 'second-value')).toMatch(
      /^whsec_\S+ whsec_•••• whsec_•••• first-value ••••$/,
    )
    expect(masked()).toBeUndefined()
  })
})

const secret = 'sk_live_"51\\Hq/8+é ~'
const echoes = {
  ...Object.fromEntries(Object.entries(spellings).map(([name, spell]) => [name, spell(secret)])),
  base64: Buffer.from(secret).toString('base64'),
  basic: `Basic ${Buffer.from(`user:${secret}`).toString('base64')}`,
}

/** Every text in a value, names of fields included. */
function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value]
  if (typeof value !== 'object' || value === null) return [String(value)]
  return Object.entries(value).flatMap(([name, part]) => [name, ...textsIn(part)])
}

function expectClean(outcome: unknown, spelled: readonly string[] = Object.values(echoes)): void {
  for (const text of [...textsIn(outcome), JSON.stringify(outcome)])
    for (const echo of spelled) expect(text).not.toContain(echo)
}

describe('the parts of a value', () => {
  const basic = (pair: string) => Buffer.from(pair).toString('base64')

  test.each([
    ['Bearer abcdefgh-1', ['abcdefgh-1']],
    ['ApiKey  abcdefgh-1', ['abcdefgh-1']],
    ['X-Auth-Token: abcdefgh-1', ['abcdefgh-1']],
    ['Bearer short', []],
    [
      `Basic ${basic('a-user-name:a-password')}`,
      [basic('a-user-name:a-password'), 'a-password', 'a-user-name'],
    ],
    [`basic ${basic('user:pässword')}`, ['pässword', 'user:pässword']],
  ])('are masked alone: %s', (value, parts) => {
    const mask = textMasker(secretTexts(value))
    for (const part of parts) expect(mask?.(`<${part}>`)).toBe('<••••>')
    expect(mask?.(value)).toBe('••••')
    expect(mask?.('short user Bearer')).toBe('short user Bearer')
  })

  test('of a mixture of encoders are masked', () => {
    const mask = textMasker(['abc/def+"ghi"=='])
    for (const text of [
      'abc/def%2b%22ghi"%3D=',
      'abc\\/def+\\\\\\"ghi&#34;==',
      '%61bc/def%252B%2522ghi%22==',
    ])
      expect(mask?.(`<${text}>`)).toBe('<••••>')
  })
})

describe('an outcome', () => {
  const headers = { Authorization: 'Bearer {{TOKEN}}', 'X-Pair': '{{SHORT}}:{{TOKEN}}!' }
  const variables = { TOKEN: secret, SHORT: 'abc' }

  test('holds no value, whatever the answer echoes and wherever', async () => {
    const { url } = await serve((request, response) => {
      const ascii = Object.entries(echoes).filter(([, echo]) => /^[\x20-\x7e]*$/.test(echo))
      response.setHeader(
        'X-Echo',
        ascii.map(([, echo]) => echo),
      )
      response.setHeader('X-Raw', String(request.headers.authorization))
      response.setHeader('Location', `https://elsewhere.example/?token=${encodeURIComponent(secret)}`)
      response.setHeader(
        'Set-Cookie',
        ascii.map(([, echo], index) => `c${index}=${echo}`),
      )
      response.end(JSON.stringify({ echoes, [secret]: { list: [secret, `a ${secret} b`] }, count: 7 }))
    })
    const outcome = await startCaller({ variables }).run(
      url,
      {
        method: 'POST',
        path: `/x?k=${encodeURIComponent(secret)}`,
        headers,
        parameters: [parameter('note')],
        responseMapping: { all: 'echoes', one: 'echoes.plain' },
      },
      { note: `my ${secret}` },
    )
    expect(outcome.ok).toBe(true)
    expectClean(outcome)
    expect(outcome.request?.headers).toMatchObject({ Authorization: 'Bearer ••••', 'X-Pair': '••••:••••!' })
    expect(outcome.request?.body).toBe('{"note":"my ••••"}')
    expect(outcome.request?.url).toBe(`${url}/x?k=••••`)
    expect(outcome.mapped).toMatchObject({ one: '••••' })
    expect(outcome.result).toMatchObject({ '••••': { list: ['••••', 'a •••• b'] }, count: 7 })
    expect(outcome.response?.headers['x-raw']).toBe('Bearer ••••')
  })

  test.each([
    ['text', Buffer.from(`you said ${secret}`)],
    ['a page', Buffer.from(`<p>${spellings['as HTML']?.(secret)}</p>`)],
    ['not UTF-8', Buffer.from(`\xff\xfd ${secret} and more`, 'latin1')],
    ['in another charset', Buffer.from(`\ufeff${secret} and more`, 'utf16le')],
    ['a byte order mark', Buffer.from(`\ufeff"${json(secret)}"`)],
  ])('holds none where the answer is %s', async (_name, body) => {
    const { url } = await serve((_request, response) => response.end(body))
    const outcome = await startCaller({ variables }).run(url, { headers })
    expectClean(outcome)
    expect(JSON.stringify(outcome.result)).toContain('••••')
    expect(outcome.response?.body).toContain('••••')
  })

  test('holds none in the error of a call', async () => {
    const caller = startCaller({ variables: { HOST: 'internal-name.example' }, lookup: lookupIn({}) })
    const outcome = await caller.run('http://internal-name.example', { headers: { 'X-Host': '{{HOST}}' } })
    expect(outcome.error).toEqual({
      code: 'dns_failure',
      message: 'The host name •••• cannot be resolved (ENOTFOUND).',
    })
    expectClean(outcome, ['internal-name'])
    const refused = await startCaller({ variables }).run(
      'http://127.0.0.1',
      { headers },
      { [secret]: secret },
    )
    expect(refused.error?.code).toBe('invalid_arguments')
    expectClean(refused)
  })

  test('holds none as a number or in one that keeps its digits', async () => {
    const { url } = await serve((_request, response) =>
      response.end('{"a":12345678,"b":[12345678901234567890],"c":1.2345678e7,"d":7}'),
    )
    const outcome = await startCaller({ variables: { PIN: '12345678' } }).run(url, {
      headers: { 'X-Pin': '{{PIN}}' },
    })
    expect(outcome.result).toEqual({ a: '••••', b: ['••••90••••90'], c: '••••', d: 7 })
    expect(outcome.response?.body).toBe('{"a":••••,"b":[••••90••••90],"c":1.2345678e7,"d":7}')
  })

  test('shows short values neither, in the headers that were sent', async () => {
    const { url } = await serve((request, response) => response.end(request.headers['x-pair']))
    const outcome = await startCaller({ variables: { A: 'abc', B: '' } }).run(url, {
      headers: { 'X-Pair': '{{A}}{{B}}' },
    })
    expect(outcome.request?.headers['X-Pair']).toBe('••••••••')
    expect(outcome.result).toEqual({ result: 'abc' })
  })

  test('of Basic holds neither the pair nor its password', async () => {
    const pair = Buffer.from('someone:correct horse battery').toString('base64')
    const { url } = await serve((request, response) => {
      const decoded = Buffer.from(String(request.headers.authorization).slice(6), 'base64').toString()
      response.end(JSON.stringify({ decoded, password: decoded.split(':')[1] }))
    })
    const outcome = await startCaller({ variables: { PAIR: pair } }).run(url, {
      headers: { Authorization: 'Basic {{PAIR}}' },
    })
    expect(outcome.result).toEqual({ decoded: '••••', password: '••••' })
  })

  test.each([
    ['{{TOKEN}}', `${secret} `],
    ['{{TOKEN}}', `\t ${secret}`],
    ['Bearer {{TOKEN}}', ` ${secret}\t`],
    ['{{TOKEN}}', `Bearer  ${secret} `],
  ])('of %s with the value %j holds it neither without the spaces that HTTP drops', async (header, TOKEN) => {
    const { url } = await serve((request, response) => response.end(JSON.stringify(request.headers)))
    const caller = startCaller({ variables: { TOKEN } })
    const outcome = await caller.run(url, { headers: { Authorization: header } })
    expect(outcome.ok).toBe(true)
    expectClean(outcome)
  })

  test('holds none that belongs to another action', async () => {
    const { url } = await serve((_request, response) =>
      response.end('you said other-secret-1 and basic-password'),
    )
    const secrets = ['other-secret-1', 'basic-password']
    const caller = startCaller({ environment: { resolve: () => undefined, secrets: () => secrets } })
    expect((await caller.run(url)).result).toEqual({ result: 'you said •••• and ••••' })
  })

  test('of any shape holds no value', () => {
    const value = fc.letrec(tie => ({
      any: fc.oneof(
        { maxDepth: 3 },
        fc.constantFrom(...Object.values(echoes)),
        fc.string(),
        fc.double(),
        fc.constant(null),
        fc.array(tie('any')),
        fc.dictionary(fc.constantFrom(secret, '__proto__', 'a'), tie('any')),
      ),
    })).any
    const map = fc.dictionary(fc.constantFrom('a', 'b', secret), fc.constantFrom(...Object.values(echoes)))
    const text = fc.constantFrom(...Object.values(echoes), '')
    const mask = createMasker({ shown: { a: '••••' }, secrets: [secret] })
    fc.assert(
      fc.property(value, map, text, fc.boolean(), (result, some, body, failed) => {
        const outcome: CallResult = {
          ok: !failed,
          request: { method: 'POST', url: `http://h/${body}`, headers: { ...some, a: secret }, body },
          response: failed ? null : { status: 200, headers: some, body, bytes: 1 },
          result,
          mapped: { [secret]: result },
          timings: { totalMs: 1, dnsMs: 0, connectMs: 0, tlsMs: 0, firstByteMs: 0, downloadMs: 0 },
          error: failed ? { code: 'network_error', message: body, data: result } : null,
        }
        // The body belongs to the result: what is parsed is masked even where the body shows nothing.
        if (outcome.response !== null) outcome.response.body = JSON.stringify(result)
        expectClean(mask(outcome))
      }),
    )
  })
})
