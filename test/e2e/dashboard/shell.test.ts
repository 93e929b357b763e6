import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, onTestFinished, test } from 'vitest'
import { z } from 'zod'
import { createAction, testAction } from '../../support/actions.ts'
import { startExternalSystem } from '../../support/external-system.ts'
import { waitMs } from '../../support/patience.ts'
import { createConnection } from '../../support/rest-client.ts'
import { postInbound } from '../../support/service-fixture.ts'
import { expectAccessible } from './accessibility.ts'
import { dashboardTests, pressInSequence, startRealTimeService } from './fixture.ts'

const { open, sharedService } = dashboardTests()

test('the palette finds an action by its name and opens its test', async () => {
  const { page, service } = await open()
  const { connectionId } = await createConnection(service.rest, { baseUrl: 'https://api.example.com' })
  await service.rest('POST', `/connections/${connectionId}/actions`, {
    name: 'Create a refund',
    description: 'Give money back.',
    path: '/refunds',
  })
  await page.keyboard.press('Control+k')
  await page.getByRole('combobox', { name: 'Search or run' }).fill('refu')
  const option = page.getByRole('option', { name: /Create a refund/ })
  await option.waitFor()
  await expect.poll(() => option.getAttribute('aria-selected')).toBe('true')
  await expectAccessible(page)
  await page.keyboard.press('Enter')
  await expect.poll(() => page.url()).toMatch(/\/actions\?action=.*panel=test/)
})

test('the palette finds a stored event of any connection by what is in it', async () => {
  const { page, service } = await open()
  await createConnection(service.rest, { name: 'Empty' })
  const connection = await createConnection(service.rest, { name: 'Acme', persistEvents: true })
  for (const id of ['A-1001', 'A-1002'])
    await service.rest('POST', `/connections/${connection.connectionId}/send`, {
      event: 'order.created',
      data: { id },
    })
  await page.keyboard.press('Control+k')
  await page.getByRole('combobox', { name: 'Search or run' }).fill('a-1002')
  const options = page.getByRole('option', { name: /order\.created/ })
  await options.filter({ hasText: 'A-1002' }).waitFor()
  await expect.poll(() => options.count()).toBe(1)
  await expectAccessible(page)
  await page.keyboard.press('Enter')
  await expect.poll(() => page.url()).toMatch(/\/activity\?item=evt_/)
  await page.getByRole('region', { name: 'order.created' }).waitFor()
})

test('the palette finds by a text what is only in memory, a refused request, and a call', async () => {
  const system = await startExternalSystem()
  const { page, service } = await open()
  const { connectionId, credentials } = await createConnection(service.rest, {
    name: 'Acme',
    baseUrl: system.url,
  })
  const parameters = [{ name: 'order_id', type: 'string', description: 'The order.', required: true }]
  const { actionId } = await createAction(service.rest, connectionId, { parameters })
  const body = '{"event":"order.paid","data":{"order_id":"ORD-20418"}}'
  await postInbound(credentials, body, Date.now())
  const logged = await createConnection(service.rest, { name: 'Logged', persistEvents: true })
  await postInbound({ ...logged.credentials, signingSecret: 'whsec_wrong' }, body, Date.now())
  await testAction(service.rest, { connectionId, actionId }, { order_id: 'ORD-20418' })
  const input = page.getByRole('combobox', { name: 'Search or run' })
  for (const [option, region] of [
    [/^order\.paid Acme · .*ORD-20418/, 'order.paid'],
    [/Logged · Rejected/, 'Rejected attempt'],
    [/^look_up Acme · 200/, 'look_up'],
  ] as const) {
    await page.keyboard.press('Control+k')
    await input.fill('ord-20418')
    await page.getByRole('option', { name: option }).click()
    await page.getByRole('region', { name: region }).waitFor()
  }
})

test('the palette finds what it can do by other words for it, also without an open connection', async () => {
  const { page, service } = await open()
  await createConnection(service.rest, { name: 'Acme' })
  await createConnection(service.rest, { name: 'Warehouse' })
  await page.getByRole('table', { name: 'Connections' }).getByText('Warehouse').waitFor()
  await page.keyboard.press('Control+k')
  const input = page.getByRole('combobox', { name: 'Search or run' })
  for (const [typed, option] of [
    ['secret', /^Copy signing secret Acme/],
    ['secret', /^Rotate signing secret Warehouse/],
    ['rotate', /^Rotate signing secret Acme/],
    ['rotate warehouse', /^Rotate signing secret Warehouse/],
    ['renew key', /^Rotate signing secret Acme/],
    ['webhook address', /^Copy inbound URL Acme/],
    ['log acme', /^Show activity Acme/],
    ['pause', /^Disable connection Acme/],
    ['remove', /^Delete Acme/],
    ['clone', /^Duplicate Acme/],
    ['import again', /^Import again Acme/],
    ['backup', /^Settings: Data folder/],
    ['backup', /^Export as JSON Acme/],
    ['restore', /^Settings: Data folder/],
    ['sign out', /^Settings: Data folder/],
    ['tunnel', /^Settings: Public URL/],
    ['port', /^Settings: Listener/],
    ['api key', /^Settings: Environment/],
    ['theme', /^Settings: Appearance/],
    ['body size', /^Settings: Limits/],
    ['days', /^Settings: Retention/],
    ['deliveries', /^Settings: Webhook/],
    ['automation', /^New workflow/],
    ['history', /^Go to runs/],
    ['hotkeys', /^Keyboard shortcuts/],
    ['access key', /^New client token/],
  ] as const) {
    await input.fill(typed)
    await expect.poll(() => page.getByRole('option', { name: option }).count(), { message: typed }).toBe(1)
  }
  await expectAccessible(page)
  await input.fill('rotate ware')
  await page.keyboard.press('Enter')
  await page.getByRole('dialog', { name: 'Rotate the signing secret' }).waitFor()
})

test('the palette has what the menus on the screen do, before texts that are searched for', async () => {
  const { page, go, service } = await open()
  const { connectionId } = await createConnection(service.rest, { name: 'Acme' })
  const { actionId } = await createAction(service.rest, connectionId)
  await go(`/connections/${connectionId}/actions?action=${actionId}`)
  await page.getByRole('button', { name: 'More for Look up' }).waitFor()
  await page.keyboard.press('Control+k')
  await page.getByRole('combobox', { name: 'Search or run' }).fill('copy tool')
  const options = page.getByRole('option')
  await expect.poll(() => options.allInnerTexts()).toHaveLength(3)
  expect((await options.allInnerTexts()).map(text => text.split('\n')[0])).toEqual([
    'Copy tool name',
    expect.stringContaining('Search activity for'),
    expect.stringContaining('New action named'),
  ])
  await page.keyboard.press('Enter')
  await page.getByText('Tool name copied').waitFor()
})

test('the palette finds everything that has an id by it, and opens it', async () => {
  const { page, service } = await open({ own: true })
  const connection = await createConnection(service.rest, {
    name: 'Acme',
    baseUrl: 'http://127.0.0.1:9',
    persistEvents: true,
  })
  const { connectionId, credentials } = connection
  const made = async (path: string, body: object, field: string) => {
    const answer = await service.rest('POST', path, body)
    return z.string().parse(z.record(z.string(), z.unknown()).parse(answer.body)[field])
  }
  const root = `/connections/${connectionId}`
  const actionId = await made(
    `${root}/actions`,
    { name: 'Look up', description: 'When asked.', path: '/x' },
    'actionId',
  )
  const eventTypeId = await made(`${root}/event-types`, { eventName: 'order.paid' }, 'eventTypeId')
  const workflowId = await made(
    '/workflows',
    {
      name: 'Tell me',
      enabled: true,
      trigger: { type: 'external.event', connectionId, eventName: 'order.paid' },
      steps: [{ key: 'say', type: 'notify', message: 'Hello' }],
    },
    'workflowId',
  )
  await service.rest('POST', `${root}/actions/${actionId}/test`, { arguments: {} })
  await postInbound(credentials, '{"event":"order.paid","data":{"order_id":"ORD-20418"}}', Date.now())
  const wrong = { ...credentials, signingSecret: 'whsec_wrong' }
  await postInbound(wrong, '{"event":"order.paid"}', Date.now())
  const List = z.object({ items: z.array(z.record(z.string(), z.unknown())) })
  const listed = async (field: string) => {
    const { body } = await service.rest('GET', '/activity/list')
    return List.parse(body).items.find(item => typeof item[field] === 'string')?.[field]
  }
  const Runs = z.object({ runs: z.array(z.object({ runId: z.string() })) })
  const runIds = async () => Runs.parse((await service.rest('GET', '/runs')).body).runs
  await expect.poll(async () => (await runIds()).length).toBe(1)
  const runId = (await runIds())[0]?.runId
  const input = page.getByRole('combobox', { name: 'Search or run' })
  for (const [id, option, address] of [
    [connectionId, /^Acme/, `#/connections/${connectionId}`],
    [actionId, /Look up/, `action=${actionId}`],
    [eventTypeId, /^order\.paid/, `eventType=${eventTypeId}`],
    [workflowId, /^Tell me/, `#/workflows/${workflowId}`],
    [runId, /Tell me order\.paid · ORD-20418/, `run=${runId}`],
    [await listed('eventId'), /^order\.paid Acme · ORD-20418/, 'item=evt_'],
    [await listed('attemptId'), /Acme · Rejected/, 'item=att_'],
    [await listed('callId'), /^look_up Acme/, 'item=call_'],
  ] as const) {
    await page.keyboard.press('Control+k')
    await input.fill(` ${id} `)
    await page.getByRole('option', { name: option }).first().waitFor()
    await page.keyboard.press('Enter')
    await expect.poll(() => page.url()).toContain(address)
  }
})

test('the palette does what the open connection’s menus do, typos and all', async () => {
  const { page, service } = await open()
  const { connectionId } = await createConnection(service.rest, { name: 'Acme', persistEvents: true })
  await service.rest('POST', `/connections/${connectionId}/send`, { event: 'order.created', data: {} })
  await page.goto(`${service.dashboardUrl}/#/connections/${connectionId}`)
  await page.getByRole('heading', { name: 'Acme' }).waitFor()
  const input = page.getByRole('combobox', { name: 'Search or run' })
  const run = async (typed: string, option: string | RegExp) => {
    await page.keyboard.press('Control+k')
    await input.fill(typed)
    await page.getByRole('option', { name: option }).click()
  }
  for (const typed of ['copy secret', 'export json', 'duplicate acme'])
    await expect
      .poll(async () => {
        await page.keyboard.press('Escape')
        await page.keyboard.press('Control+k')
        await input.fill(typed)
        return page.getByRole('option').count()
      })
      .toBeGreaterThan(0)
  await page.keyboard.press('Escape')
  await run('replya', /Replay the last event, order\.created/)
  await page.getByText('Replayed').waitFor()
  await run('>rotate', 'Rotate signing secret')
  await page.getByRole('dialog', { name: 'Rotate the signing secret' }).waitFor()
  await page.getByRole('button', { name: 'Cancel' }).click()
  await run('>delete', /^Delete Acme/)
  await page.getByRole('dialog', { name: 'Delete Acme' }).waitFor()
})

test('the palette runs commands, by arrow keys too, and says when nothing fits', async () => {
  const { page } = await open()
  await page.keyboard.press('Control+k')
  const input = page.getByRole('combobox', { name: 'Search or run' })
  await input.fill('>settings')
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('Enter')
  await expect.poll(() => page.url()).toContain('/settings/')
  await page.keyboard.press('Control+k')
  await input.fill('nothing is called that')
  await page.getByText('Nothing matches “nothing is called that”').waitFor()
  await page.keyboard.press('Escape')
  await input.waitFor({ state: 'detached' })
})

test('single letters go places, and rest while something is typed', async () => {
  const { page } = await open()
  await pressInSequence(page, 'g', 's')
  await expect.poll(() => page.url()).toContain('/settings/listener')
  const port = page.getByLabel('Port', { exact: true })
  await port.focus()
  await page.keyboard.type('gc?')
  expect(await page.getByRole('dialog').count()).toBe(0)
  // Outside of the field a key is heard again; whatever the others did has happened by then.
  await port.blur()
  await page.keyboard.press('?')
  await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor()
  expect(page.url()).toContain('/settings/listener')
})

test('? lists what the keyboard does here', async () => {
  const { page, service, go } = await open()
  const { connectionId } = await createConnection(service.rest)
  await go(`/connections/${connectionId}`)
  await page.getByRole('tab', { name: 'Overview' }).waitFor()
  await page.keyboard.press('?')
  const dialog = page.getByRole('dialog', { name: 'Keyboard shortcuts' })
  await dialog.getByText('Send a test event').waitFor()
  await dialog.getByText('Search or run a command').waitFor()
  await expectAccessible(page)
})

test('numbers open the tabs of a connection, and its address is a link to each', async () => {
  const { page, service, go } = await open()
  const { connectionId } = await createConnection(service.rest)
  await go(`/connections/${connectionId}`)
  await page.getByRole('tab', { name: 'Overview' }).waitFor()
  for (const [key, tab, path] of [
    ['2', 'Actions', 'actions'],
    ['3', 'Event types', 'events'],
    ['4', 'Activity', 'activity'],
    ['1', 'Overview', ''],
  ] as const) {
    await page.keyboard.press(key)
    await page.getByRole('tab', { name: tab, selected: true }).waitFor()
    await expect
      .poll(() => new URL(page.url()).hash)
      .toMatch(new RegExp(`^#/connections/${connectionId}/?${path}$`))
  }
  await page.keyboard.press(']')
  await expect.poll(() => page.url()).toContain('/actions')
  await go(`/connections/${connectionId}/activity`)
  await page.getByRole('tab', { name: 'Activity', selected: true }).waitFor()
})

test('a deleted connection and an unknown address have messages', async () => {
  const { page, go } = await open()
  await go('/connections/conn_that_is_not_there00000')
  await page.getByText('connection_not_found').waitFor()
  await go('/nowhere/at/all')
  await page.getByText('This page does not exist').waitFor()
  await expectAccessible(page)
})

test('what others change appears by itself, also after the service was away', async () => {
  const { page, service } = await open({ own: true })
  const main = page.getByRole('main')
  await createConnection(service.rest, { name: 'Made by a script' })
  await main.getByText('Made by a script').waitFor()
  const { port } = new URL(service.dashboardUrl)
  await service.stop()
  await page.getByText('Reconnecting…').waitFor()
  await service.restart(Number(port))
  await createConnection(service.rest, { name: 'Made after the break' })
  await main.getByText('Made after the break').waitFor()
  await page.getByText('Listening', { exact: true }).waitFor()
})

test('what others change between the first answer and the live stream is not missed', async () => {
  const { page, service, go } = await open({ path: '/settings/appearance' })
  const held = Promise.withResolvers<void>()
  await page.route('**/rpc/live/follow', async route => {
    await held.promise
    await route.continue()
  })
  await page.goto('about:blank')
  await go('/connections')
  await page.getByText('Connect your first system').waitFor()
  await createConnection(service.rest, { name: 'Made meanwhile' })
  held.resolve()
  await page.getByRole('main').getByText('Made meanwhile').waitFor()
})

test('at 900 × 600 and 1920 × 1080 nothing is cut off sideways', async () => {
  const { page, go } = await open()
  for (const [path, name] of [
    ['/connections', 'Connect your first system'],
    ['/settings/listener', 'Listener'],
    ['/settings/environment', 'Environment variables'],
  ] as const) {
    await go(path)
    await page.getByRole('heading', { name, level: 2, exact: true }).waitFor()
    for (const size of [
      { width: 900, height: 600 },
      { width: 1920, height: 1080 },
    ]) {
      await page.setViewportSize(size)
      await expect
        .poll(() => page.evaluate('document.documentElement.scrollWidth'))
        .toBeLessThanOrEqual(size.width)
    }
  }
})

test('while the event log cannot be written, every screen says that events are refused', async () => {
  const service = await sharedService()
  const { credentials } = await createConnection(service.rest, { persistEvents: true })
  // The service itself may be writing just now.
  const other = new DatabaseSync(join(service.dataFolder, 'events.sqlite'), { timeout: waitMs })
  onTestFinished(() => other.close())
  other.exec('BEGIN IMMEDIATE')
  const { page, go } = await open({ at: service })
  const notice = page.getByRole('alert').filter({ hasText: 'Events are refused' })
  await notice.waitFor()
  expect((await postInbound(credentials, '{"event":"order.paid"}', Date.now())).status).toBe(503)
  await go('/settings')
  await notice.waitFor()
  await expectAccessible(page)
  other.exec('ROLLBACK')
  await page.reload()
  await page.getByText('Listening', { exact: true }).waitFor()
  await notice.waitFor({ state: 'detached' })
  expect((await postInbound(credentials, '{"event":"order.paid"}', Date.now())).status).toBe(200)
})

test('an event log that is missing at a start is told of above every screen, until the next start', async () => {
  const service = await startRealTimeService()
  await service.stop()
  for (const suffix of ['', '-wal', '-shm'])
    await rm(join(service.dataFolder, `events.sqlite${suffix}`), { force: true })
  await service.restart()
  const { page, go } = await open({ at: service })
  const notice = page.getByRole('alert').filter({ hasText: 'is missing. A new one is started' })
  await notice.waitFor()
  await go('/settings')
  await notice.waitFor()
  await expectAccessible(page)
  expect((await service.rest('GET', '/service')).body).toMatchObject({ notices: [expect.any(String)] })
  await service.restart()
  expect((await service.rest('GET', '/service')).body).toMatchObject({ notices: [] })
})
