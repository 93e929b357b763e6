import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { SmsKeywords } from '#shared/model/platform/sms-keywords.ts'
import { matchKeywords } from '#shared/platform/keywords.ts'
import { fillVariables, splitAtVariables, variablesIn } from '#shared/platform/text-variables.ts'

const form = { fields: [], submitUrl: 'https://forms.example/refund' }
const configured = {
  sms: SmsKeywords.parse({}),
  actions: [
    { trigger: 'keyword:refund', action: 'open_refund', form },
    { trigger: 'keyword:call me', action: 'request_callback', form },
    { trigger: 'keyword:Straße', action: 'find_street', form },
  ],
}
const found = (text: string) => matchKeywords(text, configured).map(({ keyword }) => keyword)

describe('matchKeywords', () => {
  test('finds whole words in any case, SMS keywords first', () => {
    expect(found('Refund me or stop')).toEqual(['STOP', 'refund'])
    expect(found('STOP!')).toEqual(['STOP'])
    expect(found('refunds, nonstop, stop_it')).toEqual([])
    expect(found('please CALL   me')).toEqual(['call me'])
    expect(found('welche STRASSE?')).toEqual(['Straße'])
  })

  test('says where the keyword is', () => {
    expect(matchKeywords('Can I get a refund?', configured)).toEqual([
      { kind: 'conversation-action', keyword: 'refund', effect: 'open_refund', start: 12, end: 18 },
    ])
  })

  test('finds a word wherever it is among others, and never inside one', () => {
    const other = fc
      .stringMatching(/^[a-z]{1,8}$/)
      .filter(word => !['refund', 'stop', 'help', 'menu'].includes(word))
    fc.assert(
      fc.property(fc.array(other), fc.array(other), other, (before, after, part) => {
        expect(found([...before, 'ReFund', ...after].join(' '))).toContain('refund')
        expect(found([...before, `refund${part}`, ...after].join(' '))).not.toContain('refund')
      }),
    )
  })
})

describe('fillVariables', () => {
  test('fills names in single braces, leaves unknown ones and names them', () => {
    expect(
      fillVariables('Sorry {name}, {order} is {state}. {name}', { name: 'Maya', state: '{order}' }),
    ).toEqual({
      text: 'Sorry Maya, {order} is {order}. Maya',
      unknown: ['order'],
    })
  })

  test('leaves double braces, empty ones and other characters alone', () => {
    const text = '{{name}} {} {na me} {name'
    expect(fillVariables(text, { name: 'x' })).toEqual({ text, unknown: [] })
    expect(fillVariables('{toString}', {})).toEqual({ text: '{toString}', unknown: ['toString'] })
  })

  test('changes nothing but the variables, and names the same ones as variablesIn', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom('{', '}', 'a', '_', ' ', '$', '&') }), text => {
        expect(fillVariables(text, {})).toEqual({ text, unknown: variablesIn(text) })
        const values = Object.fromEntries(variablesIn(text).map(name => [name, `{${name}}`]))
        expect(fillVariables(text, values)).toEqual({ text, unknown: [] })
      }),
    )
  })
})

test('splitAtVariables keeps the whole text and finds the same variables', () => {
  expect(splitAtVariables('{a} is {b}')).toEqual([
    { text: '{a}', name: 'a' },
    { text: ' is ', name: null },
    { text: '{b}', name: 'b' },
  ])
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom('{', '}', 'a', '_', ' ') }), text => {
      const parts = splitAtVariables(text)
      expect(parts.map(part => part.text).join('')).toBe(text)
      expect([...new Set(parts.flatMap(({ name }) => name ?? []))]).toEqual(variablesIn(text))
    }),
  )
})
