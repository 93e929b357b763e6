import { expect, test } from 'vitest'
import { expectAccessible, inBothSchemes } from './accessibility.ts'
import { clipboard, dashboardTests } from './fixture.ts'

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

test('the widget is accessible, light and dark', async () => {
  const { page } = await open({ path })
  await page.getByRole('heading', { name: 'Web widget' }).waitFor()
  await inBothSchemes(page, () => expectAccessible(page))
})
