import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { createAction } from '../../support/actions.ts'
import { createConnection } from '../../support/rest-client.ts'
import { chooseByKey, dashboardTests, holdCalls, pressOnce, sixFrames } from './fixture.ts'

const { open, sharedService } = dashboardTests()

/** Returns the accessible name of the focused element, or its tag name. */
const focused = (page: Page) =>
  page.evaluate<string>(
    `(e => e.getAttribute('aria-label') ?? e.labels?.[0]?.textContent ?? (e.matches('button') ? e.textContent : e.tagName))(document.activeElement)`,
  )

describe('the focus stays in its place', () => {
  test('when changes are discarded, saved or refused', async () => {
    const { page } = await open({ path: '/settings/limits' })
    const field = page.getByLabel('Open connections')
    await field.fill('2048')
    await page.getByLabel('Largest body').focus()
    await page.getByRole('button', { name: 'Discard' }).press('Enter')
    await page.getByText('Unsaved').waitFor({ state: 'detached' })
    await expect.poll(() => focused(page)).toBe('Largest body')

    await field.fill('1')
    await page.getByRole('button', { name: 'Save' }).press('Enter')
    await page.getByRole('alert').or(page.locator('[aria-invalid="true"]')).first().waitFor()
    // On the pressed button, unless it was disabled long enough to lose the focus.
    await expect.poll(() => focused(page)).toMatch(/^(Open connections|Save.*)$/)

    await field.fill('4096')
    await page.getByRole('button', { name: 'Save' }).press('Enter')
    await page.getByText('Limits saved').waitFor()
    await expect.poll(() => focused(page)).toBe('Open connections')
  })

  test('when a new item is saved and its editor is replaced', async () => {
    const { page, service, go } = await open()
    const { connectionId } = await createConnection(service.rest)
    await go(`/connections/${connectionId}/events`)
    await page.getByRole('region', { name: 'Event types' }).waitFor()
    await page.keyboard.press('n')
    await page.locator('input:focus').waitFor()
    await page.keyboard.type('order.paid')
    await page.getByRole('button', { name: 'Declare event type' }).press('Enter')
    await page.getByText('Event type “order.paid” declared').waitFor()
    await expect.poll(() => focused(page)).not.toBe('BODY')
    await expect
      .poll(() => page.evaluate(`document.querySelector('main').contains(document.activeElement)`))
      .toBe(true)
  })

  test('when a deletion is undone from its toast', async () => {
    const { page, service, go } = await open()
    const { connectionId } = await createConnection(service.rest)
    await service.rest('POST', `/connections/${connectionId}/event-types`, { eventName: 'order.paid' })
    await go(`/connections/${connectionId}/events`)
    await pressOnce(page.getByRole('button', { name: 'Delete event type' }))
    const undo = page.getByRole('button', { name: 'Undo' })
    await undo.press('Enter')
    await page.getByText('Event type “order.paid” is back').waitFor()
    await undo.waitFor({ state: 'detached' })
    await expect.poll(() => focused(page)).not.toBe('BODY')
    await expect
      .poll(() => page.evaluate(`document.querySelector('main').contains(document.activeElement)`))
      .toBe(true)
  })

  test('when the button that sets a variable is replaced', async () => {
    const { page, service, go } = await open({ path: '/settings/environment' })
    const { connectionId } = await createConnection(service.rest, { baseUrl: 'https://api.example.com' })
    await service.rest('POST', `/connections/${connectionId}/actions`, {
      name: 'Look up',
      description: 'Find it.',
      path: '/x',
      headers: { 'X-Api-Key': '{{SHOP_KEY}}' },
    })
    await go('/settings/environment')
    await pressOnce(page.getByRole('button', { name: 'Set value' }))
    await page.getByLabel('Value', { exact: true }).fill('a-secret-value-of-the-shop')
    await page.keyboard.press('Enter')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await expect.poll(() => focused(page)).toBe('Replace SHOP_KEY')
  })

  test('when a workspace is renamed, and when one is deleted', async () => {
    const { page, service, go } = await open()
    await service.rest('POST', '/workspaces', { name: 'Southwind' })
    await go('/settings/workspaces')
    await page.getByLabel('Name of Southwind').fill('Eastwind')
    await page.getByRole('button', { name: 'Rename' }).press('Enter')
    await page.getByRole('button', { name: 'Rename' }).waitFor({ state: 'detached' })
    await expect.poll(() => focused(page)).toBe('Name of Eastwind')
    await page.getByRole('button', { name: 'Delete Eastwind' }).press('Enter')
    await page.getByRole('button', { name: 'Delete workspace' }).press('Enter')
    await page.getByLabel('Name of Eastwind').waitFor({ state: 'detached' })
    await expect.poll(() => focused(page)).toBe('New workspace')
  })
})

describe('the focus goes to what is to do next', () => {
  test('in a dialog without a field that asks for it, and after what it asked', async () => {
    const { page, service, go } = await open()
    const { connectionId } = await createConnection(service.rest, { name: 'Acme' })
    await go(`/connections/${connectionId}`)
    await pressOnce(page.getByRole('button', { name: 'Rotate signing secret' }))
    await page
      .getByRole('dialog')
      .getByRole('radio', { name: /^24 hours/ })
      .and(page.locator(':focus'))
      .waitFor()
    await page.keyboard.press('Escape')
    await expect.poll(() => focused(page)).toBe('Rotate signing secret')

    await page.getByLabel('Name', { exact: true }).fill('Acme 2')
    await pressOnce(page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: /^Workflows/ }))
    await pressOnce(page.getByRole('dialog').getByRole('button', { name: 'Discard changes' }))
    await page.getByRole('heading', { name: 'Workflows', level: 1 }).waitFor()
    await expect.poll(() => focused(page)).not.toBe('BODY')
  })

  test('when an action is opened from the table', async () => {
    const { page, service, go } = await open()
    const { connectionId } = await createConnection(service.rest, { name: 'Acme' })
    await createAction(service.rest, connectionId, { name: 'Look up', toolName: 'look_up' })
    await go(`/connections/${connectionId}/actions`)
    await page.getByText('look_up').click()
    await page.getByRole('region', { name: 'Look up' }).waitFor()
    await page.getByRole('grid', { name: 'Actions' }).and(page.locator(':focus')).waitFor()
  })
})

type Place = { readonly connectionId: string; readonly actionId: string; readonly workflowId: string }

/** A connection with an action, an event type and stored events, and a workflow. */
async function prepared() {
  const service = await sharedService()
  const { rest } = service
  const { connectionId } = await createConnection(rest, {
    name: 'Shop',
    baseUrl: 'https://shop.example',
    persistEvents: true,
  })
  const { actionId } = await createAction(rest, connectionId, { name: 'Look up', toolName: 'look_up' })
  await rest('POST', `/connections/${connectionId}/event-types`, { eventName: 'order.paid' })
  for (const orderId of ['ORD-1', 'ORD-2'])
    await rest('POST', `/connections/${connectionId}/send`, { event: 'order.paid', data: { id: orderId } })
  const { body } = await rest('POST', '/workflows', {
    name: 'Paid order',
    enabled: false,
    trigger: { type: 'external.event', connectionId, eventName: 'order.paid' },
    steps: [{ key: 'tell', type: 'notify', message: 'Paid' }],
  })
  const { workflowId } = z.object({ workflowId: z.string() }).parse(body)
  return { service, place: { connectionId, actionId, workflowId } }
}

/** Fails if nothing has the focus, once the screen has come to rest. */
async function expectFocus(page: Page): Promise<void> {
  await expect.poll(() => focused(page)).not.toBe('BODY')
  await sixFrames(page)
  await expect.poll(() => focused(page)).not.toBe('BODY')
}

type Case = readonly [name: string, path: (place: Place) => string, act: (page: Page) => Promise<unknown>]

const ofConnection = ({ connectionId }: Place) => `/connections/${connectionId}`
const press = (page: Page, name: string | RegExp) => pressOnce(page.getByRole('button', { name }).first())
const menu = async (page: Page, button: string | RegExp, item: string) => {
  await press(page, button)
  await chooseByKey(page, item)
}

/** Each opens a dialog: by its key, or by a button that has the focus. */
const dialogs: readonly Case[] = [
  ['the command palette', () => '/connections', page => page.keyboard.press('Control+k')],
  ['the shortcuts', () => '/connections', page => page.keyboard.press('?')],
  ['the import', () => '/connections', page => page.keyboard.press('i')],
  ['a new connection', () => '/connections', page => page.keyboard.press('n')],
  ['a new connection, by its button', () => '/connections', page => press(page, /^New connection/)],
  ['a new workspace', () => '/connections', page => menu(page, /^Workspace:/, 'New workspace')],
  ['the deletion of a connection', ofConnection, page => menu(page, 'More for Shop', 'Delete')],
  ['a new secret', ofConnection, page => press(page, 'Rotate signing secret')],
  ['a new inbound URL', ofConnection, page => press(page, 'Make a new inbound URL')],
  ['a test event', ofConnection, page => page.keyboard.press('t')],
  [
    'a comparison of events',
    place => `${ofConnection(place)}/activity`,
    async page => {
      await page
        .getByRole('option', { name: /order\.paid/ })
        .first()
        .click()
      await page.getByText('"ORD-2"').first().waitFor()
      await page.keyboard.press('d')
    },
  ],
  [
    'an edited event',
    place => `${ofConnection(place)}/activity`,
    async page => {
      await page
        .getByRole('option', { name: /order\.paid/ })
        .first()
        .click()
      await page.getByText('"ORD-2"').first().waitFor()
      await page.keyboard.press('e')
    },
  ],
  ['a variable', () => '/settings/environment', page => page.keyboard.press('Control+e')],
  ['a client token', () => '/assistant', page => press(page, 'New token')],
  ['the deletion of a workflow', inWorkflow, page => menu(page, 'More for Paid order', 'Delete')],
  ['a workflow to import', () => '/workflows', page => page.keyboard.press('i')],
  ['a text', () => '/agent/languages', page => press(page, /^Add text/)],
  ['URLs', () => '/agent/crawler', page => press(page, /^Paste/)],
]

/** Each creates or sends something with the keyboard, and names what has the focus then. */
const creations: readonly (readonly [string, string, ...[Case[1], Case[2]]])[] = [
  [
    'an action is created',
    'Test',
    place => `${ofConnection(place)}/actions`,
    async page => {
      await page.keyboard.press('n')
      await page.getByLabel('Name', { exact: true }).fill('Create a refund')
      await page.getByLabel('Path', { exact: true }).fill('/refunds')
      await page.getByLabel('Description', { exact: true }).fill('When somebody asks.')
      await page.keyboard.press('Control+s')
      await page.getByText('Action “Create a refund” created').waitFor()
    },
  ],
  [
    'an action is duplicated',
    'Test',
    ({ connectionId, actionId }) => `/connections/${connectionId}/actions?action=${actionId}`,
    page => menu(page, 'More for Look up', 'Duplicate'),
  ],
  [
    'an event type is declared',
    'Send test event',
    place => `${ofConnection(place)}/events`,
    async page => {
      await page.keyboard.press('n')
      await page.locator('input:focus').waitFor()
      await page.keyboard.type('order.sent')
      await page.keyboard.press('Control+s')
      await page.getByText('Event type “order.sent” declared').waitFor()
    },
  ],
  [
    'a connection is created',
    'Copy inbound URL',
    () => '/connections',
    async page => {
      await page.keyboard.press('n')
      await page.getByRole('dialog').getByLabel('Name').fill('Warehouse')
      await page.keyboard.press('Control+Enter')
      await page.getByText('Connection “Warehouse” created').waitFor()
    },
  ],
  [
    'a workspace is created',
    'New connection|Load',
    () => '/connections',
    async page => {
      await menu(page, /^Workspace:/, 'New workspace')
      await page.locator('input:focus').waitFor()
      await page.keyboard.type('Southwind')
      await page.keyboard.press('Enter')
      await page.getByText('Workspace “Southwind” created').waitFor()
    },
  ],
  [
    'a workflow is begun',
    'Name',
    () => '/workflows',
    async page => {
      await page.getByRole('link', { name: /^Workflows/ }).focus()
      await page.keyboard.press('n')
      await page.getByRole('heading', { name: 'New workflow' }).waitFor()
    },
  ],
  [
    'a named workflow is begun',
    'When any connection',
    () => '/workflows/new?eventName=order.paid',
    async () => {},
  ],
  [
    'a workflow is created',
    'Run a test',
    () => '/workflows/new',
    async page => {
      await page.locator('input:focus').waitFor()
      await page.keyboard.type('Tell')
      await page.keyboard.press('Control+s')
      await page.getByText('Workflow “Tell” created').waitFor()
    },
  ],
  [
    'a workflow is duplicated',
    'Run a test',
    () => '/workflows',
    page => menu(page, 'More for Paid order', 'Duplicate'),
  ],
  [
    'a client token is created and its dialog closed',
    'New token|Copy',
    () => '/assistant',
    async page => {
      await press(page, 'New token')
      await page.locator('input:focus').waitFor()
      await page.keyboard.type('VS Code')
      await page.keyboard.press('Enter')
      await page.getByRole('dialog').getByText('mcp_').first().waitFor()
      await page.keyboard.press('Escape')
      await page.getByRole('dialog').waitFor({ state: 'detached' })
    },
  ],
  [
    'a variable is set',
    'Add variable',
    () => '/settings/environment',
    async page => {
      await press(page, /^Add variable/)
      await page.getByRole('dialog').getByLabel('Name').fill('API_KEY')
      await page.getByRole('dialog').getByLabel('Value', { exact: true }).fill('a-secret-value')
      await page.keyboard.press('Enter')
      await page.getByText('Variable “API_KEY” is set').waitFor()
    },
  ],
  [
    'a test event is sent from the bar',
    'Send',
    ofConnection,
    async page => {
      await page.keyboard.press('t')
      await page.getByRole('dialog').getByRole('button', { name: /^Send/ }).press('Enter')
      await page.getByText('Signature verified').waitFor()
    },
  ],
  [
    'a test event is sent from its event type',
    'Send test event',
    place => `${ofConnection(place)}/events`,
    async page => {
      await page
        .getByRole('region', { name: 'Send a test event' })
        .getByRole('button', { name: /^Send test event/ })
        .press('Enter')
      await page.getByText('Signature verified').waitFor()
    },
  ],
  [
    'an edited event is sent',
    'Events and calls|Edit',
    place => `${ofConnection(place)}/activity`,
    async page => {
      await page
        .getByRole('option', { name: /order\.paid/ })
        .first()
        .click()
      await page.getByText('"ORD-2"').first().waitFor()
      await page.keyboard.press('e')
      await page.getByRole('dialog').waitFor()
      await page.keyboard.press('Control+Enter')
      await page
        .getByText('Answer of the listener')
        .or(page.getByLabel('Answer of the listener'))
        .first()
        .waitFor()
      await page.keyboard.press('Escape')
      await page.getByRole('dialog').waitFor({ state: 'detached' })
    },
  ],
  [
    'an action is tested',
    'Send',
    ({ connectionId, actionId }) => `/connections/${connectionId}/actions?action=${actionId}&panel=test`,
    async page => {
      await pressOnce(page.getByRole('button', { name: /^Send/ }).last())
      await page.getByRole('tab', { name: /^History ?1/ }).waitFor()
    },
  ],
  [
    'a connection is deleted',
    'MAIN|Connections|Load|New connection',
    ofConnection,
    async page => {
      await menu(page, 'More for Shop', 'Delete')
      await page.getByRole('dialog').locator('input').fill('Shop')
      await page.keyboard.press('Enter')
      await page.getByText('Connection “Shop” deleted').waitFor()
    },
  ],
]

function inWorkflow({ workflowId }: Place): string {
  return `/workflows/${workflowId}`
}

describe('something has the focus', () => {
  test.each(dialogs)('after the dialog of %s is closed with Escape', async (_name, path, act) => {
    const { service, place } = await prepared()
    const { page } = await open({ at: service, path: path(place) })
    await page.getByRole('heading').first().waitFor()
    await act(page)
    const dialog = page.getByRole('dialog')
    await dialog.first().waitFor()
    await expectFocus(page)
    await page.keyboard.press('Escape')
    await dialog.first().waitFor({ state: 'detached' })
    await expectFocus(page)
  })

  test.each(creations)('after %s: %s', async (_name, next, path, act) => {
    const { service, place } = await prepared()
    const { page } = await open({ at: service, path: path(place) })
    await page.getByRole('heading').first().waitFor()
    await act(page)
    await expect.poll(() => focused(page)).toMatch(new RegExp(`^(?:${next})`))
    await expectFocus(page)
    expect(await focused(page)).toMatch(new RegExp(`^(?:${next})`))
  })
})

test('the next thing to do has the focus, also if it is late to be known that a connection is new', async () => {
  const { page } = await open({ path: '/connections' })
  await page.getByRole('heading').first().waitFor()
  const { held, letGo } = await holdCalls(page, 'activity/list')
  await page.keyboard.press('n')
  await page.getByRole('dialog').getByLabel('Name').fill('Warehouse')
  await page.keyboard.press('Control+Enter')
  await held()
  await page.getByRole('heading', { name: 'Receive events' }).waitFor()
  await letGo()
  await page.getByRole('heading', { name: 'Receive events' }).waitFor({ state: 'detached' })
  await expect.poll(() => focused(page)).toMatch(/^Copy inbound URL/)
  await expectFocus(page)
  expect(await focused(page)).toMatch(/^Copy inbound URL/)
})

describe('a bracket', () => {
  const screens: readonly [string, (place: Place) => string][] = [
    ['an action', ({ connectionId, actionId }) => `/connections/${connectionId}/actions?action=${actionId}`],
    ['a new action', ({ connectionId }) => `/connections/${connectionId}/actions?action=new`],
    [
      'the test of an action',
      ({ connectionId, actionId }) => `/connections/${connectionId}/actions?action=${actionId}&panel=test`,
    ],
    ['an event type', ({ connectionId }) => `/connections/${connectionId}/events`],
    ['a connection', ofConnection],
    ['the crawler', () => '/agent/crawler'],
    ['the widget', () => '/agent/widget'],
    ['the languages', () => '/agent/languages'],
  ]
  test.each(screens)('or a digit typed in an editor or a field of %s leaves neither', async (_name, path) => {
    const { service, place } = await prepared()
    const { page } = await open({ at: service, path: path(place) })
    const screen = () => page.url().split('?')[0]
    const before = screen()
    const fields = page.locator(
      'main :is(input:not([type=checkbox], [type=radio]), textarea, select, [contenteditable], .cm-editor [tabindex], [data-editor] button):visible',
    )
    await fields.first().waitFor()
    for (let index = 0; index < (await fields.count()); index++) {
      const field = fields.nth(index)
      if (!(await field.isEnabled())) continue
      await field.focus()
      for (const key of [']', '[', '1', '4']) await page.keyboard.press(key)
      expect(screen()).toBe(before)
    }
  })

  test('goes to the next tab, and back, from the list and from the screen itself', async () => {
    const { service, place } = await prepared()
    const { page } = await open({ at: service, path: ofConnection(place) })
    await page.getByRole('heading').first().waitFor()
    const isOpen = (tab: string) => page.getByRole('tab', { name: tab, selected: true }).waitFor()
    await page.keyboard.press(']')
    await isOpen('Actions')
    expect(page.url()).toContain('/actions')
    await page.keyboard.press('[')
    await isOpen('Overview')
    expect(page.url()).not.toContain('/actions')
  })
})

describe('a menu of choices opens at the current one', () => {
  test('for the method of an action', async () => {
    const { service, place } = await prepared()
    const { connectionId } = place
    const { actionId } = await createAction(service.rest, connectionId, {
      toolName: 'change',
      method: 'PATCH',
    })
    const { page } = await open({
      at: service,
      path: `/connections/${connectionId}/actions?action=${actionId}`,
    })
    const method = page.getByRole('button', { name: /^Method:/ })
    for (const key of ['Enter', 'ArrowDown', 'Space']) {
      await method.press(key)
      await page.locator('[data-combobox-selected]').filter({ hasText: 'PATCH' }).waitFor()
      await page.keyboard.press('Escape')
      await page.getByRole('option').first().waitFor({ state: 'hidden' })
    }
    await method.press('Enter')
    await page.keyboard.press('ArrowUp')
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: 'Method: PUT' }).waitFor()
  })

  test.each([
    ['the order of the connections', '/connections?sort=name', /^Sorted by/, /Name/],
    ['the period of the runs', '/workflows/runs?since=week', /^Period:/, /Last 7 days/],
    ['the workspace', '/connections', /^Workspace:/, /^Default/],
  ])('for %s', async (_name, path, button, chosen) => {
    const { service } = await prepared()
    const { page } = await open({ at: service, path })
    await page.getByRole('button', { name: button }).press('Enter')
    await expect.poll(() => focused(page)).toMatch(chosen)
  })
})
