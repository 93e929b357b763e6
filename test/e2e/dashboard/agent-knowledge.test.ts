import { encode } from 'iconv-lite'
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { KnowledgeFile } from '#shared/model/platform/knowledge.ts'
import type { Rest } from '../../support/rest-client.ts'
import { expectAccessible, expectAccessibleInBothSchemes } from './accessibility.ts'
import { dropFiles } from './drop-files.ts'
import { dashboardTests, holdCalls } from './fixture.ts'

const { open } = dashboardTests()

const hours = { name: 'opening-hours.txt', text: 'Monday to Friday, 9 to 17.\nSaturday, 10 to 14.\n' }
const zones = { name: 'delivery-zones.csv', text: 'zone,price\nnorth,5\nsouth,6,extra\neast,7\n' }

const row = (page: Page, name: string) => page.getByRole('row', { name })
const choose = (page: Page, ...files: { name: string; buffer: Buffer }[]) =>
  page
    .getByLabel('Files to add')
    .setInputFiles(files.map(file => ({ ...file, mimeType: 'application/octet-stream' })))
const asFile = ({ name, text }: typeof hours) => ({ name, buffer: Buffer.from(text) })

async function filesOf(rest: Rest, agentId: string): Promise<KnowledgeFile[]> {
  const { body } = await rest('GET', `/platform/knowledge?agentId=${agentId}`)
  return z.array(KnowledgeFile).parse(body)
}

test('files are dropped and chosen, filtered, read, searched and deleted', async () => {
  const { page, service } = await open({ path: '/agent/knowledge?agent=shop' })
  await page.getByText('No files yet').waitFor()
  await page.getByText('0 files').waitFor()
  await expectAccessibleInBothSchemes(page)
  await dropFiles(page, hours, zones)
  await row(page, 'delivery-zones.csv').waitFor()
  await row(page, 'opening-hours.txt').getByText('Ready').waitFor()
  const chooser = page.waitForEvent('filechooser')
  // A key overtakes what the browser tells a busy page: without this round trip, the chooser could open unseen.
  await page.evaluate('0')
  await page.keyboard.press('n')
  const pdf = await printed(page, ['Damaged goods may be returned within 30 days.', 'The second page.'])
  await (await chooser).setFiles({ name: 'Returns.pdf', mimeType: 'application/pdf', buffer: pdf })
  await row(page, 'Returns.pdf').getByText('2 pages').waitFor()
  await page.getByText('3 files').waitFor()
  await page.getByText('1 needs a look').waitFor()

  const types = page.getByRole('radiogroup', { name: 'Type' })
  await types.getByText('TXT').click()
  await expect.poll(() => page.getByRole('row').count()).toBe(2)
  await types.getByText('All').click()
  await page.keyboard.press('/')
  await page.keyboard.type('returns')
  await expect.poll(() => page.getByRole('row').count()).toBe(2)
  await page.keyboard.press('ArrowDown')
  const pane = page.getByRole('region', { name: 'Returns.pdf' })
  await pane.getByText('as its name says').waitFor()
  await pane.getByRole('article', { name: 'Page 2 of 2' }).getByText('The second page.').waitFor()
  await page.keyboard.press(' ')
  await pane.getByRole('region', { name: 'Text of the file' }).and(page.locator(':focus')).waitFor()
  await page.keyboard.press('Control+f')
  await page.keyboard.type('damaged')
  await pane.getByRole('status').getByText('1 passage').waitFor()
  await expect.poll(() => pane.locator('mark').allTextContents()).toEqual(['Damaged'])
  await expectAccessibleInBothSchemes(page)
  await page.keyboard.press('Escape')
  await pane.locator('mark').waitFor({ state: 'detached' })

  await page.getByLabel('Filter files').fill('')
  await row(page, 'opening-hours.txt').getByRole('link').focus()
  await page.keyboard.press('Backspace')
  await page.getByRole('dialog', { name: 'Delete opening-hours.txt?' }).waitFor()
  await page.getByRole('button', { name: 'Delete file' }).click()
  await page.getByText('“opening-hours.txt” deleted').waitFor()
  await row(page, 'opening-hours.txt').waitFor({ state: 'detached' })
  expect((await filesOf(service.rest, 'shop')).map(({ name }) => name)).toEqual([
    'Returns.pdf',
    'delivery-zones.csv',
  ])
})

test('a file is sent though the answers to a part of it and to its end are lost', async () => {
  const { page, service } = await open({ path: '/agent/knowledge?agent=lost' })
  await page.getByText('No files yet').waitFor()
  const lost: string[] = []
  for (const call of ['addPart', 'finishUpload'])
    await page.route(
      `**/rpc/platform/knowledge/${call}`,
      async route => {
        await route.fetch()
        lost.push(call)
        await route.abort()
      },
      { times: 1 },
    )
  await choose(page, asFile(hours))
  await row(page, 'opening-hours.txt').getByText('Ready').waitFor()
  expect(lost).toEqual(['addPart', 'finishUpload'])
  expect(await filesOf(service.rest, 'lost')).toHaveLength(1)
  expect(await page.getByRole('alert').count()).toBe(0)
})

test('refused files say why, others are added, and a refusal is dismissed', async () => {
  const { page, service } = await open({ path: '/agent/knowledge?agent=refusals' })
  await page.getByText('No files yet').waitFor()
  await choose(
    page,
    { name: 'Holiday hours.pages', buffer: Buffer.from('PK\u0003\u0004') },
    { name: 'nothing.txt', buffer: Buffer.alloc(0) },
    asFile(hours),
  )
  await row(page, 'opening-hours.txt').waitFor()
  const refusals = page.getByRole('alert')
  await refusals.filter({ hasText: 'Holiday hours.pages' }).getByText('was not added').waitFor()
  await refusals.filter({ hasText: 'nothing.txt' }).getByText('The file is empty.').waitFor()
  await expectAccessibleInBothSchemes(page)
  await page.getByRole('button', { name: 'Dismiss nothing.txt' }).click()
  await expect.poll(() => refusals.count()).toBe(1)
  expect(await filesOf(service.rest, 'refusals')).toHaveLength(1)
})

test('a text whose encoding is uncertain is read again as it is chosen', async () => {
  const { page } = await open({ path: '/agent/knowledge?agent=encodings' })
  await page.getByText('No files yet').waitFor()
  await choose(page, { name: 'ceny.csv', buffer: encode('Strefa;Cena\nPlzeň;4,90\n', 'win1250') })
  await row(page, 'ceny.csv').getByText('Perhaps not Windows-1252').waitFor()
  await page.keyboard.press('ArrowDown')
  const pane = page.getByRole('region', { name: 'ceny.csv' })
  await pane.getByText('If letters look wrong, choose another encoding.').waitFor()
  await pane.getByText('Strefa: Plzeò; Cena: 4,90').waitFor()
  await pane.getByRole('combobox', { name: 'Encoding' }).focus()
  await page.keyboard.type('1250')
  await page.keyboard.press('Enter')
  await pane.getByText('Strefa: Plzeň; Cena: 4,90').waitFor()
  await row(page, 'ceny.csv').getByText('Ready').waitFor()
  await pane.getByRole('combobox', { name: 'Separator' }).focus()
  await page.keyboard.type('comma')
  await page.keyboard.press('Enter')
  await pane.getByText('Plzeň;4; 90').waitFor()
  await expectAccessibleInBothSchemes(page)
})

test('a question is tried on all files, and a passage opens its file there', async () => {
  const { page } = await open({ path: '/agent/knowledge?agent=questions' })
  await page.getByText('No files yet').waitFor()
  const lines = Array.from({ length: 200 }, (_, index) => `Paragraph ${index} of the terms.\n\n`)
  const terms = { name: 'terms.txt', text: `${lines.join('')}A damaged article can be returned.\n` }
  await choose(page, asFile(terms), asFile({ name: 'faq.txt', text: 'Returns of damaged goods are free.\n' }))
  await row(page, 'faq.txt').waitFor()
  await page.keyboard.press('t')
  const pane = page.getByRole('region', { name: 'Try a question' })
  await pane.getByRole('searchbox', { name: 'Question' }).and(page.locator(':focus')).waitFor()
  await page.keyboard.type('Can I return a damaged article?')
  await pane.getByRole('status').getByText('2 passages').waitFor()
  await expect
    .poll(() => pane.locator('mark').allTextContents())
    .toEqual(['damaged', 'article', 'can', 'returned', 'Returns', 'damaged'])
  await pane.getByRole('button', { name: 'faq.txt, line 1' }).waitFor()
  await expectAccessibleInBothSchemes(page)
  await pane.getByRole('button', { name: 'terms.txt, line' }).click()
  const file = page.getByRole('region', { name: 'terms.txt' })
  await file.getByText('A damaged article can be returned.').waitFor()
  expect(await file.getByText('Paragraph 0 of the terms.').count()).toBe(0)
  await page.keyboard.press('t')
  await pane.getByRole('status').getByText('2 passages').waitFor()
})

test.each([1024, 740, 640, 320])(
  'the filters of the files are whole in a window of %i pixels',
  async width => {
    const { page } = await open({ path: `/agent/knowledge?agent=filters-${width}`, width, height: 600 })
    await page.getByText('No files yet').waitFor()
    await choose(page, asFile(hours))
    const types = page.getByRole('radiogroup', { name: 'Type' })
    await types.waitFor()
    const inside = z.array(z.boolean()).parse(
      await page.evaluate(`(() => {
      const bar = document.querySelector('[role="radiogroup"][aria-label="Type"]')
      const { left, right } = bar.getBoundingClientRect()
      const end = Math.min(right, document.documentElement.clientWidth)
      return [...bar.querySelectorAll('label')].map(label => {
        const box = label.getBoundingClientRect()
        return box.left >= left && box.right <= end && label.scrollHeight <= label.clientHeight
      })
    })()`),
    )
    expect(inside).toEqual([true, true, true, true, true])
  },
)

test('a narrow window shows the list or the file, and progress while a file is sent', async () => {
  const { page } = await open({ path: '/agent/knowledge?agent=narrow', width: 900, height: 600 })
  await page.getByText('No files yet').waitFor()
  const finishing = await holdCalls(page, 'platform/knowledge/finishUpload')
  await choose(page, asFile(hours), asFile(zones))
  await page.getByRole('progressbar', { name: 'Adding opening-hours.txt' }).waitFor()
  await page.getByText('1 more file waiting').waitFor()
  await expectAccessible(page)
  await finishing.letGo()
  await row(page, 'delivery-zones.csv').waitFor()
  await page.getByRole('progressbar').waitFor({ state: 'detached' })
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press(' ')
  const pane = page.getByRole('region', { name: 'delivery-zones.csv' })
  await pane.getByText('The agent may read values in the wrong column.').waitFor()
  await expectAccessible(page)
  await page.keyboard.press('Escape')
  await row(page, 'opening-hours.txt').getByRole('link').click()
  await page.getByRole('button', { name: 'Back to the files' }).click()
  await row(page, 'opening-hours.txt').waitFor()
})

/** Returns a PDF with a page for each text, as the browser prints it. */
async function printed(page: Page, texts: readonly string[]): Promise<Buffer> {
  const other = await page.context().newPage()
  await other.setContent(texts.map(text => `<p style="break-after: page">${text}</p>`).join(''))
  const pdf = await other.pdf()
  await other.close()
  return pdf
}
