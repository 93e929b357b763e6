import { access, readFile, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { z } from 'zod'
import { listenOn } from '#main/lib/listen-on.ts'
import { Action } from '#shared/model/action.ts'
import { Credentials } from '#shared/model/connection.ts'
import { hmacHex } from '../signing/sender.ts'
import { testAction } from '../support/actions.ts'
import { errorCode, type Rest, readAnswer } from '../support/rest-client.ts'
import { type ServiceFixture, sharedService, startOfTests, startService } from '../support/service-fixture.ts'

const cleanService = sharedService()

const Loaded = z.strictObject({ connectionId: z.string() })
const minuteMs = 60_000

async function load(rest: Rest, input?: object): Promise<string> {
  const answer = await rest('POST', '/samples', input)
  expect(answer.status, answer.text).toBe(200)
  return Loaded.parse(answer.body).connectionId
}

async function serverOf(rest: Rest, connectionId: string): Promise<string> {
  const { body } = await rest('GET', `/connections/${connectionId}`)
  return z.object({ baseUrl: z.string() }).parse(body).baseUrl
}

/** Calls an action of the sample as the Test button does. */
async function call(rest: Rest, connectionId: string, toolName: string, given: object) {
  const { body } = await rest('GET', `/connections/${connectionId}/actions`)
  const action = z
    .array(Action)
    .parse(body)
    .find(one => one.toolName === toolName)
  if (action === undefined) throw new Error(`The sample has no ${toolName}.`)
  return testAction(rest, { connectionId, actionId: action.actionId }, given)
}

const lookUp = (rest: Rest, connectionId: string, order_id = 'ORD-20418') =>
  call(rest, connectionId, 'look_up_order', { order_id })

async function signWith(rest: Rest, connectionId: string) {
  const { body } = await rest('GET', `/connections/${connectionId}/credentials`)
  const { signingSecret } = Credentials.parse(body)
  return (timestamp: number, text: string, secret = signingSecret) => ({
    'x-service-timestamp': String(timestamp),
    'x-service-signature': `sha256=${hmacHex(secret, `${timestamp}.${text}`)}`,
  })
}

const keptFile = ({ dataFolder }: ServiceFixture) => join(dataFolder, 'sample.json')

describe('the sample', () => {
  test('logs its events, and has a server on this computer that answers a test with a mapped result', async () => {
    const { rest } = await cleanService()
    const connectionId = await load(rest)
    expect(await serverOf(rest, connectionId)).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/)
    expect((await rest('GET', '/connections')).body).toMatchObject([
      { connectionId, name: 'Sample order system', workspaceId: 'default', persistEvents: true },
    ])
    const result = await lookUp(rest, connectionId)
    expect(result).toMatchObject({ ok: true, response: { status: 200 } })
    expect(result.mapped).toEqual({ status: 'paid', total: 149, currency: 'EUR', tracking_url: null })
  })

  test('answers each of its actions, and remembers what they changed', async () => {
    const { rest } = await cleanService()
    const connectionId = await load(rest)
    const status = async (toolName: string, given: object) =>
      (await call(rest, connectionId, toolName, given)).response?.status
    const found = await call(rest, connectionId, 'list_recent_orders', {
      email: 'maya.lindqvist@example.com',
      limit: 1,
    })
    expect(JSON.parse(found.response?.body ?? '')).toMatchObject({ orders: [{ id: 'ORD-20418' }] })

    const refund = { order_id: 'ORD-20418', amount: 100.1, reason: 'Too late' }
    const refunded = await call(rest, connectionId, 'create_refund', refund)
    expect(refunded.mapped).toEqual({ refund_id: 'rf_1001', status: 'pending' })
    expect(await status('create_refund', { ...refund, amount: 48.91 })).toBe(422)
    expect(await status('create_refund', { ...refund, amount: 48.9 })).toBe(201)

    const address = { street: 'Kungsgatan 1', postal_code: '111 43', city: 'Stockholm', country: 'SE' }
    expect(await status('change_delivery_address', { order_id: 'ORD-20418', address })).toBe(200)
    expect(await status('change_delivery_address', { order_id: 'ORD-20418', address: {} })).toBe(400)
    expect((await lookUp(rest, connectionId)).response?.body).toContain('Kungsgatan 1')

    expect(await status('cancel_order', { order_id: 'ORD-20418' })).toBe(200)
    expect((await lookUp(rest, connectionId)).mapped).toMatchObject({ status: 'cancelled' })
    expect(await status('cancel_order', { order_id: 'ORD-20402' })).toBe(409)
    const unknown = await lookUp(rest, connectionId, 'ORD-1')
    expect(unknown.response).toMatchObject({ status: 404, body: expect.stringContaining('no order ORD-1') })
  })

  test('is one: loaded again, at once even, it is the same connection', async () => {
    const { rest } = await cleanService()
    const ids = await Promise.all([load(rest), load(rest), load(rest)])
    expect(new Set(ids).size).toBe(1)
    expect(await load(rest)).toBe(ids[0])
    expect((await rest('GET', '/connections')).body).toHaveLength(1)
  })

  test('goes into the workspace asked for, which has to be there', async () => {
    const fixture = await cleanService()
    const { rest } = fixture
    expect(errorCode(await rest('POST', '/samples', { workspaceId: 'none' }))).toBe('workspace_not_found')
    expect((await rest('GET', '/connections')).body).toEqual([])
    await expect(access(keptFile(fixture))).rejects.toThrow('ENOENT')
    const { body } = await rest('POST', '/workspaces', { name: 'Team' })
    const { workspaceId } = z.object({ workspaceId: z.string() }).parse(body)
    const connectionId = await load(rest, { workspaceId })
    expect((await rest('GET', `/connections/${connectionId}`)).body).toMatchObject({ workspaceId })
  })
})

describe('its server', () => {
  test('answers 401 to whatever is not signed with the secret, whole, within 5 minutes', async () => {
    const { rest } = await cleanService()
    const connectionId = await load(rest)
    const url = `${await serverOf(rest, connectionId)}/refunds`
    const sign = await signWith(rest, connectionId)
    const text = JSON.stringify({ order_id: 'ORD-20418', amount: 1, reason: 'Damaged' })
    const post = async (headers: Record<string, string>, body = text) =>
      readAnswer(await fetch(url, { method: 'POST', headers, body }))
    const good = sign(startOfTests, text)
    expect(await post(good)).toMatchObject({ status: 201 })

    const { body } = await rest('GET', `/connections/${connectionId}/credentials`)
    const { signingSecret } = Credentials.parse(body)
    const wrong = [
      {},
      { 'x-service-timestamp': good['x-service-timestamp'] },
      { 'x-service-signature': good['x-service-signature'] },
      sign(startOfTests, text, 'whsec_wrong'),
      sign(startOfTests, text, signingSecret.replace('whsec_', '')),
      sign(startOfTests, `${text} `),
      sign(startOfTests - 5 * minuteMs - 1, text),
      sign(startOfTests + 5 * minuteMs + 1, text),
    ]
    for (const headers of wrong) {
      const answer = await post(headers)
      expect([answer.status, answer.body]).toEqual([401, { error: expect.any(String) }])
      expect(answer.text).not.toContain(signingSecret)
    }
    expect(await post(sign(startOfTests - 5 * minuteMs, text))).toMatchObject({ status: 201 })
    expect(await post(sign(startOfTests, '{'), '{')).toMatchObject({ status: 400 })
    const large = 'x'.repeat(64 * 1024 + 1)
    expect(await post(sign(startOfTests, large), large)).toMatchObject({ status: 413 })
  })

  test('goes by the secret as it is now', async () => {
    const { rest } = await cleanService()
    const connectionId = await load(rest)
    const path = '/orders/lookup?order_id=ORD-20418'
    const url = `${await serverOf(rest, connectionId)}${path}`
    const old = (await signWith(rest, connectionId))(startOfTests, '')
    expect((await fetch(url, { headers: old })).status).toBe(200)
    await rest('POST', `/connections/${connectionId}/rotate-secret`, {})
    expect((await fetch(url, { headers: old })).status).toBe(401)
    expect(await lookUp(rest, connectionId)).toMatchObject({ ok: true })
  })

  test('stops with the service, and is there again after a restart', async () => {
    const fixture = await startService()
    const { rest } = fixture
    const connectionId = await load(rest)
    const url = await serverOf(rest, connectionId)
    await fixture.stop()
    await expect(fetch(url)).rejects.toThrow()
    await fixture.restart()
    expect(await serverOf(rest, connectionId)).toBe(url)
    expect(await lookUp(rest, connectionId)).toMatchObject({ ok: true, response: { status: 200 } })
    expect(await load(rest)).toBe(connectionId)
  })

  test('goes with its connection, and the next sample has one of its own', async () => {
    const fixture = await cleanService()
    const { rest } = fixture
    const first = await load(rest)
    const url = await serverOf(rest, first)
    expect((await fetch(url)).status).toBe(401)
    expect((await rest('DELETE', `/connections/${first}`)).status).toBe(200)
    await expect
      .poll(() =>
        fetch(url).then(
          () => 'answered',
          () => 'refused',
        ),
      )
      .toBe('refused')
    await expect
      .poll(() =>
        access(keptFile(fixture)).then(
          () => true,
          () => false,
        ),
      )
      .toBe(false)
    const second = await load(rest)
    expect(second).not.toBe(first)
    expect(await lookUp(rest, second)).toMatchObject({ ok: true })
  })

  test('leaves its port to a program that has taken it meanwhile: the service starts, and says so', async () => {
    const fixture = await startService()
    const { rest } = fixture
    const connectionId = await load(rest)
    const { port } = new URL(await serverOf(rest, connectionId))
    await fixture.stop()
    const other = createServer((_request, response) => void response.writeHead(418).end())
    await listenOn(other, '127.0.0.1', Number(port))
    onTestFinished(() => void other.close())
    await fixture.restart()
    expect(fixture.log.text()).toContain(`Another program already listens on 127.0.0.1:${port}`)
    expect((await lookUp(rest, connectionId)).response?.status).toBe(418)

    other.closeAllConnections()
    await new Promise(resolve => other.close(resolve))
    expect(await load(rest)).toBe(connectionId)
    expect(await lookUp(rest, connectionId)).toMatchObject({ ok: true })
  })

  test.each(['{', '{"connectionId":"x","port":0}'])(
    'is not started from a sample.json that holds %s; the service is',
    async text => {
      const fixture = await startService()
      await load(fixture.rest)
      await fixture.stop()
      await writeFile(keptFile(fixture), text)
      await fixture.restart()
      expect(fixture.log.text()).toContain('sample.json cannot be used')
      expect((await fixture.rest('GET', '/connections')).body).toHaveLength(1)
    },
  )

  test('is forgotten where its connection has gone meanwhile', async () => {
    const fixture = await startService()
    await load(fixture.rest)
    const kept = await readFile(keptFile(fixture), 'utf8')
    await fixture.stop()
    await writeFile(keptFile(fixture), kept.replace('conn_', 'conn_other'))
    await fixture.restart()
    await expect(access(keptFile(fixture))).rejects.toThrow('ENOENT')
  })
})
