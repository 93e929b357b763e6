import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { createConnection, errorCode, issuePaths, type Rest } from '../support/rest-client.ts'
import { sharedService, startOfTests } from '../support/service-fixture.ts'

const cleanService = sharedService()

const now = new Date(startOfTests).toISOString()
const WithId = z.object({ eventTypeId: z.string() })

async function declare(rest: Rest, path: string, fields: object): Promise<string> {
  const answer = await rest('POST', path, fields)
  expect(answer.status).toBe(201)
  return WithId.parse(answer.body).eventTypeId
}

describe('event types', () => {
  test('one is declared with its sample and the variables it gives, listed, changed, removed', async () => {
    const { rest, clock } = await cleanService()
    const { connectionId } = await createConnection(rest)
    const path = `/connections/${connectionId}/event-types`
    const samplePayload = { id: 7, customer: { name: 'Ada' }, items: [{ sku: 'a' }] }
    const created = await rest('POST', path, { eventName: 'order.created', label: ' Order ', samplePayload })
    const type = {
      eventTypeId: expect.stringMatching(/^evtype_[\w-]{21}$/),
      eventName: 'order.created',
      label: 'Order',
      samplePayload,
      sampleText: null,
      variables: ['id', 'customer.name', 'items', 'items.0.sku'],
      createdAt: now,
      updatedAt: now,
    }
    expect(created.status).toBe(201)
    expect(created.body).toEqual(type)
    expect((await rest('GET', path)).body).toEqual([type])
    expect((await rest('GET', `/connections/${connectionId}`)).body).toMatchObject({ eventTypeCount: 1 })

    const one = `${path}/${WithId.parse(created.body).eventTypeId}`
    for (const { change, shown } of [
      { change: { eventName: 'order.paid' }, shown: { eventName: 'order.paid' } },
      { change: { label: null }, shown: { label: null } },
      { change: { label: '' }, shown: { label: null } },
      { change: { samplePayload: null }, shown: { samplePayload: null, variables: [] } },
    ]) {
      clock.now += 1000
      Object.assign(type, shown, { updatedAt: new Date(clock.now).toISOString() })
      const changed = await rest('PATCH', one, change)
      expect(changed.status).toBe(200)
      expect(changed.body).toEqual(type)
    }
    expect(await rest('DELETE', one)).toMatchObject({ status: 200, body: { deleted: 1 } })
    expect((await rest('GET', path)).body).toEqual([])
  })

  test('a sample given as text is kept as it was written, with the digits of its numbers', async () => {
    const service = await cleanService()
    const { rest } = service
    const { connectionId } = await createConnection(rest)
    const path = `/connections/${connectionId}/event-types`
    const sampleText = '{\n  "number": 9007199254740993,\n  "total": 149.00, "__proto__": {"x": 1}\n}'
    const created = await rest('POST', path, { eventName: 'order.paid', sampleText })
    expect(created.body).toMatchObject({ sampleText, variables: ['number', 'total', '__proto__.x'] })
    await service.restart()
    expect((await rest('GET', path)).body).toMatchObject([{ sampleText }])
    const one = `${path}/${WithId.parse(created.body).eventTypeId}`
    expect((await rest('PATCH', one, { label: 'Paid' })).body).toMatchObject({ sampleText, label: 'Paid' })
    const replaced = await rest('PATCH', one, { samplePayload: { a: 1 } })
    expect(replaced.body).toMatchObject({ sampleText: null, samplePayload: { a: 1 }, variables: ['a'] })
    for (const wrong of ['[1]', '7', 'null', '{', ''])
      expect(issuePaths(await rest('PATCH', one, { sampleText: wrong }))).toEqual(['sampleText'])
    expect((await rest('PATCH', one, { sampleText: null })).body).toMatchObject({
      sampleText: null,
      samplePayload: null,
    })
  })

  test('a second one of the same name is a conflict that names the field', async () => {
    const { rest } = await cleanService()
    const { connectionId } = await createConnection(rest)
    const path = `/connections/${connectionId}/event-types`
    await declare(rest, path, { eventName: 'a' })
    const second = await declare(rest, path, { eventName: 'b' })
    for (const answer of [
      await rest('POST', path, { eventName: 'a' }),
      await rest('PATCH', `${path}/${second}`, { eventName: 'a' }),
    ]) {
      expect(answer.status).toBe(409)
      expect(errorCode(answer)).toBe('duplicate_event_name')
      expect(issuePaths(answer)).toEqual(['eventName'])
    }
    expect((await rest('PATCH', `${path}/${second}`, { eventName: 'b' })).status).toBe(200)
    const other = await createConnection(rest)
    expect(
      (await rest('POST', `/connections/${other.connectionId}/event-types`, { eventName: 'a' })).status,
    ).toBe(201)
  })

  test('one that does not exist, or belongs to another connection, is 404', async () => {
    const { rest } = await cleanService()
    const { connectionId } = await createConnection(rest)
    const other = await createConnection(rest)
    const id = await declare(rest, `/connections/${other.connectionId}/event-types`, { eventName: 'a' })
    for (const eventTypeId of ['evtype_unknown', 'nope', id])
      for (const answer of [
        await rest('PATCH', `/connections/${connectionId}/event-types/${eventTypeId}`, { label: 'x' }),
        await rest('DELETE', `/connections/${connectionId}/event-types/${eventTypeId}`),
      ])
        expect([answer.status, errorCode(answer)]).toEqual([404, 'event_type_not_found'])
  })

  test('wrong fields are all named', async () => {
    const { rest } = await cleanService()
    const { connectionId } = await createConnection(rest)
    const path = `/connections/${connectionId}/event-types`
    const wrong = { eventName: '', label: 'x'.repeat(121), samplePayload: [1] }
    const answer = await rest('POST', path, wrong)
    expect(answer.status).toBe(400)
    expect(issuePaths(answer)).toEqual(['eventName', 'label', 'samplePayload'])
    expect(issuePaths(await rest('POST', path, {}))).toEqual(['eventName'])
    expect(issuePaths(await rest('POST', path, { eventName: 'x'.repeat(256) }))).toEqual(['eventName'])
    expect((await rest('POST', path, { eventName: '📦'.repeat(255) })).status).toBe(201)
  })

  test('declaring blocks no event; it is only told whether a stored one is declared', async () => {
    const { rest } = await cleanService()
    const { connectionId } = await createConnection(rest, { persistEvents: true })
    await declare(rest, `/connections/${connectionId}/event-types`, { eventName: 'known' })
    for (const event of ['known', 'unknown'])
      await rest('POST', `/connections/${connectionId}/send`, { event })
    expect((await rest('GET', `/connections/${connectionId}/events`)).body).toMatchObject({
      events: [
        { eventName: 'unknown', declared: false },
        { eventName: 'known', declared: true },
      ],
    })
  })
})
