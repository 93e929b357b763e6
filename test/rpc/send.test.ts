import { describe, expect, test } from 'vitest'
import { createConnection, errorCode, issuePaths } from '../support/rest-client.ts'
import { adminToken, sharedService } from '../support/service-fixture.ts'

const cleanService = sharedService()

describe('sending an event through the own listener', () => {
  test.each([
    { sent: { event: 'x', data: { a: 1 } }, dataText: '{"a":1}' },
    { sent: { event: 'x' }, dataText: '{}' },
    { sent: { event: 'x', data: null }, dataText: '{}' },
    { sent: { event: 'x', dataText: ' {"a": 1.0}' }, dataText: '{"a": 1.0}' },
  ])('$sent is signed, accepted and stored', async ({ sent, dataText }) => {
    const { rest } = await cleanService()
    const { connectionId } = await createConnection(rest, { persistEvents: true })
    const answer = await rest('POST', `/connections/${connectionId}/send`, sent)
    expect(answer.status).toBe(200)
    expect(answer.body).toEqual({ status: 200, body: { ok: true }, totalMs: expect.any(Number) })
    expect((await rest('GET', `/connections/${connectionId}/events`)).body).toMatchObject({
      events: [{ eventName: 'x', dataText }],
    })
  })

  test.each([
    ['an object', '{"event":"conversation.started","agentId":"sales","n":12345678901234567890}', false],
    ['a text', '{ "event": "conversation.started",  "agentId": "sales" }', true],
  ])('sends a whole body that is %s as it is written', async (_kind, body, isText) => {
    const { dashboardUrl, rest } = await cleanService()
    const { connectionId } = await createConnection(rest, { persistEvents: true })
    const answer = await fetch(`${dashboardUrl}/api/v1/connections/${connectionId}/send`, {
      method: 'POST',
      headers: { authorization: `Bearer ${adminToken}`, 'content-type': 'application/json' },
      body: `{"body":${isText ? JSON.stringify(body) : body}}`,
    })
    expect(await answer.json()).toMatchObject({ status: 200 })
    expect((await rest('GET', `/connections/${connectionId}/events`)).body).toMatchObject({
      events: [{ eventName: 'conversation.started', dataText: '{}', bodyText: body }],
    })
  })

  test('shows what the listener answers, refusals too', async () => {
    const { rest } = await cleanService()
    const { connectionId } = await createConnection(rest)
    const path = `/connections/${connectionId}`
    const malformed = await rest('POST', `${path}/send`, { event: 'x', dataText: '{"a":' })
    expect(malformed).toMatchObject({
      status: 200,
      body: { status: 400, body: { ok: false, error: 'invalid_json' } },
    })
    await rest('PATCH', path, { enabled: false })
    expect((await rest('POST', `${path}/send`, { event: 'x' })).body).toMatchObject({
      status: 403,
      body: { ok: false, error: 'connection_disabled' },
    })
  })

  test('wrong fields are all named, and nothing is sent', async () => {
    const { rest } = await cleanService()
    const { connectionId } = await createConnection(rest, { persistEvents: true })
    const path = `/connections/${connectionId}`
    for (const [fields, paths] of [
      [{}, ['event']],
      [{ event: '', data: [1], dataText: 5 }, ['data', 'dataText', 'event']],
      [{ event: 'x'.repeat(256), data: 'text' }, ['data', 'event']],
      [{ body: 5 }, ['body']],
    ] as const) {
      const answer = await rest('POST', `${path}/send`, fields)
      expect([answer.status, errorCode(answer)]).toEqual([400, 'invalid_input'])
      expect(issuePaths(answer)).toEqual(paths)
    }
    expect((await rest('GET', `${path}/events`)).body).toEqual({ events: [], nextBefore: null })
  })
})
