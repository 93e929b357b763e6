import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  draftProblems,
  draftVariables,
  sampleTextOf,
  toFields,
} from '#renderer/features/events/event-draft.ts'

const draft = { eventName: 'order.paid', label: '', sampleText: '' }

describe('the form of an event type', () => {
  test('keeps the text of a sample, and formats a sample without a text', () => {
    const text = '{"total":149.00}'
    expect(sampleTextOf({ sampleText: text, samplePayload: { total: 149 } })).toBe(text)
    expect(sampleTextOf({ sampleText: null, samplePayload: { a: 1 } })).toBe('{\n  "a": 1\n}')
    expect(sampleTextOf({ sampleText: null, samplePayload: null })).toBe('')
  })

  test.each(['[1]', '7', '"x"', 'null', '{', '{"a":}', 'tru'])(
    'is not saved with the sample %s',
    sampleText => {
      expect(draftProblems({ ...draft, sampleText })).toEqual({ sampleText: expect.any(String) })
    },
  )

  test('can be saved without a sample and without a label', () => {
    expect(draftProblems({ ...draft, sampleText: ' \n' })).toEqual({})
    expect(toFields({ ...draft, label: ' ', sampleText: ' ' })).toEqual({
      eventName: 'order.paid',
      label: null,
      sampleText: null,
    })
  })

  test('says what is wrong with its name', () => {
    expect(draftProblems({ ...draft, eventName: '' }).eventName).toMatch(/at least one character/)
    expect(draftProblems({ ...draft, eventName: 'x'.repeat(256) }).eventName).toMatch(/at most 255/)
  })

  test('has the variables of its sample and, once each, those of every event', () => {
    expect(draftVariables({ ...draft, sampleText: '{"a":{"b":1},"eventName":"x"}' })).toEqual([
      'a.b',
      'eventName',
      'connectionId',
    ])
    expect(draftVariables({ ...draft, sampleText: '{"a":' })).toEqual(['eventName', 'connectionId'])
  })

  test('accepts every JSON object as a sample', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), sample => {
        expect(draftProblems({ ...draft, sampleText: JSON.stringify(sample) })).toEqual({})
      }),
    )
  })
})
