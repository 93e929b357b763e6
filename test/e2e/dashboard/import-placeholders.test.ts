import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import type { Rest } from '../../support/rest-client.ts'
import { expectAccessibleInBothSchemes } from './accessibility.ts'
import { dashboardTests } from './fixture.ts'

const { open } = dashboardTests()

const parameter = (name: string, more: object = {}) => ({
  ...{ name, in: 'path', required: true, schema: { type: 'string' } },
  ...more,
})
const get = (operationId: string, tag: string) => ({ get: { operationId, tags: [tag], responses: {} } })
const api = JSON.stringify({
  openapi: '3.1.0',
  info: { title: 'Acme Projects', version: '1' },
  servers: [{ url: 'https://api.acme-erp.com/v2' }],
  paths: {
    '/status': get('status', 'Health'),
    '/projects/{projectId}/orders': {
      parameters: [parameter('projectId', { example: 'prj_42', description: 'The project of the calls.' })],
      ...get('listOrders', 'Orders'),
      post: { operationId: 'createOrder', tags: ['Orders'], responses: {} },
    },
    '/projects/{projectId}/stock': get('listStock', 'Stock'),
    '/projects/{projectId}/orders/{id}': {
      parameters: [parameter('id')],
      ...get('getOrder', 'Orders'),
      delete: { operationId: 'deleteOrder', tags: ['Orders'], responses: {} },
    },
    '/files/{id}': { servers: [{ url: 'https://files.acme-erp.com' }], ...get('getFile', 'Files') },
  },
})
const thousands = JSON.stringify({
  openapi: '3.1.0',
  info: { title: 'Large', version: '1' },
  servers: [{ url: 'https://api.example.com' }],
  paths: Object.fromEntries(
    Array.from({ length: 5000 }, (_none, index) => [
      `/repos/{owner}/things-${index}/{p${index % 100}}`,
      get(`thing${index}`, 'Things'),
    ]),
  ),
})

const dialogOf = (page: Page) => page.getByRole('dialog', { name: 'Import' })
const stepOf = (page: Page) => dialogOf(page).getByRole('region', { name: 'Operations and placeholders' })
const listOf = (page: Page) => stepOf(page).getByRole('grid', { name: 'Operations' })
const count = (page: Page) => stepOf(page).getByRole('heading', { level: 3 }).nth(1).innerText()
const valueField = (page: Page, name: string) => stepOf(page).getByLabel(`Value of ${name}`, { exact: true })
const goOn = (page: Page) => page.keyboard.press('ControlOrMeta+Enter')

const choiceOf = (page: Page, name: string) => stepOf(page).getByRole('radiogroup', { name: `${name} is` })
const rowOf = (page: Page, text: string) => listOf(page).getByRole('row').filter({ hasText: text })

/** Opens the dialog with a document, and goes to the step of its operations. */
async function chooseOperations(page: Page, text: string) {
  await page.keyboard.press('i')
  await dialogOf(page).getByLabel('Text to import').waitFor()
  const file = { name: 'api.json', mimeType: 'application/json', buffer: Buffer.from(text) }
  await dialogOf(page).locator('input[type="file"]').setInputFiles(file)
  await dialogOf(page).getByRole('button', { name: 'Choose operations' }).waitFor()
  await goOn(page)
  await stepOf(page).waitFor()
}

const Actions = z.array(z.object({ toolName: z.string(), path: z.string() }))
async function actionsOf(rest: Rest) {
  const connections = await rest('GET', '/connections')
  const [connection] = z.array(z.object({ connectionId: z.string() })).parse(connections.body)
  const { body } = await rest('GET', `/connections/${connection?.connectionId}/actions`)
  return { connection, actions: Actions.parse(body) }
}

describe('the placeholders of an import', () => {
  test('are parameters, of which constants are made by keyboard', async () => {
    const { page, service } = await open()
    await chooseOperations(page, api)
    expect(await dialogOf(page).getByRole('list', { name: 'Steps' }).innerText()).toContain('Operations')
    await expect.poll(() => count(page)).toBe('7 become actions')
    await rowOf(page, '/projects/{projectId}/orders/{id}').first().getByText('2 parameters').waitFor()
    await choiceOf(page, 'projectId').getByRole('radio', { name: 'Parameter' }).focus()
    await page.keyboard.press('ArrowRight')
    await valueField(page, 'projectId').fill('..')
    await stepOf(page).getByText('A constant must not be . or ..').waitFor()
    await stepOf(page).getByRole('button', { name: 'prj_42' }).click()
    await expect.poll(() => valueField(page, 'projectId').inputValue()).toBe('prj_42')
    await rowOf(page, '/projects/prj_42/orders/{id}').first().getByText('1 constant, 1 parameter').waitFor()
    await expect.poll(() => count(page)).toBe('7 become actions')
    await expectAccessibleInBothSchemes(page)

    // One is left out with the keyboard.
    await stepOf(page).getByLabel('Search operations').fill('get stock')
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press(' ')
    await expect.poll(() => count(page)).toBe('6 become actions')
    await goOn(page)
    const preview = dialogOf(page).getByRole('region', { name: 'Preview' })
    await preview.waitFor()
    expect(await preview.getByRole('region', { name: '6 actions to create' }).count()).toBe(1)
    await goOn(page)
    await dialogOf(page).getByRole('region', { name: 'Done' }).waitFor()
    const { actions } = await actionsOf(service.rest)
    expect(actions.map(({ path }) => path)).toEqual([
      '/status',
      '/projects/prj_42/orders',
      '/projects/prj_42/orders',
      '/projects/prj_42/orders/{id}',
      '/projects/prj_42/orders/{id}',
    ])
  })

  test('need no choice', async () => {
    const { page, service } = await open()
    await chooseOperations(page, api)
    await goOn(page)
    await dialogOf(page).getByRole('region', { name: 'Preview' }).waitFor()
    await goOn(page)
    await dialogOf(page).getByRole('region', { name: 'Done' }).waitFor()
    const { actions } = await actionsOf(service.rest)
    expect(actions.map(({ path }) => path)).toContain('/projects/{projectId}/orders/{id}')
  })

  test('have no step in a document without any', async () => {
    const { page } = await open()
    await page.keyboard.press('i')
    await dialogOf(page).getByLabel('Text to import').waitFor()
    const { paths, ...rest } = JSON.parse(api)
    const text = JSON.stringify({ ...rest, paths: { '/status': paths['/status'] } })
    const file = { name: 'api.json', mimeType: 'application/json', buffer: Buffer.from(text) }
    await dialogOf(page).locator('input[type="file"]').setInputFiles(file)
    await dialogOf(page).getByTitle('api.json').waitFor()
    await dialogOf(page).getByRole('button', { name: 'Preview' }).click()
    await dialogOf(page).getByRole('region', { name: 'Preview' }).waitFor()
    expect(await dialogOf(page).getByRole('list', { name: 'Steps' }).innerText()).not.toContain('Operations')
  })

  test('of 5,000 operations are rendered as they are scrolled to, and all are counted', async () => {
    const { page } = await open()
    await chooseOperations(page, thousands)
    await expect.poll(() => count(page)).toBe('5,000 become actions')
    expect(await listOf(page).getByRole('row').count()).toBeLessThan(60)
    await listOf(page).focus()
    await page.keyboard.press('End')
    await listOf(page).getByText('things-999').waitFor()
    await stepOf(page).getByLabel('Search operations').fill('things-4999')
    await expect.poll(() => listOf(page).getByRole('row').count()).toBe(2)
  })

  test('are rendered as they are scrolled to, and found by name', async () => {
    const { page } = await open()
    await chooseOperations(page, thousands)
    const fields = stepOf(page).getByRole('region', { name: 'Placeholders', exact: true })
    const choices = fields.getByRole('radiogroup')
    await fields.and(page.locator(':focus')).waitFor()
    await choiceOf(page, 'owner').waitFor()
    expect(await choices.count()).toBeLessThan(40)
    await page.keyboard.press('End')
    await choiceOf(page, 'p99').waitFor()
    expect(await choices.count()).toBeLessThan(40)

    const search = stepOf(page).getByLabel('Search placeholders')
    await page.keyboard.press('Shift+Tab')
    await search.and(page.locator(':focus')).waitFor()
    await page.keyboard.type('p7')
    await stepOf(page).getByText('11 of 101').waitFor()
    await page.keyboard.press('ArrowDown')
    await choiceOf(page, 'p7').locator('input:focus').waitFor({ state: 'attached' })
    await page.keyboard.press('ArrowRight')
    await valueField(page, 'p7').fill('seven')
    await rowOf(page, '/repos/{owner}/things-1007/seven').waitFor()
    // What is below has made room.
    await choiceOf(page, 'p70').getByText('Constant').click()
    await valueField(page, 'p70').fill('seventy')
    await expectAccessibleInBothSchemes(page)
    await search.press('Escape')
    await choiceOf(page, 'owner').waitFor()
    await search.fill('nowhere')
    await stepOf(page).getByText('No placeholder matches').waitFor()
    await search.press('ControlOrMeta+Enter')
    await dialogOf(page).getByRole('region', { name: 'Preview' }).waitFor()
  })
})
