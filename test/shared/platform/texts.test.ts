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

  test.each([
    ['退款', '我要退款谢谢'],
    ['退款', '我的iPhone要退款'],
    ['VIP卡', '申请VIP卡的条件'],
    ['返品', '商品を返品したいです'],
    ['キャンセル', '注文をキャンセルしたい'],
    ['キャンセル', '\uff62キャンセル\uff63'],
    ['が', 'か\u3099ある'],
    ['คืนเงิน', 'ฉันต้องการคืนเงินค่ะ'],
    ['ຄືນ', 'ຂໍຄືນເງິນ'],
    ['សង', 'សូមសងប្រាក់'],
    ['ပြန်', 'ငွေပြန်ပေးပါ'],
    ['order 退款', 'my ORDER，退款'],
  ])('finds %s inside %s', (keyword, text) => {
    const actions = [{ trigger: `keyword:${keyword}`, action: 'open', form }]
    const [match] = matchKeywords(text, { ...configured, actions })
    expect(
      match && text.slice(match.start, match.end).normalize('NFC').replace('，', ' ').toLowerCase(),
    ).toBe(keyword.toLowerCase())
  })

  test.each([
    ['退款', '退。款'],
    ['退款', '退 款'],
    ['退款', '退货款'],
    ['เงิน', 'เงินํ'],
    ['VIP卡', 'VIPs卡'],
    ['stop', 'nonstopする'],
  ])('does not find %s in %s', (keyword, text) => {
    const actions = [{ trigger: `keyword:${keyword}`, action: 'open', form }]
    expect(matchKeywords(text, { ...configured, actions })).toEqual([])
  })

  test('finds a Latin word beside letters of a script without spaces, and not inside another Latin word', () => {
    expect(found('请STOP发送')).toEqual(['STOP'])
    expect(found('stopしてください')).toEqual(['STOP'])
    expect(found('STOPPED, 请STOPPED发送, unstop')).toEqual([])
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
