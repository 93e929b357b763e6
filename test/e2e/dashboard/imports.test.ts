import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { describe, expect, onTestFinished, test } from 'vitest'
import { z } from 'zod'
import { maxImportBytes } from '#shared/model/import-document.ts'
import { serve } from '../../outbound/support.ts'
import { brokenImport } from '../../support/broken-import.ts'
import { createConnection, type Rest } from '../../support/rest-client.ts'
import { expectAccessible, expectAccessibleInBothSchemes } from './accessibility.ts'
import { dropFiles } from './drop-files.ts'
import { dashboardTests, expectUncovered, holdReading, typeToFind } from './fixture.ts'

const { open, sharedService } = dashboardTests()

const action = (name: string, fields: object = {}) => ({
  name,
  description: `${name}.`,
  path: `/${name.toLowerCase().replaceAll(' ', '-')}`,
  ...fields,
})
const shop = {
  version: 1,
  connection: { name: 'Acme Orders', baseUrl: 'https://api.acme-erp.com/v2', persistEvents: true },
  actions: [
    action('Find order', { method: 'GET', headers: { 'X-Api-Key': '{{ACME_KEY}}' } }),
    action('Cancel order', { headers: { 'X-Api-Key': '{{ACME_KEY}}', 'X-Tenant': '{{ACME_TENANT}}' } }),
    action('Find again', { toolName: 'find_order' }),
  ],
  events: [
    { eventName: 'order.paid', samplePayload: { id: 1, total: 2 } },
    { eventName: 'order.paid' },
    { eventName: 'order.shipped' },
  ],
}
const shopText = JSON.stringify(shop, null, 2)
/** Counted from 1, for the first place, or with -1 for the last one. */
function lineOf(part: string, which: 0 | -1 = 0): number {
  const at = which === 0 ? shopText.indexOf(part) : shopText.lastIndexOf(part)
  return shopText.slice(0, at).split('\n').length
}

const pets = `openapi: 3.0.0
info: { title: Pets, version: '1' }
servers: [{ url: 'https://api.pets.example/v2' }]
components:
  securitySchemes: { token: { type: http, scheme: bearer } }
security: [{ token: [] }]
paths:
  /pets:
    put:
      operationId: putPet
      parameters: [{ name: session, in: cookie, required: true, schema: { type: string } }]
      responses: {}
    delete: { operationId: deletePets, responses: {} }
    get: { operationId: listPets, responses: {} }
  /pets/{id}:
    head: { operationId: getPet, responses: {} }
`

const dialogOf = (page: Page) => page.getByRole('dialog', { name: 'Import' })
const editorOf = (page: Page) => dialogOf(page).getByLabel('Text to import')

/** Opens the dialog by its key and waits for the editor. */
async function openDialog(page: Page) {
  await page.keyboard.press('i')
  await editorOf(page).waitFor()
  return dialogOf(page)
}

const choose = (page: Page, name: string, buffer: Buffer) =>
  dialogOf(page).locator('input[type="file"]').setInputFiles({ name, mimeType: 'text/plain', buffer })

/** Chooses a file by its path: the bytes of a large one need not go through the connection to the browser. */
async function chooseLarge(page: Page, name: string, bytes: Buffer) {
  const folder = await mkdtemp(join(tmpdir(), 'cc-import-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  await writeFile(join(folder, name), bytes)
  await dialogOf(page).locator('input[type="file"]').setInputFiles(join(folder, name))
}

/** Chooses a file and waits until it is in the editor. */
async function chooseText(page: Page, name: string, text: string) {
  await choose(page, name, Buffer.from(text))
  await dialogOf(page).getByTitle(name).waitFor()
}

/** Presses Preview and waits for it. */
async function preview(page: Page) {
  await dialogOf(page).getByRole('button', { name: 'Preview' }).click()
  await dialogOf(page).getByRole('region', { name: 'Preview' }).waitFor()
}

const Names = z.array(z.object({ connectionId: z.string(), name: z.string() }))
const connectionsOf = async (rest: Rest) => Names.parse((await rest('GET', '/connections')).body)
const Actions = z.array(z.object({ actionId: z.string(), toolName: z.string() }))
const actionsOf = async (rest: Rest, connectionId: string) =>
  Actions.parse((await rest('GET', `/connections/${connectionId}/actions`)).body)
const toolNames = async (rest: Rest, connectionId: string) =>
  (await actionsOf(rest, connectionId)).map(({ toolName }) => toolName)

describe('the document', () => {
  test('goes on to the preview when a chosen file is read, whatever was there before', async () => {
    const { page } = await open()
    const dialog = await openDialog(page)
    const release = await holdReading(page)
    await choose(page, 'shop.json', Buffer.from(shopText))
    await page.keyboard.press('ControlOrMeta+Enter')
    await release()
    await dialog.getByRole('region', { name: 'Preview' }).waitFor()
    await dialog.getByRole('button', { name: 'Back' }).press('Enter')
    await chooseText(page, 'acme.json', brokenImport)
    await dialog.getByText('Fix 2 errors to see the preview.').waitFor()
    await chooseText(page, 'shop.json', shopText)
    await page.keyboard.press('ControlOrMeta+Enter')
    await dialog.getByRole('region', { name: 'Preview' }).waitFor()
  })

  test.each(['an editor that loads late takes the focus', 'but not from another field'])('%s', async what => {
    const { page } = await open({ at: await sharedService(), own: true })
    const loaded = Promise.withResolvers<void>()
    await page.route(/json-editor-view/, async route => {
      await loaded.promise
      await route.continue()
    })
    await page.keyboard.press('i')
    const into = page.getByRole('combobox', { name: 'Into' })
    await into.waitFor()
    await expect.poll(() => page.evaluate('document.activeElement.matches("[data-autofocus]")')).toBe(true)
    const isElsewhere = what.startsWith('but')
    if (isElsewhere) await into.focus()
    loaded.resolve()
    await page.getByRole('textbox', { name: 'Text to import' }).waitFor()
    await expect
      .poll(() => page.evaluate('document.activeElement.ariaLabel'))
      .toBe(isElsewhere ? 'Into' : 'Text to import')
  })

  test('marks and lists its errors, goes to the next with F8, and can be previewed once they are fixed', async () => {
    const { page } = await open()
    const dialog = await openDialog(page)
    await dropFiles(page, { name: 'acme.json', text: brokenImport })
    await dialog.getByText('Fix 2 errors to see the preview.').waitFor()
    await dialog.getByText('acme.json').waitFor()
    await dialog.getByRole('heading', { name: '2 errors, 1 warning' }).waitFor()
    await expect.poll(() => dialog.getByRole('button', { name: 'Preview' }).isDisabled()).toBe(true)

    const lines = async (kind: 'error' | 'warning') =>
      (await editorOf(page).locator(`.cm-line.cc-${kind}`).allTextContents()).map(line => line.trim())
    await expect
      .poll(() => lines('error'))
      .toEqual([
        '"path": "/orders/{order_id}",',
        '{ "name": "order_id", "type": "text", "description": "Order number", "required": true }',
      ])
    await expect.poll(() => lines('warning')).toEqual(['"retries": 2,'])

    const list = dialog.getByRole('complementary', { name: 'Problems' })
    const current = list.locator('[aria-current]')
    await expect
      .poll(() => list.getByRole('button', { name: /Line/ }).allTextContents())
      .toEqual([
        expect.stringContaining('Line 13, column 15'),
        expect.stringContaining('Line 22, column 39'),
        expect.stringContaining('Line 20, column 7'),
      ])
    await page.keyboard.press('F8')
    await current.getByText('actions[0].path').waitFor()
    await page.keyboard.press('F8')
    await current.getByText('actions[1].retries').waitFor()
    await page.keyboard.press('F8')
    await current.getByText('actions[1].parameters[0].type').waitFor()
    await list.getByRole('button', { name: /A path must not contain placeholders/ }).click()
    await editorOf(page).getByText('A path must not contain placeholders').waitFor()

    // The value is selected, so that typing replaces it.
    await page.keyboard.press('Shift+End')
    await page.keyboard.type('"/orders",')
    await dialog.getByText('Fix 1 error to see the preview.').waitFor()
    await page.keyboard.press('F8')
    await page.keyboard.press('F8')
    for (const _letter of '"text"') await page.keyboard.press('Delete')
    await page.keyboard.type('"string')
    await dialog.getByText('1 warning. You can import anyway.').waitFor()
    await page.keyboard.press('Control+Enter')
    await dialog.getByRole('button', { name: 'Import 2 actions' }).waitFor()
  })

  test('reports invalid JSON while it is typed', async () => {
    const { page } = await open()
    const dialog = await openDialog(page)
    await editorOf(page).pressSequentially('{ "actions": [')
    await editorOf(page).press('Control+End')
    await page.keyboard.insertText(',')
    await dialog.getByText(/^Fix \d errors? to see the preview\.$/).waitFor()
    await editorOf(page).locator('.cc-explanation.cc-error').waitFor()
  })

  test('is refused before it is sent if it is too large, binary, in UTF-16, or one of two files', async () => {
    const { page } = await open()
    const dialog = await openDialog(page)
    let sent = 0
    page.on('request', request => {
      if (request.url().includes('/imports/preview')) sent++
    })
    const alert = dialog.getByRole('alert')
    await chooseLarge(page, 'large.json', Buffer.alloc(maxImportBytes + 1, ' '))
    await alert.getByText('large.json is larger than 16 MiB, the limit of an import.').waitFor()
    await choose(page, 'picture.json', Buffer.from([0x89, 0x50, 0x4e, 0x47, 0, 0, 0, 13]))
    await alert.getByText('picture.json is not a text file.').waitFor()
    await choose(page, 'wide.json', Buffer.from('\ufeff{}', 'utf16le'))
    await alert.getByText('wide.json is written in UTF-16. Save it as UTF-8.').waitFor()
    await choose(page, 'empty.json', Buffer.alloc(0))
    await alert.getByText('empty.json is empty.').waitFor()
    await dropFiles(page, { name: 'a.json', text: '{}' }, { name: 'b.json', text: '{}' })
    await alert.getByText('Import one file at a time').waitFor()
    await expectAccessible(page)
    expect(sent).toBe(0)
    await chooseText(page, 'acme.json', shopText)
    await alert.waitFor({ state: 'detached' })
    await dialog.getByText('2 actions and 2 event types to create.').waitFor()
  })

  test('of 5 MiB can be checked, and its 4,000 actions are rendered as they are scrolled to', async () => {
    const { page } = await open()
    const dialog = await openDialog(page)
    const long = 'x'.repeat(1300)
    const actions = Array.from({ length: 4000 }, (_, index) =>
      action(`Action ${index}`, { description: `${long} ${index}` }),
    )
    const large = Buffer.from(JSON.stringify({ connection: { name: 'Large' }, actions }, null, 1))
    expect(large.length).toBeGreaterThan(5 * 1024 * 1024)
    await chooseLarge(page, 'large.json', large)
    await dialog.getByText(/1 warning\. You can/).waitFor()
    await preview(page)
    const list = dialog.getByRole('region', { name: '4,000 actions to create' })
    expect(await list.getByRole('listitem').count()).toBeLessThan(100)
    await dialog.getByRole('region', { name: 'Preview' }).press('End')
    await list.getByText('action_3999').waitFor()
    await page.keyboard.press('Control+Enter')
    await dialog.getByText('Large created with 4,000 actions').waitFor()
  })

  test('of many lines is never drawn whole, chosen while the editor is hidden', async () => {
    const { page } = await open()
    const dialog = await openDialog(page)
    await dialog.getByText('File', { exact: true }).click()
    await dialog.getByText('Drop a file anywhere here').waitFor()
    await editorOf(page).waitFor({ state: 'hidden' })
    await page.evaluate(`
      window.mostLines = 0
      new MutationObserver(() => {
        window.mostLines = Math.max(window.mostLines, document.querySelectorAll('.cm-line').length)
      }).observe(document.body, { childList: true, subtree: true })
    `)
    await choose(page, 'long.json', Buffer.from(`{${'\n'.repeat(20_000)}}`))
    await dialog.getByTitle('long.json').waitFor()
    await editorOf(page).waitFor()
    const mostLines = async () => z.number().parse(await page.evaluate('window.mostLines'))
    await expect.poll(mostLines).toBeGreaterThan(1)
    expect(await mostLines()).toBeLessThan(500)
  })

  test('shows that a check takes long, and lets the user cancel it', async () => {
    const { page } = await open()
    const dialog = await openDialog(page)
    const { promise: released, resolve: release } = Promise.withResolvers<void>()
    await page.route('**/imports/preview', async route => {
      await released
      await route.continue().catch(() => {
        // The request was cancelled.
      })
    })
    await chooseText(page, 'acme.json', shopText)
    await dialog.getByText('Checking the text…').waitFor()
    await expectAccessible(page)
    await dialog.getByRole('status').getByRole('button', { name: 'Cancel' }).click()
    await dialog.getByText('Not checked yet.').waitFor()
    release()
    await dialog.getByRole('button', { name: 'Check' }).click()
    await dialog.getByText('2 actions and 2 event types to create.').waitFor()
  })

  test('is discarded without a question if it is a file, but not if it was typed', async () => {
    const { page } = await open()
    const dialog = await openDialog(page)
    await chooseText(page, 'acme.json', shopText)
    await dialog.getByText('2 actions and 2 event types to create.').waitFor()
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'detached' })

    await openDialog(page)
    await editorOf(page).pressSequentially('curl https://a.example')
    await page.keyboard.press('Escape')
    const question = page.getByRole('dialog', { name: 'Discard what you typed?' })
    await question.waitFor()
    await expectAccessible(page)
    await page.keyboard.press('Escape')
    await question.waitFor({ state: 'detached' })
    await editorOf(page).getByText('curl https://a.example').waitFor()
    await dialog.getByRole('button', { name: 'Close' }).click()
    await question.getByRole('button', { name: 'Discard' }).click()
    await dialog.waitFor({ state: 'detached' })
  })
})

describe('the URL of a document', () => {
  const api = JSON.stringify({
    openapi: '3.1.0',
    info: { title: 'Acme Orders API', version: '2.1' },
    servers: [{ url: 'https://api.acme-erp.com/v2' }],
    security: [{ key: [] }],
    components: { securitySchemes: { key: { type: 'apiKey', in: 'header', name: 'X-Api-Key' } } },
    paths: { '/orders': { get: { responses: {} }, post: { responses: {} } } },
  })

  test('is fetched with a header by the keyboard alone, and what it is is shown at once', async () => {
    const { page, service } = await open()
    await service.rest('PUT', '/environment/ACME_KEY', { name: 'ACME_KEY', value: 'canary-0123456789' })
    const { url } = await serve((request, response) => {
      const isSigned = request.headers['x-api-key'] === 'canary-0123456789'
      response.writeHead(isSigned ? 200 : 401).end(isSigned ? api : '')
    })
    const dialog = await openDialog(page)
    await dialog.getByRole('radio', { name: 'Paste' }).focus()
    await page.keyboard.press('ArrowRight')
    await dialog.getByText('Nothing in the document is run.').waitFor()
    await page.keyboard.press('ArrowRight')
    const address = dialog.getByRole('textbox', { name: 'Address of the document' })
    await address.focus()
    await page.keyboard.type(`${url}/openapi.json`)
    await page.keyboard.press('Enter')
    await dialog.getByText(`${new URL(url).host} answered 401. Add a header.`).waitFor()
    await expectAccessible(page)

    const value = dialog.getByRole('textbox', { name: 'Header value' })
    await dialog.getByRole('textbox', { name: 'Header name' }).focus()
    await page.keyboard.type('X-Api-Key')
    await value.focus()
    await page.keyboard.type('{{ACME_KEY')
    await page.getByRole('option', { name: 'ACME_KEY' }).waitFor()
    await page.keyboard.press('Enter')
    await value.getByText('ACME_KEY').waitFor()
    await address.focus()
    await page.keyboard.press('Enter')
    const card = dialog.getByRole('region', { name: 'Recognized' })
    await card.getByText('OpenAPI 3.1').waitFor()
    await card.getByText('Acme Orders API, version 2.1').waitFor()
    await card.getByText('https://api.acme-erp.com/v2').waitFor()
    await card.getByText('API key in X-Api-Key').waitFor()
    await expectAccessibleInBothSchemes(page)
    await page.keyboard.press('Control+Enter')
    await dialog.getByRole('region', { name: 'Preview' }).waitFor()
    await dialog.getByRole('region', { name: '2 actions to create' }).waitFor()
    expect(await page.content()).not.toContain('canary')
  })

  test('leads on to the preview at once with Control+Enter, and to a line of the text', async () => {
    const { page } = await open()
    const { url } = await serve((_request, response) => response.end('{"openapi": "3.1.0", "paths": {}}'))
    const dialog = await openDialog(page)
    await dialog.getByText('URL', { exact: true }).click()
    await dialog.getByRole('textbox', { name: 'Address of the document' }).fill(url)
    await page.keyboard.press('Control+Enter')
    await dialog.getByRole('region', { name: 'Preview' }).waitFor()
    await dialog.getByRole('button', { name: 'Back' }).click()
    await dialog.getByRole('button', { name: /no server/ }).click()
    await editorOf(page).getByText('"openapi": "3.1.0"').waitFor()
  })

  test.each([true, false])('is kept with the connection if the user wants it: %s', async isKept => {
    const { page, service } = await open()
    const { url } = await serve((_request, response) => response.end('{"openapi": "3.1.0", "paths": {}}'))
    const dialog = await openDialog(page)
    await dialog.getByText('URL', { exact: true }).click()
    await dialog.getByRole('textbox', { name: 'Address of the document' }).fill(url)
    if (!isKept) {
      await dialog.getByRole('switch', { name: 'Keep the address' }).focus()
      await page.keyboard.press('Space')
    }
    await page.keyboard.press('Control+Enter')
    await dialog.getByRole('button', { name: 'Create the connection' }).waitFor()
    await page.keyboard.press('Control+Enter')
    await dialog.getByRole('heading', { name: 'Imported API created' }).waitFor()
    const [made] = await connectionsOf(service.rest)
    const { body } = await service.rest('GET', `/connections/${made?.connectionId}/source`)
    expect(body).toMatchObject({ format: 'openapi', url: isKept ? url : null })
  })

  test('of a format that is not read is refused by the name of the format', async () => {
    const { page } = await open()
    const { url } = await serve((_request, response) => response.end('<!doctype html><title>API</title>'))
    const dialog = await openDialog(page)
    await dialog.getByText('URL', { exact: true }).click()
    await dialog.getByRole('textbox', { name: 'Address of the document' }).fill(url)
    await page.keyboard.press('Enter')
    await dialog.getByRole('complementary').getByText('Give the address of the document itself').waitFor()
    await dialog.getByText('Fix 1 error to see the preview.').waitFor()
  })
})

describe('the preview', () => {
  test('shows what is created and skipped, asks for consent, and sets a variable in place', async () => {
    const { page, service } = await open()
    await service.rest('PUT', '/environment/ACME_KEY', { name: 'ACME_KEY', value: 'value-of-the-key' })
    const dialog = await openDialog(page)
    await chooseText(page, 'acme.json', shopText)
    await preview(page)

    const connection = dialog.getByRole('region', { name: 'Target connection' })
    await connection.getByText('https://api.acme-erp.com/v2').waitFor()
    await connection.getByText('Made on import').waitFor()
    const items = (name: string) =>
      dialog.getByRole('region', { name }).getByRole('listitem').allTextContents()
    await expect
      .poll(() => items('2 actions to create'))
      .toEqual([
        'GETfind_order/find-order',
        'POSTcancel_order/cancel-order',
        `find_order/find-againLine ${lineOf('"Find again"') - 1}: same tool name as line ${lineOf('"Find order"') - 1}`,
      ])
    await expect
      .poll(() => items('2 event types to create'))
      .toEqual([
        'order.paid2 variables',
        'order.shipped0 variables',
        `order.paidLine ${lineOf('"order.paid"', -1) - 1}: same event name as line ${lineOf('"order.paid"') - 1}`,
      ])

    const variables = dialog.getByRole('region', { name: 'Environment variables' })
    const rowOf = (name: string) => variables.getByRole('listitem').filter({ hasText: name })
    await rowOf('ACME_KEY').getByText('ACME_KEY to api.acme-erp.com').waitFor()
    await rowOf('ACME_KEY').getByText('X-Api-Key in 2 actions').waitFor()
    await rowOf('ACME_KEY').getByText('Set in Settings').waitFor()
    await rowOf('ACME_TENANT').getByRole('button', { name: 'Set value of ACME_TENANT' }).click()
    await page.locator('input:focus').waitFor()
    await page.keyboard.type('value-of-the-tenant')
    await page.keyboard.press('Enter')
    await rowOf('ACME_TENANT').getByRole('status').getByText('Set in Settings').waitFor()

    const importIt = dialog.getByRole('button', { name: 'Import 2 actions and 2 event types' })
    await expect.poll(() => importIt.isDisabled()).toBe(true)
    await variables.getByLabel('Send their values to api.acme-erp.com').check()
    await expectUncovered(importIt)
    await importIt.click()
    await dialog
      .getByRole('heading', { name: 'Acme Orders created with 2 actions and 2 event types' })
      .waitFor()
    const [made, ...others] = await connectionsOf(service.rest)
    expect(others).toEqual([])
    expect(await toolNames(service.rest, made?.connectionId ?? '')).toEqual(['find_order', 'cancel_order'])
    expect(await page.content()).not.toMatch(/whsec_|value-of-the/)
  })

  test('shows a changed host and the variables first, and no part that is empty', async () => {
    const service = await sharedService()
    await createConnection(service.rest, { name: 'Shop', baseUrl: 'https://shop.example/v2' })
    const { page } = await open({ at: service })
    const dialog = await openDialog(page)
    await chooseText(page, 'acme.json', JSON.stringify({ ...shop, events: [] }))
    await dialog.getByRole('combobox', { name: 'Into' }).click()
    await page.getByRole('option', { name: 'Shop' }).click()
    await preview(page)
    const headings = dialog.getByRole('region', { name: 'Preview' }).getByRole('heading')
    await expect
      .poll(() => headings.allTextContents())
      .toEqual([' Check first', 'Existing connection1 remark', '2 actions to create1 duplicate skipped'])
    const checks = dialog.getByRole('region', { name: 'Check first' })
    await checks
      .getByText(
        'The actions are called at https://shop.example/v2, the base URL of the connection, not at https://api.acme-erp.com/v2 as in the document.',
      )
      .waitFor()
    await checks.getByText('ACME_TENANT to shop.example').waitFor()
    await checks.getByLabel('Send their values to shop.example').waitFor()
    await expectAccessibleInBothSchemes(page)
  })

  test('has nothing to check of a document without variables for a new connection', async () => {
    const { page } = await open()
    const dialog = await openDialog(page)
    await chooseText(page, 'acme.json', JSON.stringify({ connection: shop.connection, events: shop.events }))
    await preview(page)
    await dialog.getByRole('region', { name: '2 event types to create' }).waitFor()
    expect(await dialog.getByRole('region', { name: 'Check first' }).count()).toBe(0)
    expect(await dialog.getByText(/^0 actions|used in headers|Environment variables/).count()).toBe(0)
  })

  test('follows changes made elsewhere', async () => {
    const service = await sharedService()
    const { connectionId } = await createConnection(service.rest, { name: 'Shop' })
    const { page } = await open({ at: service })
    const dialog = await openDialog(page)
    await chooseText(page, 'acme.json', JSON.stringify({ events: shop.events }))
    await dialog.getByRole('combobox', { name: 'Into' }).click()
    await page.getByRole('option', { name: 'Shop' }).click()
    await preview(page)
    await dialog.getByRole('button', { name: 'Import 2 event types' }).waitFor()
    await service.rest('POST', `/connections/${connectionId}/event-types`, { eventName: 'order.shipped' })
    await dialog.getByRole('button', { name: 'Import 1 event type' }).waitFor()
    await dialog.getByText('the connection has it already').waitFor()
  })

  test('says that a document contains nothing new, and goes back to a line of it', async () => {
    const { page, service } = await open()
    await service.rest('POST', '/import', { text: shopText })
    const dialog = await openDialog(page)
    await chooseText(page, 'acme.json', shopText)
    await preview(page)
    await dialog.getByText('It contains nothing new.').waitFor()
    await expect.poll(() => dialog.getByRole('button', { name: /^Import/ }).isDisabled()).toBe(true)
    await dialog.getByRole('list', { name: 'Warnings' }).getByRole('button', { name: 'Line 4' }).click()
    await editorOf(page).getByText('A connection with all of this already exists').waitFor()
    await expect
      .poll(() => editorOf(page).evaluate('document.activeElement.ariaLabel'))
      .toBe('Text to import')
  })
})

describe('an import', () => {
  test('goes into an existing connection, chosen with the keyboard, and lists what it skipped', async () => {
    const service = await sharedService()
    const { connectionId } = await createConnection(service.rest, { name: 'Shop' })
    await createConnection(service.rest, { name: 'Warehouse' })
    await service.rest('POST', `/connections/${connectionId}/actions`, action('Find order'))
    const { page } = await open({ at: service })
    const dialog = await openDialog(page)
    await chooseText(page, 'acme.json', JSON.stringify({ actions: shop.actions.slice(0, 2) }))
    await dialog.getByText('Fix 1 error to see the preview.').waitFor()
    await typeToFind(dialog.getByRole('combobox', { name: 'Into' }), 'sho', 'Shop')
    await page.keyboard.press('Enter')
    await dialog.getByText('1 warning. You can import anyway.').waitFor()
    await page.keyboard.press('Control+Enter')
    await dialog.getByText('Unchanged').waitFor()
    await dialog.getByText('so these values aren’t sent yet').waitFor()
    await page.keyboard.press('Control+Enter')
    await dialog.getByRole('heading', { name: '1 action added to Shop' }).waitFor()
    await dialog.getByText('1 duplicate skipped').waitFor()
    expect(await toolNames(service.rest, connectionId)).toEqual(['find_order', 'cancel_order'])

    await dialog.getByRole('button', { name: 'Test an action' }).click()
    const [, cancel] = await actionsOf(service.rest, connectionId)
    await page.waitForURL(`**/connections/${connectionId}/actions?action=${cancel?.actionId}&panel=test`)
  })

  test('works with the keyboard alone, from opening the dialog to the new connection', async () => {
    const { page, service } = await open()
    await page.evaluate(`navigator.clipboard.writeText(${JSON.stringify(shopText)})`)
    const dialog = await openDialog(page)
    await page.keyboard.press('Control+v')
    await dialog.getByText('2 actions and 2 event types to create.').waitFor()
    await page.keyboard.press('Control+Enter')
    await dialog.getByRole('region', { name: 'Preview' }).waitFor()
    // Without consent, it focuses the check box of the consent.
    await page.keyboard.press('Control+Enter')
    await page.keyboard.press('Space')
    await page.keyboard.press('Control+Enter')
    await dialog.getByRole('heading', { name: /^Acme Orders created/ }).waitFor()
    await dialog.getByRole('button', { name: 'Set missing variables' }).waitFor()
    await page.keyboard.press('Control+Enter')
    await page.getByRole('heading', { name: 'Acme Orders', level: 1 }).waitFor()
    const [made] = await connectionsOf(service.rest)
    expect(page.url()).toContain(`/connections/${made?.connectionId}`)
  })

  test('creates only what is ticked, and gives a connection the base URL of the document', async () => {
    const service = await sharedService()
    const { connectionId } = await createConnection(service.rest, { name: 'Shop', baseUrl: null })
    await service.rest('PUT', '/environment/PETS_TOKEN', { name: 'PETS_TOKEN', value: 'value-of-token' })
    const { page } = await open({ at: service, path: `/connections/${connectionId}` })
    const dialog = await openDialog(page)
    await chooseText(page, 'pets.yaml', pets)
    await dialog.getByRole('combobox', { name: 'Into' }).click()
    await page.getByRole('option', { name: 'Shop' }).click()
    await preview(page)
    const base = dialog.getByLabel('Use https://api.pets.example/v2 as base URL')
    await expect.poll(() => base.isChecked()).toBe(true)
    await dialog.getByLabel('Send their values to api.pets.example').waitFor()
    // Nothing asks for a variable that is set.
    await dialog.getByText('Set in Settings').waitFor()
    expect(await dialog.getByText('Set the environment variable').count()).toBe(0)

    const list = dialog.getByRole('region', { name: '3 actions to create' })
    await dialog.getByText('1 switched off, 1 not imported').waitFor()
    const off = list.getByRole('listitem').filter({ hasText: 'put_pet' })
    await off.getByText('Switched off', { exact: true }).waitFor()
    await off.getByText(/^session: it is a cookie/).waitFor()
    await list.getByRole('listitem').filter({ hasText: 'HEAD /pets/{id}' }).waitFor()
    await expectAccessible(page)

    await base.uncheck()
    await dialog.getByText('so these values aren’t sent yet').waitFor()
    await base.check()
    await dialog.getByLabel('Send their values to api.pets.example').check()
    await dialog.getByLabel('Import put_pet').uncheck()
    await dialog.getByRole('button', { name: 'Import 2 actions' }).waitFor()
    await dialog.getByLabel('Import all actions').check()
    await dialog.getByRole('button', { name: 'Import 3 actions' }).waitFor()
    await dialog.getByLabel('Import put_pet').uncheck()
    await dialog.getByRole('button', { name: 'Import 2 actions' }).click()
    await dialog.getByRole('heading', { name: '2 actions added to Shop' }).waitFor()
    expect(await toolNames(service.rest, connectionId)).toEqual(['delete_pets', 'list_pets'])
    expect((await service.rest('GET', `/connections/${connectionId}`)).body).toMatchObject({
      baseUrl: 'https://api.pets.example/v2',
    })
    // The action to test first only reads.
    await dialog.getByRole('button', { name: 'Test an action' }).click()
    const listed = await actionsOf(service.rest, connectionId)
    const find = listed.find(({ toolName }) => toolName === 'list_pets')
    await page.waitForURL(`**/actions?action=${find?.actionId}&panel=test`)
  })

  test('asks how the calls of a new connection sign in', async () => {
    const { page, service } = await open()
    const dialog = await openDialog(page)
    const keyed = pets
      .replace('scheme: bearer }', 'scheme: bearer }, key: { type: apiKey, in: query, name: key }')
      .replace('[{ token: [] }]', '[{ token: [] }, { key: [] }]')
    await chooseText(page, 'pets.yaml', keyed)
    await preview(page)
    const choice = dialog.getByRole('combobox', { name: 'Sign-in' })
    await expect.poll(() => choice.inputValue()).toBe('Bearer token')
    await dialog.getByText('PETS_TOKEN', { exact: true }).first().waitFor()
    await choice.click()
    await page.getByRole('option', { name: 'API key in ?key=' }).click()
    await dialog.getByText('key in 3 actions').waitFor()
    await expectAccessible(page)
    await dialog.getByLabel('Send their values to api.pets.example').check()
    await dialog.getByRole('button', { name: 'Import 3 actions' }).click()
    await dialog.getByRole('heading', { name: 'Pets created with 3 actions' }).waitFor()
    const [made] = await connectionsOf(service.rest)
    expect((await service.rest('GET', `/connections/${made?.connectionId}`)).body).toMatchObject({
      auth: { in: 'query', name: 'key', value: '{{PETS_KEY}}' },
    })
    await dialog.getByRole('button', { name: 'Set up sign-in' }).click()
    await page.waitForURL(`**/connections/${made?.connectionId}/sign-in`)
  })

  test('chooses by the keyboard which servers become connections, and where they go', async () => {
    const { page, service } = await open()
    const { connectionId: filesId } = await createConnection(service.rest, {
      name: 'My files',
      baseUrl: 'https://files.pets.example',
    })
    const dialog = await openDialog(page)
    const several = pets
      .replace(
        "[{ url: 'https://api.pets.example/v2' }]",
        "[{ url: 'https://api.pets.example/v2' }, { url: 'https://sandbox.pets.example' }]",
      )
      .concat(
        "  /photos: { servers: [{ url: 'https://files.pets.example' }], put: { operationId: putPhoto, responses: {} } }\n",
        "  /pings: { servers: [{ url: 'https://hooks.pets.example' }], post: { operationId: ping, responses: {} } }\n",
      )
    await chooseText(page, 'pets.yaml', several)
    await preview(page)
    const servers = dialog.getByRole('region', { name: 'Servers' })
    await servers.getByText('Pets (hooks.pets.example)').waitFor()
    await dialog
      .getByText('Send their values to api.pets.example, files.pets.example and hooks.pets.example')
      .waitFor()

    await servers.getByRole('checkbox', { name: 'Import from https://hooks.pets.example' }).focus()
    await page.keyboard.press('Space')
    await servers.getByText('Not imported').waitFor()
    await dialog.getByText('Send their values to api.pets.example and files.pets.example').waitFor()

    await servers.getByRole('combobox', { name: 'Connection for https://files.pets.example' }).focus()
    await page.keyboard.type('My fil')
    await page.getByRole('option', { name: 'My files' }).waitFor()
    await page.keyboard.press('Enter')
    await servers.getByTitle('My files').waitFor()

    await dialog.getByRole('combobox', { name: 'Base URL' }).focus()
    await page.keyboard.type('sandbox')
    await page.keyboard.press('Enter')
    await servers.getByRole('checkbox', { name: 'Import from https://sandbox.pets.example' }).waitFor()
    await expectAccessibleInBothSchemes(page)

    await dialog.getByLabel('Send their values to sandbox.pets.example and files.pets.example').focus()
    await page.keyboard.press('Space')
    await page.keyboard.press('Control+Enter')
    await dialog.getByRole('heading', { name: '4 actions in 2 connections' }).waitFor()
    await expectAccessible(page)
    const listed = await connectionsOf(service.rest)
    expect(listed.map(({ name }) => name).sort()).toEqual(['My files', 'Pets'])
    expect(await toolNames(service.rest, filesId)).toEqual(['put_photo'])
    const made = listed.find(({ name }) => name === 'Pets')
    expect((await service.rest('GET', `/connections/${made?.connectionId}`)).body).toMatchObject({
      baseUrl: 'https://sandbox.pets.example',
    })
    await dialog.getByRole('link', { name: 'My files' }).focus()
    await page.keyboard.press('Enter')
    await page.waitForURL(`**/connections/${filesId}**`)
  })

  test('of an OpenAPI document lists what it leaves out', async () => {
    const { page } = await open()
    const dialog = await openDialog(page)
    const yaml = await readFile(join(import.meta.dirname, '../../fixtures/import/openapi-pets.input.yaml'))
    await choose(page, 'pets.yaml', yaml)
    await dialog.getByRole('button', { name: 'Choose operations' }).click()
    await preview(page)
    const list = dialog.getByRole('region', { name: /actions to create/ })
    await dialog.getByRole('region', { name: 'Preview' }).press('End')
    await list.getByText('HEAD /pets').first().waitFor()
    await expectAccessible(page)
    await dialog.getByRole('button', { name: 'Back' }).click()
    await dialog.getByRole('region', { name: 'Operations and placeholders' }).waitFor()
    await dialog.getByRole('button', { name: 'Back' }).click()
    await editorOf(page).waitFor()
  })

  test('of a curl command from the clipboard does not store its credentials', async () => {
    const { page, service } = await open()
    const command = `curl -X POST https://api.example.com/v1/refunds -H 'Authorization: Bearer sk_live_canary' -d '{"order_id":"1"}'`
    await page.evaluate(`navigator.clipboard.writeText(${JSON.stringify(command)})`)
    const dialog = await openDialog(page)
    await dialog.getByRole('button', { name: 'Paste' }).click()
    await dialog.getByText('curl command', { exact: true }).waitFor()
    await preview(page)
    await dialog.getByText('Authorization in 1 action').waitFor()
    await dialog.getByLabel(/^Send their values to/).check()
    await dialog.getByRole('button', { name: 'Import 1 action' }).click()
    await dialog.getByRole('heading', { name: 'api.example.com created with 1 action' }).waitFor()
    const [made] = await connectionsOf(service.rest)
    const { text } = await service.rest('GET', `/connections/${made?.connectionId}/actions`)
    expect(text).toContain('post_v1_refunds')
    expect(text).not.toContain('canary')
  })

  test('that does not reach the service shows the error code and can be tried again', async () => {
    const { page, service } = await open()
    const dialog = await openDialog(page)
    await chooseText(page, 'acme.json', JSON.stringify({ ...shop, actions: [] }))
    await preview(page)
    await page.route('**/imports/apply', route => route.abort(), { times: 1 })
    await dialog.getByRole('button', { name: 'Import 2 event types' }).click()
    const toast = page.getByRole('alert').filter({ hasText: 'The import failed' })
    await toast.getByText('service_unreachable').waitFor()
    expect(await connectionsOf(service.rest)).toEqual([])
    await toast.getByRole('button', { name: 'Try again' }).click()
    await dialog.getByRole('heading', { name: 'Acme Orders created with 2 event types' }).waitFor()
    expect(await connectionsOf(service.rest)).toHaveLength(1)
  })
})

describe('a file dropped on a screen', () => {
  test('opens the import dialog, for the open connection if there is one', async () => {
    const service = await sharedService()
    const { connectionId } = await createConnection(service.rest, { name: 'Shop' })
    const { page, go } = await open({ at: service })
    await page.getByRole('main').getByText('Shop').waitFor()
    await dropFiles(page, { name: 'acme.json', text: shopText })
    const dialog = dialogOf(page)
    await dialog.getByText('2 actions and 2 event types to create.').waitFor()
    await expect
      .poll(() => dialog.getByRole('combobox', { name: 'Into' }).inputValue())
      .toBe('New connection in Default')
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'detached' })

    await go(`/connections/${connectionId}`)
    await page.getByRole('tab', { name: 'Overview' }).waitFor()
    await dropFiles(page, { name: 'events.json', text: JSON.stringify({ events: shop.events }) })
    await dialog.getByText('2 event types to create.').waitFor()
    await expect.poll(() => dialog.getByRole('combobox', { name: 'Into' }).inputValue()).toBe('Shop')
  })

  test('is refused in the dialog if it cannot be read', async () => {
    const { page } = await open()
    await dropFiles(page, { name: 'sheet.xlsx', text: 'PK\u0003\u0004\u0000' })
    await dialogOf(page).getByRole('alert').getByText('sheet.xlsx is not a text file.').waitFor()
  })
})

test.each([
  { width: 900, height: 600 },
  { width: 1280, height: 800 },
])('every step is accessible and fits into $width × $height, light and dark', async size => {
  const { page } = await open(size)
  const dialog = await openDialog(page)
  const check = async () => {
    await expectAccessibleInBothSchemes(page)
    const box = await dialog.boundingBox()
    expect(box?.height).toBeLessThanOrEqual(size.height - 32)
    expect(box?.width).toBeLessThanOrEqual(size.width - 32)
  }
  await check()
  await chooseText(page, 'acme.json', brokenImport)
  await dialog.getByText('Fix 2 errors to see the preview.').waitFor()
  await check()
  await chooseText(page, 'acme.json', shopText)
  await preview(page)
  await check()
  await dialog.getByRole('button', { name: 'Set value of ACME_KEY' }).click()
  await check()
  await dialog.getByLabel(/^Send their values to/).check()
  await dialog.getByRole('button', { name: 'Import 2 actions and 2 event types' }).click()
  await dialog.getByRole('heading', { name: /^Acme Orders created/ }).waitFor()
  await check()
})
