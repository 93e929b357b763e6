import type { Page, Request } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { Credentials } from '#shared/model/connection.ts'
import { RunPage } from '#shared/model/run.ts'
import { hmacHex } from '../../signing/sender.ts'
import { createAction, testAction } from '../../support/actions.ts'
import { startCuttableProxy } from '../../support/cuttable-proxy.ts'
import { startExternalSystem } from '../../support/external-system.ts'
import { connectMcp, httpTransport } from '../../support/mcp-client.ts'
import { testMs } from '../../support/patience.ts'
import { createConnection } from '../../support/rest-client.ts'
import { adminToken, postInbound, type ServiceFixture } from '../../support/service-fixture.ts'
import { expectAccessible, expectAccessibleInBothSchemes } from './accessibility.ts'
import { clipboard, dashboardTests, holdCalls, type OpenOptions, startRealTimeService } from './fixture.ts'

const { open, sharedService } = dashboardTests()

type Connection = {
  readonly connectionId: string
  readonly path: string
  /** Posts an event as its sender would. */
  send(event: string, data?: object | string): Promise<void>
  /** Posts events that are numbered from ORD-1 on. */
  sendMany(count: number): Promise<void>
  /** Posts one whose signature covers the body alone. */
  sendSignedWrongly(event: string): Promise<void>
}

async function connect(
  service: ServiceFixture,
  settings: { readonly persistEvents?: boolean; readonly baseUrl?: string } = {},
): Promise<Connection> {
  const { connectionId } = await createConnection(service.rest, { name: 'Acme Orders', ...settings })
  // Asked for each time: a service that is started again has another address.
  const credentials = async () =>
    Credentials.parse((await service.rest('GET', `/connections/${connectionId}/credentials`)).body)
  const textOf = (event: string, data: object | string) =>
    `{"event":${JSON.stringify(event)},"data":${typeof data === 'string' ? data : JSON.stringify(data)}}`
  return {
    connectionId,
    path: `/connections/${connectionId}/activity`,
    async send(event, data = {}) {
      const { status } = await postInbound(await credentials(), textOf(event, data), Date.now())
      expect(status).toBe(200)
    },
    async sendMany(count) {
      const to = await credentials()
      const post = async (order: number) =>
        (await postInbound(to, textOf('order.counted', { order_id: `ORD-${order}` }), Date.now())).status
      expect(await post(1)).toBe(200)
      for (let sent = 1; sent < count; sent += 50) {
        const some = Array.from({ length: Math.min(50, count - sent) }, (_, index) => post(sent + index + 1))
        expect(new Set(await Promise.all(some))).toEqual(new Set([200]))
      }
    },
    async sendSignedWrongly(event) {
      const { inboundUrl, signingSecret } = await credentials()
      const body = textOf(event, { order_id: 'ORD-7' })
      const { status } = await fetch(inboundUrl, {
        method: 'POST',
        body,
        headers: {
          'content-type': 'application/json',
          'x-service-timestamp': String(Date.now()),
          'x-service-signature': `sha256=${hmacHex(signingSecret, body)}`,
        },
      })
      expect(status).toBe(401)
    },
  }
}

/** The activity of a new connection, its feed empty. */
async function openActivity(
  settings: Parameters<typeof connect>[1] & Pick<OpenOptions, 'width' | 'height' | 'scheme' | 'own'> = {},
) {
  const { persistEvents, baseUrl, ...view } = settings
  const service = await sharedService()
  const connection = await connect(service, {
    ...(persistEvents && { persistEvents }),
    ...(baseUrl && { baseUrl }),
  })
  const { page, go } = await open({ at: service, path: connection.path, ...view })
  // While the list is being read, its rows are not held under the pointer.
  await page.locator('section[aria-label="Activity"]:not([aria-busy])').waitFor()
  return { page, go, service, connection }
}

const feed = (page: Page) => page.getByRole('listbox', { name: 'Events and calls, newest first' })
const rows = (page: Page) => feed(page).getByRole('option')
const channel = (page: Page, name: string) =>
  page.getByRole('radiogroup', { name: 'Channel' }).getByText(name)
const row = (page: Page, text: string) => rows(page).filter({ hasText: text })
const scrollTo = (page: Page, y: number) =>
  page.evaluate(`document.querySelector('[role="listbox"]').scrollTo(0, ${y})`)

describe('the feed', () => {
  test('is empty at first, and shows a signed event from outside as it arrives', async () => {
    const { page, connection } = await openActivity()
    await page.getByRole('heading', { name: 'Nothing has happened yet' }).waitFor()
    await page.getByText('Kept in memory only, until a restart.').waitFor()
    await expectAccessible(page)

    await connection.send('order.paid', { order_id: 'ORD-20418' })
    await row(page, 'ORD-20418').getByText('200').waitFor()
    await row(page, 'Not declared').waitFor()
    await page.getByRole('status').filter({ hasText: '1 row shown' }).waitFor()
    await page.getByRole('button', { name: 'Log inbound events' }).click()
    await page.getByText('Kept in memory only, until a restart.').waitFor({ state: 'detached' })
  })

  test('is told of once its count is known, and not before', async () => {
    const { page, connection } = await openActivity({ persistEvents: true, own: true })
    await connection.send('order.paid', { order_id: 'ORD-1' })
    await row(page, 'ORD-1').waitFor()
    const { held, letGo } = await holdCalls(page, 'activity/list')
    await page.addInitScript(`
      window.told = []
      new MutationObserver(() => {
        const text = document.querySelector('section[aria-label="Activity"] > [role="status"]')?.textContent ?? ''
        if (text !== '' && text !== window.told.at(-1)) window.told.push(text)
      }).observe(document, { childList: true, characterData: true, subtree: true })
    `)
    await page.reload()
    await held()
    await page.getByRole('region', { name: 'Activity' }).waitFor()
    await letGo()
    await page.getByRole('status').filter({ hasText: '1 row shown' }).waitFor()
    await expect.poll(() => page.evaluate('window.told')).toEqual(['1 row shown'])
  })

  test('paused, new rows wait until they are asked for', async () => {
    const { page, connection } = await openActivity()
    await connection.send('order.paid', { order_id: 'ORD-1' })
    await row(page, 'ORD-1').waitFor()
    await page.keyboard.press('f')
    await page.getByRole('button', { name: 'Paused' }).waitFor()
    await connection.send('order.paid', { order_id: 'ORD-2' })
    await connection.send('order.paid', { order_id: 'ORD-3' })
    const newer = page.getByRole('button', { name: '2 newer' })
    await newer.waitFor()
    await expect.poll(() => rows(page).count()).toBe(1)
    await expectAccessible(page)
    await newer.press('Enter')
    await row(page, 'ORD-3').waitFor()
    // The button is gone; the keyboard goes on in the list that it led to.
    const list = page.getByRole('listbox', { name: 'Events and calls, newest first' })
    await list.and(page.locator(':focus')).waitFor()
    await page.goto(`${page.url()}?eventName=order.paid`)
    await page.getByRole('button', { name: 'Show events of all names' }).press('Enter')
    await list.and(page.locator(':focus')).waitFor()
    await expect.poll(() => rows(page).count()).toBe(3)
    await page.getByRole('button', { name: 'Following' }).waitFor()
  })

  test('scrolled away from the newest row it waits, and goes on at the top', async () => {
    const { page, connection } = await openActivity()
    for (let order = 1; order <= 30; order++)
      await connection.send('order.paid', { order_id: `ORD-${order}` })
    await row(page, 'ORD-30').waitFor()
    await scrollTo(page, 600)
    await page.getByRole('button', { name: 'Paused' }).waitFor()
    await connection.send('order.paid', { order_id: 'ORD-31' })
    await page.getByRole('button', { name: '1 newer' }).waitFor()
    await scrollTo(page, 0)
    await row(page, 'ORD-31').waitFor()
    await page.getByRole('button', { name: 'Following' }).waitFor()
  })

  test('is narrowed by channel, search and event name, all of which the address keeps', async () => {
    const system = await startExternalSystem()
    const { page, go, service, connection } = await openActivity({ baseUrl: system.url })
    const { actionId } = await createAction(service.rest, connection.connectionId)
    await testAction(service.rest, { connectionId: connection.connectionId, actionId })
    await connection.send('order.paid', { order_id: 'ORD-1' })
    await connection.send('order.shipped', { order_id: 'ORD-2' })
    await connection.sendSignedWrongly('order.paid')
    await row(page, 'Rejected').waitFor()
    await expect.poll(() => rows(page).count()).toBe(4)

    await channel(page, 'Outbound').click()
    await row(page, 'look_up').waitFor()
    await expect.poll(() => rows(page).count()).toBe(1)
    expect(page.url()).toContain('show=outbound')

    await go(`${connection.path}?text=ord-2`)
    await row(page, 'order.shipped').waitFor()
    await expect.poll(() => rows(page).count()).toBe(1)
    const search = page.getByRole('searchbox', { name: 'Search activity' })
    await expect.poll(() => search.inputValue()).toBe('ord-2')
    await page.keyboard.press('/')
    await page.keyboard.type('invalid_signature')
    await row(page, 'Rejected').waitFor()
    await expect.poll(() => rows(page).count()).toBe(1)
    // A number stays a text. The digits of a signature or a time may have it too.
    await search.fill('401')
    await row(page, 'order.shipped').waitFor({ state: 'detached' })
    await row(page, 'Rejected').waitFor()
    await expect.poll(() => page.url()).toContain('text=%22401%22')
    await go(`${connection.path}?text=401`)
    await row(page, 'Rejected').waitFor()
    await expect.poll(() => search.inputValue()).toBe('401')
    await search.fill('nothing of the kind')
    await page.getByRole('heading', { name: 'Nothing matches' }).waitFor()
    await page.getByRole('button', { name: 'Show everything' }).click()
    await expect.poll(() => rows(page).count()).toBe(4)

    await page.getByRole('button', { name: 'Filter by event name' }).click()
    await page.getByRole('menuitemradio', { name: /order\.shipped/ }).click()
    await expect.poll(() => rows(page).count()).toBe(1)
    expect(page.url()).toContain('eventName=order.shipped')
    await expectAccessible(page)
  })

  test('is searched from any tab, and from a row that fills a narrow window', async () => {
    const { page, go, connection } = await openActivity({ width: 900, height: 600 })
    const search = page.getByRole('searchbox', { name: 'Search activity' })
    const focused = search.and(page.locator(':focus'))
    await connection.send('order.paid')
    await page.getByRole('option', { name: /order\.paid/ }).click()
    await search.waitFor({ state: 'hidden' })
    await page.keyboard.press('Control+Shift+F')
    await focused.waitFor()

    for (const tab of ['', '/actions', '/events']) {
      await go(`/connections/${connection.connectionId}${tab}`)
      await search.waitFor({ state: 'hidden' })
      await page.keyboard.press('Control+Shift+F')
      await focused.waitFor()
    }
    await expect.poll(() => page.url()).not.toContain('find')
  })
})

describe('after a change of tabs', () => {
  const tab = (page: Page, name: string) => page.getByRole('tab', { name })

  test.each([['Overview'], ['Actions'], ['Event types']])(
    'the feed shows the same rows when one comes from %s',
    async from => {
      const { page, go, connection } = await openActivity()
      for (const order of [1, 2, 3]) await connection.send('order.paid', { order_id: `ORD-${order}` })
      await go(`/connections/${connection.connectionId}`)
      await tab(page, from).click()
      for (const order of [4, 5]) await connection.send('order.paid', { order_id: `ORD-${order}` })
      await tab(page, 'Activity').click()
      await expect.poll(() => rows(page).count()).toBe(5)
      await tab(page, from).click()
      await connection.send('order.paid', { order_id: 'ORD-6' })
      await tab(page, 'Activity').click()
      await expect.poll(() => rows(page).count()).toBe(6)
      await expect
        .poll(() => rows(page).allTextContents())
        .toEqual([6, 5, 4, 3, 2, 1].map(order => expect.stringContaining(`ORD-${order}`)))
    },
  )

  test('it shows the first test event of a new connection, asked for where it was sent', async () => {
    const { page, go, connection } = await openActivity()
    await go(`/connections/${connection.connectionId}/events`)
    const pane = page.getByRole('region', { name: 'Send a test event' })
    await pane.getByLabel('Event name').fill('order.paid')
    await pane.getByRole('button', { name: 'Send test event' }).click()
    await pane.getByText('Signature verified').waitFor()
    await pane.getByRole('button', { name: 'Show in activity' }).click()
    await row(page, 'order.paid').waitFor()
    await expect.poll(() => rows(page).count()).toBe(1)
  })
})

describe('an event', () => {
  const order =
    '{"order_id":"ORD-20418","number":9007199254740993,"total":149.00,"customer":{"email":"maya@example.com"}}'

  test('shows what became of it, its payload digit for digit, its trigger and its header fields', async () => {
    const { page, connection } = await openActivity({ persistEvents: true, scheme: 'dark' })
    await connection.send('order.paid', order)
    await row(page, 'ORD-20418').click()
    const detail = page.getByRole('region', { name: 'order.paid' })
    await detail.getByRole('list', { name: 'What happened' }).getByText('on disk').waitFor()
    const payload = detail.getByRole('tree', { name: 'Payload' })
    await payload.getByText('9007199254740993').waitFor()
    await payload.getByText('149.00').waitFor()
    await detail.getByRole('button', { name: 'Find in payload' }).press('Enter')
    await page.keyboard.type('maya')
    await page.keyboard.press('Escape')
    await detail.getByRole('button', { name: 'Find in payload' }).and(page.locator(':focus')).waitFor()
    await payload.getByText('email').click()
    await expectAccessible(page)
    await payload.getByRole('button', { name: 'Copy variable' }).click()
    await page.getByText('Variable “{{customer.email}}” copied').waitFor()
    await expect.poll(() => clipboard(page)).toBe('{{customer.email}}')

    await detail.getByText('Trigger', { exact: true }).click()
    await detail.getByRole('tree', { name: 'Trigger payload' }).getByText(connection.connectionId).waitFor()
    await detail.getByText('Headers').click()
    await detail.getByRole('rowheader', { name: 'x-service-timestamp' }).waitFor()
    await expectAccessible(page)
    await detail.getByText('Raw', { exact: true }).click()
    await detail.getByRole('figure', { name: 'Body as it was sent' }).getByText('9007199254740993').waitFor()
    await detail.getByRole('link', { name: 'Declare it' }).click()
    await expect.poll(() => page.url()).toContain('eventType=new&name=order.paid')
  })

  test('is replayed with R, and marked as a replay', async () => {
    const { page, connection } = await openActivity({ persistEvents: true })
    await connection.send('order.paid', order)
    await row(page, 'ORD-20418').click()
    await page.getByText('on disk').waitFor()
    await page.keyboard.press('r')
    await page.getByText('Its trigger was raised again.').waitFor()
    await row(page, 'replay').click()
    await page.getByRole('list', { name: 'What happened' }).getByText('Replayed').waitFor()
    await page.getByText('Replay of').waitFor()
  })

  test('that is not stored cannot be replayed, and says why', async () => {
    const { page, connection } = await openActivity()
    await connection.send('order.paid', order)
    await row(page, 'ORD-20418').click()
    await page.getByText('Not stored').waitFor()
    await page.getByRole('button', { name: 'Replay' }).hover()
    await page.getByRole('tooltip').getByText('Only stored events can be replayed').waitFor()
    // Keys that would do nothing are neither shown nor listed.
    await page.getByRole('button', { name: 'Replay', exact: true }).waitFor()
    await page.keyboard.press('r')
    await page.keyboard.press('Backspace')
    expect(await page.getByRole('dialog').count()).toBe(0)
    await page.keyboard.press('?')
    const keys = page.getByRole('dialog', { name: 'Keyboard shortcuts' })
    await keys.getByText('Edit and send the event').waitFor()
    expect(await keys.getByText('Replay the event').count()).toBe(0)
    expect(await keys.getByText('Delete the stored event').count()).toBe(0)
  })

  test('is edited and sent as a new one; what the listener answers is shown', async () => {
    const { page, connection } = await openActivity()
    await connection.send('order.paid', order)
    await row(page, 'ORD-20418').click()
    await page.getByText('Not stored').waitFor()
    await page.keyboard.press('e')
    const dialog = page.getByRole('dialog', { name: 'Edit and send' })
    const editor = dialog.getByRole('textbox', { name: 'data' })
    await editor.getByText('9007199254740993').waitFor()
    await expectAccessible(page)
    await editor.click()
    await page.keyboard.press('Control+a')
    await page.keyboard.insertText('{"order_id":"ORD-99","number":9007199254740995}')
    await page.keyboard.press('Control+Enter')
    await dialog.getByRole('status').getByText('200').waitFor()
    await page.keyboard.press('Control+a')
    await page.keyboard.insertText('{"order_id":')
    await page.keyboard.press('Control+Enter')
    await dialog.getByRole('status').getByText('invalid_json').waitFor()
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'detached' })
    // The dialog alone was closed, not what is beneath it.
    await page.getByRole('region', { name: 'order.paid' }).waitFor()
    await row(page, 'ORD-99').click()
    await page.getByRole('tree', { name: 'Payload' }).getByText('9007199254740995').waitFor()
  })

  test('is compared with the one before it, digit by digit', async () => {
    const { page, connection } = await openActivity()
    await connection.send('order.paid', '{"order_id":"ORD-1","number":9007199254740992}')
    await connection.send('order.shipped', '{"order_id":"ORD-1"}')
    await connection.send('order.paid', '{"order_id":"ORD-1","number":9007199254740993}')
    await expect.poll(() => rows(page).count()).toBe(3)
    await row(page, 'order.paid').first().click()
    await page.getByText('Not stored').waitFor()
    await page.keyboard.press('d')
    const dialog = page.getByRole('dialog', { name: 'Compare payloads' })
    await dialog.getByText('9007199254740992').waitFor()
    await dialog.getByText('9007199254740993').waitFor()
    await expectAccessible(page)
    await dialog.getByRole('combobox', { name: 'Compare with' }).click()
    await page.keyboard.press('Control+a')
    await page.keyboard.type('shipped')
    await page.getByRole('option', { name: /order\.shipped · ORD-1/ }).click()
    await dialog.getByText('9007199254740992').waitFor({ state: 'detached' })
  })

  test('that is stored is deleted after a question, and so are all of them', async () => {
    const service = await sharedService()
    const connection = await connect(service, { persistEvents: true })
    await connection.send('order.paid', { order_id: 'ORD-1' })
    await connection.send('order.paid', { order_id: 'ORD-2' })
    await service.restart(Number(new URL(service.dashboardUrl).port))
    const { page } = await open({ at: service, path: connection.path })
    await row(page, 'ORD-2').click()
    await page.getByText('on disk').waitFor()
    await page.keyboard.press('Backspace')
    await page.getByRole('dialog').getByRole('button', { name: 'Delete event' }).click()
    await row(page, 'ORD-2').waitFor({ state: 'detached' })
    await row(page, 'ORD-1').click()
    await page.getByText('on disk').waitFor()
    await page.keyboard.press('Backspace')
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click()
    await page.getByRole('listbox').and(page.locator(':focus')).waitFor()
    await page.getByRole('button', { name: 'More for order.paid' }).click()
    await page.getByRole('menuitem', { name: 'Delete all stored events' }).click()
    await expectAccessible(page)
    await page.getByRole('dialog').getByRole('button', { name: 'Delete all stored events' }).click()
    await page.getByText('1 stored event deleted').waitFor()
    await page.getByRole('heading', { name: 'This is no longer kept' }).waitFor()
    await page.getByRole('heading', { name: 'Nothing has happened yet' }).waitFor()
  })
})

describe('the log', () => {
  test('brings what the memory no longer has, further down and by its address', async () => {
    const service = await sharedService()
    const connection = await connect(service, { persistEvents: true })
    const all = Array.from({ length: 250 }, (_, index) => index + 1)
    for (const order of all) await connection.send('order.paid', { order_id: `ORD-${order}` })
    await service.restart(Number(new URL(service.dashboardUrl).port))
    const { page, go } = await open({ at: service, path: connection.path })
    await row(page, 'ORD-250').waitFor()
    await connection.send('order.paid', { order_id: 'ORD-251' })
    await row(page, 'ORD-251').waitFor()

    // To the end, which moves on as long as there is more.
    await feed(page).focus()
    await expect
      .poll(async () => {
        await page.keyboard.press('End')
        return row(page, 'ORD-1 ')
          .or(rows(page).filter({ hasText: /ORD-1\d\d:/ }))
          .count()
      })
      .toBeGreaterThan(0)
    const last = rows(page).last()
    await expect.poll(() => last.getAttribute('aria-setsize')).toBe('251')
    await page.getByRole('tree', { name: 'Payload' }).getByText('"ORD-1"').waitFor()
    const address = page.url()

    // The log is searched by the service, and what is open need not be on the first page.
    await go(`${connection.path}?text=ORD-77`)
    await row(page, 'ORD-77').waitFor()
    await expect.poll(() => rows(page).count()).toBe(1)
    await page.goto(address)
    await page.reload()
    await page.getByRole('tree', { name: 'Payload' }).getByText('"ORD-1"').waitFor()
  })

  test('is scrolled over to its first event, and says there why it ends', async () => {
    const service = await sharedService()
    const whole = await connect(service, { persistEvents: true })
    // More than the memory has items.
    await whole.sendMany(1_100)
    const { page, go } = await open({ at: service, path: whole.path })
    await page.getByText('1,100 events · 0 calls · 0 rejected').waitFor()
    await feed(page).focus()
    await expect
      .poll(async () => {
        await page.keyboard.press('End')
        return rows(page).last().getAttribute('aria-setsize')
      })
      .toBe('1100')
    await page.keyboard.press('End')
    await page.getByRole('tree', { name: 'Payload' }).getByText('"ORD-1"').waitFor()
    await page.getByText('Nothing has happened before.').waitFor()

    const pruned = await connect(service, { persistEvents: true })
    const { connectionId } = pruned
    await service.rest('PATCH', `/connections/${connectionId}`, { retention: { maxEvents: 20, maxDays: 7 } })
    await pruned.sendMany(25)
    const counted = () => service.rest('GET', `/activity/counts?connectionId=${connectionId}`)
    await expect.poll(async () => (await counted()).body).toMatchObject({ total: 20 })
    await go(pruned.path)
    await page.getByText('20 events · 0 calls · 0 rejected').waitFor()
    await page.getByText('Older ones are not kept: events for 7 days or 20.').waitFor()
  })

  test('stops to read older ones once another text is searched, or another screen is open', async () => {
    const { page, go, connection } = await openActivity({ persistEvents: true, own: true })
    await connection.send('order.paid', { order_id: 'ORD-1' })
    await connection.send('order.paid', { order_id: 'ORD-2' })
    await row(page, 'ORD-2').waitFor()
    const sentBy = (request: Request) =>
      request.url().endsWith('/rpc/activity/list') ? (request.postData() ?? '') : ''
    const isOlder = (request: Request) => sentBy(request).includes('"before":"')
    await page.route('**/rpc/activity/list', async route => {
      // Not answered: the search is still reading.
      if (isOlder(route.request())) return
      const response = await route.fetch()
      const { json } = await response.json()
      await route.fulfill({ response, json: { json: { ...json, nextBefore: '00000000001', end: null } } })
    })
    const search = page.getByRole('searchbox', { name: 'Search activity' })
    for (const [text, leave] of [
      ['ord-1', () => search.fill('ord-2')],
      ['ord', () => go('/connections')],
    ] as const) {
      const reading = page.waitForRequest(
        request => isOlder(request) && sentBy(request).includes(`"text":"${text}"`),
      )
      await search.fill(text)
      const request = await reading
      const stopped = page.waitForEvent('requestfailed', other => other === request)
      await leave()
      await stopped
    }
  })

  test('has a call of a quiet connection after many events elsewhere, from its run and its action too', async () => {
    const system = await startExternalSystem((_request, response) => {
      response.writeHead(200, { 'content-type': 'application/json' }).end('{"reservation":"rsv_1"}')
    })
    const service = await sharedService()
    const quiet = await connect(service, { baseUrl: system.url })
    const busy = await connect(service, { persistEvents: true })
    const { actionId } = await createAction(service.rest, quiet.connectionId)
    const step = { key: 'look', type: 'action', connectionId: quiet.connectionId, toolName: 'look_up' }
    const trigger = { type: 'external.event', connectionId: busy.connectionId, eventName: 'order.paid' }
    await service.rest('POST', '/workflows', { name: 'Look up', trigger, steps: [step] })
    await busy.send('order.paid')
    const newestRun = async () => RunPage.parse((await service.rest('GET', '/runs')).body).runs[0]
    await expect.poll(async () => (await newestRun())?.status).toBe('succeeded')
    await busy.sendMany(1_100)
    await service.restart(Number(new URL(service.dashboardUrl).port))

    const { page, go } = await open({ at: service, path: quiet.path })
    await page.getByText('0 events · 1 call · 0 rejected').waitFor()
    await channel(page, 'Outbound').click()
    await row(page, 'look_up').click()
    const call = page.getByRole('region', { name: 'look_up' })
    const response = call.getByRole('tree', { name: 'Response' }).getByText('rsv_1')
    await response.waitFor()
    expect(await page.getByRole('heading', { name: 'No calls yet' }).count()).toBe(0)

    await go(`/workflows/runs?run=${(await newestRun())?.runId}`)
    await page.getByRole('link', { name: 'Show the call in activity' }).click()
    await response.waitFor()
    await go(`/connections/${quiet.connectionId}/actions?action=${actionId}&panel=history`)
    await page.getByRole('listbox', { name: 'Calls of Look up' }).getByRole('option').dblclick()
    await page.getByRole('link', { name: /show the call in activity/ }).click()
    await response.waitFor()
    await row(page, 'look_up')
      .and(page.getByRole('option', { selected: true }))
      .waitFor()
  })
})

describe('a rejection', () => {
  test('says what is wrong, how to fix it, what was checked and what was sent', async () => {
    const { page, connection } = await openActivity()
    await connection.sendSignedWrongly('order.paid')
    await row(page, 'Signed the body alone').click()
    const detail = page.getByRole('region', { name: 'Rejected attempt' })
    await detail.getByRole('heading', { name: 'The sender signed the body alone' }).waitFor()
    await detail.getByText('Must be').waitFor()
    await detail.getByRole('button', { name: /Other languages/ }).click()
    await page.getByRole('menuitemradio', { name: 'Python' }).click()
    await detail.getByRole('region', { name: 'Fix in Python' }).getByText('timestamp').first().waitFor()
    await detail.getByRole('listitem').filter({ hasText: 'Signature' }).getByText('failed').waitFor()
    await detail.getByRole('listitem').filter({ hasText: 'Trigger' }).getByText('not raised').waitFor()
    await detail.getByRole('rowheader', { name: 'x-service-signature' }).waitFor()
    await expectAccessible(page)
    await detail.getByText('Body', { exact: true }).last().click()
    await detail.getByRole('figure', { name: 'Body of the request' }).getByText('ORD-7').waitFor()
    await expectAccessible(page)

    await page.keyboard.press('c')
    await page.getByText('Copied for the sender').waitFor()
    const message = await clipboard(page)
    expect(message).toContain('was answered 401 invalid_signature')
    expect(message).toContain('In Python:')
    expect(message).not.toContain('ORD-7')
    // The language is remembered.
    await page.reload()
    await page.getByRole('region', { name: 'Fix in Python' }).waitFor()
  })
})

test('a request without a signature is titled by that, and shown the code of a sender that signs', async () => {
  const { page, service, connection } = await openActivity()
  const { body } = await service.rest('GET', `/connections/${connection.connectionId}/credentials`)
  const answer = await fetch(Credentials.parse(body).inboundUrl, {
    method: 'POST',
    body: '{"event":"order.paid","data":{}}',
    headers: { 'content-type': 'application/json', 'x-service-timestamp': String(Date.now()) },
  })
  expect(answer.status).toBe(401)
  await row(page, 'No signature').click()
  const code = page.getByRole('region', { name: 'A sender in curl' })
  await code.getByText('openssl').first().waitFor()
  await code.getByRole('button', { name: 'Copy the code' }).click()
  await page.getByText('Code copied').waitFor()
  await expect.poll(() => clipboard(page)).toContain('x-service-signature: sha256=$SIG')
  await expectAccessible(page)
})

describe('a call', () => {
  test('shows how it ended, with request and response, and leads to its test panel', async () => {
    const system = await startExternalSystem((_request, response) => {
      response.writeHead(404, { 'content-type': 'application/json' }).end('{"error":"unknown_order"}')
    })
    const { page, service, connection } = await openActivity({ baseUrl: system.url })
    const { connectionId } = connection
    const { actionId } = await createAction(service.rest, connectionId)
    await testAction(service.rest, { connectionId, actionId })
    await row(page, 'look_up').getByText('404').waitFor()
    await row(page, 'Test panel').click()
    const detail = page.getByRole('region', { name: 'look_up' })
    await detail.getByText('The other side answered 404, Not Found.').waitFor()
    await detail.getByRole('tree', { name: 'Response' }).getByText('unknown_order').waitFor()
    await detail.getByText('Request', { exact: true }).click()
    await detail.getByText(`GET ${system.url}/orders`).waitFor()
    await expectAccessible(page)
    await detail.getByRole('button', { name: 'Open test' }).click()
    await expect.poll(() => page.url()).toContain(`action=${actionId}&panel=test`)
  })
})

test('a call says which texts were taken as other types, and that it was sent twice', async () => {
  const sockets = new Set<unknown>()
  const system = await startExternalSystem((_request, response) => {
    const isReused = sockets.has(response.socket)
    sockets.add(response.socket)
    if (isReused) response.destroy()
    else response.setHeader('Keep-Alive', 'timeout=60').end('{"orders":[]}')
  })
  const { page, service, connection } = await openActivity({ baseUrl: system.url })
  const { connectionId } = connection
  const parameters = [
    { name: 'limit', type: 'number', description: 'How many', required: false },
    { name: 'open', type: 'boolean', description: 'Only open ones', required: false },
    { name: 'page', type: 'number', description: 'From', required: false },
  ]
  await createAction(service.rest, connectionId, { name: 'List orders', toolName: 'list_orders', parameters })
  const transport = httpTransport(`${service.dashboardUrl}/mcp/${connectionId}`, adminToken)
  const { client } = await connectMcp(transport, '2026-07-28')
  const call = (given: Record<string, string>) => client.callTool({ name: 'list_orders', arguments: given })
  await call({})
  await call({ limit: '20', open: 'true', page: '' })
  expect(system.requests.at(-1)?.url).toBe('/orders?limit=20&open=true')
  await expect.poll(() => row(page, 'list_orders').count()).toBe(2)
  await row(page, 'list_orders').first().click()
  const detail = page.getByRole('region', { name: 'list_orders' })
  await detail
    .getByText('Given as text and taken as another type: limit as a number, open as true or false.')
    .waitFor()
  await detail.getByText('Empty and therefore left out: page.').waitFor()
  await detail.getByText('The request was sent twice').waitFor()
  await expectAccessibleInBothSchemes(page)
})

test('a rejection and a call are there after a restart, with the diagnosis and the details', async () => {
  const system = await startExternalSystem((_request, response) => {
    response.writeHead(404, { 'content-type': 'application/json' }).end('{"error":"unknown_order"}')
  })
  const { page, service, connection } = await openActivity({ baseUrl: system.url })
  const { connectionId } = connection
  const { actionId } = await createAction(service.rest, connectionId)
  await testAction(service.rest, { connectionId, actionId })
  await connection.sendSignedWrongly('order.paid')
  await row(page, 'Signed the body alone').waitFor()
  await service.restart(Number(new URL(service.dashboardUrl).port))
  await page.goto(`${service.dashboardUrl}/#${connection.path}`)
  // The page itself would remember what it heard of.
  await page.reload()

  await row(page, 'Signed the body alone').click()
  const rejection = page.getByRole('region', { name: 'Rejected attempt' })
  await rejection.getByRole('heading', { name: 'The sender signed the body alone' }).waitFor()
  await rejection.getByRole('listitem').filter({ hasText: 'Signature' }).getByText('failed').waitFor()
  await rejection.getByRole('rowheader', { name: 'x-service-signature' }).waitFor()

  await row(page, 'Test panel').click()
  const call = page.getByRole('region', { name: 'look_up' })
  await call.getByText('The other side answered 404, Not Found.').waitFor()
  await call.getByRole('tree', { name: 'Response' }).getByText('unknown_order').waitFor()
  await call.getByText('Request', { exact: true }).click()
  await call.getByText(`GET ${system.url}/orders`).waitFor()
})

test('a narrow window shows one pane at a time; Escape goes back to the list', async () => {
  const { page, connection } = await openActivity({ width: 900, height: 600 })
  await connection.send('order.paid', { order_id: 'ORD-1' })
  await connection.send('order.paid', { order_id: 'ORD-2' })
  await row(page, 'ORD-2').waitFor()
  await row(page, 'ORD-1').click()
  await page.getByRole('tree', { name: 'Payload' }).getByText('"ORD-1"').waitFor()
  await expect.poll(() => feed(page).count()).toBe(0)
  await expectAccessible(page)
  await page.keyboard.press('ArrowUp')
  await page.getByRole('tree', { name: 'Payload' }).getByText('"ORD-2"').waitFor()
  await page.keyboard.press('Escape')
  await row(page, 'ORD-2').waitFor()
  await expect.poll(() => row(page, 'ORD-2').getAttribute('aria-selected')).toBe('true')
  await expectAccessible(page)
})

test('by keyboard alone: down the list, through its rows, and back to the search', async () => {
  const { page, connection } = await openActivity()
  for (const order of [1, 2, 3]) await connection.send('order.paid', { order_id: `ORD-${order}` })
  await row(page, 'ORD-3').waitFor()
  await page.keyboard.press('ArrowDown')
  await page.getByRole('tree', { name: 'Payload' }).getByText('"ORD-3"').waitFor()
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('ArrowDown')
  await page.getByRole('tree', { name: 'Payload' }).getByText('"ORD-1"').waitFor()
  await page.keyboard.press('Escape')
  await page.getByRole('heading', { name: 'Nothing is open' }).waitFor()
  await page.keyboard.press('Control+Shift+f')
  await page.keyboard.type('ord-2')
  await expect.poll(() => rows(page).count()).toBe(1)
  await page.keyboard.press('Enter')
  await page.keyboard.press('ArrowDown')
  await page.getByRole('tree', { name: 'Payload' }).getByText('"ORD-2"').waitFor()
})

test('while the service does not answer, the feed says that it is not up to date, and then catches up', async () => {
  const service = await sharedService()
  const proxy = await startCuttableProxy(service.dashboardUrl)
  const connection = await connect(service)
  const { page } = await open({ at: { ...service, dashboardUrl: proxy.url }, path: connection.path })
  await connection.send('order.paid', { order_id: 'ORD-1' })
  await row(page, 'ORD-1').waitFor()
  proxy.interrupt()
  const notice = page.getByText('Not up to date: the service does not answer.')
  await notice.waitFor()
  await expectAccessible(page)
  await connection.send('order.paid', { order_id: 'ORD-2' })
  proxy.restore()
  await row(page, 'ORD-2').waitFor()
  await notice.waitFor({ state: 'detached' })
  await expect.poll(() => rows(page).count()).toBe(2)
})

test('a message of a workflow arrives in the activity, and leads to its run', async () => {
  const { page, service, go } = await open()
  const { rest } = service
  const { connectionId } = await createConnection(rest, { persistEvents: true })
  const step = { key: 'tell_team', type: 'notify', message: 'Order {{order_id}} paid: {{total}} EUR' }
  const trigger = { type: 'external.event', connectionId, eventName: 'order.paid' }
  await rest('POST', '/workflows', { name: 'Tell the team', trigger, steps: [step] })
  await go(`/connections/${connectionId}/activity`)
  const data = { order_id: 'ORD-20418', total: 149 }
  await rest('POST', `/connections/${connectionId}/send`, { event: 'order.paid', data })
  const row = page.getByRole('option', { name: 'Order ORD-20418 paid: 149 EUR' })
  await row.click()
  // No empty badge, since it has no status.
  expect(await row.locator('[data-tone]').count()).toBe(0)
  const detail = page.getByRole('region', { name: 'Message of a workflow' })
  await detail.getByRole('heading', { name: 'Tell the team' }).waitFor()
  await detail.getByRole('link', { name: /^run_/ }).click()
  await page.getByRole('heading', { name: 'Runs', level: 1 }).waitFor()
})

test('a failed run arrives in the activity, and leads to its call, its event and itself', async () => {
  const { page, service, go } = await open()
  const { rest } = service
  const system = await startExternalSystem((_request, response) =>
    response.writeHead(422, { 'content-type': 'application/json' }).end('{"error":"Article sold out"}'),
  )
  const { connectionId } = await createConnection(rest, { persistEvents: true, baseUrl: system.url })
  const { toolName } = await createAction(rest, connectionId)
  const step = { key: 'reserve', type: 'action', connectionId, toolName, arguments: {} }
  const trigger = { type: 'external.event', connectionId, eventName: 'order.paid' }
  await rest('POST', '/workflows', { name: 'Reserve stock', trigger, steps: [step] })
  await go(`/connections/${connectionId}/activity`)
  await rest('POST', `/connections/${connectionId}/send`, {
    event: 'order.paid',
    data: { order_id: 'ORD-20418' },
  })
  const row = page.getByRole('option', { name: 'Reserve stock' })
  await row.getByText('Failed: 422').waitFor()
  await row.getByText('ORD-20418').waitFor()
  await row.click()
  const detail = page.getByRole('region', { name: 'Failed run' })
  await detail.getByText('“Article sold out”').waitFor()
  await expectAccessible(page)
  await detail.getByRole('link', { name: toolName }).click()
  await page.getByRole('region', { name: toolName }).waitFor()
  await row.click()
  await detail.getByRole('link', { name: 'order.paid' }).click()
  await page.getByRole('heading', { name: 'order.paid', level: 2 }).waitFor()
  await row.click()
  await detail.getByRole('link', { name: /^run_/ }).click()
  await page.getByRole('heading', { name: 'Runs', level: 1 }).waitFor()
})

test('rows stay in their places while one is pointed at or opened, and follow again afterwards', async () => {
  const { page, connection } = await openActivity()
  await connection.send('order.paid', { order_id: 'ORD-1' })
  await row(page, 'ORD-1').hover()
  const place = await row(page, 'ORD-1').boundingBox()
  await connection.send('order.paid', { order_id: 'ORD-2' })
  const newer = page.getByRole('button', { name: '1 newer' })
  await newer.waitFor()
  expect(await row(page, 'ORD-1').boundingBox()).toEqual(place)
  await page.getByRole('button', { name: 'Following' }).waitFor()

  await row(page, 'ORD-1').click()
  await page.mouse.move(0, 0)
  await page.getByRole('tree', { name: 'Payload' }).getByText('"ORD-1"').waitFor()
  expect(await rows(page).count()).toBe(1)
  await newer.click()
  await row(page, 'ORD-2').waitFor()
  await page.mouse.move(0, 0)
  await connection.send('order.paid', { order_id: 'ORD-3' })
  await newer.waitFor()
  expect(await rows(page).count()).toBe(2)

  await page.keyboard.press('Escape')
  await row(page, 'ORD-3').waitFor()
  await connection.send('order.paid', { order_id: 'ORD-4' })
  await row(page, 'ORD-4').waitFor()
})

test('rows follow again when the pointer leaves from a button that has just disappeared', async () => {
  const { page, connection } = await openActivity()
  await connection.send('order.paid', { order_id: 'ORD-1' })
  await row(page, 'ORD-1').hover()
  await connection.send('order.paid', { order_id: 'ORD-2' })
  await page.getByRole('button', { name: '1 newer' }).waitFor()
  // Keeps the page busy once the button has gone, so that the pointer's next move comes in the same frame.
  await page.evaluate(`
    const list = document.querySelector('section[aria-label="Activity"]')
    const isThere = () => [...list.querySelectorAll('button')].some(({ textContent }) => textContent === '1 newer')
    const observer = new MutationObserver(() => {
      if (isThere()) return
      observer.disconnect()
      for (const end = Date.now() + 500; Date.now() < end; );
    })
    observer.observe(list, { childList: true, subtree: true })
  `)
  await page.getByRole('button', { name: '1 newer' }).click()
  for (let x = 9; x >= 0; x--) await page.mouse.move(x, 0)
  await row(page, 'ORD-2').waitFor()
  await connection.send('order.paid', { order_id: 'ORD-3' })
  await row(page, 'ORD-3').waitFor()
})

test('a search that has not looked at everything says so, and looks further on demand', async () => {
  const at = await startRealTimeService({ searchBounds: { rows: 20, ms: testMs } })
  const { service, go, page } = await open({ at })
  const connection = await connect(service, { persistEvents: true })
  await connection.send('order.paid', { note: 'qz' })
  await connection.sendMany(60)
  await go(`${connection.path}?text=qz`)
  await page.getByRole('heading', { name: 'Nothing in the newest 20' }).waitFor()
  await expectAccessible(page)
  await page.keyboard.press('s')
  await page.getByRole('option', { name: /order\.paid/ }).waitFor()
  await go(`${connection.path}?text=jq`)
  await page.getByRole('heading', { name: 'Nothing in the newest 20' }).waitFor()
  await page.getByRole('button', { name: 'Search older' }).click()
  await page.getByRole('heading', { name: 'Nothing matches' }).waitFor()
})
