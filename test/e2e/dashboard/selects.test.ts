import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { createAction } from '../../support/actions.ts'
import { type CreatedConnection, createConnection } from '../../support/rest-client.ts'
import type { ServiceFixture } from '../../support/service-fixture.ts'
import { expectAccessible } from './accessibility.ts'
import { dashboardTests, typeToFind } from './fixture.ts'

const { open, sharedService } = dashboardTests()

type Shop = {
  readonly shop: CreatedConnection
  readonly stock: CreatedConnection
  readonly workflowId: string
}
type Prepared = Shop & { readonly service: ServiceFixture }

const action = {
  name: 'Reserve stock',
  toolName: 'reserve_stock',
  method: 'POST',
  path: '/reservations',
  description: 'Reserves.',
}

/** Two connections with actions, stored events and a workflow with a step of each kind that has a select. */
async function prepared(): Promise<Prepared> {
  const service = await sharedService()
  const { rest } = service
  const shop = await createConnection(rest, {
    name: 'Acme Orders',
    baseUrl: 'https://orders.example',
    persistEvents: true,
  })
  const stock = await createConnection(rest, { name: 'Warehouse', baseUrl: 'https://stock.example' })
  for (const { connectionId } of [shop, stock]) {
    await createAction(rest, connectionId, action)
    await createAction(rest, connectionId, { ...action, name: 'Look up stock', toolName: 'look_up_stock' })
  }
  for (const orderId of ['ORD-1', 'ORD-2'])
    await rest('POST', `/connections/${shop.connectionId}/send`, {
      event: 'order.paid',
      data: { order_id: orderId },
    })
  const { body } = await rest('POST', '/workflows', {
    name: 'Paid order',
    enabled: false,
    trigger: { type: 'external.event', connectionId: shop.connectionId, eventName: 'order.paid' },
    steps: [
      {
        key: 'call',
        type: 'action',
        connectionId: shop.connectionId,
        toolName: 'look_up_stock',
        arguments: {},
      },
      { key: 'ask', type: 'http', method: 'GET', url: 'https://stock.example/' },
    ],
  })
  return { service, shop, stock, workflowId: (body as { workflowId: string }).workflowId }
}

type SelectCase = {
  readonly name: string
  /** The screen, for the name of the test. */
  readonly of: string
  readonly path: (shop: Shop) => string
  /** Opens what holds the select. */
  readonly reach?: (page: Page) => Promise<unknown>
  /** The option that is chosen at first, the typed text, and the first option that fits it. */
  readonly before: RegExp
  readonly typed: string
  readonly after: RegExp
}

const stepOf = (page: Page, number: string) =>
  page.getByRole('button', { name: new RegExp(`Step ${number}$`) }).click()
const inWorkflow = ({ workflowId }: Shop) => `/workflows/${workflowId}`

const cases: readonly SelectCase[] = [
  {
    name: 'Connection',
    of: 'the trigger',
    path: inWorkflow,
    reach: page => page.locator('[data-step="trigger"]').click(),
    before: /Acme Orders/,
    typed: 'any',
    after: /Any connection/,
  },
  {
    name: 'Connection',
    of: 'a step that calls',
    path: inWorkflow,
    reach: page => stepOf(page, '1'),
    before: /Acme Orders/,
    typed: 'wareh',
    after: /Warehouse/,
  },
  {
    name: 'Action',
    of: 'a step that calls',
    path: inWorkflow,
    reach: page => stepOf(page, '1'),
    before: /Look up stock/,
    typed: 'reserve',
    after: /Reserve stock/,
  },
  {
    name: 'Sign with',
    of: 'a step that asks',
    path: inWorkflow,
    reach: page => stepOf(page, '2'),
    before: /Not signed/,
    typed: 'ware',
    after: /Secret of Warehouse/,
  },
  {
    name: 'Event for the test run',
    of: 'the builder',
    path: inWorkflow,
    before: /ORD-2/,
    typed: 'ord-1',
    after: /ORD-1/,
  },
  {
    name: 'Payload',
    of: 'a test event',
    path: ({ shop }) => `/connections/${shop.connectionId}/events?eventType=new`,
    before: /Sample payload/,
    typed: 'edited',
    after: /As edited below/,
  },
  {
    name: 'Tools from',
    of: 'a new token',
    path: () => '/assistant?token=new',
    before: /All connections/,
    typed: 'acme',
    after: /Acme Orders/,
  },
  {
    name: 'Into',
    of: 'an import',
    path: () => '/connections',
    reach: page => page.keyboard.press('i'),
    before: /New connection in/,
    typed: 'warehouse',
    after: /Warehouse/,
  },
  {
    name: 'Time zone of the preview',
    of: 'the calendar',
    path: () => '/agent/calendar',
    before: /Europe\/Berlin/,
    typed: 'new_york',
    after: /America\/New_York/,
  },
  {
    name: 'Primary language',
    of: 'the languages',
    path: () => '/agent/languages',
    before: /English/,
    typed: 'swed',
    after: /Swedish/,
  },
]

describe('a select', () => {
  test.each(cases)(
    'for $name of $of finds by typing; Enter, Tab and a click elsewhere take the match',
    async one => {
      const shop = await prepared()
      const { page } = await open({ at: shop.service, path: '/workflows' })
      for (const [leave, expected] of [
        ['Enter', one.after],
        ['Tab', one.after],
        ['click', one.after],
        ['Escape', one.before],
      ] as const) {
        await page.goto(`${shop.service.dashboardUrl}/#/nowhere`)
        const leaving = page.getByRole('button', { name: 'Discard changes' })
        const nowhere = page.getByText('This page does not exist')
        await leaving.or(nowhere).first().waitFor()
        if (await leaving.isVisible()) await leaving.click()
        await nowhere.waitFor()
        await page.goto(`${shop.service.dashboardUrl}/#${one.path(shop)}`)
        await nowhere.waitFor({ state: 'detached' })
        await page.getByRole('heading').first().waitFor()
        await one.reach?.(page)
        const select = page.getByRole('combobox', { name: one.name, exact: true })
        await expect.poll(() => select.inputValue()).toMatch(one.before)
        await typeToFind(select, one.typed, one.after)
        if (leave === 'click') await page.getByRole('heading').last().click({ force: true })
        else await page.keyboard.press(leave)
        if (leave === 'Escape') await page.keyboard.press('Tab')
        await expect.poll(() => select.getAttribute('aria-expanded')).toBe('false')
        await expect.poll(() => select.inputValue()).toMatch(expected)
      }
    },
  )

  test('takes the exact name before others that begin alike, and nothing where the text was deleted', async () => {
    const shop = await prepared()
    await createConnection(shop.service.rest, { name: 'Warehouse West', baseUrl: 'https://west.example' })
    const { page } = await open({ at: shop.service, path: `/workflows/${shop.workflowId}` })
    await stepOf(page, '2')
    const select = page.getByRole('combobox', { name: 'Sign with' })
    await typeToFind(select, 'Secret of Warehouse')
    await page.keyboard.press('Tab')
    await expect.poll(() => select.inputValue()).toBe('Secret of Warehouse')
    // Typed again, it is the chosen one's name.
    await typeToFind(select, 'Secret of Warehouse')
    await page.keyboard.press('Enter')
    await expect.poll(() => select.inputValue()).toBe('Secret of Warehouse')
    await select.focus()
    await page.keyboard.press('Backspace')
    await page.keyboard.press('Tab')
    await expect.poll(() => select.inputValue()).toBe('Secret of Warehouse')
    await select.focus()
    await page.keyboard.type('no such connection')
    await page.keyboard.press('Tab')
    await expect.poll(() => select.inputValue()).toBe('Secret of Warehouse')
  })

  test('highlights the match of what was typed before its options had arrived', async () => {
    const shop = await prepared()
    const { page } = await open({ at: shop.service, path: '/workflows' })
    const { promise: areTyped, resolve: letThrough } = Promise.withResolvers<void>()
    await page.route('**/rpc/connections/rows', async route => {
      await areTyped
      await route.continue()
    })
    await page.goto(`${shop.service.dashboardUrl}/#/assistant?token=new`)
    const select = page.getByRole('combobox', { name: 'Tools from', exact: true })
    await select.focus()
    await page.keyboard.type('acme')
    letThrough()
    await page.locator('[role="option"][data-combobox-selected]').filter({ hasText: 'Acme Orders' }).waitFor()
    await page.keyboard.press('Enter')
    await expect.poll(() => select.inputValue()).toContain('Acme Orders')
  })

  test('does not hold back the shortcut of its form once something is chosen', async () => {
    const shop = await prepared()
    const { page } = await open({ at: shop.service, path: `/workflows/${shop.workflowId}` })
    const picker = page.getByRole('combobox', { name: 'Event for the test run' })
    await page.getByLabel('Dry run').check()
    await expect.poll(() => picker.inputValue()).toContain('ORD-2')
    await typeToFind(picker, 'ord-1', 'ORD-1')
    await page.keyboard.press('Enter')
    await expect.poll(() => picker.inputValue()).toContain('ORD-1')
    await page.keyboard.press('Control+Enter')
    await page.getByText('Succeeded, dry run').waitFor()
  })

  test('chooses the only possible connection and action of a new step, as one change', async () => {
    const service = await sharedService()
    const { connectionId } = await createConnection(service.rest, {
      name: 'Warehouse',
      baseUrl: 'https://stock.example',
    })
    await createConnection(service.rest, { name: 'Acme Orders' })
    await createAction(service.rest, connectionId, action)
    const { page } = await open({ at: service, path: '/workflows/new' })
    await page.getByRole('button', { name: /^Add step/ }).click()
    await page.getByRole('menuitem', { name: /Call an action/ }).click()
    await expect.poll(() => page.getByRole('combobox', { name: 'Action' }).inputValue()).toBe('Reserve stock')
    expect(await page.getByRole('combobox', { name: 'Connection' }).inputValue()).toBe('Warehouse')
    await expectAccessible(page)
    await page.getByRole('button', { name: 'Undo', exact: true }).click()
    await page.getByRole('combobox', { name: 'Action' }).waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Redo', exact: true }).click()
    await page.locator('[data-step="steps.0"]').getByText('Warehouse · reserve_stock').waitFor()
  })
})
