import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { createAction } from '../support/actions.ts'
import { createConnection } from '../support/rest-client.ts'
import { sharedService } from '../support/service-fixture.ts'

type Service = Awaited<ReturnType<ReturnType<typeof sharedService>>>
type Patched = {
  /** Creates what is changed. Returns its path. */
  readonly create: (rest: Service['rest']) => Promise<string>
  readonly change: (n: number) => object
  /** Where it is read, if not at its own path. */
  readonly read?: (path: string) => string
}

const cleanService = sharedService()

const listOf = (path: string) => path.slice(0, path.lastIndexOf('/'))
const inConnection = async (rest: Service['rest']) => {
  const { connectionId } = await createConnection(rest, { name: 'Shop', baseUrl: 'https://shop.example' })
  return `/connections/${connectionId}`
}
const idOf = (body: unknown, field: string) => z.looseObject({ [field]: z.string() }).parse(body)[field]
const action = { name: 'Look up', toolName: 'look_up', method: 'GET', path: '/', description: 'Looks up.' }
const trigger = { type: 'external.event', connectionId: null, eventName: null }

/** By the path of the route. */
const cases: Readonly<Record<string, Patched>> = {
  '/connections/{connectionId}': { create: inConnection, change: n => ({ name: `Shop ${n}` }) },
  '/connections/{connectionId}/actions/{actionId}': {
    async create(rest) {
      const path = await inConnection(rest)
      const { actionId } = await createAction(rest, path.split('/').at(-1) ?? '', action)
      return `${path}/actions/${actionId}`
    },
    change: n => ({ path: `/${n}` }),
  },
  '/connections/{connectionId}/actions/{actionId}/cases/{caseId}': {
    async create(rest) {
      const path = await inConnection(rest)
      const { actionId } = await createAction(rest, path.split('/').at(-1) ?? '', action)
      const ofAction = `${path}/actions/${actionId}/cases`
      return `${ofAction}/${idOf((await rest('POST', ofAction, { name: 'A' })).body, 'caseId')}`
    },
    change: n => ({ name: `Case ${n}` }),
  },
  '/connections/{connectionId}/event-types/{eventTypeId}': {
    async create(rest) {
      const path = `${await inConnection(rest)}/event-types`
      const { body } = await rest('POST', path, { eventName: 'order.paid' })
      return `${path}/${idOf(body, 'eventTypeId')}`
    },
    change: n => ({ label: `Paid ${n}` }),
    read: listOf,
  },
  '/connections/{connectionId}/watch': {
    create: async rest => `${await inConnection(rest)}/watch`,
    change: n => ({ refused: { percent: 20 + n } }),
  },
  '/workflows/{workflowId}': {
    async create(rest) {
      const { body } = await rest('POST', '/workflows', { name: 'Tell', trigger })
      return `/workflows/${idOf(body, 'workflowId')}`
    },
    change: n => ({ name: `Tell ${n}` }),
  },
  '/workspaces/{workspaceId}': {
    async create(rest) {
      const { body } = await rest('POST', '/workspaces', { name: 'Shops' })
      return `/workspaces/${idOf(body, 'workspaceId')}`
    },
    change: n => ({ name: `Shops ${n}` }),
    read: listOf,
  },
  '/settings': { create: async () => '/settings', change: n => ({ maxConnections: 100 + n }) },
  '/conversations/{conversationId}': {
    async create(rest) {
      const { body } = await rest('POST', '/conversations', {})
      return `/conversations/${idOf(body, 'conversationId')}`
    },
    change: n => ({ title: `Orders ${n}` }),
  },
  '/assistant/tokens/{tokenId}': {
    async create(rest) {
      const { body } = await rest('POST', '/assistant/tokens', { name: 'Laptop' })
      return `/assistant/tokens/${idOf(body, 'tokenId')}`
    },
    change: n => ({ name: `Laptop ${n}` }),
    read: listOf,
  },
}

/** There is one of each, which has no version. */
const unversioned = ['/watch']

const Versioned = z.looseObject({ updatedAt: z.string().nullable() })

describe('a PATCH with ifUpdatedAt', () => {
  test('is every PATCH of the interface', async () => {
    const { rest } = await cleanService()
    const { body } = await rest('GET', '/openapi.json')
    const { paths } = z.object({ paths: z.record(z.string(), z.looseObject({})) }).parse(body)
    const patched = Object.entries(paths).flatMap(([path, item]) => ('patch' in item ? [path] : []))
    expect(patched.toSorted()).toEqual([...Object.keys(cases), ...unversioned].toSorted())
  })

  test.each(Object.entries(cases))(
    '%s is made for the version that was read, or not at all',
    async (_path, one) => {
      const { rest } = await cleanService()
      const path = await one.create(rest)
      const readNow = async () => {
        const { body } = await rest('GET', one.read?.(path) ?? path)
        const id = path.split('/').at(-1) ?? ''
        return Versioned.parse(
          Array.isArray(body) ? body.find(item => Object.values(item).includes(id)) : body,
        )
      }
      const { updatedAt } = await readNow()
      const patch = (n: number, ifUpdatedAt: unknown) =>
        rest('PATCH', path, { ...one.change(n), ifUpdatedAt })
      const first = await patch(1, updatedAt)
      expect([first.status, first.body]).toMatchObject([200, one.change(1)])
      // The clock of the service stands still, yet each version has a time of its own.
      const second = await patch(2, Versioned.parse(first.body).updatedAt)
      expect([second.status, second.body]).toMatchObject([200, one.change(2)])
      const current = await readNow()
      for (const old of [updatedAt, Versioned.parse(first.body).updatedAt]) {
        const refused = await patch(3, old)
        const { code, data } = z
          .object({ code: z.string(), data: z.object({ current: z.looseObject({}) }) })
          .parse(refused.body)
        expect([refused.status, code]).toEqual([409, 'changed_meanwhile'])
        // The context of a conversation is counted in the background.
        const { context: _context, ...shown } = data.current
        expect(current).toMatchObject(shown)
        expect(data.current).toMatchObject({ updatedAt: current.updatedAt, ...one.change(2) })
      }
      expect(await readNow()).toEqual(current)
      expect((await patch(4, 'yesterday')).status).toBe(400)
      expect((await rest('PATCH', path, one.change(5))).status).toBe(200)
    },
  )
})
