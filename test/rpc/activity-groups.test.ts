import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { ListedOccurrence, OccurrenceCounts, OccurrenceGroup } from '#shared/model/activity.ts'
import { createAction, testAction } from '../support/actions.ts'
import { eventually } from '../support/eventually.ts'
import { openExternalSystem } from '../support/external-system.ts'
import { createConnection, type Rest } from '../support/rest-client.ts'
import { httpClient, signIn } from '../support/rpc-client.ts'
import { adminToken, openService, postInbound, startOfTests } from '../support/service-fixture.ts'

const minute = 60_000
const at = (minutes: number) => new Date(startOfTests + minutes * minute).toISOString()

/** A service with what succeeds and what fails, each a minute after the one before; only the log of one is kept. */
async function busyService() {
  const system = await openExternalSystem((request, response) => {
    response.statusCode = request.url?.startsWith('/gone') ? 404 : 200
    response.end('{}')
  })
  const fixture = await openService()
  const { rest, clock } = fixture
  const later = () => {
    clock.now += minute
    return clock.now
  }
  async function fill(name: string, persistEvents: boolean) {
    const connection = await createConnection(rest, { name, baseUrl: system.url, persistEvents })
    const { connectionId, credentials } = connection
    const trigger = { type: 'external.event', connectionId, eventName: 'order.lost' }
    await rest('POST', '/workflows', {
      name,
      trigger,
      steps: [{ key: 'end', type: 'stop', outcome: 'failed' }],
    })
    const body = (event: string) => JSON.stringify({ event, data: { order_id: `=ORD-${name}` } })
    await postInbound(credentials, body('order.paid'), later())
    await postInbound(credentials, body('order.lost'), later())
    const wrong = { ...credentials, signingSecret: 'whsec_wrong' }
    await postInbound(wrong, body('order.paid'), later())
    await postInbound(wrong, body('order.paid'), later())
    const actionIds: string[] = []
    for (const path of ['/gone', '/here']) {
      const { actionId } = await createAction(rest, connectionId, { toolName: path.slice(1), path })
      later()
      await testAction(rest, { connectionId, actionId })
      actionIds.push(actionId)
    }
    return { connectionId, goneId: actionIds[0] ?? '', hereId: actionIds[1] ?? '' }
  }
  const logged = await fill('logged', true)
  const memory = await fill('memory', false)
  await eventually(async () => {
    const { byKind, byCause } = await counts(rest)
    expect([byKind['run.failed'], byCause.unknown]).toEqual([2, 4])
  })
  return { fixture, system, rest, logged, memory }
}

const counts = async (rest: Rest, query = '') =>
  OccurrenceCounts.parse((await rest('GET', `/activity/counts?${query}`)).body)
const groups = async (rest: Rest, query = '') =>
  z.array(OccurrenceGroup).parse((await rest('GET', `/activity/groups?${query}`)).body)
const types = async (rest: Rest, query: string) => {
  const { items } = z
    .object({ items: z.array(ListedOccurrence) })
    .parse((await rest('GET', `/activity/list?limit=200&${query}`)).body)
  return items.map(({ type }) => type)
}

let busy: Awaited<ReturnType<typeof busyService>>
beforeAll(async () => {
  busy = await busyService()
})
afterAll(async () => {
  await busy.fixture.close()
  await busy.system.close()
})

describe('outcome, actionId and source', () => {
  test('select the same in the list and in its counts', async () => {
    const { rest, logged } = busy
    const of = `connectionId=${logged.connectionId}`
    const cases: readonly (readonly [query: string, expected: readonly string[]])[] = [
      [`${of}&outcome=ok`, ['call.finished', 'event.accepted', 'event.accepted']],
      [`${of}&outcome=failed`, ['call.finished', 'event.rejected', 'event.rejected', 'run.failed']],
      [`${of}&outcome=failed&kinds=event.accepted,call.finished`, ['call.finished']],
      [`${of}&outcome=failed&text=order.lost`, ['run.failed']],
      [`actionId=${logged.goneId}`, ['call.finished']],
      [`actionId=${logged.hereId}&outcome=failed`, []],
      [`${of}&made=true`, ['call.finished', 'call.finished']],
      [`${of}&made=true&outcome=failed`, ['call.finished']],
      [`${of}&made=false`, []],
      [`${of}&source=test`, ['call.finished', 'call.finished']],
      ['source=mcp', []],
      ['outcome=ok', [...Array(2).fill('call.finished'), ...Array(4).fill('event.accepted')]],
    ]
    for (const [query, expected] of cases) {
      expect([query, (await types(rest, query)).toSorted()]).toEqual([query, expected])
      expect([query, (await counts(rest, query)).total]).toEqual([query, expected.length])
    }
  })
})

describe('groups', () => {
  test('have what failed by cause and connection, most first, with its first, its last and its newest', async () => {
    const { rest, logged, memory } = busy
    const found = await groups(rest)
    expect(found.map(({ kind, cause, connectionId, count }) => [kind, cause, connectionId, count])).toEqual([
      ['event.rejected', 'unknown', memory.connectionId, 2],
      ['event.rejected', 'unknown', logged.connectionId, 2],
      ['call.finished', 'http_404', memory.connectionId, 1],
      ['run.failed', 'stopped', memory.connectionId, 1],
      ['call.finished', 'http_404', logged.connectionId, 1],
      ['run.failed', 'stopped', logged.connectionId, 1],
    ])
    const [, ofLogged] = found
    expect(ofLogged).toMatchObject({ firstAt: at(3), lastAt: at(4) })
    for (const { kind, newestId, lastAt } of found)
      expect((await rest('GET', `/activity/items/${newestId}`)).body).toMatchObject({
        type: kind,
        at: lastAt,
      })
  })

  test('take the filters of the list', async () => {
    const { rest, logged } = busy
    const causes = async (query: string) => (await groups(rest, query)).map(({ kind }) => kind)
    const of = `connectionId=${logged.connectionId}`
    expect(await causes(`${of}&kinds=call.finished,event.accepted`)).toEqual(['call.finished'])
    expect(await causes(`${of}&text=order.lost`)).toEqual(['run.failed'])
    expect(await causes(`${of}&cause=http_404`)).toEqual(['call.finished'])
    expect(await causes('eventName=order.paid')).toEqual([])
    expect(await causes('outcome=ok')).toEqual([])
    expect(await causes(`since=${at(5)}&until=${at(6)}`)).toEqual(['call.finished'])
    expect((await groups(rest, `${of}&since=${at(4)}&until=${at(5)}`))[0]).toMatchObject({ count: 1 })
    expect((await rest('GET', '/activity/groups?connectionId=none')).status).toBe(404)
  })
})

describe('buckets', () => {
  const none = { accepted: 0, refused: 0, calls: 0, callsFailed: 0, runsFailed: 0 }

  test('count in equal parts of the time, whatever keeps what is counted', async () => {
    const { rest, logged, memory } = busy
    for (const [{ connectionId }, start] of [
      [logged, 1],
      [memory, 7],
    ] as const) {
      const range = `since=${at(start)}&until=${at(start + 6)}`
      const found = await counts(rest, `connectionId=${connectionId}&${range}&buckets=3`)
      expect(found.buckets).toEqual([
        { ...none, from: at(start), accepted: 2, runsFailed: 1 },
        { ...none, from: at(start + 2), refused: 2 },
        { ...none, from: at(start + 4), calls: 2, callsFailed: 1 },
      ])
      expect(found.total).toBe(7)
    }
  })

  test('count in ranges far from any event, that end before they begin, and of all time', async () => {
    const times = [
      '0000-01-01T00:00:00Z',
      '1969-12-31T23:59:59Z',
      '2300-01-01T00:00:00Z',
      '9999-12-31T23:59:59Z',
    ]
    for (const since of times)
      for (const until of times) {
        const { body, status } = await busy.rest(
          'GET',
          `/activity/counts?buckets=3&since=${since}&until=${until}`,
        )
        expect([since, until, status]).toEqual([since, until, 200])
        const { total, buckets } = OccurrenceCounts.parse(body)
        const inBuckets = (buckets ?? []).reduce((sum, { accepted }) => sum + accepted, 0)
        const isAllTime = since < '2000' && until > '2100'
        expect([since, until, total > 0, inBuckets > 0]).toEqual([since, until, isAllTime, isAllTime])
      }
  })

  test('are of the last 24 hours by default, of the names that are asked for, and null with a text', async () => {
    const { rest } = busy
    const found = (await counts(rest, 'buckets=24')).buckets ?? []
    expect(found).toHaveLength(24)
    expect(found.at(-1)).toEqual({
      ...{ from: expect.any(String), accepted: 4, refused: 4, calls: 4, callsFailed: 2, runsFailed: 2 },
    })
    expect((await counts(rest, 'buckets=1&eventName=order.paid')).buckets).toMatchObject([
      { ...none, accepted: 2 },
    ])
    expect((await counts(rest, 'buckets=1&outcome=failed')).buckets).toMatchObject([
      { accepted: 0, refused: 4, calls: 2, callsFailed: 2, runsFailed: 2 },
    ])
    expect((await counts(rest, 'buckets=2&text=order')).buckets).toBeNull()
    expect(await counts(rest)).not.toHaveProperty('buckets')
    for (const wrong of [0, 201, 'x'])
      expect((await rest('GET', `/activity/counts?buckets=${wrong}`)).status).toBe(400)
  })
})

describe('an export', () => {
  async function file(query = '') {
    const { fixture } = busy
    const answer = await fetch(`${fixture.dashboardUrl}/api/v1/activity/export?${query}`, {
      headers: { authorization: `Bearer ${adminToken}` },
    })
    return { answer, text: await answer.text() }
  }
  const list = async (query = '') =>
    z
      .object({ items: z.array(z.unknown()) })
      .parse((await busy.rest('GET', `/activity/list?limit=200&${query}`)).body).items
  const parsed = (text: string) =>
    text
      .trimEnd()
      .split('\n')
      .map(line => JSON.parse(line))

  test('has the items of the list, one JSON value on each line', async () => {
    const { answer, text } = await file()
    expect(answer.headers.get('content-type')).toBe('application/x-ndjson')
    expect(answer.headers.get('content-disposition')).toBe('attachment; filename="activity.jsonl"')
    expect(parsed(text)).toEqual(await list())
    expect(parsed((await file('outcome=failed')).text)).toEqual(await list('outcome=failed'))
    expect((await file('eventName=none')).text).toBe('')
  })

  test('is the same in the pieces that the dashboard reads', async () => {
    const { dashboardUrl } = busy.fixture
    const session = await signIn(dashboardUrl)
    const client = httpClient(
      () => dashboardUrl,
      () => session,
    )
    let text = ''
    for await (const piece of await client.activity.export({ format: 'csv' })) text += piece
    expect(text).toBe((await file('format=csv')).text)
  })

  test('has only the items whose ids are given, within the filters', async () => {
    const items = z.array(ListedOccurrence).parse(await list())
    const [first, , third] = items
    const ids = [third?.id, first?.id, `evt_${first?.id}`].join(',')
    expect(parsed((await file(`ids=${ids}`)).text)).toEqual([first, third])
    expect(parsed((await file(`ids=${ids}&until=${first?.at}`)).text)).toEqual([third])
  })

  test('takes the ids at both ends of all ids, which nothing has', async () => {
    for (const ids of ['00000000000', '2gosa7pa2gv', `evt_00000000000,${'0'.repeat(10)}1`])
      expect([ids, (await file(`ids=${ids}`)).text]).toEqual([ids, ''])
  })

  test('as CSV has a head and a line for each item, and no cell that a spreadsheet runs', async () => {
    const { answer, text } = await file('format=csv&kinds=event.accepted')
    expect(answer.headers.get('content-type')).toBe('text/csv; charset=utf-8')
    const [head, ...lines] = text.split('\r\n')
    expect(head).toBe('id,at,type,connectionId,connection,name,subject,cause,status,tookMs,message,about')
    expect(lines).toHaveLength(5)
    expect(lines[3]).toMatch(/,event\.accepted,conn_[^,]+,logged,order\.paid,'=ORD-logged,,,[\d.]+,,evt_/)
  })

  test('refuses a wrong selection with an error, before the file begins', async () => {
    for (const [query, status] of [
      ['connectionId=none', 404],
      ['format=xml', 400],
      ['ids=%3Cnone%3E', 400],
      ['unknown=1', 400],
    ] as const) {
      const { answer, text } = await file(query)
      expect([query, answer.status]).toEqual([query, status])
      expect(JSON.parse(text)).toHaveProperty('code')
    }
  })
})
