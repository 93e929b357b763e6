import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { createAction, testAction } from '../../support/actions.ts'
import { startExternalSystem } from '../../support/external-system.ts'
import { createConnection } from '../../support/rest-client.ts'
import { postInbound } from '../../support/service-fixture.ts'
import { dashboardTests, holdCalls, pressInSequence } from './fixture.ts'

const { open, sharedService } = dashboardTests()

const Named = z.array(z.looseObject({ name: z.string() }))

/** A service with one connection, and its tabs' addresses. */
async function withConnection(fields: object = {}) {
  const service = await sharedService()
  const connection = await createConnection(service.rest, { baseUrl: 'https://api.example.com', ...fields })
  return { service, connection, path: `/connections/${connection.connectionId}` }
}

const overviewTab = (page: Page) => page.getByRole('tab', { name: /Overview/ })
const isOverview = (page: Page) => overviewTab(page).and(page.locator('[aria-selected="true"]'))

describe('a second press', () => {
  test('of Undo restores a deleted event type once', async () => {
    const { service, path } = await withConnection()
    await service.rest('POST', `${path}/event-types`, { eventName: 'order.paid' })
    const { page } = await open({ at: service, path: `${path}/events` })
    // With motion, the toast disappears slowly.
    await page.emulateMedia({ reducedMotion: 'no-preference' })
    let created = 0
    page.on('request', request => {
      if (request.url().endsWith('/rpc/eventTypes/create')) created++
    })
    await page.getByRole('button', { name: 'Delete event type' }).click()
    await page.getByRole('button', { name: 'Undo' }).dblclick()
    await page.getByText('Event type “order.paid” is back').waitFor()
    expect(created).toBe(1)
  })

  test('of Delete does not delete the next event type', async () => {
    const { service, path } = await withConnection()
    for (const eventName of ['order.created', 'order.paid', 'order.sent'])
      await service.rest('POST', `${path}/event-types`, { eventName })
    const { page } = await open({ at: service, path: `${path}/events` })
    const button = page.getByRole('button', { name: 'Delete event type' })
    await button.click()
    await page.getByRole('region', { name: 'order.paid' }).waitFor()
    await button.dispatchEvent('click', { detail: 2 })
    await page.getByText('Event type “order.created” deleted').waitFor()
    // A later press deletes the next one.
    await button.click()
    await page.getByText('Event type “order.paid” deleted').waitFor()
    const { body } = await service.rest('GET', `${path}/event-types`)
    expect(body).toMatchObject([{ eventName: 'order.sent' }])
  })

  test('of Enter does not create a second workspace', async () => {
    const { page, service } = await open({ path: '/settings/workspaces' })
    await page.getByRole('button', { name: 'New workspace' }).click()
    const { held, letGo } = await holdCalls(page, 'workspaces/create')
    await page.getByRole('dialog').getByLabel('Name').fill('Southwind')
    await page.keyboard.press('Enter')
    await held()
    await page.keyboard.press('Enter')
    await letGo()
    await page.getByText('Workspace “Southwind” created').first().waitFor()
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    const { body } = await service.rest('GET', '/workspaces')
    expect(Named.parse(body).map(({ name }) => name)).toEqual(['Default', 'Southwind'])
  })

  test('of Send does not send a second request, and the first can be cancelled', async () => {
    let requests = 0
    const system = await startExternalSystem(() => void requests++)
    const { service, connection, path } = await withConnection({ baseUrl: system.url })
    const { actionId } = await createAction(service.rest, connection.connectionId, { name: 'Look up' })
    const { page } = await open({ at: service, path: `${path}/actions?action=${actionId}&panel=test` })
    await page.getByRole('button', { name: /^Send GET request/ }).dblclick()
    await expect.poll(() => requests).toBe(1)
    await page.getByRole('button', { name: 'Cancel' }).click()
    await page
      .getByText(/cancelled/i)
      .first()
      .waitFor()
    expect(requests).toBe(1)
  })

  test('of Import does not import a document twice', async () => {
    const { page } = await open()
    await page.keyboard.press('i')
    await page.getByLabel('Text to import').click()
    const document = { version: 1, connection: { name: 'Acme' }, actions: [], events: [{ eventName: 'a.b' }] }
    await page.keyboard.insertText(JSON.stringify(document))
    await page.getByText('Ready for the preview').waitFor()
    await page.keyboard.press('Control+Enter')
    const { letGo } = await holdCalls(page, 'imports/apply')
    let imports = 0
    page.on('request', request => {
      if (request.url().endsWith('/rpc/imports/apply')) imports++
    })
    await page.getByRole('button', { name: /^Import 1 event type/ }).dblclick()
    await letGo()
    await page.getByText('Acme created').waitFor()
    expect(imports).toBe(1)
  })
})

describe('a late response does not navigate', () => {
  test('when an event type is declared', async () => {
    const { service, path } = await withConnection()
    const { page } = await open({ at: service, path: `${path}/events` })
    await page.getByText('No event types declared').waitFor()
    await page.keyboard.press('n')
    await page.locator('input:focus').waitFor()
    await page.keyboard.type('order.paid')
    const { held, letGo } = await holdCalls(page, 'eventTypes/create')
    await page.keyboard.press('Control+s')
    await held()
    await overviewTab(page).click()
    await isOverview(page).waitFor()
    await letGo()
    await page.getByText('Event type “order.paid” declared').waitFor()
    expect(await isOverview(page).count()).toBe(1)
  })

  test('when an action is created', async () => {
    const { service, path } = await withConnection()
    const { page } = await open({ at: service, path: `${path}/actions?action=new` })
    await page.getByLabel('Name', { exact: true }).fill('Look up')
    await page.getByLabel('Description').first().fill('Find it.')
    await page.getByLabel('Path', { exact: true }).fill('/orders')
    const { held, letGo } = await holdCalls(page, 'actions/create')
    await page.keyboard.press('Control+s')
    await held()
    // What is being saved is not lost, so nothing is asked.
    await overviewTab(page).click()
    await isOverview(page).waitFor()
    await letGo()
    await page.getByText('Action “Look up” created').waitFor()
    expect(await isOverview(page).count()).toBe(1)
  })

  test('when a connection is created whose dialog was closed', async () => {
    const { page } = await open()
    await page.keyboard.press('n')
    const { held, letGo } = await holdCalls(page, 'connections/create')
    await page.getByRole('dialog').getByLabel('Name', { exact: true }).fill('Acme')
    await page.keyboard.press('Enter')
    await held()
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await page.keyboard.press('?')
    const shortcuts = page.getByRole('dialog', { name: 'Keyboard shortcuts' })
    await shortcuts.waitFor()
    await letGo()
    await page.getByText('Connection “Acme” created').waitFor()
    expect(await shortcuts.count()).toBe(1)
    expect(new URL(page.url()).hash).toBe('#/connections')
  })
})

test('a sample that is being written is not replaced by a late one of the last event', async () => {
  const { service, connection, path } = await withConnection({ persistEvents: true })
  await postInbound(connection.credentials, '{"event":"order.flagged","data":{"a":1}}', Date.now())
  const { page } = await open({ at: service, path: `${path}/events` })
  const { held, letGo } = await holdCalls(page, 'events/get')
  await page.getByRole('listitem').getByRole('button', { name: 'Declare order.flagged' }).click()
  await held()
  const sample = page.getByRole('textbox', { name: 'Sample payload', exact: true })
  await sample.click()
  await page.keyboard.insertText('{"typed":true}')
  const answered = page.waitForResponse('**/rpc/events/get')
  await letGo()
  await (await answered).finished()
  // A later change of the page is shown after it.
  await page.getByLabel('Label', { exact: true }).fill('Flagged')
  await page.getByRole('button', { name: 'Declare event type' }).click()
  await page.getByText('Event type “order.flagged” declared').waitFor()
  await expect.poll(() => sample.textContent()).toBe('{"typed":true}')
})

describe('going back twice with unsaved changes', () => {
  /** Opens the overview, changes the name and goes back twice, so that the question is open. */
  async function backTwice() {
    const { service } = await withConnection({ name: 'Shop' })
    const { page } = await open({ at: service, path: '/settings/limits' })
    await page.getByLabel('Open connections').waitFor()
    await pressInSequence(page, 'g', 'c')
    await page.getByRole('table', { name: 'Connections' }).getByText('Shop').click()
    const name = page.getByLabel('Name', { exact: true })
    await name.fill('Typed')
    const question = page.getByRole('dialog', { name: 'Leave without saving?' })
    await page.evaluate('history.back()')
    await question.waitFor()
    await page.evaluate('history.back()')
    await expect.poll(() => page.url()).toContain('/settings/limits')
    return { page, name, question }
  }

  test('asks once, and then goes back twice', async () => {
    const { page, question } = await backTwice()
    await page.getByRole('button', { name: 'Discard changes' }).click()
    await page.getByLabel('Open connections').waitFor()
    await question.waitFor({ state: 'detached' })
    expect(page.url()).toContain('/settings/limits')
  })

  test('can stay, and can go back later', async () => {
    const { page, name, question } = await backTwice()
    await page.getByRole('button', { name: 'Keep editing' }).click()
    await question.waitFor({ state: 'detached' })
    await expect.poll(() => page.url()).toContain('/connections/conn_')
    await expect.poll(() => name.inputValue()).toBe('Typed')
    await page.getByRole('button', { name: 'Discard' }).click()
    await page.evaluate('history.back()')
    await name.waitFor({ state: 'detached' })
    expect(new URL(page.url()).hash).toBe('#/connections')
  })

  test('closes the question when the user returns', async () => {
    const { page, name, question } = await backTwice()
    await page.evaluate('history.go(2)')
    await question.waitFor({ state: 'detached' })
    await expect.poll(() => name.inputValue()).toBe('Typed')
    expect(page.url()).toContain('/connections/conn_')
  })
})

describe('going back from under a dialog closes it', () => {
  test.each([
    { dialog: 'New connection', key: 'n' },
    { dialog: 'Keyboard shortcuts', key: '?' },
    { dialog: 'Import', key: 'i' },
  ])('$dialog', async ({ dialog, key }) => {
    const { service } = await withConnection()
    const { page } = await open({ at: service, path: '/settings/limits' })
    const limits = page.getByLabel('Open connections')
    await limits.waitFor()
    await pressInSequence(page, 'g', 'c')
    await page.getByRole('table', { name: 'Connections' }).waitFor()
    await page.keyboard.press(key)
    await page.getByRole('dialog', { name: dialog }).waitFor()
    await page.evaluate('history.back()')
    await limits.waitFor()
    await page.getByRole('dialog').waitFor({ state: 'detached' })
  })

  test('but asks about a typed document first', async () => {
    const { page } = await open({ path: '/settings/limits' })
    await page.getByLabel('Open connections').waitFor()
    await pressInSequence(page, 'g', 'c')
    await page.getByText('Connect your first system').waitFor()
    await page.keyboard.press('i')
    await page.getByLabel('Text to import').click()
    await page.keyboard.insertText('{"version":1}')
    await page.evaluate('history.back()')
    await page.getByRole('button', { name: 'Keep editing' }).click()
    await page.getByRole('dialog', { name: 'Import' }).waitFor()
    // Not of the whole editor, which explains under the line what is wrong with it.
    await expect
      .poll(() => page.getByLabel('Text to import').locator('.cm-line').allTextContents())
      .toEqual(['{"version":1}'])
  })

  test('and a question about that page', async () => {
    const { service } = await withConnection()
    await service.rest('POST', '/workspaces', { name: 'Southwind' })
    const { page } = await open({ at: service })
    await pressInSequence(page, 'g', 's')
    await page.getByRole('link', { name: 'Workspaces' }).click()
    await page.getByRole('button', { name: 'Delete Southwind' }).click()
    await page.getByRole('dialog', { name: 'Delete Southwind?' }).waitFor()
    await page.evaluate('history.back()')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    expect(new URL(page.url()).hash).toBe('#/settings/listener')
  })
})

test('an event type deleted elsewhere while it is edited is reported and not replaced by another', async () => {
  const { service, path } = await withConnection()
  const { body } = await service.rest('POST', `${path}/event-types`, { eventName: 'order.created' })
  await service.rest('POST', `${path}/event-types`, { eventName: 'order.paid' })
  const { eventTypeId } = z.looseObject({ eventTypeId: z.string() }).parse(body)
  const { page } = await open({ at: service, path: `${path}/events?eventType=${eventTypeId}` })
  await page.getByLabel('Label', { exact: true }).fill('Created')
  await service.rest('DELETE', `${path}/event-types/${eventTypeId}`)
  await page.getByText('This event type does not exist').waitFor()
  await page.getByRole('button', { name: 'All event types' }).click()
  await page.getByRole('region', { name: 'order.paid' }).waitFor()
})

test('no control is cut off at 200 % zoom', async () => {
  const { service, connection, path } = await withConnection({ name: 'Orders of the northern region' })
  const { connectionId } = connection
  const { actionId } = await createAction(service.rest, connectionId, { name: 'Look up an order' })
  await testAction(service.rest, { connectionId, actionId })
  const { page, go } = await open({ at: service, width: 640, height: 400 })
  for (const [screen, button] of [
    ['/connections', /^Sorted by/],
    [`${path}/actions`, /^More for Look up/],
    [`${path}/actions?action=${actionId}&panel=test`, /^Send GET request/],
  ] as const) {
    await go(screen)
    await page.getByRole('button', { name: button }).waitFor()
    await expect.poll(() => page.evaluate(cutOff)).toEqual([])
  }
  // The heading has room for the name, and the result for more than one line.
  const heading = page.getByRole('heading', { level: 1 })
  await expect.poll(async () => (await heading.boundingBox())?.width).toBeGreaterThan(90)
  const result = page.locator('[class*="result"]').first()
  await expect.poll(async () => (await result.boundingBox())?.height).toBeGreaterThan(200)

  await go('/connections')
  const name = page.getByRole('link', { name: 'Orders of the northern region' })
  await expect.poll(async () => (await name.boundingBox())?.width).toBeGreaterThan(90)
  await page.keyboard.press('i')
  await page.getByRole('button', { name: 'Choose file' }).waitFor()
  await expect.poll(() => page.evaluate(cutOff)).toEqual([])
})

/** Returns the labels of the controls that are cut off, by their container. */
const cutOff = `(() => {
  const inside = (inner, outer) => inner.right <= outer.right + 0.5 && inner.left >= outer.left - 0.5
  const isCut = control => {
    for (let around = control.parentElement; around !== null; around = around.parentElement)
      if (
        getComputedStyle(around).overflowX !== 'visible' &&
        !inside(control.getBoundingClientRect(), around.getBoundingClientRect())
      )
        return true
    return [...control.querySelectorAll('*')].some(
      part => part.clientWidth > 1 && part.scrollWidth > part.clientWidth + 1,
    )
  }
  const controls = [...document.querySelectorAll(':is(main, [role="dialog"]) :is(button, [role="radiogroup"] label)')]
  return controls.filter(control => control.checkVisibility() && isCut(control)).map(control => control.ariaLabel ?? control.textContent)
})()`
