import { describe, expect, test } from 'vitest'
import { searchEvents } from '#main/rpc/search-events.ts'
import { excerptOf } from '#main/storage/excerpt.ts'
import { createConnection, errorCode } from '../support/rest-client.ts'
import { startService } from '../support/service-fixture.ts'

describe('a search over connections', () => {
  test('finds stored events of all connections, newest first, with the position of the text', async () => {
    const { rest } = await startService()
    const ids: string[] = []
    for (const name of ['First', 'Second']) {
      const { connectionId } = await createConnection(rest, { name, persistEvents: true })
      ids.push(connectionId)
      const data = { note: 'x'.repeat(500), order: 'A-17' }
      await rest('POST', `/connections/${connectionId}/send`, { event: 'order.created', data })
      await rest('POST', `/connections/${connectionId}/send`, { event: 'other', data: {} })
    }
    const { status, body } = await rest('GET', '/events?text=a-17')
    expect(status).toBe(200)
    expect(body).toEqual({
      complete: true,
      events: ids.reverse().map(connectionId => ({
        connectionId,
        eventId: expect.stringMatching(/^evt_/),
        eventName: 'order.created',
        receivedAt: expect.any(String),
        excerpt: expect.stringMatching(/^x{29}","order":"A-17"\}\}$/),
      })),
    })
    expect((await rest('GET', '/events?text=a-17&limit=1')).body).toMatchObject({ events: [{}] })
    expect((await rest('GET', '/events?text=nowhere')).body).toEqual({ complete: true, events: [] })
    expect(errorCode(await rest('GET', '/events?text='))).toBe('invalid_input')
    expect(errorCode(await rest('GET', '/events?text=a&workspaceId=ws_none'))).toBe('workspace_not_found')
  })

  test('ends at its time limit, and reports that it is incomplete', async () => {
    let now = 0
    const event = {
      ...{
        eventId: 'evt_1',
        connectionId: '1',
        eventName: 'a',
        receivedAt: 0,
        repeat: false,
        replayOf: null,
      },
      ...{ bytes: 2, subject: null, excerpt: '{}' },
    }
    const log = {
      async summaries({ below }: { below: number }) {
        now += 600
        return { events: [event], checkedAbove: Math.min(below, 1000) - 100, damaged: 0 }
      },
    }
    const found = await searchEvents(log, ['1', '2', '3'], { text: 'a', limit: 5 }, () => now)
    expect(found.complete).toBe(false)
    expect(found.events).toEqual([event, event])
  })

  test('shows the beginning of a body if only an escape contains the text', () => {
    expect(excerptOf('{"name":"Zo\\u00eb"}', 'zoë')).toBe('{"name":"Zo\\u00eb"}')
  })
})
