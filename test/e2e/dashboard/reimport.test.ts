import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { serve } from '../../outbound/support.ts'
import type { Rest } from '../../support/rest-client.ts'
import { expectAccessibleInBothSchemes } from './accessibility.ts'
import {
  chooseByKey,
  dashboardTests,
  expectUncovered,
  holdReading,
  type OpenOptions,
  pressOnce,
} from './fixture.ts'

const { open } = dashboardTests()

const query = (name: string, schema: object, more = {}) => ({ name, in: 'query', schema, ...more })
const refund = {
  operationId: 'createRefund',
  summary: 'Create a refund',
  description: 'Refunds a paid order.',
  parameters: [
    query('amount', { type: 'number' }, { required: true, description: 'Amount' }),
    query('reason', { type: 'string' }, { required: true, description: 'Why it is refunded' }),
  ],
}
const later = {
  ...refund,
  description: 'Creates a refund.',
  parameters: [
    query('amount', { type: 'string' }, { required: true, description: 'Amount in cents' }),
    query('reason', { type: 'string' }, { description: 'Why it is refunded' }),
    query('currency', { type: 'string', enum: ['EUR', 'SEK', 'DKK'] }),
  ],
}
const document = (version: string, paths: object) =>
  JSON.stringify({
    ...{ openapi: '3.1.0', info: { title: 'Acme Orders API', version } },
    ...{ servers: [{ url: 'https://api.acme-erp.com/v2' }], paths },
  })
const before = document('2.1', {
  '/refunds': { get: refund },
  '/invoices': { post: { operationId: 'resendInvoice', summary: 'Resend an invoice' } },
  '/notes': { put: { operationId: 'replaceOrderNotes', summary: 'Replace notes' } },
  '/orders': { get: { operationId: 'listOrders', summary: 'List orders' } },
})
const after = document('2.2', {
  '/refunds': { get: later },
  '/shipments': { post: { operationId: 'splitShipment', summary: 'Split a shipment' } },
  '/orders': { get: { operationId: 'listOrders', summary: 'List orders' } },
})

const Imported = z.object({ connectionId: z.string() })
const Actions = z.array(
  z.object({ actionId: z.string(), toolName: z.string(), isEnabled: z.boolean(), description: z.string() }),
)

const actionsOf = async (rest: Rest, connectionId: string) =>
  Actions.parse((await rest('GET', `/connections/${connectionId}/actions`)).body)

/** A connection that was imported, with an edited description and an action that was called. */
async function importedConnection(rest: Rest): Promise<string> {
  const { connectionId } = Imported.parse((await rest('POST', '/import', { text: before })).body)
  const at = `/connections/${connectionId}/actions`
  const actions = await actionsOf(rest, connectionId)
  const idOf = (name: string) => actions.find(({ toolName }) => toolName === name)?.actionId
  await rest('PATCH', `${at}/${idOf('create_refund')}`, {
    description: 'Refund all or part of a paid order. Ask first when it is above 200.',
  })
  await rest('POST', `${at}/${idOf('replace_order_notes')}/test`)
  const step = { key: 'refund', type: 'action', connectionId, toolName: 'create_refund' }
  const trigger = { type: 'external.event' }
  await rest('POST', '/workflows', { name: 'Refund a return', trigger, steps: [step] })
  return connectionId
}

const dialogOf = (page: Page) => page.getByRole('dialog', { name: 'Import again' })

async function openAgain(options: OpenOptions = {}) {
  const { page, service, go } = await open(options)
  const connectionId = await importedConnection(service.rest)
  await go(`/connections/${connectionId}`)
  await page.getByRole('tab', { name: 'Overview' }).waitFor()
  await pressOnce(page.getByRole('button', { name: 'More for Acme Orders API' }))
  await chooseByKey(page, 'Import again')
  const dialog = dialogOf(page)
  await dialog.getByRole('region', { name: 'Source' }).waitFor()
  return { page, service, connectionId, dialog, go }
}

/** Compares with a text that is chosen as a file. */
async function compareWith(page: Page, text: string) {
  const dialog = dialogOf(page)
  await dialog
    .locator('input[type="file"]')
    .setInputFiles({ name: 'openapi.json', mimeType: 'application/json', buffer: Buffer.from(text) })
  // Until the file is read, the text before it would be compared.
  const editor = dialog.getByRole('textbox', { name: 'Text to compare with' })
  await expect.poll(() => editor.textContent()).toContain(text.slice(0, 80))
  await page.keyboard.press('ControlOrMeta+Enter')
  await dialog.getByRole('region', { name: /^(Changes|Difference)$/ }).waitFor()
}

const take = (page: Page, name: string) => dialogOf(page).getByRole('checkbox', { name: `Take ${name}` })
/** The button that takes what is ticked. */
const button = (page: Page, name: string) => dialogOf(page).getByRole('button', { name })

describe('importing again', () => {
  test('shows each change field by field, and takes it by keyboard with own edits kept', async () => {
    const { page, service, connectionId, dialog } = await openAgain()
    await expectAccessibleInBothSchemes(page)
    await compareWith(page, after)
    await button(page, 'Add 1, change 1, disable 1').waitFor()
    const detail = dialog.getByRole('region', { name: 'create_refund' })
    await detail.getByText(/^Your edit, /).waitFor()
    await detail.getByText('Yours is kept').waitFor()
    await detail.getByText('The workflow “Refund a return” calls it.').waitFor()
    expect(await take(page, 'Description').isChecked()).toBe(false)
    expect(await take(page, 'amount').isChecked()).toBe(true)
    await expectAccessibleInBothSchemes(page)

    // F8 goes to the next change; space takes it, or not.
    await page.keyboard.press('F8')
    await dialog.getByRole('region', { name: 'resend_invoice' }).waitFor()
    await page.keyboard.press('Space')
    await button(page, 'Add 1, change 1').waitFor()
    await page.keyboard.press('Space')
    await page.keyboard.press('F8')
    await dialog.getByText(/It was called last on/).waitFor()
    await page.keyboard.press('F8')
    await dialog.getByRole('region', { name: 'split_shipment' }).waitFor()
    await page.keyboard.press('ControlOrMeta+Enter')
    await dialog.getByRole('region', { name: 'Done' }).waitFor()
    await expectAccessibleInBothSchemes(page)

    const actions = await actionsOf(service.rest, connectionId)
    const enabled = actions.filter(({ isEnabled }) => isEnabled).map(({ toolName }) => toolName)
    expect(enabled).toEqual(['create_refund', 'replace_order_notes', 'list_orders', 'split_shipment'])
    expect(actions[0]?.description).toContain('Ask first')
  })

  test('is taken back with one key, and finds nothing in the same document', async () => {
    const { page, service, connectionId, dialog } = await openAgain()
    await compareWith(page, before)
    await dialog.getByText('Nothing has changed').waitFor()
    await button(page, 'Back').press('Enter')
    await compareWith(page, after)
    await page.keyboard.press('ControlOrMeta+Enter')
    await dialog.getByRole('region', { name: 'Done' }).waitFor()
    expect(await actionsOf(service.rest, connectionId)).toHaveLength(5)
    await page.keyboard.press('ControlOrMeta+z')
    await dialog.getByText('The import was taken back').first().waitFor()
    expect(await actionsOf(service.rest, connectionId)).toHaveLength(4)
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'hidden' })
  })

  test('takes an own edit only if it is ticked, and keeps what is left', async () => {
    const { page, service, connectionId, dialog } = await openAgain()
    await compareWith(page, after)
    await take(page, 'Description').press('Space')
    await dialog.getByText('Replaces yours').waitFor()
    await take(page, 'amount').press('Space')
    await dialog.getByRole('checkbox', { name: 'All: Added' }).click()
    await dialog.getByRole('checkbox', { name: 'All: No longer in the document' }).click()
    await button(page, 'Change 1, disable 2').press('Enter')
    await dialog.getByRole('region', { name: 'Done' }).waitFor()
    const [refunds, ...others] = await actionsOf(service.rest, connectionId)
    expect(refunds?.description).toContain('Creates a refund.')
    expect(others).toHaveLength(3)
    await button(page, 'Open connection').press('Enter')
    await dialog.waitFor({ state: 'hidden' })
    await page.keyboard.press('ControlOrMeta+z')
    await expect
      .poll(async () => (await actionsOf(service.rest, connectionId))[0]?.description)
      .toContain('Ask')
  })

  test('says what is wrong with a document, and that the connection was changed meanwhile', async () => {
    const { page, service, connectionId, dialog } = await openAgain()
    await dialog.getByRole('textbox', { name: 'Text to compare with' }).click()
    await page.keyboard.insertText('curl https://api.example.com')
    await page.keyboard.press('ControlOrMeta+Enter')
    await dialog.getByText(/A curl command is one action/).waitFor()
    await compareWith(page, after)
    const [first] = await actionsOf(service.rest, connectionId)
    await service.rest('PATCH', `/connections/${connectionId}/actions/${first?.actionId}`, { name: 'Mine' })
    await button(page, 'Add 1, change 1, disable 1').press('Enter')
    const toast = page.getByRole('alert').filter({ hasText: 'Nothing was changed' })
    await toast.getByRole('button', { name: 'Try again' }).press('Enter')
    await dialog.getByText('Not changed in the document, yours is kept').waitFor()
  })

  test('fetches the kept address at once, and shows it on the overview', async () => {
    let text = before
    const { url } = await serve((_request, response) => response.end(text))
    const { page, service, go } = await open()
    const request = { url: `${url}/openapi.json` }
    const { connectionId } = Imported.parse((await service.rest('POST', '/import', request)).body)
    text = after
    await go(`/connections/${connectionId}`)
    const document = page.getByRole('region', { name: 'Document' })
    await document.getByText('/openapi.json').waitFor()
    await document.getByRole('button', { name: 'Import again' }).press('Enter')
    await button(page, 'Add 1, change 1, disable 2').waitFor()
    await dialogOf(page)
      .getByText(/openapi\.json, version 2\.2$/)
      .waitFor()
  })

  test('fetches another address with a header, and says where it is refused', async () => {
    const { url } = await serve((request, response) => {
      if (request.headers['x-api-key'] !== 'acme-key') response.statusCode = 401
      response.end(after)
    })
    const { page, service, connectionId, dialog } = await openAgain()
    await service.rest('PUT', '/environment/ACME_KEY', { value: 'acme-key' })
    await page.getByRole('radio', { name: 'Paste or file' }).press('ArrowLeft')
    const address = dialog.getByRole('textbox', { name: 'Address of the document' })
    await address.fill(`${url}/openapi.json`)
    await address.press('Enter')
    await dialog.getByText(`${new URL(url).host} answered 401. Add a header.`).waitFor()
    await expectAccessibleInBothSchemes(page)
    await dialog.getByRole('textbox', { name: 'Header name' }).fill('X-Api-Key')
    await dialog.getByRole('textbox', { name: 'Header value' }).focus()
    await page.keyboard.type('{{ACME_KEY}}')
    await page.keyboard.press('ControlOrMeta+Enter')
    await button(page, 'Add 1, change 1, disable 1').press('Enter')
    await dialog.getByRole('region', { name: 'Done' }).waitFor()
    const source = await service.rest('GET', `/connections/${connectionId}/source`)
    expect(source.body).toMatchObject({ url: `${url}/openapi.json` })
    // The kept header is sent again.
    expect((await service.rest('POST', `/connections/${connectionId}/import/compare`, {})).status).toBe(200)
  })

  test('compares with a file that is still being read', async () => {
    const { page, dialog } = await openAgain()
    const release = await holdReading(page)
    await dialog.locator('input[type="file"]').setInputFiles({
      ...{ name: 'openapi.json', mimeType: 'application/json', buffer: Buffer.from(after) },
    })
    await page.keyboard.press('ControlOrMeta+Enter')
    await release()
    await button(page, 'Add 1, change 1, disable 1').waitFor()
  })

  test.each([
    [900, 600],
    [640, 400],
  ])('has every control within reach at %i by %i', async (width, height) => {
    const { page } = await openAgain({ width, height })
    await compareWith(page, after)
    await expectUncovered(button(page, 'Add 1, change 1, disable 1'))
    await expectUncovered(take(page, 'split_shipment'))
    await expectUncovered(take(page, 'amount'))
  })
})
