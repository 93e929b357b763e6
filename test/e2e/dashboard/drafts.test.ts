import type { Locator, Page } from 'playwright-core'
import { describe, expect, onTestFinished, test } from 'vitest'
import { createAction } from '../../support/actions.ts'
import { createConnection } from '../../support/rest-client.ts'
import { startScriptedModel } from '../../support/scripted-model.ts'
import { adminToken, type ServiceFixture } from '../../support/service-fixture.ts'
import { expectAccessibleInBothSchemes } from './accessibility.ts'
import { type Dashboard, dashboardTests, isShown, pressOnce, startRealTimeService } from './fixture.ts'

const { open, sharedService } = dashboardTests()

/** A text that is typed into a field. */
type Typed = {
  readonly field: (page: Page) => Locator
  readonly text: string
  /** Whether only the page's memory may have it. */
  readonly isSecret?: true
}
type Form = {
  readonly name: string
  /** Returns its address. */
  readonly at: (ids: Ids) => string
  /** Opens it, if it is not a part of the page. */
  readonly show?: (page: Page) => Promise<void>
  readonly typed: readonly Typed[]
  /** Whether what is typed stays for as long as the tab, whatever becomes of the form. */
  readonly keepsItself?: true
  /** Whether it needs a model. */
  readonly hasModel?: boolean
  /** The name of what is not kept over a reload. */
  readonly missing?: string
}
type Ids = Awaited<ReturnType<typeof records>>

/** Begins every text that no storage may have. */
const canary = 'canary-7f3a'

const input = 'input, textarea, [contenteditable="true"]'
const labelled =
  (label: string) =>
  (page: Page): Locator =>
    page.getByLabel(label, { exact: true }).and(page.locator(input)).first()
const inDialog = (label: string) => (page: Page) =>
  page.getByRole('dialog').getByLabel(label, { exact: true })
const press = (name: string | RegExp) => (page: Page) => pressOnce(page.getByRole('button', { name }).first())

const forms: readonly Form[] = [
  {
    name: 'the settings of a connection',
    at: ({ connectionId }) => `/connections/${connectionId}`,
    typed: [
      { field: labelled('Name'), text: 'Shop in Oslo' },
      { field: labelled('Base URL'), text: 'https://oslo.example' },
    ],
  },
  {
    name: 'a new action',
    at: ({ connectionId }) => `/connections/${connectionId}/actions?action=new`,
    typed: [{ field: labelled('Name'), text: 'Cancel order' }],
  },
  {
    name: 'an event type',
    at: ({ connectionId, eventTypeId }) => `/connections/${connectionId}/events?eventType=${eventTypeId}`,
    typed: [{ field: labelled('Label'), text: 'Paid at last' }],
  },
  {
    name: 'the scheme of a sender',
    at: ({ connectionId }) => `/connections/${connectionId}/sender?start=template`,
    typed: [
      { field: labelled('Signing secret'), text: `${canary}-secret`, isSecret: true },
      { field: labelled('Request'), text: `POST / HTTP/1.1\nx: ${canary}-request`, isSecret: true },
    ],
    missing: 'the pasted request, signing secret',
  },
  {
    name: 'an action',
    at: ({ connectionId, actionId }) => `/connections/${connectionId}/actions?action=${actionId}`,
    typed: [
      { field: labelled('Name'), text: 'Cancel order' },
      { field: labelled('Value of X-Key'), text: `${canary}-header`, isSecret: true },
    ],
    missing: 'header values',
  },
  {
    name: 'the arguments of a test of an action',
    at: ({ connectionId, actionId }) => `/connections/${connectionId}/actions?action=${actionId}&panel=test`,
    typed: [{ field: labelled('order_id'), text: 'ORD-7' }],
    keepsItself: true,
  },
  {
    name: 'the sign-in of a connection',
    at: ({ connectionId }) => `/connections/${connectionId}/sign-in`,
    typed: [
      { field: labelled('Name'), text: 'X-Shop-Key' },
      { field: labelled('Value'), text: `${canary}-key`, isSecret: true },
    ],
    missing: 'value of the key',
  },
  {
    name: 'a workflow',
    at: ({ workflowId }) => `/workflows/${workflowId}?tab=settings`,
    typed: [{ field: labelled('Name'), text: 'Paid at last' }],
  },
  {
    name: 'the steps of a workflow',
    at: ({ workflowId }) => `/workflows/${workflowId}`,
    show: press(/Step 1$/),
    typed: [
      { field: labelled('Address'), text: 'https://oslo.example/orders' },
      { field: labelled('X-Key'), text: `${canary}-header`, isSecret: true },
    ],
    missing: 'header values of steps',
  },
  {
    name: 'the voice of an agent',
    at: () => '/agent/voice',
    typed: [{ field: labelled('Accent'), text: 'Welsh' }],
  },
  {
    name: 'the widget of an agent',
    at: () => '/agent/widget',
    typed: [{ field: labelled('Logo URL'), text: 'https://cdn.example/mark.svg' }],
  },
  {
    name: 'the crawler of an agent',
    at: () => '/agent/crawler',
    typed: [{ field: labelled('Start URL'), text: 'https://docs.example/' }],
  },
  {
    name: 'the listener',
    at: () => '/settings/listener',
    typed: [{ field: labelled('Port'), text: '8123' }],
  },
  {
    name: 'the limits',
    at: () => '/settings/limits',
    typed: [{ field: labelled('Open connections'), text: '64' }],
  },
  {
    name: 'the public URL',
    at: () => '/settings/public-url',
    typed: [{ field: labelled('Public URL'), text: 'https://hooks.example' }],
  },
  {
    name: 'the webhook',
    at: () => '/settings/webhook',
    typed: [{ field: labelled('URL'), text: 'https://hooks.example/in' }],
  },
  {
    name: 'an address with credentials',
    at: () => '/settings/webhook',
    typed: [
      {
        field: labelled('URL'),
        text: `https://ada:${canary}@hooks.example/in?token=${canary}-token`,
        isSecret: true,
      },
    ],
    missing: 'credentials in the URL',
  },
]

const dialogs: readonly Form[] = [
  {
    name: 'a new connection',
    at: () => '/connections',
    show: press(/^New connection/),
    typed: [
      { field: inDialog('Name'), text: 'Shop in Oslo' },
      { field: inDialog('Base URL'), text: 'https://oslo.example' },
    ],
  },
  {
    name: 'a new workspace',
    at: () => '/settings/workspaces',
    show: press('New workspace'),
    typed: [{ field: inDialog('Name'), text: 'Southwind' }],
  },
  {
    name: 'the name of a workspace',
    at: () => '/settings/workspaces',
    typed: [{ field: page => page.getByLabel(/^Name of /).first(), text: 'Southwind' }],
  },
  {
    name: 'a variable',
    at: () => '/settings/environment',
    show: press(/^Add variable/),
    typed: [
      { field: inDialog('Name'), text: 'SHOP_KEY' },
      { field: inDialog('Value'), text: `${canary}-value`, isSecret: true },
    ],
    missing: 'value',
  },
  {
    name: 'an import',
    at: () => '/connections',
    show: press(/^Import/),
    typed: [{ field: inDialog('Text to import'), text: `{"${canary}": "document"}`, isSecret: true }],
    missing: 'the document',
  },
  {
    name: 'an import of a workflow',
    at: () => '/workflows',
    show: press(/^Import/),
    typed: [{ field: inDialog('Workflow to import'), text: `{"${canary}": "document"}`, isSecret: true }],
    missing: 'the document',
  },
  {
    name: 'a client token',
    at: () => '/assistant',
    show: press(/token/),
    typed: [{ field: inDialog('Name'), text: 'VS Code at home' }],
  },
  {
    name: 'a text of an agent',
    at: () => '/agent/languages',
    show: press(/^Add text/),
    typed: [
      { field: inDialog('Name'), text: 'order_late' },
      { field: page => page.getByRole('dialog').getByLabel(/ text$/), text: 'It is late.' },
    ],
  },
  {
    name: 'a test event',
    at: ({ connectionId }) => `/connections/${connectionId}`,
    show: press(/^Send test event/),
    typed: [{ field: inDialog('Payload to send'), text: '{"order_id":"ORD-7"}' }],
  },
  {
    name: 'a model server',
    at: () => '/assistant/conversation',
    typed: [
      { field: page => page.getByRole('textbox', { name: 'Base URL' }), text: 'https://models.example/v1' },
    ],
  },
  {
    name: 'a message to the assistant',
    at: () => '/assistant/conversation',
    hasModel: true,
    typed: [{ field: page => page.getByRole('textbox', { name: 'Message' }), text: 'Where is ORD-7?' }],
  },
]

async function records({ rest }: ServiceFixture) {
  const { connectionId } = await createConnection(rest, { name: 'Shop', baseUrl: 'https://shop.example' })
  const auth = { in: 'header', name: 'X-Api-Key', value: '{{SHOP_KEY}}' }
  await rest('PATCH', `/connections/${connectionId}`, { auth })
  const { actionId } = await createAction(rest, connectionId, {
    headers: { 'X-Key': 'known' },
    parameters: [{ name: 'order_id', type: 'string', description: 'Which', required: true }],
  })
  const type = await rest('POST', `/connections/${connectionId}/event-types`, { eventName: 'order.paid' })
  const workflow = await rest('POST', '/workflows', {
    name: 'Paid order',
    enabled: false,
    trigger: { type: 'external.event', connectionId, eventName: 'order.paid' },
    steps: [
      {
        key: 'tell',
        type: 'http',
        method: 'POST',
        url: 'https://shop.example/',
        headers: { 'X-Key': 'known' },
      },
    ],
  })
  const eventTypeId = Object(type.body).eventTypeId as string
  return { connectionId, actionId, eventTypeId, workflowId: Object(workflow.body).workflowId as string }
}

/** Returns what a field shows, also one of an editor. */
const shownIn = (field: Locator): Promise<string> =>
  field.evaluate((element: { value?: string; innerText: string }) => element.value ?? element.innerText)

async function type(page: Page, typed: readonly Typed[]): Promise<void> {
  for (const { field, text } of typed) await field(page).fill(text)
}

async function expectTyped(page: Page, typed: readonly Typed[], hasSecrets: boolean): Promise<void> {
  for (const { field, text, isSecret = false } of typed) {
    const shown = expect.poll(() => shownIn(field(page)))
    if (isSecret && !hasSecrets) await shown.not.toContain(canary)
    else await shown.toContain(text)
  }
}

/** Ends the session of the page, and signs it in again, as another tab would. */
async function endAndSignIn(page: Page): Promise<void> {
  await page.evaluate("window.dispatchEvent(new Event('cc:session-ended'))")
  const token = page.getByLabel('Admin token', { exact: true })
  await token.waitFor()
  await page.evaluate(
    "window.dispatchEvent(new StorageEvent('storage', { key: 'cc:session-key', newValue: localStorage['cc:session-key'] }))",
  )
  await token.waitFor({ state: 'detached' })
}

const stored = (page: Page): Promise<string> =>
  page.evaluate('JSON.stringify({ ...localStorage, ...sessionStorage })')
const draftCount = (page: Page): Promise<number> =>
  page.evaluate("Object.keys(localStorage).filter(name => name.startsWith('cc:draft:')).length")

/** Loads the page again. It may ask whether to leave. */
async function reload({ page }: Dashboard): Promise<void> {
  const accept = (dialog: { accept(): Promise<void> }) => void dialog.accept()
  page.on('dialog', accept)
  await page.reload()
  page.off('dialog', accept)
  await isShown(page)
}

const note = (page: Page) => page.locator('[data-restored]')

describe('what was typed stays after a session and after a reload:', () => {
  test.for([...forms, ...dialogs])('$name', async ({ at, show, typed, missing, ...form }) => {
    const service = await sharedService()
    const { hasModel = false, keepsItself = false } = form
    if (hasModel) {
      const { model, close } = await startScriptedModel()
      onTestFinished(() => close())
      await service.rest('PATCH', '/settings', { assistantModel: model })
    }
    const dashboard = await open({ at: service, path: at(await records(service)) })
    const { page } = dashboard
    await show?.(page)
    await type(page, typed)
    await endAndSignIn(page)
    await expectTyped(page, typed, true)

    await reload(dashboard)
    await show?.(page)
    await expectTyped(page, typed, false)
    if (keepsItself) return
    await note(page).waitFor()
    if (missing !== undefined) expect(await note(page).innerText()).toContain(missing)
    // Also after what was restored has been stored again.
    await expect.poll(() => draftCount(page)).toBe(1)
    expect(await stored(page)).not.toContain(canary)
    await note(page).getByRole('button').press('Enter')
    await expect.poll(() => draftCount(page)).toBe(0)
    await note(page).waitFor({ state: 'detached' })
  })
})

describe('a draft', () => {
  const name = labelled('Name')

  /** Opens the settings of a connection, and types another name. */
  async function withName() {
    const dashboard = await open()
    const { connectionId } = await createConnection(dashboard.service.rest, { name: 'Shop' })
    await dashboard.go(`/connections/${connectionId}`)
    await name(dashboard.page).fill('Shop in Oslo')
    await expect.poll(() => draftCount(dashboard.page)).toBe(1)
    return { ...dashboard, connectionId, rest: dashboard.service.rest }
  }

  test('of a dialog is named after a reload, with a way to it', async () => {
    const dashboard = await open()
    const { page, go } = dashboard
    await go('/connections')
    await press(/^New connection/)(page)
    await inDialog('Name')(page).fill('Shop in Oslo')
    await expect.poll(() => draftCount(page)).toBe(1)
    await reload(dashboard)
    const told = page.getByRole('status').filter({ hasText: 'Open “New connection” again to go on.' })
    await told.getByRole('button', { name: 'Open it' }).press('Enter')
    await expect.poll(() => inDialog('Name')(page).inputValue()).toBe('Shop in Oslo')
    await told.waitFor({ state: 'detached' })
  })

  test('of a record that has changed is shown beside the change, and not saved over it', async () => {
    const { rest, connectionId, ...dashboard } = await withName()
    const { page } = dashboard
    // The page must not hear of it: it would merge the change by itself.
    await page.evaluate("window.dispatchEvent(new Event('cc:session-ended'))")
    await rest('PATCH', `/connections/${connectionId}`, { name: 'Store', timeoutMs: 7000 })
    await reload(dashboard)
    const conflict = page.getByRole('status', { name: 'Changed elsewhere' })
    await conflict.waitFor()
    expect(await conflict.innerText()).toMatch(/Shop in Oslo.*Store/s)
    expect(await name(page).inputValue()).toBe('Shop in Oslo')
    await expectAccessibleInBothSchemes(page)
    await page.keyboard.press('Control+s')
    await page.getByRole('button', { name: 'Keep mine: name' }).and(page.locator(':focus')).waitFor()
    expect((await rest('GET', `/connections/${connectionId}`)).body).toMatchObject({ name: 'Store' })
    await page.keyboard.press('Enter')
    await page.keyboard.press('Control+s')
    await note(page).waitFor({ state: 'detached' })
    await expect.poll(() => draftCount(page)).toBe(0)
    const { body } = await rest('GET', `/connections/${connectionId}`)
    expect(body).toMatchObject({ name: 'Shop in Oslo', timeoutMs: 7000 })
  })

  test('stays when an address is typed and the form is kept, wherever it is in the history', async () => {
    const { page, go } = await withName()
    const address = page.url()
    const keep = async () => {
      await page.getByRole('button', { name: 'Keep editing' }).press('Enter')
      await page.getByRole('dialog').waitFor({ state: 'detached' })
      await expect.poll(() => page.url()).toBe(address)
      expect(await name(page).inputValue()).toBe('Shop in Oslo')
    }
    // As the first address of the router, and after others.
    await page.evaluate("location.hash = '/workflows'")
    await keep()
    await page.evaluate("location.hash = '/map'")
    await keep()
    await page.evaluate('history.back()')
    await keep()
    await page.evaluate("location.hash = '/workflows'")
    await page.getByRole('button', { name: 'Discard changes' }).press('Enter')
    await page
      .getByRole('heading', { name: /workflow/i })
      .first()
      .waitFor()
    await page.goBack()
    await name(page).waitFor()
    expect(await name(page).inputValue()).toBe('Shop')
    await go('/connections')
  })

  test('of a new record belongs to its workspace', async () => {
    const dashboard = await open()
    const { page, service, go } = dashboard
    const made = await service.rest('POST', '/workspaces', { name: 'Southwind' })
    const { workspaceId } = Object(made.body)
    const inWorkspace = async (id: string) => {
      await page.evaluate(`localStorage.setItem('cc:workspace', ${JSON.stringify(JSON.stringify(id))})`)
      await reload(dashboard)
    }
    await inWorkspace('default')
    for (const [path, show, field, text] of [
      ['/connections', press(/^New connection/), inDialog('Name'), 'Shop in Oslo'],
      ['/workflows/new?tab=settings', null, labelled('Name'), 'Paid in Oslo'],
    ] as const) {
      await go(path)
      await show?.(page)
      await field(page).fill(text)
      await expect.poll(() => draftCount(page)).toBe(1)
      await inWorkspace(workspaceId)
      await show?.(page)
      await field(page).waitFor()
      expect(await field(page).inputValue()).not.toBe(text)
      expect(await note(page).count()).toBe(0)
      await inWorkspace('default')
      await show?.(page)
      await note(page).waitFor()
      expect(await field(page).inputValue()).toBe(text)
      await note(page).getByRole('button').press('Enter')
      await expect.poll(() => draftCount(page)).toBe(0)
    }
  })

  test('is neither kept nor shown once another data folder answers at the same address', async () => {
    const { page, service } = await open({ own: true, loadsAhead: true })
    const other = await startRealTimeService()
    const { connectionId } = await createConnection(service.rest, { name: 'Shop' })
    await createConnection(other.rest, { name: 'Bakery' })
    const port = Number(new URL(service.dashboardUrl).port)
    page.on('dialog', dialog => void dialog.accept())
    await page.goto(`${service.dashboardUrl}/#/connections/${connectionId}`)
    await name(page).fill('Shop in Oslo')
    await expect.poll(() => draftCount(page)).toBe(1)
    await service.stop()
    await other.restart(port)
    // The page beneath is left at once, with what was typed.
    await page.getByLabel('Admin token', { exact: true }).waitFor()
    await page.getByLabel('Admin token', { exact: true }).fill(adminToken)
    await page.keyboard.press('Enter')
    await page.getByText('connection_not_found').first().waitFor()
    expect(await stored(page)).not.toContain('Oslo')

    await page.evaluate("location.hash = '/connections'")
    await page.getByRole('link', { name: 'Bakery' }).first().waitFor()
    await pressOnce(page.getByRole('button', { name: /^New connection/ }).first())
    await inDialog('Name')(page).fill('Second bakery')
    await expect.poll(() => draftCount(page)).toBe(1)
    // And back, by a load of the page.
    await other.stop()
    await service.restart(port)
    await page.reload()
    await page.getByLabel('Admin token', { exact: true }).fill(adminToken)
    await page.keyboard.press('Enter')
    await page.getByRole('link', { name: 'Shop' }).first().waitFor()
    expect(await draftCount(page)).toBe(0)
    await pressOnce(page.getByRole('button', { name: /^New connection/ }).first())
    expect(await inDialog('Name')(page).inputValue()).toBe('')
    expect(await note(page).count()).toBe(0)
  })

  test('is not taken by a second tab, and goes when the user signs out', async () => {
    const { page, service, connectionId, go } = await withName()
    const other = await page.context().newPage()
    onTestFinished(() => other.close())
    await other.goto(`${service.dashboardUrl}/#/connections/${connectionId}`)
    await name(other).waitFor()
    expect(await name(other).inputValue()).toBe('Shop')
    expect(await note(other).count()).toBe(0)
    expect(await draftCount(other)).toBe(1)

    await other.goto(`${service.dashboardUrl}/#/settings/data-folder`)
    await pressOnce(other.getByRole('button', { name: 'Sign out' }))
    const token = (one: Page) => one.getByLabel('Admin token', { exact: true })
    await token(other).waitFor()
    await token(page).waitFor()
    expect(await draftCount(page)).toBe(0)
    // The page that was left has it in memory, for the next sign-in.
    await token(page).fill(adminToken)
    await page.keyboard.press('Enter')
    await token(page).waitFor({ state: 'detached' })
    expect(await name(page).inputValue()).toBe('Shop in Oslo')
    await expect.poll(() => draftCount(page)).toBe(1)
    await page.getByRole('button', { name: 'Discard' }).press('Enter')
    await go('/settings/data-folder')
  })

  test('that only something else has filled in is left without a question', async () => {
    const { page, go, service } = await open()
    const { connectionId } = await createConnection(service.rest, { name: 'Shop' })
    await go(`/connections/${connectionId}/events?eventType=new&name=order.paid`)
    await expect.poll(() => labelled('Event name')(page).inputValue()).toBe('order.paid')
    await go('/connections')
    await page.getByRole('heading', { name: 'Connections' }).waitFor()
    await go(`/connections/${connectionId}/events?eventType=new&name=order.paid`)
    await labelled('Label')(page).fill('Paid')
    await go('/connections')
    await page.getByRole('button', { name: 'Discard changes' }).press('Enter')
    await page.getByRole('heading', { name: 'Connections' }).waitFor()
  })
})
