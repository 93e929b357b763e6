import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { EventPage, StoredEvent } from '#shared/model/inbound-event.ts'
import { createConnection } from '../support/rest-client.ts'
import { signIn } from '../support/rpc-client.ts'
import { postInbound, type ServiceFixture, sharedService } from '../support/service-fixture.ts'
import { bearer, http } from './http.ts'

const cleanService = sharedService()

const fields = Array.from({ length: 20_000 }, (_, index) => `"field_${index}": ${index}.50`).join(',')
const dataText = `{"a":1,"a":2.50,"text":"é😀",${fields}}`
const bodyText = `{"event":"large","data":${dataText},"more":1}`
const notes = ['extra_fields', 'duplicate_keys']

/** Returns a connection with three large events. */
async function withLargeEvents({ rest }: ServiceFixture) {
  const { connectionId, credentials } = await createConnection(rest, { persistEvents: true })
  for (let count = 0; count < 3; count++)
    expect(await postInbound(credentials, bodyText)).toMatchObject({ status: 200 })
  return connectionId
}

function expectWhole(events: readonly StoredEvent[], text: string) {
  for (const event of events) {
    expect(event).toMatchObject({ eventName: 'large', notes })
    // Compared here, because a difference of this size takes long to print.
    expect(event.dataText === dataText).toBe(true)
    expect(event.bodyText === bodyText).toBe(true)
  }
  // Keys that come twice are there once, with all digits.
  expect(text.match(/"data":{"a":2.50,"text":"é😀","field_0":0.50,/g)).toHaveLength(events.length)
}

describe('large events are written in pieces', () => {
  test('over REST, as a list and one by one', async () => {
    const service = await cleanService()
    const path = `/api/v1/connections/${await withLargeEvents(service)}/events`
    const list = await http(service.dashboardUrl, { path, headers: bearer })
    expect(list.headers).toMatchObject({ 'content-type': 'application/json', 'transfer-encoding': 'chunked' })
    const { events } = EventPage.parse(JSON.parse(list.text))
    expect(events).toHaveLength(3)
    expectWhole(events, list.text)
    const one = await http(service.dashboardUrl, { path: `${path}/${events[0]?.eventId}`, headers: bearer })
    expect(one.headers['transfer-encoding']).toBe('chunked')
    expectWhole([StoredEvent.parse(JSON.parse(one.text))], one.text)
  })

  test('to the dashboard', async () => {
    const service = await cleanService()
    const connectionId = await withLargeEvents(service)
    const session = await signIn(service.dashboardUrl)
    const answer = await http(service.dashboardUrl, {
      ...{ method: 'POST', path: '/rpc/events/list' },
      headers: { ...session, 'x-csrf-token': 'orpc', 'content-type': 'application/json' },
      body: JSON.stringify({ json: { connectionId } }),
    })
    expect(answer.headers['transfer-encoding']).toBe('chunked')
    const { json } = z.object({ json: EventPage }).parse(JSON.parse(answer.text))
    expect(json.events).toHaveLength(3)
    expectWhole(json.events, answer.text)
  })

  test('and small ones at once', async () => {
    const service = await cleanService()
    const { connectionId, credentials } = await createConnection(service.rest, { persistEvents: true })
    await postInbound(credentials, '{"event":"small"}')
    const path = `/api/v1/connections/${connectionId}/events`
    const { headers, text } = await http(service.dashboardUrl, { path, headers: bearer })
    expect(headers['content-length']).toBe(String(text.length))
  })
})
