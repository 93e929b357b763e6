import { readFile } from 'node:fs/promises'
import type { Locator, Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { ImportDocument } from '#shared/model/import-document.ts'
import { recordNamed } from '../../support/connection-records.ts'
import { createConnection, type Rest } from '../../support/rest-client.ts'
import { postInbound } from '../../support/service-fixture.ts'
import { expectAccessible, expectAccessibleInBothSchemes } from './accessibility.ts'
import {
  chooseByKey,
  clipboard,
  dashboardTests,
  inOneHour,
  pressOnce,
  startRealTimeService,
} from './fixture.ts'

const { open, sharedService } = dashboardTests()

const create = (rest: Rest, name: string, baseUrl: string | null = null) =>
  createConnection(rest, { name, baseUrl })

/** Posts an event as an external system would. @returns the status. */
async function post(inboundUrl: string, signingSecret: string, event: string): Promise<number> {
  const body = `{"event":"${event}","data":{"order_id":"ORD-1","total":149.00}}`
  return (await postInbound({ inboundUrl, signingSecret }, body, Date.now())).status
}

const rowOf = (page: Page, name: string) =>
  page.getByRole('row').filter({ has: page.getByRole('link', { name, exact: true }) })
const rowNames = (page: Page) => page.getByRole('table').getByRole('link').allTextContents()
/** The selected row. */
const selected = (page: Page) => page.locator('tr[data-selected]').getByRole('link')

test('a list that the service narrows is in its order, whatever was shown before, and live', async () => {
  const { page, service } = await open({ own: true })
  const oldest = await create(service.rest, 'Shop A')
  const fillers = []
  for (let n = 0; n < 49; n++) fillers.push(await create(service.rest, `Filler ${n}`))
  await create(service.rest, 'Shop B')
  // More than the first page has.
  await create(service.rest, 'Last')
  await page.reload()
  await rowOf(page, 'Shop B').waitFor()
  expect(await rowOf(page, 'Shop A').count()).toBe(0)
  await page.getByPlaceholder('Filter by name, URL or event').fill('shop')
  await expect.poll(() => rowNames(page)).toEqual(['Shop B', 'Shop A'])
  await page.getByPlaceholder('Filter by name, URL or event').fill('')
  await rowOf(page, 'Last').waitFor()

  const { inboundUrl, signingSecret } = oldest.credentials
  await page.getByRole('radio', { name: /^Need attention/ }).press('Space')
  await page.getByText('No connection needs attention').waitFor()
  for (let time = 0; time < 5; time++)
    expect(await post(inboundUrl, signingSecret.slice('whsec_'.length), 'order.paid')).toBe(401)
  await rowOf(page, 'Shop A').waitFor()
})

describe('from nothing to the first event', () => {
  test('leaves what to do next uncovered and focused when its first event was sent from here', async () => {
    const { page, go, service } = await open()
    const { connectionId } = await createConnection(service.rest, { name: 'Acme' })
    await go(`/connections/${connectionId}`)
    await page.getByText('Listening for the first event').waitFor()
    await page.keyboard.press('t')
    const popover = page.getByRole('dialog', { name: 'Send test event' })
    await popover.getByRole('button', { name: 'Send' }).and(page.locator(':focus')).waitFor()
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: 'Declare' }).and(page.locator(':focus')).waitFor()
    expect(await popover.count()).toBe(0)
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'New event type' }).waitFor()
    await page.getByRole('textbox', { name: 'Label' }).and(page.locator(':focus')).waitFor()
  })

  test('creates a connection with the keyboard, and shows its first event in the overview and in the list', () =>
    inOneHour(async () => {
      const { page, go, service } = await open()
      await page.getByRole('heading', { name: 'Connect your first system' }).waitFor()
      await page.getByText('You can also drop an import document anywhere in this window.').waitFor()
      await expectAccessible(page)
      await page.keyboard.press('n')
      const dialog = page.getByRole('dialog', { name: 'New connection' })
      await dialog.getByLabel('Name').fill('Acme Orders')
      // The API's default is off. The dialog's is on, because events that are not logged cannot be searched or replayed.
      await expect.poll(() => dialog.getByLabel('Log inbound events').isChecked()).toBe(true)
      await expectAccessible(page)
      await page.keyboard.press('Control+Enter')

      await page.getByRole('heading', { name: 'Acme Orders' }).waitFor()
      await createConnection(service.rest, { name: 'By the API' })
      expect((await service.rest('GET', '/connections')).body).toMatchObject([
        { name: 'Acme Orders', persistEvents: true },
        { name: 'By the API', persistEvents: false },
      ])
      const url = page.getByLabel('Inbound URL', { exact: true })
      const secret = page.getByLabel('Signing secret', { exact: true })
      // A new connection shows its credentials.
      await page.getByRole('button', { name: 'Hide inbound URL' }).waitFor()
      await page.getByRole('button', { name: 'Hide signing secret' }).waitFor()
      await expect.poll(() => secret.inputValue()).toMatch(/^whsec_[\w-]{43}$/)
      // Both are hidden again after half a minute.
      const [urlValue, secretValue] = [await url.inputValue(), await secret.inputValue()]
      // It says what to do, and that it listens.
      const steps = page.getByRole('list', { name: 'The first event' })
      await steps.getByText('Listening for the first event').waitFor()
      await steps.getByText('Nothing has reached this URL yet').waitFor()
      await expectAccessibleInBothSchemes(page)

      await page.getByRole('button', { name: 'Copy inbound URL' }).click()
      await page.getByText('Inbound URL copied').waitFor()
      await expect.poll(() => clipboard(page)).toBe(urlValue)
      await page.getByRole('button', { name: 'Copy signing secret' }).click()
      await steps.getByText(/^Copied /).waitFor()
      await steps.getByLabel('Done').waitFor()
      // A refused request shows here too, and listening goes on.
      expect(await post(urlValue, secretValue.slice('whsec_'.length), 'order.paid')).toBe(401)
      await steps.getByText('Key without whsec_').waitFor()
      await steps.getByText('Listening for the first event').waitFor()
      await steps.getByRole('link', { name: 'See the fix' }).waitFor()
      expect(await post(urlValue, secretValue, 'order.paid')).toBe(200)

      // The event, and what it may become.
      await page.getByRole('region', { name: 'order.paid' }).getByText('"ORD-1"').waitFor()
      await page.getByText('external.event raised, not declared: nothing starts yet').waitFor()
      await page.getByRole('row', { name: '{{total}} number 149.00' }).waitFor()
      await expectAccessibleInBothSchemes(page)
      await page.keyboard.press('d')
      await page.getByRole('heading', { name: 'New event type' }).waitFor()
      await page.getByTitle('Copy {{order_id}}').waitFor()
      await page.getByRole('tab', { name: 'Overview' }).click()

      const figures = page.getByRole('region', { name: 'Last 24 hours' })
      await figures.getByText('order.paid').waitFor()
      await page.getByRole('status').filter({ hasText: 'Last: order.paid' }).getByText('200').waitFor()
      // One refused request changes nothing.
      await page.getByRole('navigation', { name: 'Breadcrumb' }).getByText('Working').waitFor()
      // They are shown only once.
      await page.reload()
      await page.getByRole('button', { name: 'Reveal signing secret' }).waitFor()
      await page.getByRole('button', { name: 'Reveal inbound URL' }).waitFor()
      await expect.poll(() => secret.inputValue()).toMatch(/^whsec_•+$/)

      await go('/connections')
      const row = rowOf(page, 'Acme Orders')
      await row.getByText('order.paid').waitFor()
      await row.getByRole('img', { name: /1 accepted/ }).waitFor()
      await row.getByText('Working').waitFor()
      for (let time = 0; time < 4; time++) expect(await post(urlValue, 'whsec_wrong', 'order.paid')).toBe(401)
      await row.getByText('5 rejected this hour').waitFor()
      // An accepted event does not hide them.
      expect(await post(urlValue, secretValue, 'order.paid')).toBe(200)
      await row.getByRole('img', { name: /2 accepted/ }).waitFor()
      expect(await row.getByText('5 rejected this hour').count()).toBe(1)
      await page.getByText('Need attention 1').first().waitFor()
    }))

  test('shows the problems of a new connection at its fields', async () => {
    const { page } = await open()
    await page.getByRole('button', { name: 'New connection' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Base URL').fill('api.example.com')
    await dialog.getByRole('button', { name: 'Create' }).click()
    await dialog.getByText('A name has at least one character.').waitFor()
    await dialog.getByText('Write an absolute URL: https://api.example.com.').waitFor()
    await expectAccessible(page)
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'detached' })
  })

  test('loads the sample with one key, with event types to send and a server for its actions', async () => {
    const { page, service } = await open()
    await page.getByText('An order system with a small local server.').waitFor()
    await page.keyboard.press('l')
    await page.getByRole('heading', { name: 'Sample order system' }).waitFor()
    await page.getByRole('tab', { name: /Actions\s*5/ }).waitFor()
    await page.getByRole('tab', { name: /Event types\s*6/ }).waitFor()
    await page.getByRole('button', { name: 'Event in the code: order.created' }).waitFor()
    const { body } = await service.rest('GET', '/connections')
    expect(body).toMatchObject([{ name: 'Sample order system', persistEvents: true }])

    await page.getByRole('tab', { name: /Actions\s*5/ }).click()
    await page
      .getByRole('row')
      .filter({ hasText: 'Look up an order' })
      .click({ position: { x: 5, y: 5 } })
    await page.getByRole('tab', { name: 'Test', exact: true }).click()
    await page.getByLabel('order_id').fill('ORD-20418')
    await page.keyboard.press('Control+Enter')
    await page.getByText('200 OK').waitFor()

    const text = await readFile('resources/samples/order-system.json', 'utf8')
    const workspace = await service.rest('POST', '/workspaces', { name: 'Another' })
    const { workspaceId } = z.object({ workspaceId: z.string() }).parse(workspace.body)
    const preview = await service.rest('POST', '/import/preview', { text, workspaceId })
    expect(preview.body).toMatchObject({ valid: true, issues: [] })
  })
})

describe('the list', () => {
  async function three() {
    const service = await sharedService()
    const acme = await create(service.rest, 'Acme', 'https://api.acme.example')
    const billing = await create(service.rest, 'Billing')
    await create(service.rest, 'Clinic')
    await service.rest('PATCH', `/connections/${billing.connectionId}`, { enabled: false })
    expect(await post(acme.credentials.inboundUrl, acme.credentials.signingSecret, 'order.paid')).toBe(200)
    return { service, acme }
  }

  test('keeps its filter, status and order in the address', async () => {
    const { service } = await three()
    const { page } = await open({ at: service })
    await rowOf(page, 'Acme').waitFor()
    await expectAccessible(page)
    await page.keyboard.press('/')
    await page.keyboard.type('order.paid')
    await expect.poll(() => rowNames(page)).toEqual(['Acme'])
    await page.keyboard.press('Escape')
    await expect.poll(() => rowNames(page)).toHaveLength(3)
    await page.keyboard.type('bing')
    await page.keyboard.press('ArrowLeft')
    await page.keyboard.press('ArrowLeft')
    await page.keyboard.type('lli')
    await expect.poll(() => page.getByLabel('Filter connections').inputValue()).toBe('billing')
    await expect.poll(() => rowNames(page)).toEqual(['Billing'])
    await page.keyboard.press('ArrowDown')
    await expect.poll(() => selected(page).textContent()).toBe('Billing')
    await page.keyboard.press('/')
    await page.keyboard.press('Escape')

    const status = page.getByRole('radiogroup', { name: 'Status' })
    await status.getByText('Disabled 1').click()
    await expect.poll(() => rowNames(page)).toEqual(['Billing'])
    await page.reload()
    await expect.poll(() => rowNames(page)).toEqual(['Billing'])
    await status.getByText('Failing 0').click()
    await page.getByText('No connection fails').waitFor()
    await page.getByRole('button', { name: 'Show all 3' }).click()

    await page.getByRole('button', { name: 'Sorted by: Last event' }).click()
    await page.getByRole('menuitemradio', { name: 'Name' }).click()
    await expect.poll(() => rowNames(page)).toEqual(['Acme', 'Billing', 'Clinic'])
    expect(page.url()).toContain('sort=name')
  })

  test('selects, opens, switches and copies with the keyboard', async () => {
    const { service, acme } = await three()
    const { page, go } = await open({ at: service, path: '/connections?sort=name' })
    await rowOf(page, 'Acme').waitFor()
    await page.keyboard.press('ArrowDown')
    await expect.poll(() => selected(page).textContent()).toBe('Acme')
    await page.keyboard.press('Control+Shift+C')
    await page.getByText('Inbound URL copied').waitFor()
    await expect.poll(() => clipboard(page)).toBe(acme.credentials.inboundUrl)
    await page.keyboard.press('ArrowDown')
    await expect.poll(() => selected(page).textContent()).toBe('Billing')
    await page.keyboard.press('e')
    await page.getByRole('switch', { name: 'Enable Billing', checked: true }).waitFor()
    await expect
      .poll(async () => (await service.rest('GET', '/connections')).body)
      .toMatchObject([{ enabled: true }, { enabled: true }, { enabled: true }])
    await page.keyboard.press('ArrowUp')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Acme', level: 1 }).waitFor()
    // Enter in the filter opens the first match.
    await go('/connections?sort=name')
    await rowOf(page, 'Acme').waitFor()
    await page.keyboard.press('/')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Acme', level: 1 }).waitFor()
  })

  test('ignores single keys until a row is selected, then says what a key did and can undo it', async () => {
    const { service } = await three()
    const states = async () =>
      z
        .array(z.object({ name: z.string(), enabled: z.boolean() }))
        .parse((await service.rest('GET', '/connections')).body)
        .map(({ name, enabled }) => `${name} ${enabled ? 'on' : 'off'}`)
        .sort()
    const before = await states()
    const { page } = await open({ at: service, path: '/connections?sort=name' })
    await rowOf(page, 'Acme').hover()
    expect(await selected(page).count()).toBe(0)
    expect(await page.getByRole('contentinfo').getByText('enable or disable').count()).toBe(0)
    for (const key of ['e', 'Enter', 'Delete', 'Backspace', 'r', 'Control+Shift+C'])
      await page.keyboard.press(key)
    // The effect of an earlier key would be visible once a later key has worked.
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('e')
    // Pointed at, it stays.
    await page.getByText('Acme disabled. Senders get 403.').hover()
    expect(await page.getByText('Inbound URL copied').count()).toBe(0)
    await expect.poll(states).toEqual(['Acme off', 'Billing off', 'Clinic on'])
    await expectAccessible(page)
    await page.getByRole('button', { name: 'Undo' }).click()
    await page.getByText('Acme enabled. It accepts events.').waitFor()
    await expect.poll(states).toEqual(before)
    await page.getByRole('switch', { name: 'Enable Acme', checked: true }).waitFor()
    await page.keyboard.press('e')
    await page.getByText('Acme disabled. Senders get 403.').waitFor()
    await page.keyboard.press('Control+z')
    await expect.poll(states).toEqual(before)
  })

  test('does not move rows when events arrive', async () => {
    const { service } = await three()
    const clinic = await create(service.rest, 'Dentist')
    const { page } = await open({ at: service })
    await rowOf(page, 'Acme').waitFor()
    const before = await rowNames(page)
    expect(before[0]).toBe('Acme')
    await post(clinic.credentials.inboundUrl, clinic.credentials.signingSecret, 'visit.booked')
    await rowOf(page, 'Dentist').getByText('visit.booked').waitFor()
    expect(await rowNames(page)).toEqual(before)
    // Choosing the order again sorts the rows.
    await page.getByRole('button', { name: 'Sorted by: Last event' }).click()
    await page.getByRole('menuitemradio', { name: 'Last event' }).click()
    await expect.poll(async () => (await rowNames(page))[0]).toBe('Dentist')
  })

  test('renders only the visible rows of hundreds, and reaches all of them', async () => {
    const service = await startRealTimeService()
    const connections = Array.from({ length: 300 }, (_, index) => {
      const number = String(index).padStart(4, '0')
      return { ...recordNamed(number), name: `Connection ${number}` }
    })
    const byId = new Map(connections.map(connection => [connection.connectionId, connection]))
    await service.service.storage.config.update(config => ({
      next: { ...config, connections: byId },
      result: undefined,
    }))
    const { page } = await open({ at: service, path: '/connections?sort=name' })
    await rowOf(page, 'Connection 0000').waitFor()
    await page.getByText('300 connections').waitFor()
    expect((await rowNames(page)).length).toBeLessThan(60)
    await page.keyboard.press('ArrowDown')
    for (let step = 0; step < 40; step++) await page.keyboard.press('ArrowDown')
    await expect.poll(() => selected(page).textContent()).toBe('Connection 0040')
    await expect.poll(() => page.evaluate('document.activeElement.textContent')).toBe('Connection 0040')
  })

  test('hides the least useful columns in a narrow window', async () => {
    const { service } = await three()
    const { page } = await open({ at: service, width: 900, height: 600 })
    await rowOf(page, 'Acme').waitFor()
    const headers = () => page.getByRole('columnheader').allTextContents()
    await expect.poll(headers).toEqual(['Name', 'Status', 'Events, 24 h', 'Calls, 24 h', 'Enabled'])
    await expectAccessible(page)
    await page.setViewportSize({ width: 1280, height: 800 })
    await expect.poll(headers).toContain('Last event')
  })
})

describe('the overview', () => {
  test('shows credentials only when asked, and hides them after half a minute', async () => {
    const service = await sharedService()
    const { connectionId, credentials } = await create(service.rest, 'Acme')
    const { page, go } = await open({ at: service, own: true, scheme: 'dark' })
    await page.clock.install()
    await go(`/connections/${connectionId}`)
    await page.getByText('Run it and watch this line.').waitFor()
    await expectAccessible(page)
    const everything = () =>
      page.evaluate('document.documentElement.outerHTML + JSON.stringify(localStorage)')
    expect(await everything()).not.toContain(credentials.inboundToken)
    // From here on, time passes by these steps only.
    await page.clock.pauseAt(Date.now() + 60_000)

    const secret = page.getByLabel('Signing secret', { exact: true })
    await page.getByRole('button', { name: 'Reveal signing secret' }).click()
    await expect.poll(() => secret.inputValue()).toBe(credentials.signingSecret)
    await page.clock.fastForward(29_000)
    await expect.poll(() => secret.inputValue()).toBe(credentials.signingSecret)
    await page.clock.fastForward(1_500)
    await expect.poll(() => secret.inputValue()).toMatch(/^whsec_•+$/)

    await page.getByRole('button', { name: 'Reveal inbound URL' }).click()
    const url = page.getByLabel('Inbound URL', { exact: true })
    await expect.poll(() => url.inputValue()).toBe(credentials.inboundUrl)
    await page.getByRole('button', { name: 'Hide inbound URL' }).click()
    await expect.poll(() => url.inputValue()).toContain('/api/connect/••••')
  })

  test('rotates the secret, and accepts the old one for the chosen period', async () => {
    const service = await sharedService()
    const { connectionId, credentials } = await create(service.rest, 'Acme')
    const { page } = await open({ at: service, path: `/connections/${connectionId}` })
    await page.getByRole('button', { name: 'Show the overview' }).click()
    await page.getByRole('button', { name: 'Rotate signing secret' }).click()
    const dialog = page.getByRole('dialog', { name: 'Rotate the signing secret' })
    await dialog.getByLabel('1 hour').check()
    await expectAccessible(page)
    await dialog.getByRole('button', { name: 'Rotate secret' }).click()
    await dialog.waitFor({ state: 'detached' })
    const secret = page.getByLabel('Signing secret', { exact: true })
    await expect.poll(() => secret.inputValue()).toMatch(/^whsec_[\w-]{43}$/)
    const next = await secret.inputValue()
    expect(next).not.toBe(credentials.signingSecret)
    await page.getByText(/An old secret is accepted until/).waitFor()
    expect(await post(credentials.inboundUrl, credentials.signingSecret, 'order.paid')).toBe(200)
    expect(await post(credentials.inboundUrl, next, 'order.paid')).toBe(200)

    await page.getByRole('button', { name: 'Rotate signing secret' }).click()
    await dialog.getByText('“Not at all” makes all of them invalid now.').waitFor()
    await dialog.getByLabel('Not at all').check()
    await dialog.getByRole('button', { name: 'Rotate secret' }).click()
    await dialog.waitFor({ state: 'detached' })
    expect(await post(credentials.inboundUrl, next, 'order.paid')).toBe(401)
    await page.getByText('Last: signed with an old secret').first().waitFor()
  })

  test('makes a new URL, and stops the old one at once', async () => {
    const service = await sharedService()
    const { connectionId, credentials } = await create(service.rest, 'Acme')
    const { page } = await open({ at: service, path: `/connections/${connectionId}` })
    await page.getByRole('button', { name: 'Make a new inbound URL' }).click()
    await page.getByRole('button', { name: 'Stop the old URL and make a new one' }).click()
    const url = page.getByLabel('Inbound URL', { exact: true })
    await page.getByRole('button', { name: 'Hide inbound URL' }).waitFor()
    expect(await post(credentials.inboundUrl, credentials.signingSecret, 'order.paid')).toBe(404)
    expect(await post(await url.inputValue(), credentials.signingSecret, 'order.paid')).toBe(200)
  })

  test('saves valid fields, keeps unsaved ones, and shows their problems', async () => {
    const service = await sharedService()
    const { connectionId } = await create(service.rest, 'Acme')
    const { page } = await open({ at: service, path: `/connections/${connectionId}` })
    const read = async () => (await service.rest('GET', `/connections/${connectionId}`)).body
    await page.getByLabel('Name', { exact: true }).fill('Acme Orders')
    await page.getByText('Unsaved: name').waitFor()
    await page.getByRole('tab', { name: 'Activity' }).click()
    await page.getByText('Your changes to the connection Acme are not saved.').waitFor()
    await page.getByRole('button', { name: 'Keep editing' }).click()

    await page.getByRole('button', { name: 'Timeout and retention' }).click()
    await page.getByLabel('Call timeout').fill('500')
    await page.getByLabel('Days kept').fill('7')
    await page.keyboard.press('Control+s')
    await page.getByText('A call may take 1 to 120 seconds.').waitFor()
    expect(await read()).toMatchObject({ name: 'Acme' })
    await page.getByLabel('Call timeout').fill('2.5')
    await page.keyboard.press('Control+s')
    await page.getByText(/all changes saved/).waitFor()
    await expect.poll(read).toMatchObject({
      name: 'Acme Orders',
      timeoutMs: 2500,
      retention: { maxEvents: 10_000, maxDays: 7 },
    })
    await page.getByRole('heading', { name: 'Acme Orders' }).waitFor()

    await page.getByLabel('Log inbound events').click()
    await page.getByText('Keeps the newest 10,000 events for 7 days.').waitFor()
    await expect.poll(read).toMatchObject({ persistEvents: true })
    await page.getByRole('switch', { name: 'Connection enabled' }).click()
    await page.getByRole('switch', { name: 'Connection enabled', checked: false }).waitFor()
    await expect.poll(read).toMatchObject({ enabled: false })
    await expectAccessible(page)
  })

  test('copies code with the real URL, and shows it with a masked token', async () => {
    const service = await sharedService()
    const { connectionId, credentials } = await create(service.rest, 'Acme')
    await service.rest('POST', `/connections/${connectionId}/event-types`, {
      eventName: 'stock.low',
      samplePayload: { sku: 'KB-87' },
    })
    const { page } = await open({ at: service, path: `/connections/${connectionId}` })
    const code = page.getByRole('region', { name: 'Code' })
    await code.getByRole('tab', { name: 'Python' }).click()
    await code.getByText('stock.low').first().waitFor()
    expect(await code.textContent()).not.toContain(credentials.inboundToken)
    await code.getByRole('button', { name: 'Copy without the secret' }).click()
    await page.getByText('Code copied').waitFor()
    const copied = await clipboard(page)
    expect(copied).toContain(credentials.inboundUrl)
    expect(copied).toContain('"sku":"KB-87"')
    expect(copied).not.toContain(credentials.signingSecret)

    await code.getByText('Verify a call').click()
    await code.getByText('answer 401').waitFor()
    await page.reload()
    await code.getByRole('tab', { name: 'Python', selected: true }).waitFor()
  })

  test('links from the last rejection to the activity', async () => {
    const service = await sharedService()
    const { connectionId, credentials } = await create(service.rest, 'Acme')
    expect(await post(credentials.inboundUrl, 'whsec_wrong', 'order.paid')).toBe(401)
    const { page } = await open({ at: service, path: `/connections/${connectionId}` })
    await page.getByRole('button', { name: 'Show the overview' }).click()
    await page.getByRole('link', { name: 'Last: signature does not match' }).click()
    await expect.poll(() => page.url()).toContain(`/connections/${connectionId}/activity?show=rejected`)
    const rejection = page.getByRole('region', { name: 'Rejected attempt' })
    await rejection.getByRole('heading').first().waitFor()
    await expect.poll(() => page.getByRole('option', { selected: true }).count()).toBe(1)
    // The address opens it again.
    await page.reload()
    await rejection.getByRole('heading').first().waitFor()
  })
})

test('the page of a connection that is deleted elsewhere says so', async () => {
  const service = await sharedService()
  const { connectionId } = await create(service.rest, 'Acme')
  const { page } = await open({ at: service, path: `/connections/${connectionId}` })
  await page.getByText('Run it and watch this line.').waitFor()
  await service.rest('DELETE', `/connections/${connectionId}`)
  await page.getByRole('alert').getByText('connection_not_found').waitFor()
  await page.getByRole('button', { name: 'Show connections' }).click()
  await page.getByRole('heading', { name: 'Connect your first system' }).waitFor()
})

test('a switch goes back if the service does not answer', async () => {
  const service = await sharedService()
  const { connectionId } = await create(service.rest, 'Acme')
  const { page } = await open({ at: service, path: `/connections/${connectionId}` })
  const enabled = page.getByRole('switch', { name: 'Connection enabled' })
  await page.getByRole('switch', { name: 'Connection enabled', checked: true }).waitFor()
  await page.route('**/rpc/connections/update', route => route.abort())
  await enabled.click()
  await page.getByText('The connection could not be enabled or disabled').waitFor()
  await expect.poll(() => enabled.isChecked()).toBe(true)
})

describe('the menu of a connection', () => {
  test('gets the focus back when a dialog that it opened is closed', async () => {
    const service = await sharedService()
    const { connectionId } = await create(service.rest, 'Acme')
    const { page } = await open({ at: service, path: `/connections/${connectionId}` })
    const hasFocus = page.locator(':focus')
    for (const name of ['More for Acme', 'Rotate signing secret']) {
      await pressOnce(page.getByRole('button', { name }))
      if (name === 'More for Acme') await chooseByKey(page, 'Delete')
      await page.getByRole('dialog').locator(':focus').waitFor()
      await page.keyboard.press('Escape')
      await page.getByRole('button', { name }).and(hasFocus).waitFor()
    }
  })

  test('deletes it once its name is typed, offers an export, and can restore it completely', async () => {
    const service = await sharedService()
    const { connectionId, credentials } = await create(service.rest, 'Acme')
    await create(service.rest, 'Billing')
    const { page } = await open({ at: service, path: `/connections/${connectionId}` })
    await page.getByRole('button', { name: 'More for Acme' }).click()
    await page.getByRole('menuitem', { name: 'Delete' }).click()
    const dialog = page.getByRole('dialog', { name: 'Delete Acme' })
    const confirm = dialog.getByRole('button', { name: 'Delete connection' })
    await expect.poll(() => confirm.isDisabled()).toBe(true)
    await dialog.getByLabel('Type Acme to confirm').fill('acme')
    await expect.poll(() => confirm.isDisabled()).toBe(true)
    const downloading = page.waitForEvent('download')
    await dialog.getByRole('button', { name: 'Export as JSON' }).click()
    expect((await downloading).suggestedFilename()).toBe('acme.json')
    await dialog.getByLabel('Type Acme to confirm').fill('Acme')
    await expectAccessible(page)
    await page.keyboard.press('Enter')
    await page.getByText('Connection “Acme” deleted').waitFor()
    await expect.poll(() => rowNames(page)).toEqual(['Billing'])
    expect(await post(credentials.inboundUrl, credentials.signingSecret, 'order.paid')).toBe(404)

    await page.keyboard.press('Control+z')
    await page.getByText('Connection “Acme” is back').waitFor()
    await expect.poll(() => rowNames(page)).toEqual(['Acme', 'Billing'])
    expect(await post(credentials.inboundUrl, credentials.signingSecret, 'order.paid')).toBe(200)
  })

  test('exports and duplicates it', async () => {
    const service = await sharedService()
    const { connectionId } = await create(service.rest, 'Acme Orders', 'https://api.acme.example')
    await service.rest('POST', `/connections/${connectionId}/event-types`, { eventName: 'order.paid' })
    const { page } = await open({ at: service })
    await page.getByRole('button', { name: 'More for Acme Orders' }).click()
    const downloading = page.waitForEvent('download')
    await page.getByRole('menuitem', { name: 'Export as JSON' }).click()
    const download = await downloading
    expect(download.suggestedFilename()).toBe('acme-orders.json')
    const document = ImportDocument.parse(JSON.parse(await readFile(await download.path(), 'utf8')))
    expect(document.events.map(({ eventName }) => eventName)).toEqual(['order.paid'])

    await page.getByRole('button', { name: 'More for Acme Orders' }).click()
    await page.getByRole('menuitem', { name: 'Duplicate' }).click()
    await page.getByRole('heading', { name: 'Acme Orders (copy)' }).waitFor()
    await page.getByRole('tab', { name: /Event types\s*1/ }).waitFor()
  })
})

describe('the overview', () => {
  test('of a connection with events has its settings in sight, and all of the code', async () => {
    const service = await sharedService()
    const { connectionId, credentials } = await create(service.rest, 'Acme', 'https://api.example.com')
    expect(await post(credentials.inboundUrl, credentials.signingSecret, 'order.paid')).toBe(200)
    const { page } = await open({ at: service, path: `/connections/${connectionId}` })
    await page.getByText('Run it and watch this line.').waitFor()
    const settings = [
      ...['Name', 'Base URL'].map(name => page.getByLabel(name, { exact: true })),
      ...[/^Log inbound events/, /^Ignore exact repeats/].map(name => page.getByRole('switch', { name })),
    ]
    for (const setting of settings) await expect.poll(() => isInSight(page, setting)).toBe(true)
    await page.keyboard.press('s')
    await expect.poll(() => page.evaluate('document.activeElement.value')).toBe('Acme')
    // No line of the code is cut.
    const code = page.getByRole('figure', { name: 'curl: send an event' }).locator('pre')
    const hidden = () =>
      code.evaluate(
        ({ scrollHeight, clientHeight }: { scrollHeight: number; clientHeight: number }) =>
          scrollHeight - clientHeight,
      )
    await expect.poll(hidden).toBe(0)
    await expect.poll(() => isInSight(page, code.locator('span').last())).toBe(true)

    for (const height of [800, 400]) {
      await page.setViewportSize({ width: 1280, height })
      const more = page.getByRole('button', { name: 'Timeout and retention' })
      if ((await more.getAttribute('aria-expanded')) === 'true') await more.click()
      await more.click()
      await expect.poll(() => isInSight(page, page.getByLabel('Events kept'))).toBe(true)
    }
  })

  test('of a connection that is only called shows its calls, and no first event is awaited', async () => {
    const service = await sharedService()
    const { connectionId } = await create(service.rest, 'Acme', 'http://127.0.0.1:9')
    const { body } = await service.rest('POST', `/connections/${connectionId}/actions`, {
      name: 'Look up',
      description: 'When asked.',
      method: 'GET',
      path: '/x',
    })
    const { actionId } = z.object({ actionId: z.string() }).parse(body)
    await service.rest('POST', `/connections/${connectionId}/actions/${actionId}/test`, { arguments: {} })
    const { page } = await open({ at: service, path: `/connections/${connectionId}` })
    await page.getByRole('region', { name: 'Last 24 hours' }).getByText('0 succeeded').waitFor()
    expect(await page.getByRole('list', { name: 'The first event' }).count()).toBe(0)
  })

  test('gives a prompt for a coding agent, without a credential in it', async () => {
    const service = await sharedService()
    const { connectionId, credentials } = await create(service.rest, 'Acme')
    const { page } = await open({ at: service, path: `/connections/${connectionId}` })
    await page.getByText('Prompt', { exact: true }).click()
    await page.getByRole('figure', { name: 'Prompt for a coding agent' }).waitFor()
    await expectAccessibleInBothSchemes(page)
    await page.keyboard.press('c')
    await page.getByText('Prompt copied').waitFor()
    const prompt = await clipboard(page)
    expect(prompt).toContain('“Acme”')
    expect(prompt).not.toContain(credentials.inboundToken)
    expect(prompt).not.toContain(credentials.signingSecret)
    await page.getByRole('button', { name: 'Copy the lines for .env' }).click()
    await expect
      .poll(() => clipboard(page))
      .toBe(`CC_INBOUND_URL=${credentials.inboundUrl}\nCC_SIGNING_SECRET=${credentials.signingSecret}\n`)
  })
})

/** Returns whether a part of the screen is inside the part that is scrolled. */
async function isInSight(page: Page, part: Locator): Promise<boolean> {
  const box = await part.boundingBox()
  // A low window has no footer.
  const bottom = (await page.locator('footer').boundingBox())?.y ?? page.viewportSize()?.height ?? 0
  return box !== null && box.y > 90 && box.y + box.height <= bottom
}
