import { afterAll, expect, test } from 'vitest'
import { z } from 'zod'
import { readEvent } from '#main/inbound/event-text.ts'
import { createEventTexts } from '#main/inbound/event-texts.ts'
import { parseExact } from '#shared/json/exact-json.ts'
import { eventTextOf, eventTextWith, readingOf } from '#shared/model/sender/reading.ts'
import { subjectOfEvent } from '#shared/model/subject.ts'

const texts = createEventTexts()
afterAll(() => texts.stop())

const filler = 'é'.repeat(20_000)
const fields = JSON.stringify({ n: 0, filler }).slice(1, -1)

const eventsOf = {
  'the default scheme': { eventName: 'a', bodyText: `{"event":"a", "data": {${fields}} ,"x":1}` },
  'keys that come twice': {
    eventName: 'a',
    bodyText: `{"event":"a","data":{"n":1.50,"n":2.50,${fields},"eventName":"b"}}`,
  },
  'data at a path': {
    eventName: 'a',
    bodyText: `{"outer":{${fields}}}`,
    reading: readingOf({ path: 'outer' }, false),
  },
  'a form': { eventName: 'a', bodyText: `n=0&filler=${filler}`, reading: readingOf('body', true) },
  'a damaged body': { eventName: 'a', bodyText: `{"event":"a","data":{${fields}` },
}

test.each(Object.entries(eventsOf))(
  'reads a large event in a worker like a small one: %s',
  async (_, event) => {
    const small = { ...event, bodyText: event.bodyText.replace(filler, 'é') }
    const read = await texts.read(event)
    expect(read).toEqual(readEvent(event))
    expect(JSON.stringify(read).replaceAll(filler, 'é')).toBe(JSON.stringify(await texts.read(small)))
  },
)

test.each(Object.entries(eventsOf).slice(0, 4))('is the same with data that is known: %s', (_, event) => {
  const data = z.record(z.string(), z.unknown()).parse(parseExact(readEvent(event)?.dataText ?? ''))
  expect(eventTextWith(event, data)).toBe(eventTextOf(event))
})

test('gives data without keys that come twice, with all digits, beside the original text', async () => {
  const read = await texts.read(eventsOf['keys that come twice'])
  expect(read?.notes).toEqual(['duplicate_keys', 'reserved_keys'])
  expect(read?.dataText).toMatch(/^{"n":1.50,"n":2.50,"n":0,/)
  expect(read?.plainText).toMatch(/^{"n":0,"filler":/)
})

test('refuses further large events with events_busy while many wait', async () => {
  const many = await Promise.allSettled(
    Array.from({ length: 100 }, () => texts.read(eventsOf['the default scheme'])),
  )
  expect(many[0]).toMatchObject({ status: 'fulfilled' })
  expect(many.at(-1)).toMatchObject({ status: 'rejected', reason: { code: 'events_busy' } })
  // Small ones do not wait for them.
  expect(await texts.read({ eventName: 'a', bodyText: '{"event":"a"}' })).toEqual({
    dataText: '{}',
    notes: [],
  })
})

test('finds no subject in a body of more than 48 KiB, whatever its scheme', () => {
  const form = (length: number) => ({
    eventName: 'order.paid',
    bodyText: `order_id=7&x=${'%20'.repeat(length)}`,
    reading: readingOf('body', true),
  })
  expect(subjectOfEvent(form(10_000))).toBe('7')
  expect(subjectOfEvent(form(20_000))).toBeNull()
})
