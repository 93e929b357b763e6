import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { newestDataText } from '#renderer/features/events/event-draft.ts'
import type { ActivityItem } from '#shared/model/activity.ts'

function accepted(eventName: string, bodyText: string): ActivityItem {
  return {
    id: '1',
    at: '2026-11-21T09:30:00.000Z',
    type: 'event.accepted',
    connectionId: 'conn_1',
    eventId: 'evt_1',
    eventName,
    declared: false,
    bodyText,
    bytes: bodyText.length,
    tookMs: 1,
    repeat: false,
    stored: false,
    previousSecret: false,
    notes: [],
  }
}

const dataTextOf = (bodyText: string) => newestDataText([accepted('a', bodyText)], 'a')

describe('the data of a received event', () => {
  test('keeps its digits and its white space', () => {
    expect(dataTextOf('{"event":"a","data": {"n": 9007199254740993, "t":149.00 } }')).toBe(
      '{"n": 9007199254740993, "t":149.00 }',
    )
  })

  test.each(['{"event":"a"}', '{"event":"a","data":null}'])(
    'is an empty object if there is none: %s',
    body => {
      expect(dataTextOf(body)).toBe('{}')
    },
  )

  test('is the last one of a repeated key, as for workflows', () => {
    expect(dataTextOf('{"event":"a","data":{"n":1},"data":{"n":2}}')).toBe('{"n":2}')
  })

  test('is null if the body was cut', () => {
    expect(dataTextOf('{"event":"a","data":{"n":1')).toBeNull()
  })

  test('is the text that was sent, for any data', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), data => {
        const text = JSON.stringify(data)
        expect(dataTextOf(`{"event":"a","data":${text},"more":1}`)).toBe(text)
      }),
    )
  })

  test('is the data of the newest event of the name', () => {
    const items = [
      accepted('a', '{"event":"a","data":{"n":1}}'),
      accepted('a', '{"event":"a","data":{"n":2}}'),
      accepted('b', '{"event":"b","data":{"n":3}}'),
    ]
    expect(newestDataText(items, 'a')).toBe('{"n":2}')
    expect(newestDataText(items, 'c')).toBeNull()
  })
})
