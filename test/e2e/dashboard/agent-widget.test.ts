import { expect, test } from 'vitest'
import { expectAccessible, expectAccessibleInBothSchemes } from './accessibility.ts'
import { clipboard, dashboardTests, pressInSequence } from './fixture.ts'

const { open } = dashboardTests()
const path = '/agent/widget'

test('a widget is edited as a form and as JSON, and saved', async () => {
  const { page, service } = await open({ path })
  await page.getByLabel('Logo URL').fill('cdn.example.com/mark.svg')
  await page.getByText('Write an absolute URL that begins with https:// or http://.').waitFor()
  await page.getByText('1 problem to solve').waitFor()
  await page.keyboard.press('Control+s')
  await page.getByLabel('Logo URL').fill('https://cdn.example.com/mark.svg')
  await page.getByText('1 problem to solve').waitFor({ state: 'detached' })

  await page.getByText('JSON', { exact: true }).click()
  const editor = page.getByRole('textbox', { name: 'Widget as JSON' })
  await expect.poll(() => editor.textContent()).toContain('"logoUrl": "https://cdn.example.com/mark.svg"')
  await editor.press('Control+a')
  await page.keyboard.insertText('{"agentId": "default", "positon": "top-left", "openDelay": 1.5}')
  await page.getByText('This JSON is not valid yet, so it is not applied.').waitFor()
  await page.getByText('Did you mean').first().waitFor()
  await page.keyboard.press('Control+s')
  await editor.press('Control+a')
  await page.keyboard.insertText('{"agentId": "default", "openDelay": 1500, "position": "top-left"}')
  await page.getByText('This JSON is not valid yet, so it is not applied.').waitFor({ state: 'detached' })
  await page.keyboard.press('Control+s')
  await page.getByText('Widget saved').waitFor()
  const { body } = await service.rest('GET', '/platform/widget')
  expect(body).toMatchObject({ openDelay: 1500, position: 'top-left', logoUrl: '' })
  await page.getByText('Form', { exact: true }).click()
  await page.getByRole('button', { name: 'Copy JSON' }).click()
  await expect.poll(() => clipboard(page)).toBe(JSON.stringify(body, null, 2))
})

test('the preview follows the fields, and a hard to read pair gets a remedy', async () => {
  const { page } = await open({ path })
  await page.getByRole('heading', { name: 'Web widget' }).waitFor()
  await expectAccessibleInBothSchemes(page)
  await page.getByLabel('Header background').fill('#F2A65A')
  await page.getByText('2.0 : 1, hard to read').waitFor()
  await page.getByRole('button', { name: 'Use #1F2937, 7.2 : 1' }).click()
  await page.getByText('hard to read').first().waitFor({ state: 'detached' })
  await expect.poll(() => page.getByLabel('Header text').inputValue()).toBe('#1F2937')
  await page.getByText('Unsaved: header colours').waitFor()
  await page.getByLabel('Bubble background').fill('#12')
  await page.getByText('Write a colour as #RGB, #RRGGBB or #RRGGBBAA').waitFor()
  await page.getByLabel('Bubble background').fill('#2440A0')

  await page.getByRole('radio', { name: 'bottom right' }).focus()
  await page.keyboard.press('ArrowLeft')
  await page.getByRole('img', { name: 'chat open in the bottom left corner' }).waitFor()
  await page.getByText('The chat opens when a visitor presses the bubble.').waitFor()
  await page.getByText('Open by itself').click()
  await page.getByLabel('Delay in milliseconds').fill('600')
  await page.getByText('Opens 0.6 s after the page').waitFor()
  await page.getByLabel('Delay in milliseconds').blur()
  // It is closed for 0.6 s only, so the page itself notes what it shows.
  await page.evaluate(`{
    window.shown = []
    const observer = new MutationObserver(() => {
      const { ariaLabel } = document.querySelector('[role="img"][aria-label*="chat"]')
      if (ariaLabel !== window.shown.at(-1)) window.shown.push(ariaLabel)
      if (window.shown.length === 2) observer.disconnect()
    })
    observer.observe(document.body, { attributes: true, childList: true, subtree: true })
  }`)
  await page.keyboard.press('p')
  await expect
    .poll(() => page.evaluate('window.shown'))
    .toEqual([
      expect.stringContaining('chat closed in the bottom left corner'),
      expect.stringContaining('chat open in the bottom left corner'),
    ])
  const time = page.getByRole('slider', { name: 'Time since the page was loaded' })
  await time.press('Home')
  await page.getByRole('img', { name: 'chat closed' }).waitFor()
  await time.press('End')
  await page.getByRole('img', { name: 'chat open' }).waitFor()
  await expectAccessibleInBothSchemes(page)
})

test('a narrow window shows the preview behind a button', async () => {
  const { page } = await open({ path, width: 900, height: 600 })
  await page.getByRole('heading', { name: 'Web widget' }).waitFor()
  expect(await page.getByRole('img', { name: 'chat open' }).count()).toBe(0)
  await page.getByRole('button', { name: 'Preview' }).click()
  await page.getByRole('img', { name: 'chat open' }).waitFor()
  await page.getByText('Phone', { exact: true }).click()
  await expectAccessible(page)
  await page.keyboard.press('Escape')
  await page.getByRole('heading', { name: 'Web widget' }).waitFor()
  // The key does nothing while the preview is hidden.
  await page.getByText('Open by itself').click()
  expect(await page.getByText('play the opening').count()).toBe(0)
  await page.getByRole('button', { name: 'Discard' }).click()

  await page.getByRole('button', { name: 'Widget. Switch page' }).click()
  await page.getByRole('menuitem', { name: 'Calendar' }).click()
  await page.getByRole('heading', { name: 'Calendar', level: 2 }).waitFor()
})

test('the keys lead through the pages of Agent', async () => {
  const { page } = await open()
  await pressInSequence(page, 'g', 'g')
  await page.getByRole('heading', { name: 'Web widget' }).waitFor()
  await page.keyboard.press(']')
  await page.getByRole('heading', { name: 'Voice', level: 2 }).waitFor()
  await page.keyboard.press('[')
  await page.getByRole('heading', { name: 'Web widget' }).waitFor()
})
