import { createHmac } from 'node:crypto'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { createListReader, type RunsFor } from '#main/inbound/read-list.ts'
import { createSequence, eventIdOf } from '#main/lib/sequence.ts'
import { maxRunsOfList } from '#main/workflows/decide-at-once.ts'
import { eventMaker } from '../storage/event-log-events.ts'
import { recordNamed } from '../support/connection-records.ts'
import { openOwnSender } from '../support/own-sender.ts'
import { startService } from '../support/service-fixture.ts'

const secret = 'a key of the provider'
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

test('each event of a long list starts each of several workflows once', async () => {
  const { rest, service } = await startService()
  const sender = {
    ...{ scheme: 'template', signatureHeader: 'x-sig', encoding: 'hex', signed: '{{body}}' },
    ...{ eventName: { path: 'type' }, data: { items: 'body' } },
  }
  const made = await rest('POST', '/connections', { name: 'Lists', persistEvents: true, sender })
  const { connectionId } = z.object({ connectionId: z.string() }).parse(made.body)
  await rest('PUT', `/connections/${connectionId}/sender/secret`, { secret })
  const trigger = { type: 'external.event', connectionId, eventName: 'a' }
  const steps = [{ key: 'stop', type: 'stop', outcome: 'succeeded' }]
  for (const name of ['One', 'Two']) await rest('POST', '/workflows', { name, trigger, steps })
  const { body: credentials } = await rest('GET', `/connections/${connectionId}/credentials`)
  const { inboundUrl } = z.object({ inboundUrl: z.string() }).parse(credentials)
  const count = maxRunsOfList / 2 + 1
  const body = JSON.stringify(Array.from({ length: count }, (_, index) => ({ type: 'a', index })))
  const headers = { 'x-sig': createHmac('sha256', secret).update(body).digest('hex') }
  expect((await fetch(inboundUrl, { method: 'POST', headers, body })).status).toBe(200)
  const { runs } = service.storage
  await expect.poll(async () => (await runs.countEnded({})).succeeded).toBe(2 * count)
  const { runs: newest } = await runs.list({ limit: 200 })
  expect(new Set(newest.map(({ eventId, workflowId }) => `${eventId} ${workflowId}`)).size).toBe(200)
})
