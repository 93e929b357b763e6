import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { createAction } from '../../support/actions.ts'
import { startExternalSystem } from '../../support/external-system.ts'
import { createConnection } from '../../support/rest-client.ts'
import { postInbound } from '../../support/service-fixture.ts'
import { expectAccessibleInBothSchemes } from './accessibility.ts'
import { dashboardTests, sixFrames } from './fixture.ts'

const { open, sharedService } = dashboardTests()

const phone = { width: 390, height: 844 }
/** A window of 1280 × 800 at 400 % zoom, in CSS pixels. */
const zoomed = { width: 320, height: 200 }

const routes = [
  '/connections',
  '/map',
  '/activity',
  '/connections/{connection}',
  '/connections/{connection}/sender',
  '/connections/{connection}/sender/activation',
  '/connections/{connection}/sign-in',
  '/connections/{connection}/actions',
  '/connections/{connection}/actions?action={action}&panel=definition',
  '/connections/{connection}/actions?action={action}&panel=test',
  '/connections/{connection}/events',
  '/connections/{connection}/activity',
  '/connections/{connection}/check',
  '/workflows',
  '/workflows/new',
  '/workflows/runs',
  '/assistant',
  '/assistant/conversation',
  '/agent/widget',
  '/agent/voice',
  '/agent/crawler',
  '/agent/calendar',
  '/agent/languages',
  '/agent/actions',
  '/agent/knowledge',
  '/alerts',
  ...['listener', 'environment', 'workspaces', 'data-folder', 'nodes', 'appearance', 'limits'].map(
    section => `/settings/${section}`,
  ),
  '/nowhere',
]

/**
 * Returns what makes the page scroll to the side, and the controls beyond its edge. Tabs, code, the map and the table of
 * languages scroll for themselves, since their parts have a place beside one another.
 */
const tooWide = (page: Page): Promise<readonly string[]> =>
  page.evaluate<readonly string[]>(`(() => {
    const scrollers = '[role="tablist"], nav, pre, [role="grid"], [data-wide], .cm-editor'
    const of = one => one.tagName + ' ' + one.className + ' ' + one.textContent.slice(0, 40)
    const shown = [...document.querySelectorAll('main, main *')].filter(one => one.checkVisibility())
    const scrolled = shown.filter(one =>
      /auto|scroll/.test(getComputedStyle(one).overflowX) && one.scrollWidth > one.clientWidth + 1 &&
      !one.matches(scrollers) && one.querySelector(':scope > :is([role="grid"], [data-wide])') === null)
    const beyond = shown.filter(one => one.matches('a, button, input, textarea, h1, h2, h3') &&
      one.closest(scrollers) === null && one.getBoundingClientRect().right > innerWidth + 1)
    const page = document.documentElement.scrollWidth > innerWidth ? ['the page'] : []
    return [...page, ...scrolled.map(of), ...beyond.map(of)]
  })()`)

async function seeded() {
  const service = await sharedService()
  const { connectionId } = await createConnection(service.rest, {
    name: 'Acme Orders ERP',
    baseUrl: 'https://api.acme-erp.com',
  })
  const { actionId } = await createAction(service.rest, connectionId)
  return { service, connectionId, actionId }
}

describe('on a phone', () => {
  test('no page scrolls to the side at 320 CSS pixels', async () => {
    const { service, connectionId, actionId } = await seeded()
    const { page, go } = await open({ at: service, ...zoomed })
    const found: Record<string, unknown> = {}
    for (const route of routes) {
      await go(route.replace('{connection}', connectionId).replace('{action}', actionId))
      await page.getByRole('heading').first().waitFor()
      await page.evaluate('document.fonts.ready')
      await sixFrames(page)
      const wide = await tooWide(page)
      if (wide.length > 0) found[route] = wide
    }
    expect(found).toEqual({})
  })

  test('places at its foot lead to the screens, and More to the rest', async () => {
    const { service, connectionId } = await seeded()
    const { page } = await open({ at: service, ...phone })
    const places = page.getByRole('navigation', { name: 'Main' })
    for (const [name, hash] of [
      ['Activity', '#/activity'],
      ['Runs', '#/workflows/runs'],
      ['Alerts', '#/alerts'],
      ['Connections', '#/connections'],
    ] as const) {
      await places.getByRole('link', { name }).press('Enter')
      await expect.poll(() => new URL(page.url()).hash).toBe(hash)
    }
    // As a card
    const card = page.getByRole('row', { name: /Acme Orders ERP/ })
    await card.getByRole('link', { name: 'Acme Orders ERP' }).waitFor()
    expect((await card.boundingBox())?.width).toBe(phone.width)
    await expectAccessibleInBothSchemes(page)
    const more = places.getByRole('button', { name: 'More' })
    await more.press('Enter')
    const drawer = page.getByRole('dialog', { name: 'More' })
    await drawer.getByRole('link', { name: 'Workflows' }).waitFor()
    await expectAccessibleInBothSchemes(page)
    await page.keyboard.press('Escape')
    await drawer.waitFor({ state: 'hidden' })
    await expect
      .poll(() => more.evaluate((one: { matches(of: string): boolean }) => one.matches(':focus')))
      .toBe(true)
    await more.press('Enter')
    await drawer.getByRole('link', { name: 'Settings' }).press('Enter')
    await drawer.waitFor({ state: 'hidden' })
    await expect.poll(() => new URL(page.url()).hash).toBe('#/settings/listener')
    await page.goto(`${service.dashboardUrl}/#/connections/${connectionId}`)
    await page.getByRole('tab', { name: 'Overview', selected: true }).waitFor()
    await expectAccessibleInBothSchemes(page)
  })

  test('an open item has its acts in a bar above the foot, and the search is in the head', async () => {
    const system = await startExternalSystem((_request, response) => void response.writeHead(500).end('{}'))
    const { page, service, go } = await open({ own: true, ...phone })
    const { connectionId, credentials } = await createConnection(service.rest, {
      ...{ name: 'Acme', baseUrl: system.url, persistEvents: true },
    })
    const { toolName } = await createAction(service.rest, connectionId)
    await service.rest('POST', '/workflows', {
      name: 'Look up',
      trigger: { type: 'external.event', connectionId, eventName: 'order.paid' },
      steps: [{ key: 'call', type: 'action', connectionId, toolName, arguments: {}, onFailure: 'stop' }],
    })
    expect((await postInbound(credentials, '{"event":"order.paid","data":{}}', Date.now())).status).toBe(200)
    const wrong = { ...credentials, signingSecret: 'whsec_wrong' }
    expect((await postInbound(wrong, '{"event":"order.paid"}', Date.now())).status).toBe(401)

    await go('/connections')
    await page.getByRole('button', { name: 'Search or run' }).press('Enter')
    await page.getByRole('dialog').getByRole('combobox').waitFor()
    await page.keyboard.press('Escape')
    await expect
      .poll(() => page.evaluate('document.activeElement.getAttribute("aria-label")'))
      .toBe('Search or run')

    const foot = page.getByRole('navigation', { name: 'Main' })
    for (const [list, row, act] of [
      [`/connections/${connectionId}/activity?show=rejected`, /invalid_signature/, 'Copy for the sender'],
      [`/connections/${connectionId}/activity?show=inbound`, /order\.paid/, /^Edit and send/],
      ['/workflows/runs', /Look up/, /^Replay event/],
    ] as const) {
      await page.setViewportSize(phone)
      await go(list)
      await page.getByRole('option', { name: row }).last().click()
      const button = page.getByRole('button', { name: act })
      await button.waitFor()
      await expect.poll(async () => (await button.boundingBox())?.height).toBe(44)
      const [bottom, top] = [await button.boundingBox(), await foot.boundingBox()]
      expect((top?.y ?? 0) - ((bottom?.y ?? 0) + 44)).toBeLessThan(12)
      await expectAccessibleInBothSchemes(page)
      await page.setViewportSize({ width: 320, height: 640 })
      await sixFrames(page)
      expect(await tooWide(page)).toEqual([])
    }
    await page.setViewportSize(phone)
    await go(`/connections/${connectionId}/activity?show=rejected`)
    await page.getByRole('option').last().click()
    await page.getByRole('button', { name: 'Show the story of the request' }).press('Enter')
    await page.waitForURL(/#\/story\/att/)
    await page.getByRole('heading', { name: 'Refused request' }).waitFor()
  })
})
