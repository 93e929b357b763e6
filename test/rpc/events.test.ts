import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { OccurrencePage } from '#shared/model/activity.ts'
import { EventPage } from '#shared/model/inbound-event.ts'
import {
  type CreatedConnection,
  createConnection,
  errorCode,
  issuePaths,
  type Rest,
  type RestMethod,
} from '../support/rest-client.ts'
import { postInbound, sharedService, startOfTests, startService } from '../support/service-fixture.ts'

const cleanService = sharedService()

const StrictPage = z.strictObject(EventPage.shape)

async function withEvents(
  rest: Rest,
  names: readonly string[],
): Promise<CreatedConnection & { path: string }> {
  const connection = await createConnection(rest, { persistEvents: true })
  for (const [index, name] of names.entries()) {
    const { status } = await postInbound(
      connection.credentials,
      JSON.stringify({ event: name, data: { index, name } }),
    )
    expect(status).toBe(200)
  }
  return { ...connection, path: `/connections/${connection.connectionId}/events` }
}

async function pageOf(rest: Rest, path: string) {
  const answer = await rest('GET', path)
  expect(answer.status).toBe(200)
  return StrictPage.parse(answer.body)
}

async function namesOf(rest: Rest, path: string): Promise<string[]> {
  return (await pageOf(rest, path)).events.map(event => event.eventName)
}

describe('stored events', () => {
  test('show what was sent, less the signature, newest first', async () => {
    const { rest } = await cleanService()
    const { path } = await withEvents(rest, ['first', 'second'])
    const { body } = await rest('GET', path)
    expect(body).toEqual({
      events: [expect.objectContaining({ eventName: 'second' }), expect.anything()],
      nextBefore: null,
    })
    const [, first] = StrictPage.parse(body).events
    expect(first).toEqual({
      eventId: expect.stringMatching(/^evt_[0-9a-z]{11}$/),
      eventName: 'first',
      data: { index: 0, name: 'first' },
      dataText: '{"index":0,"name":"first"}',
      bodyText: '{"event":"first","data":{"index":0,"name":"first"}}',
      receivedAt: new Date(startOfTests).toISOString(),
      declared: false,
      repeat: false,
      oldSecret: false,
      replayOf: null,
      duplicateOf: null,
      notes: [],
      headers: expect.arrayContaining([
        ['content-type', 'application/json'],
        ['x-service-timestamp', String(startOfTests)],
      ]),
    })
    expect(JSON.stringify(first)).not.toContain('x-service-signature')
    expect((await rest('GET', `${path}/${first?.eventId}`)).body).toEqual(first)
  })

  test('come in pages that join without gap or overlap, while new ones arrive', async () => {
    const { rest } = await cleanService()
    const names = ['a', 'b', 'c', 'd', 'e']
    const { path, credentials } = await withEvents(rest, names)
    const seen: string[] = []
    let before = ''
    for (;;) {
      const page = await pageOf(rest, `${path}?limit=2${before}`)
      seen.push(...page.events.map(event => event.eventName))
      if (page.nextBefore === null) break
      before = `&before=${page.nextBefore}`
      await postInbound(credentials, '{"event":"late"}')
    }
    expect(seen).toEqual(names.toReversed())
  })

  test('are filtered by exact name and by text, upper or lower case', async () => {
    const { rest } = await cleanService()
    const { path } = await withEvents(rest, ['order.created', 'order.created.again', 'Grüße'])
    expect(await namesOf(rest, `${path}?eventName=order.created`)).toEqual(['order.created'])
    expect(await namesOf(rest, `${path}?eventName=order`)).toEqual([])
    await expect
      .poll(() => namesOf(rest, `${path}?text=ORDER.CREATED`))
      .toEqual(['order.created.again', 'order.created'])
    await expect.poll(() => namesOf(rest, `${path}?text=${encodeURIComponent('grüß')}`)).toEqual(['Grüße'])
    expect(await namesOf(rest, `${path}?text=again&eventName=order.created`)).toEqual([])
    expect(await namesOf(rest, `${path}?text=%25`)).toEqual([])
  })

  test.each(['0', '201', '-1', '1.5', 'many', '', '1&limit=2'])('limit=%s is refused', async limit => {
    const { rest } = await cleanService()
    const { path } = await withEvents(rest, [])
    const answer = await rest('GET', `${path}?limit=${limit}`)
    expect(answer.status).toBe(400)
    expect(errorCode(answer)).toBe('invalid_input')
    expect(issuePaths(answer)).toEqual(['limit'])
  })

  test('limit is 1 to 200, and 50 where it is left out', async () => {
    const { rest } = await cleanService()
    const { path, connectionId } = await withEvents(rest, [])
    await Promise.all(
      Array.from({ length: 51 }, () => rest('POST', `/connections/${connectionId}/send`, { event: 'x' })),
    )
    expect(await namesOf(rest, path)).toHaveLength(50)
    expect(await namesOf(rest, `${path}?limit=200`)).toHaveLength(51)
    expect(await namesOf(rest, `${path}?limit=1`)).toHaveLength(1)
  })

  test('a wrong query is refused with all its problems', async () => {
    const { rest } = await cleanService()
    const { path } = await withEvents(rest, [])
    const answer = await rest('GET', `${path}?limit=0&before=nope&text=${'x'.repeat(201)}`)
    expect(answer.status).toBe(400)
    expect(issuePaths(answer)).toEqual(['before', 'limit', 'text'])
  })

  test('are deleted one by one, and cleared', async () => {
    const { rest } = await cleanService()
    const { path } = await withEvents(rest, ['a', 'b', 'c'])
    const [newest] = (await pageOf(rest, path)).events
    expect(await rest('DELETE', `${path}/${newest?.eventId}`)).toMatchObject({
      status: 200,
      body: { deleted: 1 },
    })
    expect(await namesOf(rest, path)).toEqual(['b', 'a'])
    expect(await rest('DELETE', path)).toMatchObject({ status: 200, body: { deleted: 2 } })
    expect(await namesOf(rest, path)).toEqual([])
    expect(await rest('DELETE', path)).toMatchObject({ status: 200, body: { deleted: 0 } })
  })

  test('one that does not exist, or belongs to another connection, is 404', async () => {
    const { rest } = await cleanService()
    const { path } = await withEvents(rest, [])
    const other = await withEvents(rest, ['theirs'])
    const [theirs] = (await pageOf(rest, other.path)).events
    for (const eventId of ['evt_00000000000', 'nope', theirs?.eventId])
      for (const answer of [
        await rest('GET', `${path}/${eventId}`),
        await rest('DELETE', `${path}/${eventId}`),
        await rest('POST', `${path}/${eventId}/replay`),
      ])
        expect([answer.status, errorCode(answer)]).toEqual([404, 'event_not_found'])
    expect(await namesOf(rest, other.path)).toEqual(['theirs'])
  })

  test.each([{}, undefined])(
    'one is replayed (body %o) as an event of its own that says so',
    async nothing => {
      const { rest, clock } = await cleanService()
      const { path } = await withEvents(rest, ['order.created'])
      const [original] = (await pageOf(rest, path)).events
      clock.now += 60_000
      const answer = await rest('POST', `${path}/${original?.eventId}/replay`, nothing)
      expect(answer.status).toBe(200)
      expect(answer.body).toEqual({ eventId: expect.stringMatching(/^evt_/) })
      const { events } = await pageOf(rest, path)
      expect(events).toEqual([
        {
          ...original,
          ...z.object({ eventId: z.string() }).parse(answer.body),
          receivedAt: new Date(clock.now).toISOString(),
          replayOf: original?.eventId,
        },
        original,
      ])
    },
  )

  test('of a disabled connection are not replayed: 409, and nothing is stored', async () => {
    const { rest } = await cleanService()
    const { path } = await withEvents(rest, ['order.created'])
    const [original] = (await pageOf(rest, path)).events
    const connection = path.replace(/\/events$/, '')
    await rest('PATCH', connection, { enabled: false })
    const answer = await rest('POST', `${path}/${original?.eventId}/replay`)
    expect([answer.status, errorCode(answer)]).toEqual([409, 'connection_disabled'])
    expect((await pageOf(rest, path)).events).toEqual([original])
    await rest('PATCH', connection, { enabled: true })
    expect((await rest('POST', `${path}/${original?.eventId}/replay`)).status).toBe(200)
  })

  test('that are not stored are read by their ids while they are in memory, whole and labelled so', async () => {
    const { rest, clock, restart } = await startService()
    const { connectionId, credentials } = await createConnection(rest)
    await rest('PATCH', `/connections/${connectionId}`, { ignoreRepeats: true })
    const other = await createConnection(rest)
    const body = `{"event":"a","data": {"n":9007199254740993,"long":"${'x'.repeat(100_000)}"}}`
    for (const _ of [1, 2]) await postInbound(credentials, body, clock.now)
    const { items } = OccurrencePage.parse((await rest('GET', '/activity/list')).body)
    const read = (eventId: string, of = connectionId) => rest('GET', `/connections/${of}/events/${eventId}`)
    expect(items.map(({ type }) => type)).toEqual(['event.repeated', 'event.accepted'])
    for (const { id, type } of items)
      expect((await read(`evt_${id}`)).body).toMatchObject({
        eventId: `evt_${id}`,
        eventName: 'a',
        dataText: body.slice('{"event":"a","data":'.length, -1).trim(),
        bodyText: body,
        repeat: type === 'event.repeated',
        headers: [],
        inMemory: true,
      })
    const [first] = items
    expect(errorCode(await read(`evt_${first?.id}`, other.connectionId))).toBe('event_not_found')
    // What was stored and deleted is gone from the memory too.
    await rest('PATCH', `/connections/${connectionId}`, { persistEvents: true })
    clock.now += 1000
    await postInbound(credentials, '{"event":"stored"}', clock.now)
    const [stored] = OccurrencePage.parse((await rest('GET', '/activity/list')).body).items
    const path = `evt_${stored?.id}`
    expect((await read(path)).body).not.toHaveProperty('inMemory')
    await rest('DELETE', `/connections/${connectionId}/events/${path}`)
    expect(errorCode(await read(path))).toBe('event_not_found')
    await restart()
    expect(errorCode(await read(`evt_${first?.id}`))).toBe('event_not_found')
  })

  test('are not kept where the connection does not log them', async () => {
    const { rest } = await cleanService()
    const { connectionId, credentials } = await createConnection(rest)
    expect((await postInbound(credentials, '{"event":"x"}')).body).toEqual({ ok: true })
    expect((await rest('GET', `/connections/${connectionId}/events`)).body).toEqual({
      events: [],
      nextBefore: null,
    })
  })
})

test('a run that the disk has changed is named by lists, and answers damaged_run', async () => {
  const fixture = await startService()
  const { rest } = fixture
  const trigger = { type: 'external.event' }
  const steps = [{ key: 'end', type: 'stop', outcome: 'failed' }]
  await rest('POST', '/workflows', { name: 'Stop', trigger, steps })
  const { path } = await withEvents(rest, ['first', 'second', 'third', 'fourth'])
  const { events } = await pageOf(rest, path)
  const Runs = z.object({ runs: z.array(z.object({ runId: z.string() })) })
  const runIds = await Promise.all(
    events.map(async ({ eventId }) => {
      const { runs } = Runs.parse((await rest('GET', `/runs?eventId=${eventId}`)).body)
      return runs[0]?.runId
    }),
  )
  await fixture.stop()
  const database = new DatabaseSync(join(fixture.dataFolder, 'events.sqlite'))
  const damage = ["summary = '5'", "error = 'not JSON'", "steps = '[5]'", 'queued_at = 1 << 60']
  const ids = database.prepare('SELECT id FROM runs ORDER BY id DESC').all()
  for (const [index, change] of damage.entries())
    database.prepare(`UPDATE runs SET ${change} WHERE id = ?`).run(Number(ids[index]?.id))
  database.close()
  await fixture.restart()
  for (const runId of runIds) {
    const answer = await rest('GET', `/runs/${runId}`)
    expect([answer.status, errorCode(answer)]).toEqual([500, 'damaged_run'])
  }
  const Page = Runs.extend({ damaged: z.array(z.string()) })
  const page = Page.parse((await rest('GET', '/runs')).body)
  // Damaged steps are not a part of a list.
  expect(page.runs.map(({ runId }) => runId)).toEqual([runIds[2]])
  expect(page.damaged.toSorted().toReversed()).toEqual([runIds[0], runIds[1], runIds[3]])
})

describe('an event that the disk has changed', () => {
  /** Stores three events, changes the last one, and starts the service again. */
  async function changed(column: 'body' | 'received_at', value: string | bigint) {
    const fixture = await startService()
    const { rest, dataFolder } = fixture
    const { path } = await withEvents(rest, ['first', 'second', 'third'])
    const [third] = (await pageOf(rest, path)).events
    await fixture.stop()
    const database = new DatabaseSync(join(dataFolder, 'events.sqlite'))
    database.prepare(`UPDATE events SET ${column} = ? WHERE name = 'third'`).run(value)
    database.close()
    await fixture.restart()
    const ask = async (method: RestMethod = 'GET', what = '') => {
      const answer = await rest(method, `${path}/${third?.eventId}${what}`)
      return [answer.status, errorCode(answer)]
    }
    const list = async () => {
      const page = await pageOf(rest, path)
      return [page.events.map(({ eventName }) => eventName), page.damaged]
    }
    return { ask, list, dataFolder }
  }

  test('in its body is left out of lists and counted, is not replayed, and answers damaged_event', async () => {
    const { ask, list } = await changed('body', 'not JSON')
    expect(await list()).toEqual([['second', 'first'], 1])
    expect(await ask()).toEqual([500, 'damaged_event'])
    expect(await ask('POST', '/replay')).toEqual([500, 'damaged_event'])
  })

  test('in its time is found by the check of ages: the log is repaired without it, and its file kept', async () => {
    const { ask, list, dataFolder } = await changed('received_at', 2n ** 60n)
    await expect.poll(() => ask()).toEqual([404, 'event_not_found'])
    expect(await list()).toEqual([['second', 'first'], undefined])
    const kept = (await readdir(dataFolder)).filter(name =>
      /^events\.sqlite\.corrupt-[^.]*\.\d+Z$/.test(name),
    )
    expect(kept).toHaveLength(1)
  })
})
