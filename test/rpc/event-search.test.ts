import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { excerptOf } from '#main/storage/excerpt.ts'
import { createConnection, errorCode } from '../support/rest-client.ts'
import { startService } from '../support/service-fixture.ts'

const Found = z.object({ events: z.array(z.looseObject({ eventId: z.string() })) })

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
      nextBefore: null,
      events: ids.reverse().map(connectionId => ({
        connectionId,
        eventId: expect.stringMatching(/^evt_/),
        eventName: 'order.created',
        receivedAt: expect.any(String),
        excerpt: expect.stringMatching(/^x{29}","order":"A-17"\}\}$/),
      })),
    })
    const [newest, older] = Found.parse(body).events
    const page = await rest('GET', '/events?text=a-17&limit=1')
    expect(page.body).toMatchObject({ events: [newest], complete: true, nextBefore: newest?.eventId })
    const next = await rest('GET', `/events?text=a-17&limit=1&before=${newest?.eventId}`)
    expect(Found.parse(next.body).events).toEqual([older])
    expect((await rest('GET', '/events?text=nowhere')).body).toEqual({
      complete: true,
      nextBefore: null,
      events: [],
    })
    expect(errorCode(await rest('GET', '/events?text='))).toBe('invalid_input')
    expect(errorCode(await rest('GET', '/events?text=a&workspaceId=ws_none'))).toBe('workspace_not_found')
  })

  test('shows the beginning of a body if only an escape contains the text', () => {
    expect(excerptOf('{"name":"Zo\\u00eb"}', 'zoë')).toBe('{"name":"Zo\\u00eb"}')
  })
})
