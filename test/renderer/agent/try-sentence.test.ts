import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { trySentence } from '#renderer/features/agent/actions/try-sentence.ts'
import { SmsKeywords } from '#shared/model/platform/sms-keywords.ts'

const form = { fields: [], submitUrl: 'https://forms.example' }
const configured = {
  sms: SmsKeywords.parse({ stop: 'Bye.' }),
  actions: ['refund', 'call me', 'me now', 'invoice'].map(word => ({
    trigger: `keyword:${word}`,
    action: `open_${word.replace(' ', '_')}`,
    form,
  })),
}
const tried = (text: string, channel: 'chat' | 'sms' = 'chat') => trySentence(text, channel, configured)
const remarks = (...given: Parameters<typeof tried>) =>
  tried(...given).remarks.map(({ isMatch, text }) => `${isMatch ? '+' : '-'} ${text}`)

describe('trySentence', () => {
  test('says which keyword starts what, where, and why the others do not', () => {
    expect(remarks('Hello, can I get a Refund for my invoices? Stop')).toEqual([
      '- SMS keywords: chat does not use them',
      '+ Starts keyword:refund, word 6 of 10',
      '- keyword:invoice is only part of a word',
      '- 2 other actions: their words are not in it',
    ])
  })

  test('answers an SMS keyword first in a text message, and only there', () => {
    expect(remarks('stop the refund', 'sms')).toEqual([
      '+ Answers STOP, word 1 of 3',
      '- keyword:refund does not start: STOP comes first',
      '- 3 other actions: their words are not in it',
    ])
    expect(tried('stop the refund', 'sms')).toMatchObject({ answer: 'Bye.', started: [] })
    expect(tried('stop the refund')).toMatchObject({ answer: null, started: [{ action: 'open_refund' }] })
  })

  test('marks keywords that share a word', () => {
    expect(tried('call me now').pieces).toEqual([
      { text: 'call me', isKeyword: true },
      { text: ' now', isKeyword: true },
    ])
  })

  test('keeps the whole message in its pieces', () => {
    const word = fc.constantFrom('refund', 'refunds', 'call', 'me', 'now', 'stop', ' ', ', ')
    fc.assert(
      fc.property(fc.array(word), fc.constantFrom('chat', 'sms'), (words, channel) => {
        const text = words.join('')
        const { pieces, started, answer } = tried(text, channel)
        expect(pieces.map(piece => piece.text).join('')).toBe(text)
        expect(pieces.some(({ isKeyword }) => isKeyword)).toBe(started.length > 0 || answer !== null)
      }),
    )
  })
})
