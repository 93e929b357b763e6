import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { WebhookEvent } from '#shared/model/platform/webhook-event.ts'
import { type CreatedConnection, createConnection } from '../../support/rest-client.ts'
import { postInbound } from '../../support/service-fixture.ts'
import { expectAccessible, expectAccessibleInBothSchemes } from './accessibility.ts'
import { dashboardTests, holdCalls, isShown, type OpenOptions } from './fixture.ts'

const { open } = dashboardTests()

async function openEvents(options: OpenOptions = {}, fields: object = {}, eventTypes: object[] = []) {
  const dashboard = await open(options)
  const connection: CreatedConnection = await createConnection(dashboard.service.rest, fields)
  const path = `/connections/${connection.connectionId}/event-types`
  for (const type of eventTypes) await dashboard.service.rest('POST', path, type)
  await dashboard.go(`/connections/${connection.connectionId}/events`)
  await dashboard.page.getByRole('region', { name: 'Event types' }).waitFor()
  const types = async () => z.array(z.looseObject({})).parse((await dashboard.service.rest('GET', path)).body)
  return { ...dashboard, connection, types }
}

const editorOf = (page: Page, label: string) => page.getByRole('textbox', { name: label, exact: true })
const paid = { eventName: 'order.paid', label: 'Order paid', sampleText: '{ "total": 149.00 }' }

test('the tab is accessible, empty and filled, light and dark', async () => {
  const { page, service, connection } = await openEvents()
  await page.getByText('No event types declared').waitFor()
  await expectAccessibleInBothSchemes(page)
  await service.rest('POST', `/connections/${connection.connectionId}/event-types`, paid)
  await postInbound(connection.credentials, '{"event":"order.flagged","data":{}}', Date.now())
  await page.getByRole('button', { name: 'Declare order.flagged' }).waitFor()
  await editorOf(page, 'Sample payload').waitFor()
  await expectAccessibleInBothSchemes(page)
})

test('an event type is declared with the keyboard, with a sample that keeps its digits and has variables', async () => {
  const { page, types } = await openEvents()
  await page.keyboard.press('n')
  await page.locator('input:focus').waitFor()
  await page.keyboard.type('order.paid')
  await page.keyboard.press('Tab')
  await page.keyboard.type('Order paid')
  const editor = editorOf(page, 'Sample payload')
  await editor.click()
  await page.keyboard.insertText(
    '{ "number": 9007199254740993, "customer": { "name": "Maya" }, "total": 149.00 }',
  )
  await page.getByTitle('Copy {{customer.name}}').click()
  await expect.poll(() => page.evaluate('navigator.clipboard.readText()')).toBe('{{customer.name}}')
  await page.keyboard.press('Control+s')
  await page.getByText('Event type “order.paid” declared').waitFor()
  await expect.poll(types).toMatchObject([
    {
      eventName: 'order.paid',
      label: 'Order paid',
      sampleText: '{ "number": 9007199254740993, "customer": { "name": "Maya" }, "total": 149.00 }',
    },
  ])
})

test('a sample that is typed right before the key that saves it is saved', async () => {
  const { page, types } = await openEvents({}, {}, [{ eventName: 'order.paid' }])
  await editorOf(page, 'Sample payload').click()
  // As on a busy page, where the key is handled before the screen is drawn again.
  await page.evaluate(`(async () => {
    document.execCommand('insertText', false, '{"total":1}')
    await null
    const key = { key: 's', code: 'KeyS', ctrlKey: true, bubbles: true, cancelable: true }
    document.activeElement.dispatchEvent(new KeyboardEvent('keydown', key))
  })()`)
  await page.getByText('Event type “order.paid” saved').waitFor()
  expect(await types()).toMatchObject([{ sampleText: '{"total":1}' }])
})

test('an invalid sample is marked and not saved, and a taken name is reported at its field', async () => {
  const { page, types } = await openEvents({}, {}, [paid, { eventName: 'order.created' }])
  await page.getByRole('button', { name: /order\.created/ }).click()
  const editor = editorOf(page, 'Sample payload')
  await editor.click()
  await page.keyboard.insertText('{\n  "total": 1,\n}')
  await page.keyboard.press('Control+s')
  await page.getByText('A sample payload must be a JSON object of fields').waitFor()
  expect(await types()).toMatchObject([paid, { sampleText: null }])
  await editor.click()
  await page.keyboard.press('Control+a')
  await page.keyboard.insertText('{}')
  await page.getByLabel('Event name').fill('order.paid')
  await page.getByText('Events named order.created are then accepted without a declaration.').waitFor()
  await page.keyboard.press('Control+s')
  await page.getByText('The connection already has an event type with this name.').waitFor()
})

test('the tab counts event types, and offers to declare the names that were received', async () => {
  const { page, connection } = await openEvents()
  for (const event of ['order.flagged', 'order.paid', 'order.paid'])
    await postInbound(connection.credentials, JSON.stringify({ event, data: { total: 1 } }), Date.now())
  await page.getByRole('tab', { name: /^Event types\s*0$/ }).waitFor()
  await page.getByText('2 event names received, none declared').waitFor()
  await page.getByText(/2 events · /).waitFor()
  await expectAccessible(page)
  // The most frequent one first.
  await page.getByRole('button', { name: 'Declare order.paid' }).last().click()
  await page.getByRole('button', { name: 'Declare event type' }).click()
  await page.getByRole('tab', { name: /^Event types\s*1$/ }).waitFor()
  await page.getByRole('button', { name: 'Declare order.flagged' }).waitFor()
  await page.getByText('1 declared · 1 received but not declared').waitFor()
})

test('a received name is declared with the payload of its event', async () => {
  const { page, connection, types } = await openEvents()
  await postInbound(
    connection.credentials,
    '{"event":"order.flagged","data":{"score":0.930,"n":9007199254740993}}',
    Date.now(),
  )
  await page.getByRole('button', { name: 'Declare order.flagged' }).first().click()
  await page.getByTitle('Copy {{score}}').waitFor()
  await page.getByRole('button', { name: 'Declare event type' }).click()
  await page.getByText('Event type “order.flagged” declared').waitFor()
  await expect
    .poll(types)
    .toMatchObject([
      { eventName: 'order.flagged', sampleText: '{\n  "score": 0.930,\n  "n": 9007199254740993\n}' },
    ])
})

test('a test event is sent with the sample or an edited payload, and counted', async () => {
  const { page, service, connection } = await openEvents({}, { persistEvents: true }, [paid])
  await page.getByRole('button', { name: /order\.paid/ }).waitFor()
  const pane = page.getByRole('region', { name: 'Send a test event' })
  await pane.getByRole('button', { name: 'Send test event' }).click()
  await pane.getByText('Signature verified').waitFor()
  await pane.getByText('Stored', { exact: true }).waitFor()
  await expectAccessible(page)
  await page.getByRole('button', { name: /order\.paid\s*1/ }).waitFor()
  // The steps of a sent event do not change when the connection is disabled later.
  const path = `/connections/${connection.connectionId}`
  await service.rest('PATCH', path, { persistEvents: false, enabled: false })
  await pane.getByText('The connection is disabled').waitFor()
  await pane.getByText('Stored', { exact: true }).waitFor()
  await service.rest('PATCH', path, { persistEvents: true, enabled: true })
  await pane.getByText('The connection is disabled').waitFor({ state: 'detached' })
  await editorOf(page, 'Payload to send').click()
  await page.keyboard.press('Control+a')
  await page.keyboard.insertText('{"total": 1e400}')
  await page.keyboard.press('Control+Enter')
  await page.getByRole('button', { name: /order\.paid\s*2/ }).waitFor()
  const { body } = await service.rest('GET', `/connections/${connection.connectionId}/events`)
  expect(body).toMatchObject({
    events: [{ dataText: '{"total": 1e400}' }, { dataText: '{ "total": 149.00 }' }],
  })
  await pane.getByRole('button', { name: 'Show in activity' }).click()
  await expect.poll(() => page.url()).toContain('/activity?eventName=order.paid')
})

test('the send pane says that a disabled connection answers 403, and can enable it', async () => {
  const { page, service, connection } = await openEvents({}, {}, [paid])
  await service.rest('PATCH', `/connections/${connection.connectionId}`, { enabled: false })
  const pane = page.getByRole('region', { name: 'Send a test event' })
  await pane.getByText('The connection is disabled: it answers 403.').waitFor()
  await pane.getByRole('button', { name: 'Send test event' }).click()
  await pane.getByText('This connection is disabled.', { exact: true }).waitFor()
  await pane.getByRole('button', { name: 'Enable it' }).click()
  await pane.getByText('The connection is disabled: it answers 403.').waitFor({ state: 'detached' })
})

test('a deletion can be undone', async () => {
  const { page, types } = await openEvents({}, {}, [paid])
  await page.getByRole('button', { name: 'Delete event type' }).click()
  await page.getByText('Event type “order.paid” deleted').waitFor()
  await page
    .getByRole('button', { name: /^Declare ?N/ })
    .and(page.locator(':focus'))
    .waitFor()
  await expect.poll(types).toEqual([])
  await page.getByRole('button', { name: 'Undo' }).click()
  await page.getByText('Event type “order.paid” is back').waitFor()
  await expect.poll(types).toMatchObject([paid])
})

test('leaving with an unsaved label asks first and can save it', async () => {
  const { page, types } = await openEvents({}, {}, [paid])
  await page.getByLabel('Label').fill('Paid at last')
  await page.getByRole('tab', { name: 'Activity' }).click()
  await page.getByRole('button', { name: 'Keep editing' }).click()
  await expect.poll(() => page.getByLabel('Label').inputValue()).toBe('Paid at last')
  await page.getByRole('tab', { name: 'Activity' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Save', exact: true }).click()
  await page.getByRole('grid', { name: 'Activity' }).or(page.getByText('Nothing has happened yet')).waitFor()
  await expect.poll(types).toMatchObject([{ eventName: 'order.paid', label: 'Paid at last' }])
})

test('a webhook event of the platform is declared and sent in its exact shape, with a remark', async () => {
  const { page, service, connection, types } = await openEvents({}, { persistEvents: true })
  const stored = async () => {
    const { body } = await service.rest('GET', `/connections/${connection.connectionId}/events`)
    const Events = z.object({ events: z.array(z.object({ bodyText: z.string() })) })
    return WebhookEvent.parse(JSON.parse(Events.parse(body).events[0]?.bodyText ?? ''))
  }
  const remark = 'Its fields are beside event, not in data.'
  const pane = page.getByRole('region', { name: 'Send a test event' })
  await page.keyboard.press('n')
  await page.getByRole('button', { name: 'Platform event' }).click()
  await page.getByRole('menuitem', { name: /conversation\.started/ }).click()
  const editor = page.getByRole('region', { name: 'New event type' })
  await editor.getByText(remark).waitFor()
  await pane.getByText(remark).waitFor()
  await expectAccessibleInBothSchemes(page)
  await page.keyboard.press('Control+s')
  await page.getByText('Event type “conversation.started” declared').waitFor()
  await expect
    .poll(types)
    .toMatchObject([{ eventName: 'conversation.started', label: 'Conversation started', samplePayload: {} }])
  await pane.getByRole('button', { name: 'Send test event' }).click()
  await pane.getByText('Signature verified').waitFor()
  await expect
    .poll(stored)
    .toMatchObject({ event: 'conversation.started', agentId: 'default', channel: 'web' })
  // An edited body is still the whole body.
  const body = editorOf(page, 'Body to send')
  await body.click()
  await page.keyboard.press('Control+a')
  const edited = {
    event: 'conversation.started',
    agentId: 'sales',
    channel: 'sms',
    timestamp: '2026-11-26T10:00:00Z',
  }
  await page.keyboard.insertText(JSON.stringify(edited))
  await page.keyboard.press('Control+Enter')
  await expect.poll(stored).toEqual(edited)
  // Its data alone can be sent too.
  await pane.getByRole('combobox', { name: 'Payload' }).click()
  await page.getByRole('option', { name: 'Sample payload' }).click()
  await editorOf(page, 'Payload to send').waitFor()
  // The popover on every tab offers them too.
  await page.getByRole('button', { name: 'Send test event' }).first().click()
  const name = popover(page).getByRole('combobox', { name: 'Event name' })
  await name.fill('lead.captured')
  await editorOf(page, 'Body to send').waitFor()
  await page.keyboard.press('Control+Enter')
  await popover(page).getByText('Signature verified').waitFor()
  expect((await stored()).event).toBe('lead.captured')
  await page.keyboard.press('Escape')
  await page.keyboard.press('Escape')
  // A declared event is not offered again.
  await popover(page).waitFor({ state: 'detached' })
  await page.keyboard.press('n')
  await page.getByRole('button', { name: 'Platform event' }).click()
  await page.getByRole('menuitem').first().waitFor()
  await expect
    .poll(() => page.getByRole('menuitem').allTextContents())
    .toEqual(['lead.capturedLead captured', 'appointment.bookedAppointment booked'])
})

test('a whole body is sent with its name in the header of the scheme', async () => {
  const { page, service, connection } = await openEvents({}, { persistEvents: true })
  const path = `/connections/${connection.connectionId}`
  await service.rest('PATCH', path, { sender: { scheme: 'github' } })
  await service.rest('PUT', `${path}/sender/secret`, { secret: 'of the repository' })
  await page.getByRole('button', { name: 'Send test event' }).first().click()
  await popover(page).getByRole('combobox', { name: 'Event name' }).fill('lead.captured')
  await editorOf(page, 'Body to send').waitFor()
  await page.keyboard.press('Control+Enter')
  await popover(page).getByText('Signature verified').waitFor()
  expect((await service.rest('GET', `${path}/events`)).body).toMatchObject({
    events: [{ eventName: 'lead.captured' }],
  })
})

test('a narrow window shows one pane, and Escape goes back to the list', async () => {
  const { page } = await openEvents({ width: 900, height: 600 }, {}, [paid])
  await page.getByRole('button', { name: /order\.paid/ }).click()
  await page.getByLabel('Label').waitFor()
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: /order\.paid/ }).click()
  await page.getByRole('button', { name: 'Back to the list' }).click()
  await page.getByRole('button', { name: /order\.paid/ }).waitFor()
})

const popover = (page: Page) => page.getByRole('dialog', { name: 'Send test event' })
const focused = (page: Page) => page.locator(':focus')

test.each([
  ['', { width: 1280, height: 800 }],
  ['/activity', { width: 900, height: 600 }],
  ['/actions', { width: 640, height: 400 }],
] as const)('at one key a test event is sent in place, and arrives: on the tab “%s”', async (tab, size) => {
  const { page, go, connection, service } = await openEvents(size)
  const path = `/connections/${connection.connectionId}`
  // After its first event, the popover of another one closes by itself.
  await service.rest('POST', `${path}/send`, { event: 'order.created' })
  await go(`${path}${tab}`)
  await page.getByRole('button', { name: 'Send test event' }).first().waitFor()
  await page.keyboard.press('t')
  await popover(page).getByRole('button', { name: 'Send' }).and(focused(page)).waitFor()
  await expect
    .poll(() => popover(page).getByRole('combobox', { name: 'Event name' }).inputValue())
    .toBe('test.ping')
  await popover(page).getByRole('textbox', { name: 'Payload to send' }).waitFor()
  await expectAccessible(page)
  await page.keyboard.press('Control+Enter')
  await popover(page).getByText('Signature verified').waitFor()
  await popover(page).getByText('200', { exact: true }).waitFor()
  await expectAccessible(page)
  if (tab === '/activity') await page.getByRole('option', { name: /test\.ping/ }).waitFor()
  expect(page.url()).toContain(`${path}${tab}`)
  await page.keyboard.press('Escape')
  await popover(page).waitFor({ state: 'detached' })
  await page.getByRole('button', { name: 'Send test event' }).first().and(focused(page)).waitFor()
  await page.keyboard.press('t')
  await popover(page).getByRole('button', { name: 'Send' }).press('Enter')
  await popover(page).getByRole('button', { name: 'Show in activity' }).click()
  await expect.poll(() => page.getByRole('option', { name: /test\.ping/ }).count()).toBe(2)
})

test('the popover offers the declared types with their samples, and shortcuts rest while it is open', async () => {
  const { page, service, connection } = await openEvents({}, { persistEvents: true }, [
    { eventName: 'order.created' },
    paid,
  ])
  await page.getByRole('button', { name: 'Send test event' }).first().click()
  const name = popover(page).getByRole('combobox', { name: 'Event name' })
  // The first one with a sample.
  await expect.poll(() => name.inputValue()).toBe('order.paid')
  await name.fill('')
  await page.keyboard.type('niet124[]?gs.')
  await popover(page).getByRole('textbox', { name: 'Payload to send' }).click()
  await page.keyboard.type('nie')
  // An open popover blocks the shortcuts of the screen, also outside its fields.
  await popover(page).getByRole('button', { name: 'Send' }).focus()
  for (const key of ['n', 'i', '1', 't', '?']) await page.keyboard.press(key)
  expect(await page.getByRole('dialog').count()).toBe(1)
  expect(page.url()).toMatch(/\/events$/)
  await name.fill('order.paid')
  await page.keyboard.press('Escape')
  await page.keyboard.press('Escape')
  await popover(page).waitFor({ state: 'detached' })
  // The open one.
  await page.getByRole('button', { name: /order\.created/ }).click()
  await expect.poll(() => page.url()).toContain('eventType=')
  await isShown(page)
  await page.keyboard.press('t')
  await expect.poll(() => name.inputValue()).toBe('order.created')
  await name.fill('order.paid')
  await page.keyboard.press('Control+Enter')
  await popover(page).getByText('Signature verified').waitFor()
  const { body } = await service.rest('GET', `/connections/${connection.connectionId}/events`)
  expect(body).toMatchObject({ events: [{ eventName: 'order.paid', dataText: '{ "total": 149.00 }' }] })
})

test('the send pane sends the name and the sample in the editor', async () => {
  const { page, service, connection } = await openEvents({}, { persistEvents: true })
  await page.keyboard.press('n')
  await page.locator('input:focus').waitFor()
  await page.keyboard.type('order.shipped')
  await editorOf(page, 'Sample payload').click()
  await page.keyboard.insertText('{"carrier":"DHL"}')
  const pane = page.getByRole('region', { name: 'Send a test event' })
  await pane.getByRole('button', { name: 'Send test event' }).click()
  await pane.getByText('Signature verified').waitFor()
  const { body } = await service.rest('GET', `/connections/${connection.connectionId}/events`)
  expect(body).toMatchObject({ events: [{ eventName: 'order.shipped', dataText: '{"carrier":"DHL"}' }] })
})

test('text typed during a save is kept', async () => {
  const { page, types } = await openEvents({}, {}, [paid])
  const label = page.getByLabel('Label')
  const { held, letGo } = await holdCalls(page, 'eventTypes/update')
  await label.fill(' Paid ')
  await page.keyboard.press('Control+s')
  await held()
  await page.getByLabel('Event name').first().fill('order.settled')
  await letGo()
  await page.getByText('Event type “order.paid” saved').waitFor()
  await expect.poll(types).toMatchObject([{ eventName: 'order.paid', label: 'Paid' }])
  await expect.poll(() => label.inputValue()).toBe('Paid')
  await expect.poll(() => page.getByLabel('Event name').first().inputValue()).toBe('order.settled')
  await page.getByText('Unsaved: event name').waitFor()
})

test('leaving with an unsaved sample of the last event asks first', async () => {
  const { page, connection } = await openEvents({}, {}, [paid])
  await postInbound(connection.credentials, '{"event":"order.paid","data":{"n":1}}', Date.now())
  await page.getByLabel('Label').fill('Paid')
  await page.keyboard.press('Control+s')
  await page.getByText('Event type “order.paid” saved').waitFor()
  await page.getByRole('button', { name: 'From last event' }).click()
  await page.getByText('Unsaved: sample payload').waitFor()
  await page.getByRole('tab', { name: 'Overview' }).click()
  await page.getByRole('dialog', { name: 'Leave without saving?' }).waitFor()
})

test('the filter keeps its cursor when text is inserted in the middle', async () => {
  const { page } = await openEvents({}, {}, [paid, { eventName: 'order.sent' }])
  const filter = page.getByLabel('Filter event types')
  await filter.fill('pd')
  await filter.press('ArrowLeft')
  await filter.pressSequentially('ai')
  await expect.poll(() => filter.inputValue()).toBe('paid')
  await page.getByRole('button', { name: /order\.sent/ }).waitFor({ state: 'detached' })
})

test.each([[[]], [[paid]]])(
  'event types are imported with a button and a key, with and without existing ones',
  async types => {
    const { page } = await openEvents({}, {}, types)
    await page
      .getByRole('button', { name: /^Import/ })
      .first()
      .click()
    await page.getByRole('dialog', { name: 'Import' }).waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('dialog', { name: 'Import' }).waitFor({ state: 'detached' })
    await page
      .getByRole('region', { name: 'Event types' })
      .getByRole('button', { name: /^Import/ })
      .waitFor()
    await page.keyboard.press('i')
    await page.getByRole('dialog', { name: 'Import' }).waitFor()
  },
)
