import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { startExternalSystem } from '../support/external-system.ts'
import { createConnection, readAnswer } from '../support/rest-client.ts'
import { signIn } from '../support/rpc-client.ts'
import { adminToken, postInbound, sharedService } from '../support/service-fixture.ts'

const cleanService = sharedService()

/** Data that JavaScript's own numbers and objects would change. */
const data =
  '{"big":9007199254740993,"huge":1e400,"zero":-0,"long":0.10000000000000000000001,"list":[-0,1E+400],' +
  '"__proto__":{"admin":true},"constructor":{"prototype":1},"text":"9007199254740993 \\u00e9"}'

describe('numbers and odd keys', () => {
  test('of a stored event come back as they were sent', async () => {
    const { rest } = await cleanService()
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
    const { rest, dashboardUrl } = await cleanService()
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

  const given = '{"n":12345678901234567890,"o":{"price":1.10,"list":[1e400,-0,1.0]}}'
  const parameters = [
    { name: 'n', type: 'number', description: 'A number.', required: true },
    { name: 'o', type: 'object', description: 'An object.', required: false },
  ]

  test('of arguments reach the external system, over REST and RPC, in a body and in a query', async () => {
    const system = await startExternalSystem()
    const { rest, dashboardUrl } = await cleanService()
    const { connectionId } = await createConnection(rest, { baseUrl: system.url })
    const session = await signIn(dashboardUrl)
    for (const method of ['POST', 'GET']) {
      const { actionId } = z.object({ actionId: z.string() }).parse(
        (
          await rest('POST', `/connections/${connectionId}/actions`, {
            ...{ name: `Look up ${method}`, description: 'When asked.', method, path: '/x', parameters },
          })
        ).body,
      )
      const ask = (path: string, body: string, headers: Record<string, string>) =>
        fetch(dashboardUrl + path, {
          method: 'POST',
          headers: { 'content-type': 'application/json', ...headers },
          body,
        })
      const test = `/api/v1/connections/${connectionId}/actions/${actionId}/test`
      const admin = { authorization: `Bearer ${adminToken}` }
      const page = { ...session, 'x-csrf-token': 'orpc' }
      const ids = `"connectionId":"${connectionId}","actionId":"${actionId}"`
      const text = JSON.stringify(given)
      const answers = [
        await ask(test, `{"arguments":${given}}`, admin),
        await ask(test, `{"argumentsText":${text},"arguments":{"n":1}}`, admin),
        await ask('/rpc/actions/test', `{"json":{${ids},"arguments":${given}}}`, page),
        await ask('/rpc/actions/test', `{"json":{${ids},"argumentsText":${text}}}`, page),
      ]
      for (const answer of answers) expect(await answer.text()).toContain('"ok":true')
      const asked = system.requests.splice(0)
      expect(asked).toHaveLength(4)
      for (const { body, url } of asked)
        if (method === 'POST') expect(body).toBe(given)
        else
          expect(decodeURIComponent(url)).toBe(
            '/x?n=12345678901234567890&o={"price":1.10,"list":[1e400,-0,1.0]}',
          )
      expect((await rest('GET', `/connections/${connectionId}/actions/${actionId}/tests`)).text).toContain(
        `"arguments":${given}`,
      )
    }
  })

  test('of arguments are of the type number, and nothing else is', async () => {
    const { rest } = await cleanService()
    const { connectionId } = await createConnection(rest, { baseUrl: 'http://127.0.0.1:1' })
    const action = { name: 'Look up', description: 'When asked.', method: 'POST', path: '/x' }
    const swapped = parameters.map(one => ({ ...one, type: one.type === 'object' ? 'number' : 'object' }))
    const { actionId } = z
      .object({ actionId: z.string() })
      .parse(
        (await rest('POST', `/connections/${connectionId}/actions`, { ...action, parameters: swapped })).body,
      )
    const path = `/connections/${connectionId}/actions/${actionId}/test`
    const { text } = await rest('POST', path, { argumentsText: given })
    expect(text).toContain('n must be an object, not a number.')
    expect(text).toContain('o must be a number, not an object.')
    for (const argumentsText of ['[1]', '7', '{', '['.repeat(100_000)])
      expect(await rest('POST', path, { argumentsText })).toMatchObject({ status: 400 })
    expect(
      await rest('POST', path, { argumentsText: `{"o":${'['.repeat(5000)}${']'.repeat(5000)}}` }),
    ).toMatchObject({ status: 400, body: { code: 'invalid_input' } })
  })

  test('of a sample payload are kept, exported and imported', async () => {
    const sample = '{"n":12345678901234567890,"o":{"price":1.10,"list":[-0,1.0,1E3]}}'
    const { rest, dashboardUrl } = await cleanService()
    const first = await createConnection(rest)
    const session = await signIn(dashboardUrl)
    const types = `/connections/${first.connectionId}/event-types`
    const created = await fetch(`${dashboardUrl}/api/v1${types}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${adminToken}`, 'content-type': 'application/json' },
      body: `{"eventName":"rest","samplePayload":${sample}}`,
    })
    expect(await created.text()).toContain(`"sampleText":${JSON.stringify(sample)}`)
    const overRpc = await fetch(`${dashboardUrl}/rpc/eventTypes/create`, {
      method: 'POST',
      headers: { ...session, 'x-csrf-token': 'orpc', 'content-type': 'application/json' },
      body: `{"json":{"connectionId":"${first.connectionId}","eventName":"rpc","samplePayload":${sample}}}`,
    })
    expect(await overRpc.text()).toContain(`"sampleText":${JSON.stringify(sample)}`)
    const { text } = await rest('GET', `/connections/${first.connectionId}/export`)
    expect(text.split(`"samplePayload":${sample}`)).toHaveLength(3)
    const imported = await rest('POST', '/import', { text })
    expect(imported.text).not.toContain('is kept as')
    const { connectionId } = z.object({ connectionId: z.string() }).parse(imported.body)
    expect((await rest('GET', `/connections/${connectionId}/export`)).text).toBe(text)
  })
})
