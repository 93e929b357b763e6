import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { expect, onTestFinished, test } from 'vitest'
import { expectAccessibleInBothSchemes } from './accessibility.ts'
import { dashboardTests } from './fixture.ts'

const { open } = dashboardTests()

const small = JSON.stringify({
  ...{ openapi: '3.1.0', info: { title: 'Small', version: '1' }, servers: [{ url: 'https://a.example' }] },
  paths: { '/status': { get: { operationId: 'getStatus', responses: {} } } },
})

/** A document of more than 1 MB, of 12,000 lines. */
const large = JSON.stringify(
  {
    ...{ openapi: '3.1.0', info: { title: 'Large', version: '1' }, servers: [{ url: 'https://a.example' }] },
    'x-filler': Array.from({ length: 12_000 }, (_none, index) => `${index} ${'x'.repeat(100)}`),
    paths: { '/status': { get: { operationId: 'getStatus', responses: {} } } },
  },
  null,
  1,
)
const lines = large.split('\n').length

const dialogOf = (page: Page) => page.getByRole('dialog', { name: 'Import' })
const cardOf = (page: Page) => dialogOf(page).getByRole('region', { name: 'Text to import' })
const textOf = (page: Page) => dialogOf(page).getByRole('region', { name: 'Text', exact: true })

async function openDialog(page: Page): Promise<void> {
  await page.keyboard.press('i')
  await dialogOf(page).getByRole('textbox', { name: 'Text to import' }).waitFor()
}

/** Chooses a file by its path: its bytes need not go through the connection to the browser. */
async function choose(page: Page, name: string, text: string): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'cc-import-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  await writeFile(join(folder, name), text)
  await dialogOf(page).locator('input[type="file"]').setInputFiles(join(folder, name))
}

test('a text over 1 MB is a card, with pages for reading, and goes on to the preview', async () => {
  const { page } = await open()
  await openDialog(page)
  await choose(page, 'large.json', large)
  const show = cardOf(page).getByRole('button', { name: 'Show text' })
  await show.and(page.locator(':focus')).waitFor()
  await cardOf(page).getByText('large.json').waitFor()
  await cardOf(page)
    .getByText(`${lines.toLocaleString('en')} lines`)
    .waitFor()
  expect(await dialogOf(page).locator('.cm-editor').count()).toBe(0)
  await dialogOf(page).getByText('Ready for the preview.').waitFor()

  await page.keyboard.press('Enter')
  await textOf(page)
    .getByText(/^Page 1 of \d+/)
    .waitFor()
  await expectAccessibleInBothSchemes(page)
  for (const name of ['Remove', 'Go to line', 'Previous page', 'Next page']) {
    await page.keyboard.press('Tab')
    await dialogOf(page)
      .getByLabel(name)
      .or(page.getByRole('button', { name }))
      .and(page.locator(':focus'))
      .waitFor()
  }
  await page.keyboard.press('Enter')
  await textOf(page)
    .getByText(/^Page 2 of \d+/)
    .waitFor()
  await textOf(page).getByLabel('Go to line').fill('9000')
  await page.keyboard.press('Enter')
  await textOf(page)
    .locator('mark')
    .getByText(large.split('\n')[8999]?.trim().slice(0, 20) ?? '')
    .waitFor()

  await page.keyboard.press('ControlOrMeta+Enter')
  await dialogOf(page).getByRole('region', { name: 'Preview' }).waitFor()
  await dialogOf(page).getByRole('button', { name: 'Back' }).click()
  await cardOf(page).getByRole('button', { name: 'Hide text' }).waitFor()
  await cardOf(page).getByRole('button', { name: 'Remove' }).click()
  await dialogOf(page).getByRole('textbox', { name: 'Text to import' }).and(page.locator(':focus')).waitFor()
})

test('a problem of a text over 1 MB is shown where it is', async () => {
  const { page } = await open()
  await openDialog(page)
  await choose(page, 'broken.json', `${large.slice(0, -1)},\n"x-last": wrong\n}`)
  await dialogOf(page).getByText('Fix 1 error to see the preview.').waitFor()
  await page.keyboard.press('F8')
  await textOf(page).locator('mark').getByText('wrong').waitFor()
  await textOf(page).getByRole('region', { name: 'Text, page' }).and(page.locator(':focus')).waitFor()
  await cardOf(page).getByRole('button', { name: 'Hide text' }).click()
  await dialogOf(page).getByRole('complementary').locator('li button').click()
  await textOf(page).locator('mark').getByText('wrong').waitFor()
})

test('a new file is not shown with the problems of the one before', async () => {
  const { page } = await open({ own: true })
  await openDialog(page)
  await choose(page, 'broken.json', '{"openapi": "3.1.0", wrong}')
  const aside = dialogOf(page).getByRole('complementary')
  await aside.locator('li').first().waitFor()
  const held = Promise.withResolvers<void>()
  await page.route('**/imports/preview', async route => {
    await held.promise
    await route.continue()
  })
  await choose(page, 'small.json', small)
  // One state on both sides while it is checked.
  await aside.getByRole('heading', { name: 'Checking' }).waitFor()
  await aside.getByText('small.json').waitFor()
  await dialogOf(page).getByText('Checking the text…').waitFor()
  expect(await aside.locator('li').count()).toBe(0)
  expect(await dialogOf(page).getByText(/^Fix /).count()).toBe(0)
  await expectAccessibleInBothSchemes(page)
  held.resolve()
  await aside.getByText('1 action to create.').waitFor()
  await dialogOf(page).getByText('Ready for the preview.').waitFor()

  await page.unroute('**/imports/preview')
  await page.route('**/imports/preview', route => route.abort())
  await choose(page, 'again.json', `${small} `)
  await aside.getByText('The text was not checked', { exact: true }).waitFor()
  await dialogOf(page).getByText('The text was not checked.', { exact: true }).waitFor()
})
