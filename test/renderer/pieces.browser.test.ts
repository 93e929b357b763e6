import type { Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { expectAccessible } from '../e2e/dashboard/accessibility.ts'
import { openPage, sharedBrowser } from '../support/browser.ts'
import { waitMs } from '../support/patience.ts'
import { servePieces } from './page-server.ts'

const size = { width: 900, height: 620 }
let pieces: Awaited<ReturnType<typeof servePieces>>
let page: Page
let visits = 0
const problems: string[] = []
beforeAll(async () => {
  const [browser, served] = await Promise.all([sharedBrowser(), servePieces()])
  pieces = served
  page = await openPage(browser, { scheme: 'light', ...size })
  page.setDefaultTimeout(waitMs)
  page.on('pageerror', error => problems.push(String(error)))
  page.on('console', message => {
    if (message.type() === 'error') problems.push(message.text())
  })
})
afterAll(async () => {
  await page.context().close()
  await pieces.close()
})
afterEach(() => {
  expect(problems.splice(0)).toEqual([])
})

/** Loads a piece into the page; the test fails with what the page logs as an error or throws. */
async function show(scene: string): Promise<Page> {
  await page.mouse.move(0, 0)
  await page.setViewportSize(size)
  // Another query loads another document, in the same process: it finds its scripts compiled.
  await page.goto(`${pieces.url}/?${visits++}#${scene}`)
  await page.getByRole('main').waitFor()
  return page
}

const output = (page: Page, label: string) => page.getByLabel(label, { exact: true })
const textOf = (page: Page, label: string) => output(page, label).textContent()
/** Waits until the page shows this text. */
const says = (page: Page, label: string, text: string) => expect.poll(() => textOf(page, label)).toBe(text)

describe('the JSON tree', () => {
  const names = (page: Page) => page.getByRole('treeitem').allTextContents()
  const press = async (page: Page, ...keys: string[]) => {
    for (const key of keys) await page.keyboard.press(key)
  }

  test('shows numbers with all their digits, and their aliases', async () => {
    const page = await show('tree')
    await page.getByRole('treeitem', { name: 'number: 9007199254740993 kept digit for digit' }).waitFor()
    await page.getByRole('treeitem', { name: 'value: 49.00 amount' }).waitFor()
    await page.getByRole('treeitem', { name: 'sku: "KB-87-GRY" first_sku' }).waitFor()
    await expectAccessible(page)
  })

  test('can be used with the keyboard, and Enter presses the row’s button', async () => {
    const page = await show('tree')
    await page.getByRole('tree', { name: 'Response' }).focus()
    await press(page, 'ArrowDown', 'ArrowDown', 'ArrowDown')
    await says(page, 'Selected', 'refund.id')
    await press(page, 'Enter')
    await says(page, 'Acted on', 'refund.id')
    await press(page, 'ArrowLeft', 'ArrowLeft')
    const refund = page.getByRole('treeitem', { name: /^refund/ })
    await expect.poll(() => refund.getAttribute('aria-expanded')).toBe('false')
    await expect.poll(() => refund.getAttribute('aria-selected')).toBe('true')
    await press(page, 'ArrowDown')
    await says(page, 'Selected', 'order')
    await press(page, 'ArrowUp', 'ArrowRight', 'ArrowRight')
    await says(page, 'Selected', 'refund.id')
    await expect.poll(() => refund.getAttribute('aria-expanded')).toBe('true')
    await press(page, 'End')
    await says(page, 'Selected', 'order.lines.2.sku')
    await expect
      .poll(() => page.getByRole('treeitem', { selected: true }).getAttribute('aria-level'))
      .toBe('5')
    await press(page, 'Home')
    await says(page, 'Selected', '')
  })

  test('closing a container selects it if the selected value is inside', async () => {
    const page = await show('tree')
    await page.getByRole('treeitem', { name: 'name: "Maya Lindqvist"' }).click()
    await says(page, 'Selected', 'order.customer.name')
    await expectAccessible(page)
    await page.getByRole('treeitem', { name: /^order/ }).dblclick()
    await says(page, 'Selected', 'order')
    await expect.poll(() => names(page)).toHaveLength(10)
  })

  test('a search keeps the matches and their containers', async () => {
    const page = await show('tree')
    await page.getByLabel('Search').fill('maya')
    await page.getByRole('treeitem', { name: /^refund/ }).waitFor({ state: 'detached' })
    await expect
      .poll(() => names(page))
      .toEqual([
        '{2 keys',
        'order: {4 keys',
        'customer: {3 keys',
        'name: "Maya Lindqvist"',
        'email: "maya@example.com"',
      ])
    await page.getByLabel('Search').fill('nowhere')
    await page.getByText('Nothing contains “nowhere”.').waitFor()
  })

  test('shows megabytes', async () => {
    const page = await show('tree-large')
    await page.getByRole('tree').focus()
    await press(page, 'ArrowDown', 'ArrowDown', 'ArrowRight', 'End')
    await says(page, 'Selected', 'orders.29999')
    await press(page, 'ArrowRight', 'ArrowRight')
    await says(page, 'Selected', 'orders.29999.order_id')
    expect(await page.getByRole('treeitem').count()).toBeLessThan(100)
  })

  test('shows text that is not JSON unchanged', async () => {
    const page = await show('tree-no-json')
    await page.getByText('upstream timed out').waitFor()
  })
})

describe('the JSON editor', () => {
  const editor = (page: Page) => page.getByRole('textbox', { name: 'Sample payload' })
  const text = (page: Page) => page.getByLabel('Text', { exact: true }).inputValue()
  const problem = (page: Page) => page.locator('.cc-explanation')

  test('shows where a syntax error is, and when it is fixed', async () => {
    const page = await show('editor')
    await page.getByText('Valid JSON').waitFor()
    await page.locator('.cm-line').nth(3).click()
    await page.keyboard.press('End')
    await page.getByText('Line 4, column 19 · 211 bytes').waitFor()
    await page.keyboard.press('Backspace')
    await page.getByRole('button', { name: 'Line 5, column 3: A comma is missing before this.' }).waitFor()
    await problem(page).filter({ hasText: 'A comma is missing before this.' }).waitFor()
    await expectAccessible(page)
    await page.keyboard.type(',')
    await page.getByText('Valid JSON').waitFor()
    await problem(page).waitFor({ state: 'detached' })
  })

  test('formats without changing digits, and can undo it', async () => {
    const page = await show('editor')
    await editor(page).fill('{"number":9007199254740993,"total":149.00,"items":[1]}')
    await page.getByText('Valid JSON').waitFor()
    await page.keyboard.press('Alt+Shift+F')
    const formatted = '{\n  "number": 9007199254740993,\n  "total": 149.00,\n  "items": [\n    1\n  ]\n}'
    await expect.poll(() => text(page)).toBe(formatted)
    await page.keyboard.press('ControlOrMeta+z')
    await expect.poll(() => text(page)).toBe('{"number":9007199254740993,"total":149.00,"items":[1]}')
    await page.getByRole('button', { name: 'Format' }).click()
    await expect.poll(() => text(page)).toBe(formatted)
  })

  test('goes to the first problem instead of formatting text that is not JSON', async () => {
    const page = await show('editor')
    await editor(page).fill("{'a': 1}")
    await page.keyboard.press('ControlOrMeta+Shift+F')
    await problem(page)
      .filter({ hasText: 'Write strings in double quotes ("), not in single quotes (\').' })
      .waitFor()
    await expect.poll(() => text(page)).toBe("{'a': 1}")
  })

  test('Tab leaves the editor', async () => {
    const page = await show('editor')
    await editor(page).focus()
    await page.keyboard.press('Tab')
    await page.keyboard.press('Tab')
    expect(await text(page)).toContain('"order_id"')
    expect(await page.evaluate('document.activeElement.className')).not.toContain('cm-content')
  })

  test('shows problems from outside, explains one beneath its line, and goes to the next', async () => {
    const page = await show('problems')
    await problem(page).waitFor()
    await expect
      .poll(() => problem(page).textContent())
      .toBe('A path takes no placeholder. Use /orders/lookup and send order_id as a parameter.')
    await expect
      .poll(() => page.locator('.cm-lintRange-error').allTextContents())
      .toEqual(['{order_id}', '"text"'])
    await expect.poll(() => page.locator('.cm-lintRange-warning').allTextContents()).toEqual(['"retries"'])
    await expectAccessible(page)
    await editor(page).focus()
    await page.keyboard.press('F8')
    await page.keyboard.press('F8')
    await problem(page).filter({ hasText: 'Unknown key, will be left out.' }).waitFor()
    await page.getByRole('button', { name: 'Go to line 22' }).click()
    await problem(page).filter({ hasText: '“text” is not a type.' }).waitFor()
    await page.keyboard.press('F8')
    await problem(page).filter({ hasText: 'A path takes no placeholder.' }).waitFor()
  })

  test('a value from outside replaces the text', async () => {
    const page = await show('problems')
    await problem(page).waitFor()
    await page.getByRole('button', { name: 'Sample' }).click()
    await page.locator('.cm-line', { hasText: '9007199254740993' }).waitFor()
  })

  test('accepts typing in a text of megabytes', async () => {
    const page = await show('editor-large')
    await page.getByText('Valid JSON').waitFor()
    await editor(page).focus()
    await page.keyboard.press('ControlOrMeta+Home')
    await page.keyboard.type('[')
    await page.getByRole('button', { name: /^Line 1, column/ }).waitFor()
    await expect.poll(() => text(page)).toMatch(/^\[\{"orders"/)
  })

  test('does not check text in another language', async () => {
    const page = await show('editor-text')
    await page.getByText('Line 1, column 1 · 35 bytes').waitFor()
    expect(await page.getByText('JSON').count()).toBe(0)
  })
})

describe('the template field', () => {
  const field = (page: Page) => page.getByRole('textbox', { name: 'Header value' })
  const start = async () => {
    const page = await show('template')
    await page.locator('.cc-chip').first().waitFor()
    await field(page).click()
    await page.keyboard.press('End')
    return page
  }

  test('shows variables as chips with braces, and marks those that are not set', async () => {
    const page = await start()
    await expect
      .poll(() => page.locator('.cc-chip').allTextContents())
      .toEqual(['{{ACME_API_KEY}}', '{{GONE}}'])
    await expect.poll(() => page.locator('.cc-chip[data-unset]').allTextContents()).toEqual(['{{GONE}}'])
    await expectAccessible(page)
  })

  test('completes a name after two braces', async () => {
    const page = await start()
    await page.keyboard.type(' {{regi')
    await page.getByRole('option', { name: 'ACME_REGION' }).waitFor()
    await expect.poll(() => page.getByRole('option').count()).toBe(2)
    await page.keyboard.press('Enter')
    await says(page, 'Value', 'Bearer {{ACME_API_KEY}} {{GONE}} {{ACME_REGION}}')
    await expect.poll(() => page.locator('.cc-chip').count()).toBe(3)
    await page.keyboard.press('Backspace')
    await says(page, 'Value', 'Bearer {{ACME_API_KEY}} {{GONE}} ')
  })

  test('offers a new variable', async () => {
    const page = await start()
    await page.keyboard.type('{{')
    await page.getByRole('option', { name: 'ACME_TENANT not set' }).waitFor()
    await expectAccessible(page)
    await page.getByRole('option', { name: 'New variable' }).click()
    await says(page, 'Asked', '1')
  })

  test('keeps one line after pasting, and Enter submits the form', async () => {
    const page = await start()
    await page.evaluate('navigator.clipboard.writeText("one\\r\\ntwo\\nthree")')
    await page.keyboard.press('ControlOrMeta+a')
    await page.keyboard.press('ControlOrMeta+v')
    await says(page, 'Value', 'one two three')
    await page.keyboard.press('Enter')
    await says(page, 'Asked', '100')
    await says(page, 'Value', 'one two three')
  })
})

test('in a dialog, Escape first closes an open panel of an editor, then the dialog', async () => {
  const page = await show('dialog')
  const field = page.getByRole('textbox', { name: 'Header value' })
  await page.getByText('Valid JSON').waitFor()
  await page.getByRole('textbox', { name: 'Document' }).focus()
  await page.keyboard.press('ControlOrMeta+f')
  const find = page.getByRole('textbox', { name: 'Find' })
  await find.waitFor()
  await page.keyboard.press('Escape')
  await find.waitFor({ state: 'detached' })
  await field.focus()
  await page.keyboard.type('{{')
  await page.getByRole('option', { name: 'ACME_API_KEY' }).waitFor()
  await page.keyboard.press('Escape')
  await page.getByRole('option').waitFor({ state: 'detached' })
  await field.focus()
  await page.keyboard.type('A')
  await page.getByRole('option', { name: 'ACME_API_KEY' }).click()
  await page.locator('.cc-chip').waitFor()
  await page.keyboard.press('Escape')
  await page.getByRole('dialog').waitFor({ state: 'detached' })
})

describe('a list of 100,000 items', () => {
  const start = async (scene = 'list') => {
    const page = await show(scene)
    await page.getByText('Event 0', { exact: true }).waitFor()
    return page
  }
  const list = (page: Page) => page.getByRole('listbox', { name: 'Events' })
  /** Returns the distance of a row from the top of the page, in pixels. */
  const topOf = async (page: Page, name: string) =>
    (await page.getByRole('option', { name, exact: true }).boundingBox())?.y

  test('can be used with the keyboard', async () => {
    const page = await start()
    await list(page).focus()
    await page.keyboard.press('ArrowDown')
    await says(page, 'Selected', 'row-0')
    await page.keyboard.press('End')
    await says(page, 'Selected', 'row-99999')
    const last = page.getByRole('option', { selected: true })
    await expect.poll(() => last.getAttribute('aria-posinset')).toBe('100000')
    expect(await list(page).getAttribute('aria-activedescendant')).toBe(await last.getAttribute('id'))
    await page.keyboard.press('ArrowUp')
    await page.keyboard.press('Enter')
    await says(page, 'Opened', 'Event 99998')
    await says(page, 'Ends', '1')
    await page.keyboard.press('Home')
    await page.keyboard.press('PageDown')
    await says(page, 'Selected', 'row-8')
    expect(await page.getByRole('option').count()).toBeLessThan(60)
    await expectAccessible(page)
  })

  test('prepended items do not move the visible ones', async () => {
    const page = await start()
    await list(page).focus()
    await page.keyboard.press('Home')
    for (let times = 0; times < 5; times++) await page.keyboard.press('PageDown')
    await says(page, 'Selected', 'row-40')
    await says(page, 'At the top', 'false')
    const before = await topOf(page, 'Event 38')
    for (let times = 0; times < 3; times++) await page.getByRole('button', { name: 'Three newer' }).click()
    expect(before).toBeDefined()
    expect(await topOf(page, 'Event 38')).toBe(before)
    await page.getByRole('button', { name: 'To the top' }).click()
    await says(page, 'At the top', 'true')
    await page.getByRole('option', { name: 'Event -100006', exact: true }).waitFor()
  })

  test('at the top, prepended items are shown at once', async () => {
    const page = await start()
    await page.getByRole('button', { name: 'Three newer' }).click()
    const newest = page.getByRole('option', { name: 'Event -100000', exact: true })
    await newest.waitFor()
    await expect.poll(() => newest.getAttribute('aria-posinset')).toBe('1')
    await expect.poll(() => textOf(page, 'At the top')).toBe('true')
  })

  test('is a grid if rows contain buttons', async () => {
    const page = await start('grid')
    await page.getByRole('grid', { name: 'Events' }).focus()
    await page.keyboard.press('ArrowDown')
    await says(page, 'Selected', 'row-0')
    await page.getByRole('row', { selected: true }).getByRole('button', { name: 'Open' }).waitFor()
    await expectAccessible(page)
  })
})

test('two texts are compared side by side, or in one column if there is little room', async () => {
  const page = await show('diff')
  await page.getByRole('textbox', { name: '14:32:08' }).waitFor()
  await expect.poll(() => page.locator('.cm-merge-b .cm-changedText').allTextContents()).toContain('USD')
  await expectAccessible(page)
  await page.setViewportSize({ width: 600, height: 620 })
  await page.locator('.cm-deletedChunk', { hasText: 'EUR' }).first().waitFor()
  await expect.poll(() => page.getByRole('textbox').count()).toBe(1)
  const same = await show('diff-same')
  await same.getByText('The two texts are equal.').waitFor()
})

test('code and timings are accessible', async () => {
  const code = await show('code')
  await code.getByRole('figure', { name: 'Sample payload' }).getByRole('button', { name: 'Copy' }).click()
  await expect.poll(() => code.evaluate('navigator.clipboard.readText()')).toContain('9007199254740993')
  // Its tooltip is outside of the page's landmarks.
  await code.getByRole('tooltip').waitFor()
  await code.mouse.move(0, 0)
  await code.getByRole('tooltip').waitFor({ state: 'detached' })
  await expectAccessible(code)
  const timing = await show('timing')
  const calls = timing.getByRole('list', { name: 'Time of each phase, in milliseconds' })
  const legends = [0, 1, 2].map(index => calls.nth(index).getByRole('listitem').allTextContents())
  expect(await Promise.all(legends)).toEqual([
    ['DNS 3', 'Connect 21', 'TLS 38', 'Waiting 147', 'Download 5'],
    ['Connection reused', 'Waiting 147', 'Download 0.3'],
    ['Setup 62', 'Connect 0.42', 'Waiting 147', 'Download 5'],
  ])
  await expectAccessible(timing)
})
