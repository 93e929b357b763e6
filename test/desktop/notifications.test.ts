import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { describe, expect, test, vi } from 'vitest'
import type { Notice } from '#main/desktop/notifier.ts'
import { createRejectionNotices, type Rejection } from '#main/desktop/rejection-notices.ts'
import { startExternalSystem } from '../support/external-system.ts'
import { connectMcp, httpTransport } from '../support/mcp-client.ts'
import { waitMs } from '../support/patience.ts'
import { postInbound } from '../support/service-fixture.ts'
import { launchApp } from './app-fixture.ts'

const body = '{"event":"order.created"}'

/** Collects the garbage, so that objects with only a WeakRef are gone. */
async function collectGarbage(): Promise<void> {
  setFlagsFromString('--expose-gc')
  // A WeakRef that was just made holds until this turn of the loop ends.
  await new Promise(resolve => setImmediate(resolve))
  runInNewContext('gc')()
}

describe('native notifications', () => {
  test('show refused requests once they are switched on, and open the window', async () => {
    const app = await launchApp()
    await app.started
    const client = app.client()
    const { credentials, connectionId } = await client.connections.create({ name: 'Shop' })
    const wrong = { ...credentials, signingSecret: 'whsec_wrong' }
    const feed = await client.activity.live({ connectionId })
    expect((await fetch(credentials.inboundUrl, { method: 'POST', body })).status).toBe(401)
    expect(await feed.next()).toMatchObject({ value: { code: 'missing_signature' } })

    await client.desktop.update({ notifyRejected: true })
    expect(await postInbound(credentials, body)).toMatchObject({ status: 200 })
    expect(await postInbound(wrong, body)).toMatchObject({ status: 401 })
    await expect.poll(() => app.electron.notifications).toHaveLength(1)
    const [notification] = app.electron.notifications
    expect(notification?.title).toBe('Request refused: Shop')
    // Not the one of before.
    expect(notification?.body).toMatch(/^The signature does not match any common mistake/)
    app.window().close()
    await collectGarbage()
    notification?.click()
    expect(app.electron.windows).toHaveLength(2)
  })
})

test('shows the messages of workflows, those that follow closely as one', async () => {
  const app = await launchApp()
  await app.started
  const client = app.client()
  const { connectionId, credentials } = await client.connections.create({ name: 'Shop' })
  await client.workflows.create({
    name: 'Tell',
    trigger: { type: 'external.event', connectionId, eventName: 'paid' },
    steps: [{ key: 'tell', type: 'notify', message: 'Paid {{n}}' }],
  })
  const feed = await client.activity.live({ connectionId })
  const send = async (n: number) => {
    await postInbound(credentials, JSON.stringify({ event: 'paid', data: { n } }))
    for (;;) {
      const { done, value } = await feed.next()
      if (done === true) throw new Error('The feed has ended.')
      if (value.type === 'workflow.notified') return expect(value.message).toBe(`Paid ${n}`)
    }
  }
  await send(1)
  await expect.poll(() => app.electron.notifications).toMatchObject([{ title: 'Tell', body: 'Paid 1' }])
  await send(2)
  await send(3)
  app.timers.find(({ ms }) => ms === 5000)?.fire()
  await expect
    .poll(() => app.electron.notifications)
    .toMatchObject([{}, { title: '2 messages of workflows', body: 'Tell: Paid 3' }])
})

test('asks about the calls of MCP clients, with buttons that decide', async () => {
  const app = await launchApp()
  await app.started
  const client = app.client()
  const system = await startExternalSystem((_request, response) => void response.end('{}'))
  const { connectionId } = await client.connections.create({ name: 'Shop', baseUrl: system.url })
  await client.actions.create({
    ...{
      connectionId,
      name: 'Refund',
      toolName: 'refund',
      description: 'Refunds.',
      method: 'POST',
      path: '/',
    },
    parameters: [{ name: 'order', type: 'string', description: 'Its number.', required: true }],
  })
  const { dashboardUrl } = await client.desktop.update({ dashboardOnTcp: true })
  const { token } = await client.assistant.createToken({ name: 'Laptop', askFirst: true })
  const mcp = await connectMcp(httpTransport(`${dashboardUrl}/mcp/${connectionId}`, token), '2026-07-28')
  const call = (order: string) => mcp.client.callTool({ name: 'refund', arguments: { order } })
  const asked = (number: number) =>
    vi.waitUntil(() => app.electron.notifications[number], { timeout: waitMs })

  const allowed = call('A-1')
  const first = await asked(0)
  expect(first).toMatchObject({
    title: expect.stringMatching(/ wants to call refund$/),
    body: '{"order":"A-1"}',
  })
  expect(system.requests).toHaveLength(0)
  first.choose('Allow')
  expect((await allowed).isError).toBeFalsy()
  expect(system.requests).toHaveLength(1)

  const declined = call('A-2').then(
    ({ isError }) => isError,
    () => true,
  )
  ;(await asked(1)).choose('Decline')
  expect(await declined).toBe(true)
  expect(system.requests).toHaveLength(1)
})

test('shows a refused request without its diagnosis if that takes too long', async () => {
  const app = await launchApp()
  await app.started
  const client = app.client()
  const { credentials } = await client.connections.create({ name: 'Shop' })
  await client.desktop.update({ notifyRejected: true })
  const waits = () => app.timers.filter(({ ms }) => ms === 2000)
  // Ten are diagnosed within a second, and the clock stands still.
  for (let count = 0; count < 11; count++)
    await postInbound({ ...credentials, signingSecret: 'whsec_wrong' }, body)
  await expect.poll(() => app.electron.notifications).toHaveLength(1)
  // The others wait for a moment only: the last one is there each time that somebody looks.
  let before: unknown
  await expect
    .poll(() => {
      const [first, ...others] = waits()
      const isLeft = first !== undefined && first === before && others.length === 0
      before = first
      return isLeft
    })
    .toBe(true)
  waits()[0]?.fire()
  expect(waits()).toEqual([])
  app.timers.find(({ ms }) => ms === 60_000)?.fire()
  await expect.poll(() => app.electron.notifications).toHaveLength(2)
  expect(app.electron.notifications[1]).toMatchObject({
    title: '10 requests refused: Shop',
    body: '2 different reasons; see Activity.',
  })
})

describe('many refused requests', () => {
  const rejection = (connectionId: string | null, message: string): Rejection => ({
    type: 'event.rejected',
    attemptId: null,
    id: '1',
    at: '2026-11-21T09:30:00.000Z',
    connectionId,
    code: 'invalid_signature',
    message,
    diagnosis: null,
    bytes: 2,
    tookMs: 1,
  })

  function gather() {
    const shown: Notice[] = []
    let fire = () => {}
    let timers = 0
    const asked: string[] = []
    const notices = createRejectionNotices({
      show: notice => void shown.push(notice),
      async nameOf(id) {
        asked.push(id)
        return id === 'gone' ? null : id.toUpperCase()
      },
      setTimer(callback, ms) {
        expect(ms).toBe(60_000)
        timers += 1
        fire = callback
        return () => {
          timers -= 1
        }
      },
    })
    return { shown, asked, notices, fire: () => fire(), timers: () => timers }
  }

  test('are throttled: the first is shown at once, the rest together after a minute', async () => {
    const { shown, notices, fire } = gather()
    await notices.add(rejection('a', 'One.'))
    expect(shown).toEqual([{ title: 'Request refused: A', body: 'One.' }])
    for (const id of ['a', 'b', 'gone', null, 'c']) await notices.add(rejection(id, 'One.'))
    expect(shown).toHaveLength(1)

    fire()
    await expect.poll(() => shown).toHaveLength(2)
    expect(shown[1]).toEqual({
      title: '5 requests refused: A, B, a deleted connection, 2 more',
      body: 'One.',
    })
    // Nothing came since: the minute after that ends in silence, and the next one is told at once.
    fire()
    await notices.add(rejection('a', 'Two.'))
    expect(shown[2]).toEqual({ title: 'Request refused: A', body: 'Two.' })
  })

  test('show the number of reasons, and name unknown URLs', async () => {
    const { shown, notices, fire } = gather()
    await notices.add(rejection(null, 'No connection has this inbound token.'))
    expect(shown[0]?.title).toBe('Request refused: an unknown URL')
    await notices.add(rejection('a', 'One.'))
    await notices.add({
      ...rejection('a', 'One.'),
      diagnosis: { code: 'signed_body_only', message: 'The body alone was signed.' },
    })
    fire()
    await expect.poll(() => shown).toHaveLength(2)
    expect(shown[1]).toEqual({
      title: '2 requests refused: A',
      body: '2 different reasons; see Activity.',
    })
  })

  test('look up only the names that are shown', async () => {
    const { shown, asked, notices, fire } = gather()
    for (let index = 0; index <= 100; index++) await notices.add(rejection(`c${index}`, 'One.'))
    fire()
    await expect.poll(() => shown).toHaveLength(2)
    expect(shown[1]?.title).toBe('100 requests refused: C1, C2, C3, 97 more')
    expect(asked).toEqual(['c0', 'c1', 'c2', 'c3'])
  })

  test('are dropped at the end', async () => {
    const { notices, timers } = gather()
    await notices.add(rejection('a', 'One.'))
    notices.stop()
    expect(timers()).toBe(0)
  })
})
