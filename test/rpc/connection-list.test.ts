import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { ConnectionFigures, ListedRow } from '#shared/model/connection-list.ts'
import { createConnection, errorCode, issuePaths, type Rest } from '../support/rest-client.ts'
import { postInbound, type ServiceFixture, sharedService, startOfTests } from '../support/service-fixture.ts'

const cleanService = sharedService()

const Page = z.strictObject({ connections: z.array(ListedRow), nextAfter: z.string().nullable() })

async function pageOf(rest: Rest, query: string) {
  return Page.parse((await rest('GET', `/connections/rows?${query}`)).body)
}

const namesIn = async (rest: Rest, query = '') =>
  (await pageOf(rest, query)).connections.map(({ name }) => name)

async function figuresOf(rest: Rest, query = '') {
  const { body } = await rest('GET', `/connections/figures?${query}`)
  return z.strictObject(ConnectionFigures.shape).parse(body)
}

/** Creates one that receives, one that rejects, one without events and a disabled one. */
async function fill({ rest, clock }: ServiceFixture) {
  const minute = async (at: number) => {
    clock.now = startOfTests + at * 60_000
  }
  const acme = await createConnection(rest, {
    name: 'Acme Orders',
    baseUrl: 'https://api.acme-erp.com/v2',
    persistEvents: true,
  })
  await minute(1)
  const billing = await createConnection(rest, { name: 'billing 10' })
  await minute(2)
  await createConnection(rest, { name: 'Billing 9' })
  await minute(3)
  const legacy = await createConnection(rest, { name: 'Legacy', persistEvents: true })
  await rest('PATCH', `/connections/${legacy.connectionId}`, { enabled: false })
  await postInbound(acme.credentials, '{"event":"order.paid"}')
  await minute(4)
  await postInbound(billing.credentials, '{"event":"invoice.issued"}')
  await postInbound(billing.credentials, '{"event":"invoice.issued","data":{"id":2}}')
  for (let time = 0; time < 5; time++)
    await postInbound({ ...billing.credentials, signingSecret: 'whsec_wrong' }, `{"event":"x${time}"}`)
  return { acme, billing }
}

describe('the list of connections', () => {
  test('is ordered, filtered and counted by the service', async () => {
    const fixture = await cleanService()
    const { rest } = fixture
    await fill(fixture)
    await expect.poll(async () => (await figuresOf(rest)).states.rejecting).toBe(1)
    const orders = {
      'last-event': ['billing 10', 'Acme Orders', 'Legacy', 'Billing 9'],
      worst: ['billing 10', 'Acme Orders', 'Billing 9', 'Legacy'],
      name: ['Acme Orders', 'Billing 9', 'billing 10', 'Legacy'],
      events: ['billing 10', 'Acme Orders', 'Billing 9', 'Legacy'],
      created: ['Legacy', 'Billing 9', 'billing 10', 'Acme Orders'],
      oldest: ['Acme Orders', 'billing 10', 'Billing 9', 'Legacy'],
    }
    for (const [sort, expected] of Object.entries(orders))
      expect(await namesIn(rest, `sort=${sort}`)).toEqual(expected)
    const texts = {
      '': ['Acme Orders', 'billing 10', 'Billing 9', 'Legacy'],
      '  BILLING ': ['billing 10', 'Billing 9'],
      'acme-erp.com': ['Acme Orders'],
      'order.paid': ['Acme Orders'],
      'billing invoice': ['billing 10'],
      'billing order': [],
    }
    for (const [text, expected] of Object.entries(texts)) {
      const query = `text=${encodeURIComponent(text)}`
      expect(await namesIn(rest, query)).toEqual(expected)
      expect(await figuresOf(rest, query)).toMatchObject({ total: 4, found: expected.length })
    }
    const states = {
      receiving: ['Acme Orders'],
      rejecting: ['billing 10'],
      silent: ['Billing 9'],
      disabled: ['Legacy'],
      failing: [],
      'attention,rejecting,silent': ['billing 10', 'Billing 9'],
    }
    for (const [state, expected] of Object.entries(states))
      expect(await namesIn(rest, `state=${state}`)).toEqual(expected)
    expect(await namesIn(rest, 'storing=true')).toEqual(['Acme Orders', 'Legacy'])
    expect(await figuresOf(rest, 'text=billing')).toEqual({
      ...{ total: 4, eventTypes: 0, tools: 0, found: 2, accepted: 3, calls: 0 },
      states: { failing: 0, rejecting: 1, attention: 0, receiving: 0, silent: 1, disabled: 0 },
    })
    const [first] = (await pageOf(rest, 'sort=events')).connections
    expect(first?.statistics).toMatchObject({
      ...{ accepted: 2, rejected: 5 },
      status: { state: 'rejecting', cause: 'rejected', count: 5, of: 7 },
    })
    expect(issuePaths(await rest('GET', '/connections/rows?state=broken'))).toEqual(['state.0'])
  })

  test('has each connection on one page in every order, while others are created and deleted', async () => {
    const fixture = await cleanService()
    const { rest, clock } = fixture
    for (const sort of ['last-event', 'worst', 'name', 'events', 'created', 'oldest']) {
      const created: string[] = []
      for (const name of ['d', 'b', 'a', 'c', 'e']) {
        clock.now += 1000
        created.push((await createConnection(rest, { name: `${sort} ${name}` })).connectionId)
      }
      const [, , gone = ''] = created
      const read: string[] = []
      let after = ''
      for (let page = 0; page === 0 || after !== ''; page++) {
        const { connections, nextAfter } = await pageOf(
          rest,
          `text=${sort}&sort=${sort}&limit=2${after === '' ? '' : `&after=${encodeURIComponent(after)}`}`,
        )
        expect(connections.length).toBeLessThanOrEqual(2)
        read.push(...connections.map(({ connectionId }) => connectionId))
        after = nextAfter ?? ''
        if (page === 0) await rest('DELETE', `/connections/${gone}`)
      }
      const others = created.filter(id => id !== gone)
      expect(read.filter(id => id !== gone).sort()).toEqual(others.sort())
    }
  })

  test('can be that of some connections of a workspace', async () => {
    const fixture = await cleanService()
    const { rest } = fixture
    const { acme, billing } = await fill(fixture)
    const ids = [billing, acme].map(({ connectionId }) => `connectionIds[]=${connectionId}`).join('&')
    expect(await namesIn(rest, `${ids}&connectionIds[]=conn_none`)).toEqual(['Acme Orders', 'billing 10'])
    const { body } = await rest('POST', '/workspaces', { name: 'Team' })
    const { workspaceId } = z.object({ workspaceId: z.string() }).parse(body)
    expect(await namesIn(rest, `${ids}&workspaceId=${workspaceId}`)).toEqual([])
    expect(await figuresOf(rest, `workspaceId=${workspaceId}`)).toMatchObject({ total: 0 })
    expect(errorCode(await rest('GET', '/connections/rows?workspaceId=none'))).toBe('workspace_not_found')
    for (const after of ['x', '{}', '["a",1,2]'])
      expect(issuePaths(await rest('GET', `/connections/rows?after=${encodeURIComponent(after)}`))).toEqual([
        'after',
      ])
  })
})
