import { describe, expect, test } from 'vitest'
import { createConnection, readAnswer } from '../support/rest-client.ts'
import { adminToken, postInbound, startService } from '../support/service-fixture.ts'

/** What JavaScript's own numbers and objects would lose. */
const data =
  '{"big":9007199254740993,"huge":1e400,"zero":-0,"long":0.10000000000000000000001,"list":[-0,1E+400],' +
  '"__proto__":{"admin":true},"constructor":{"prototype":1},"text":"9007199254740993 \\u00e9"}'

describe('numbers and odd keys', () => {
  test('of a stored event come back as they were sent', async () => {
    const { rest } = await startService()
    const { connectionId, credentials } = await createConnection(rest, { persistEvents: true })
    const body = `{ "data": ${data}, "event": "exact" }`
    expect((await postInbound(credentials, body)).status).toBe(200)
    const path = `/connections/${connectionId}/events`
    const list = await rest('GET', path)
    const eventId = /evt_[0-9a-z]{11}/.exec(list.text)?.[0]
    for (const { text } of [list, await rest('GET', `${path}/${eventId}`)]) {
      expect(text).toContain(`"data":${data.replace('\\u00e9', 'é')},`)
      expect(text).toContain(`"dataText":${JSON.stringify(data)},`)
      expect(text).toContain(`"bodyText":${JSON.stringify(body)},`)
    }
    const replayed = await rest('POST', `${path}/${eventId}/replay`)
    expect(replayed.status).toBe(200)
    expect((await rest('GET', `${path}?limit=1`)).text).toContain(`"bodyText":${JSON.stringify(body)},`)
    expect(Object.hasOwn(Object.prototype, 'admin')).toBe(false)
  })

  test('of an event sent over REST go out as they were written', async () => {
    const { rest, dashboardUrl } = await startService()
    const { connectionId } = await createConnection(rest, { persistEvents: true })
    const path = `/connections/${connectionId}`
    for (const fields of [`"data": ${data}`, `"dataText": ${JSON.stringify(data)}, "data": {"ignored": 1}`]) {
      const sent = await fetch(`${dashboardUrl}/api/v1${path}/send`, {
        method: 'POST',
        headers: { authorization: `Bearer ${adminToken}`, 'content-type': 'application/json' },
        body: `{"event": "exact", ${fields}}`,
      })
      expect((await readAnswer(sent)).body).toMatchObject({ status: 200 })
      expect((await rest('GET', `${path}/events?limit=1`)).text).toContain(
        `"dataText":${JSON.stringify(data)},`,
      )
    }
  })
})
