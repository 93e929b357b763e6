import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { expectAccessible, expectAccessibleInBothSchemes } from './accessibility.ts'
import { dashboardTests } from './fixture.ts'

const { open } = dashboardTests()
const path = '/agent/crawler'

const crawler = {
  startUrl: 'https://shop.example/help',
  includePatterns: ['/help/*', '/guides/*'],
  excludePatterns: ['/help/archive/*'],
}
const urls = [
  'https://shop.example/help/returns',
  'https://shop.example/help/archive/2019',
  'https://SHOP.example/guides/../help/%61rchive/2020',
  'https://shop.example/Help/shipping',
  'https://blog.shop.example/',
  'htp:/shop.example',
]

/** Pastes a text as the keyboard does, with nothing focused or in the focused field. */
async function paste(page: Page, text: string): Promise<void> {
  await page.evaluate(`navigator.clipboard.writeText(${JSON.stringify(text)})`)
  await page.keyboard.press('Control+v')
}

const marks = (page: Page, url: string) =>
  page.getByRole('row', { name: url }).locator('mark').allTextContents()

test('pasted URLs show which pattern took or dropped them, and why', async () => {
  const { page, service } = await open({ path })
  await page.getByText('No URLs to try yet').waitFor()
  await service.rest('PUT', '/platform/crawler', crawler)
  // The page follows what is saved elsewhere.
  await expect.poll(() => page.getByLabel('Start URL').inputValue()).toBe(crawler.startUrl)
  await paste(page, `${urls.join('\r\n')}\n\n${urls[0]}`)
  await page.getByText('1 of 6 is read').waitFor()
  await page.getByText('1 taken · 2 dropped · 2 not taken · 1 not a URL', { exact: true }).waitFor()

  const rows = page.getByRole('grid', { name: 'Tried URLs' }).getByRole('row')
  await expect
    .poll(() => rows.allInnerTexts())
    .toEqual([
      expect.stringContaining('Taken by /help/*'),
      expect.stringContaining('Dropped by /help/archive/*'),
      expect.stringContaining('Dropped by /help/archive/*'),
      expect.stringContaining('Only case differs from /help/*: paths are compared as written'),
      expect.stringContaining('The start URL is on shop.example'),
      expect.stringContaining('Not a URL'),
    ])
  await expect.poll(() => marks(page, 'help/returns')).toEqual(['/help/'])
  await expect.poll(() => marks(page, '%61rchive')).toEqual(['/guides/../help/%61rchive/2020'])
  await expect.poll(() => marks(page, 'blog.')).toEqual(['https://blog.shop.example'])

  // A row marks its rule, and a rule its rows.
  const guides = page.getByRole('listitem').filter({ has: page.getByLabel('Take pattern 2') })
  await expect.poll(() => guides.innerText()).toContain('takes none')
  const archive = page.getByRole('listitem').filter({ has: page.getByLabel('Drop pattern 1') })
  await rows.nth(0).click()
  await page.keyboard.press('ArrowDown')
  await expect.poll(() => archive.getAttribute('data-marked')).toBe('true')
  await page.getByLabel('Take pattern 1').focus()
  await expect.poll(() => rows.nth(0).getAttribute('aria-selected')).toBe('true')
  await expect.poll(() => archive.getAttribute('data-marked')).toBeNull()

  await expectAccessibleInBothSchemes(page)

  // Patterns are edited by the keyboard, and tried at once.
  await page.getByLabel('Take pattern 2').press('Enter')
  await page.keyboard.type('Help/*')
  await page.getByText('A pattern is compared with the whole path, so it begins with / or *.').waitFor()
  await page.keyboard.press('Home')
  await page.keyboard.type('/')
  await page.keyboard.press('End')
  await page.keyboard.type('?')
  await page.getByText('A pattern is compared with the path alone, so it cannot have ? or #.').waitFor()
  await page.keyboard.press('Backspace')
  await page.getByText('2 of 6 are read').waitFor()
  await page.getByRole('button', { name: 'Remove /guides/*' }).click()
  await page.getByText('Unsaved: patterns to take').waitFor()
  await page.getByRole('textbox', { name: 'Maximum depth' }).fill('21')
  await page.getByText('This must be a whole number of links from 0 to 20.').waitFor()
  await page.keyboard.press('Control+s')
  await page.getByRole('textbox', { name: 'Maximum depth' }).fill('2')
  await page.keyboard.press('Control+s')
  await page.getByText('Crawler saved').waitFor()
  const { body } = await service.rest('GET', '/platform/crawler')
  expect(body).toMatchObject({ includePatterns: ['/help/*', '/Help/*'], maxDepth: 2 })

  // The tried URLs stay in this browser.
  await page.reload()
  await page.getByText('2 of 6 are read').waitFor()
})

test('URLs to try come from a sitemap, a sample or by hand, and can be removed', async () => {
  const { page, service } = await open({ path })
  await page.getByLabel('Start URL').fill('https://shop.example/help')
  await page.getByRole('button', { name: 'Try a sample' }).click()
  const rows = page.getByRole('grid', { name: 'Tried URLs' }).getByRole('row')
  await page.getByText('3 of 4 are read').waitFor()
  await page.getByRole('button', { name: 'Clear' }).click()
  await page.getByText('No URLs to try yet').waitFor()
  await page.getByRole('button', { name: 'Undo' }).click()
  await page.getByText('3 of 4 are read').waitFor()
  await page.getByRole('button', { name: 'Clear' }).click()

  await page.getByRole('button', { name: 'Paste URLs' }).first().click()
  const dialog = page.getByRole('dialog', { name: 'Paste URLs' })
  await expectAccessible(page)
  const sitemap = `<?xml version="1.0"?><urlset><!-- <loc>https://shop.example/old</loc> -->
    <url><loc> https://shop.example/?a=1&amp;b=2 </loc></url>
    <url><loc><![CDATA[https://shop.example/c&d]]></loc></url></urlset>`
  await dialog.getByLabel('URLs').fill(sitemap)
  await page.keyboard.press('Control+Enter')
  await expect.poll(() => rows.locator('code').first().textContent()).toBe('https://shop.example/?a=1&b=2')
  await expect.poll(() => rows.count()).toBe(2)

  await page.setInputFiles('input[type=file]', {
    name: 'sitemap.xml',
    mimeType: 'text/xml',
    buffer: Buffer.from(
      '<sitemapindex><sitemap><loc>https://shop.example/a.xml</loc></sitemap></sitemapindex>',
    ),
  })
  await page.getByText('This sitemap only lists other sitemaps.').waitFor()
  await page.setInputFiles('input[type=file]', {
    name: 'urls.txt',
    mimeType: 'text/plain',
    buffer: Buffer.from(
      Array.from({ length: 1200 }, (_, index) => `https://shop.example/${index}`).join('\n'),
    ),
  })
  await page.getByText('1,000 of 1,000 are read').waitFor()
  await page.getByText('202 URLs left out').waitFor()
  await page.getByRole('button', { name: 'Clear' }).click()

  await page.getByLabel('Add a URL to try').fill('https://shop.example/one')
  await page.keyboard.press('Enter')
  await page.getByText('1 of 1 is read').waitFor()
  await paste(page, 'https://shop.example/two\nhttps://shop.example/three')
  await page.getByText('3 of 3 are read').waitFor()
  await rows.first().click()
  await page.keyboard.press('Backspace')
  await page.getByText('2 of 2 are read').waitFor()
  await page.getByRole('button', { name: 'Remove https://shop.example/three' }).click()
  await page.getByText('1 of 1 is read').waitFor()
  // Nothing was saved by trying.
  expect((await service.rest('GET', '/platform/crawler')).body).toMatchObject({ startUrl: '' })
})

test('a narrow window shows the form or the tried URLs', async () => {
  const { page } = await open({ path, width: 640, height: 400 })
  await page.getByLabel('Start URL').waitFor()
  await page.getByRole('button', { name: 'Try', exact: true }).click()
  await page.getByText('No URLs to try yet').waitFor()
  await expectAccessibleInBothSchemes(page)
  await page.keyboard.press('Escape')
  await page.getByLabel('Start URL').waitFor()
})
