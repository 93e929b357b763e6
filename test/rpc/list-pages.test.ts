import { expect, test } from 'vitest'
import { z } from 'zod'
import { createAction } from '../support/actions.ts'
import { createConnection, issuePaths, type Rest, readAnswer } from '../support/rest-client.ts'
import { adminToken, sharedService } from '../support/service-fixture.ts'

const cleanService = sharedService()

/** The lists, how their items are named, and where they are in the answer. */
type List = readonly [path: string, key: string, field: string | null]
const lists: readonly [List, ...List[]] = [
  ['/connections', 'connectionId', null],
  ['/tools', 'name', null],
  ['/assistant/tools', 'name', 'tools'],
  ['/statistics', 'connectionId', 'connections'],
]

const Items = z.array(z.record(z.string(), z.unknown()))

async function namesIn(rest: Rest, [path, key, field]: List, query = ''): Promise<string[]> {
  const { status, body } = await rest('GET', `${path}${query}`)
  expect(status).toBe(200)
  const items = Items.parse(field === null ? body : Reflect.get(Object(body), field))
  return items.map(item => z.string().parse(item[key]))
}

async function withTools(rest: Rest, count: number): Promise<string[]> {
  const ids: string[] = []
  for (let index = 0; index < count; index++) {
    const { connectionId } = await createConnection(rest, {
      name: `Shop ${index}`,
      baseUrl: 'http://127.0.0.1:1',
    })
    await createAction(rest, connectionId)
    ids.push(connectionId)
  }
  return ids
}

test.each(lists)('%s has each item on one page, while connections are added and removed', async (...list) => {
  const { rest } = await cleanService()
  const ids = await withTools(rest, 7)
  const all = await namesIn(rest, list)
  expect(all).toHaveLength(7)
  const first = await namesIn(rest, list, '?limit=3')
  expect(first).toEqual(all.slice(0, 3))
  await rest('DELETE', `/connections/${ids[1]}`)
  await withTools(rest, 1)
  const second = await namesIn(rest, list, `?limit=3&after=${first.at(-1)}`)
  expect(second).toEqual(all.slice(3, 6))
  const third = await namesIn(rest, list, `?limit=3&after=${second.at(-1)}`)
  expect(third).toHaveLength(2)
  expect(third[0]).toBe(all[6])
  expect(await namesIn(rest, list, `?limit=3&after=${third.at(-1)}`)).toEqual([])
  expect(issuePaths(await rest('GET', `${list[0]}?after=nothing__here`))).toEqual(['after'])
  expect(issuePaths(await rest('GET', `${list[0]}?limit=0`))).toEqual(['limit'])
})

test.each(lists)('%s without a limit is all of it, however many pages that is', async (...list) => {
  const { rest, service } = await cleanService()
  const ids = await withTools(rest, 1)
  const [record] = service.storage.config.snapshot().connections.values()
  if (record === undefined) throw new Error('There is one.')
  const copies = Array.from({ length: 220 }, (_, index) => ({
    ...record,
    connectionId: `conn_copy_${index}`,
    inboundToken: `${record.inboundToken}${index}`,
    actions: record.actions.map(action => ({ ...action, actionId: `act_copy_${index}` })),
  }))
  await service.storage.config.update(config => ({
    next: {
      ...config,
      connections: new Map([
        ...config.connections,
        ...copies.map(copy => [copy.connectionId, copy] as const),
      ]),
    },
    result: undefined,
  }))
  const names = await namesIn(rest, list)
  expect(names).toHaveLength(221)
  expect(new Set(names).size).toBe(221)
  if (list[1] === 'connectionId') expect(names[0]).toBe(ids[0])
  const pages = await namesIn(rest, list, '?limit=200')
  expect([...pages, ...(await namesIn(rest, list, `?limit=200&after=${pages.at(-1)}`))]).toEqual(names)
  expect(issuePaths(await rest('GET', `${list[0]}?nothing=1`))).toEqual(['nothing'])
  expect((await rest('GET', `${list[0]}?workspaceId=nope`)).body).toMatchObject({
    code: 'workspace_not_found',
  })
})

test.each(lists)('%s is 304 for a client that has this version, until it changes', async path => {
  const { rest, dashboardUrl } = await cleanService()
  const [connectionId] = await withTools(rest, 1)
  const get = async (version = '', query = '') =>
    readAnswer(
      await fetch(`${dashboardUrl}/api/v1${path}${query}`, {
        headers: { authorization: `Bearer ${adminToken}`, 'if-none-match': version },
      }),
    )
  const first = await get()
  const version = first.headers.get('etag') ?? ''
  expect(version).toMatch(/^W\/"[\w.-]+"$/)
  const again = await get(`"other", ${version}`)
  expect([again.status, again.text, again.headers.get('etag')]).toEqual([304, '', version])
  expect((await get('', '?limit=1')).headers.get('etag')).toBe(version)
  expect((await get('', '?limit=0')).headers.get('etag')).toBeNull()
  await rest('PATCH', `/connections/${connectionId}`, { name: 'Store' })
  const next = await get(version)
  expect(next.status).toBe(200)
  expect(next.headers.get('etag')).not.toBe(version)
  const unauthorized = await fetch(`${dashboardUrl}/api/v1${path}`, { headers: { 'if-none-match': version } })
  expect(unauthorized.status).toBe(401)
})

test('/connections finds each word of a text in the name, the base URL or the id', async () => {
  const { rest } = await cleanService()
  const { connectionId } = await createConnection(rest, {
    name: 'Étoile Shop',
    baseUrl: 'https://api.example.com',
  })
  await createConnection(rest, { name: 'Billing' })
  const found = async (text: string) =>
    namesIn(rest, lists[0], `?text=${encodeURIComponent(text)}`).then(ids => ids.includes(connectionId))
  expect(await Promise.all(['étoile EXAMPLE', connectionId, 'shop'].map(found))).toEqual([true, true, true])
  expect(await found('étoile billing')).toBe(false)
})

test('/tools can be those of one connection', async () => {
  const { rest } = await cleanService()
  const [, second] = await withTools(rest, 2)
  const { body } = await rest('GET', `/tools?connectionId=${second}`)
  expect(body).toMatchObject([{ connectionId: second }])
  expect((await rest('GET', '/tools?connectionId=conn_none')).status).toBe(404)
})

test.each(lists.filter(([, key]) => key === 'name'))(
  '%s has all of one connection, however many pages that is',
  async (...list) => {
    const { rest } = await cleanService()
    const [first = '', second = ''] = await withTools(rest, 2)
    const actions = Array.from({ length: 60 }, (_, index) => ({
      ...{ name: `Find ${index}`, description: 'Finds it.', method: 'GET', path: `/things/${index}` },
    }))
    await rest('POST', '/import', { text: JSON.stringify({ actions }), connectionId: first })
    expect(await namesIn(rest, list, `?connectionId=${first}`)).toHaveLength(61)
    expect(await namesIn(rest, list, `?connectionId=${second}`)).toHaveLength(1)
  },
)
