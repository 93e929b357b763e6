import { expect, test } from 'vitest'
import { createListReader, type RunsFor } from '#main/inbound/read-list.ts'
import { createSequence, eventIdOf } from '#main/lib/sequence.ts'
import { eventMaker } from '../storage/event-log-events.ts'
import { recordNamed } from '../support/connection-records.ts'
import { openOwnSender } from '../support/own-sender.ts'

const connection = recordNamed('Lists')
const list = (count: number) => ({
  connection,
  event: eventMaker()(),
  listed: Array.from({ length: count }, (_, index) => ({ eventName: 'a', data: { index } })),
})

function open(changes: { decidesBy?: () => number; isPresent?: () => boolean; runsFor?: RunsFor } = {}) {
  const next = createSequence(Date.now)
  const nextEventId = () => eventIdOf(next())
  const { runsFor = () => [], ...others } = changes
  const given = { decidesBy: () => 1, isPresent: () => true, ...others }
  return { nextEventId, ...createListReader({ ...given, workflows: { runsFor }, nextEventId }) }
}

test('other work has its turn while a long list is read, and events that arrive then have smaller ids', async () => {
  const { nextEventId, read } = open()
  const reading = read(list(1000))
  const meanwhile = await new Promise<string>(resolve => setImmediate(() => resolve(nextEventId())))
  const ids = (await reading).map(({ event }) => event.eventId)
  expect(new Set(ids).size).toBe(1000)
  expect(ids.toSorted()).toEqual(ids)
  expect(ids.every(id => id > meanwhile)).toBe(true)
})

test('says how many events start runs together', async () => {
  const counts: (number | undefined)[] = []
  const { read } = open({
    runsFor: (...[, , , events]) => {
      counts.push(events)
      return []
    },
  })
  await read(list(3))
  expect(counts).toEqual([3, 3, 3])
})

test('takes no list that was read while its connection or the configuration changed', async () => {
  let version = 0
  const changed = { message: 'The configuration has changed meanwhile.' }
  await expect(open({ decidesBy: () => version++ }).read(list(1))).rejects.toMatchObject(changed)
  await expect(open({ isPresent: () => false }).read(list(1))).rejects.toMatchObject(changed)
})

test('a long list and events that arrive while it is read are all stored, in the order of their ids', async () => {
  const { post, stored } = await openOwnSender({ data: { items: 'body' } })
  const body = (type: string, count: number) =>
    JSON.stringify(Array.from({ length: count }, (_, index) => ({ type, index })))
  const posts = [post(body('long', 150)), ...['b', 'c', 'd', 'e'].map(type => post(body(type, 1)))]
  expect(new Set((await Promise.all(posts)).map(({ status }) => status))).toEqual(new Set([200]))
  const events = (await stored()).toReversed()
  expect(events).toHaveLength(154)
  const ids = events.map(({ eventId }) => eventId)
  expect(ids.toSorted()).toEqual(ids)
  const long = events.map(({ eventName }) => eventName)
  expect(long.lastIndexOf('long') - long.indexOf('long')).toBe(149)
})
