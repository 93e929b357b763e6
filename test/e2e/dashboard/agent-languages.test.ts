import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { expectAccessible, expectAccessibleInBothSchemes } from './accessibility.ts'
import { dashboardTests, type OpenOptions } from './fixture.ts'

const { open } = dashboardTests()

const given = {
  primaryLanguage: 'en',
  secondaryLanguage: 'de',
  autoDetect: true,
  translations: {
    greeting_en: 'Hello',
    greeting_de: 'Hallo',
    late_en: 'Sorry, {name}. It is late.',
    late_de: 'Es ist zu spät.',
    late_sv: 'Förlåt, {name}.',
    bye_en: 'Goodbye',
    welcome: 'Welcome',
  },
}

const Translations = z.object({ translations: z.record(z.string(), z.string()) })

async function openLanguages(settings: object | null = given, options: OpenOptions = {}) {
  const dashboard = await open(options)
  const { rest } = dashboard.service
  if (settings !== null) await rest('PUT', '/platform/language', settings)
  await dashboard.go('/agent/languages')
  await dashboard.page.getByRole('grid').waitFor()
  const translations = async () =>
    Translations.parse((await rest('GET', '/platform/language')).body).translations
  return { ...dashboard, translations }
}

const rowOf = (page: Page, name: string) => page.getByRole('row', { name: new RegExp(`^${name}\\b`) })
const editorOf = (page: Page, key: string) => page.getByRole('textbox', { name: key, exact: true })

async function save(page: Page): Promise<void> {
  await page.keyboard.press('Control+s')
  await page.getByText('Languages saved').waitFor()
}

test('the page is accessible, empty and filled, light and dark, and shows what is missing or lost', async () => {
  const { page, service, go } = await openLanguages(null)
  await page.getByText('0 texts · 1 missing · 0 differ').waitFor()
  await expectAccessibleInBothSchemes(page)
  await service.rest('PUT', '/platform/language', given)
  await go('/connections')
  await go('/agent/languages')
  await rowOf(page, 'late').getByText('Lacks {name}').waitFor()
  await page.getByText('6 texts · 3 missing · 1 differs').waitFor()
  await page.getByRole('columnheader', { name: 'Swedish _sv 1 of 3' }).waitFor()
  await page.getByText('late_de lacks {name}, which the English text has.').waitFor()
  await page.getByText('welcome has no language code').waitFor()
  await expectAccessibleInBothSchemes(page)
})

test('texts are written with the keyboard alone, language by language, and saved', async () => {
  const { page, translations } = await openLanguages()
  await page.keyboard.press('F8')
  await page.keyboard.type('Hej')
  await page.getByText('Unsaved: text greeting_sv').waitFor()
  await page.keyboard.press('Tab')
  await editorOf(page, 'late_en').waitFor()
  await page.keyboard.press('Tab')
  await editorOf(page, 'late_de').fill('Zu spät, {name}.')
  await page.getByText('late_de lacks').waitFor({ state: 'detached' })
  await page.keyboard.press('Enter')
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('Enter')
  await editorOf(page, 'bye_de').fill('Tschüss')
  await page.keyboard.press('Escape')
  await rowOf(page, 'bye')
    .getByRole('button', { name: 'Missing' })
    .nth(0)
    .and(page.locator(':focus'))
    .waitFor()
  await page.keyboard.press('ArrowLeft')
  await page.keyboard.press('Enter')
  await page.keyboard.press('Control+a')
  await page.keyboard.press('Delete')
  await expectAccessible(page)
  await save(page)
  const { bye_en: _removed, ...rest } = given.translations
  await expect.poll(translations).toEqual({ ...rest, greeting_sv: 'Hej', late_de: 'Zu spät, {name}.' })
})

test('a text is added, renamed and deleted in all languages, and a key without a language is renamed', async () => {
  const { page, translations } = await openLanguages()
  const dialog = page.getByRole('dialog')
  await page.keyboard.press('n')
  await dialog.getByLabel('Name').fill('late')
  await dialog.getByRole('button', { name: 'Add text' }).click()
  await dialog.getByText('There is a text with this name.').waitFor()
  await dialog.getByLabel('Name').fill('two words')
  await dialog.getByText('A key has 1 to 200 letters, digits, dots, - or _: greeting_en.').waitFor()
  await dialog.getByLabel('Name').fill('thanks')
  await dialog.getByLabel('English text').fill('Thank you')
  await expectAccessible(page)
  await dialog.getByRole('button', { name: 'Add text' }).click()
  await rowOf(page, 'thanks').getByRole('button', { name: 'Thank you' }).and(page.locator(':focus')).waitFor()

  await rowOf(page, 'late').getByRole('button', { name: 'late', exact: true }).click()
  await page.getByRole('menuitem', { name: 'Rename' }).click()
  await dialog.getByLabel('Name').fill('order_late')
  await dialog.getByRole('button', { name: 'Rename in all languages' }).click()
  await rowOf(page, 'order_late').getByText('Förlåt').waitFor()

  await rowOf(page, 'greeting').getByRole('button', { name: 'greeting', exact: true }).focus()
  await page.keyboard.press('Enter')
  await page.getByRole('menuitem', { name: 'Delete' }).click()
  await rowOf(page, 'greeting').waitFor({ state: 'detached' })

  await page.getByRole('button', { name: 'Rename welcome' }).click()
  await dialog.getByRole('button', { name: 'Rename to welcome_en' }).click()
  await rowOf(page, 'welcome').getByText('Welcome', { exact: true }).waitFor()
  await save(page)
  await expect.poll(translations).toEqual({
    order_late_en: 'Sorry, {name}. It is late.',
    order_late_de: 'Es ist zu spät.',
    order_late_sv: 'Förlåt, {name}.',
    bye_en: 'Goodbye',
    welcome_en: 'Welcome',
    thanks_en: 'Thank you',
  })
})

test('a language is added by its code, and the list is filtered', async () => {
  const { page, service } = await openLanguages()
  await page.getByRole('button', { name: 'Add language' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Language').fill('pt-BR')
  await page.getByRole('option', { name: /Brazilian Portuguese/ }).click()
  await dialog.getByRole('button', { name: 'Add language' }).click()
  await page.getByRole('columnheader', { name: 'Brazilian Portuguese _pt-BR 0 of 3' }).waitFor()
  await page.getByText('6 texts · 6 missing · 1 differs').waitFor()

  // A column without a text can be removed again.
  const remove = page.getByRole('button', { name: 'Remove Brazilian Portuguese' })
  const cell = rowOf(page, 'bye').getByRole('button').nth(4)
  await cell.click()
  await editorOf(page, 'bye_pt-BR').fill('Tchau')
  await remove.waitFor({ state: 'detached' })
  await editorOf(page, 'bye_pt-BR').fill('')
  await page.keyboard.press('Escape')
  await expectAccessible(page)
  await remove.press('Enter')
  await remove.waitFor({ state: 'detached' })
  await page.locator('[data-cell]:focus').waitFor()
  await page.getByText('6 texts · 3 missing · 1 differs').waitFor()
  expect(await page.getByRole('columnheader').count()).toBe(4)

  await page.locator('label', { hasText: /^Differing/ }).click()
  await rowOf(page, 'bye').waitFor({ state: 'detached' })
  await rowOf(page, 'late').waitFor()
  await page.locator('label', { hasText: /^All/ }).click()
  await page.getByLabel('Filter texts').fill('hallo')
  await rowOf(page, 'late').waitFor({ state: 'detached' })
  await rowOf(page, 'greeting').waitFor()
  await page.getByLabel('Filter texts').fill('nothing like it')
  await page.getByText('No text contains “nothing like it”.').waitFor()

  await page.getByRole('combobox', { name: 'Secondary language' }).fill('swed')
  await page.getByRole('option', { name: /Swedish/ }).click()
  await page.getByRole('switch', { name: /^Detect the language/ }).uncheck()
  await page.getByText('Unsaved: secondary language, detection').waitFor()
  await save(page)
  expect((await service.rest('GET', '/platform/language')).body).toEqual({
    ...given,
    secondaryLanguage: 'sv',
    autoDetect: false,
  })
})

test('a text that is too long is refused at its cell, and not saved', async () => {
  const { page, translations } = await openLanguages()
  await rowOf(page, 'greeting').getByRole('button', { name: 'Hello' }).click()
  await editorOf(page, 'greeting_en').fill('x'.repeat(4001))
  await page.getByRole('alert').getByText('greeting_en This must have at most 4,000 characters.').waitFor()
  await expect.poll(() => editorOf(page, 'greeting_en').getAttribute('aria-invalid')).toBe('true')
  await page.keyboard.press('Control+s')
  await page.keyboard.press('Escape')
  await page.getByRole('alert').waitFor({ state: 'detached' })
  expect(await translations()).toEqual(given.translations)
})

test('10,000 translations are scrolled, edited and saved', async () => {
  const names = Array.from({ length: 2500 }, (_, index) => `text_${index}`)
  const texts = names.flatMap(name =>
    ['en', 'de', 'sv', 'fr'].map(code => [`${name}_${code}`, `${name} {a}`]),
  )
  const { page, translations } = await openLanguages({ ...given, translations: Object.fromEntries(texts) })
  await page.getByRole('columnheader', { name: 'French _fr 2,500 of 2,500' }).waitFor()
  await rowOf(page, 'text_0').getByRole('button').first().focus()
  await page.keyboard.press('PageDown')
  await page.keyboard.press('PageDown')
  await rowOf(page, 'text_0').waitFor({ state: 'detached' })
  expect(await page.getByRole('row').count()).toBeLessThan(60)
  await page.getByLabel('Filter texts').fill('text_2499 ')
  await rowOf(page, 'text_2499').getByRole('button', { name: /a/ }).nth(1).click()
  await editorOf(page, 'text_2499_de').fill('Neu {a}')
  await page.getByText('Unsaved: text text_2499_de').waitFor()
  await save(page)
  await expect.poll(translations).toMatchObject({ text_2499_de: 'Neu {a}', text_2499_fr: 'text_2499 {a}' })
})

test('a narrow window keeps the keys in sight, and everything in reach', async () => {
  const { page } = await openLanguages(given, { width: 640, height: 400 })
  await rowOf(page, 'late').getByRole('button', { name: 'Förlåt' }).click()
  await editorOf(page, 'late_sv').fill('Förlåt.')
  await page.getByText('late_sv lacks {name}').waitFor()
  await page.getByRole('button', { name: 'late', exact: true }).click({ trial: true })
  await expectAccessible(page)
  await save(page)
})

test.each([1280, 900, 640, 320])(
  'no column is cut in a window of %i pixels, wherever the table is scrolled',
  async width => {
    const texts = ['en', 'de', 'sv', 'fr', 'pl', 'es'].map(code => [
      `late_${code}`,
      'Sorry, {customer_name}. It is late.',
    ])
    const { page } = await openLanguages(
      { ...given, translations: Object.fromEntries(texts) },
      { width, height: 800 },
    )
    const grid = page.getByRole('grid')
    await grid.getByText('customer_name').first().waitFor()
    const cut = `(() => {
    const scroller = document.querySelector('[role="grid"]').parentElement
    const { right } = scroller.getBoundingClientRect()
    return [...scroller.querySelectorAll('thead th')].filter(head => {
      const box = head.getBoundingClientRect()
      return box.left < right - 1 && box.right > right + 1
    }).length
  })()`
    await expect.poll(() => page.evaluate(cut)).toBe(0)
    for (let step = 0; step < 3; step++) {
      await page.evaluate(`document.querySelector('[role="grid"]').parentElement.scrollBy({ left: 100 })`)
      await expect.poll(() => page.evaluate(cut)).toBe(0)
    }
  },
)
