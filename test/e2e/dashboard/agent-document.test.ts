import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { expectAccessible, expectAccessibleInBothSchemes } from './accessibility.ts'
import { dashboardTests, expectUncovered } from './fixture.ts'

const { open } = dashboardTests()

test('an agent is exported, imported into another one with its problems shown, and deleted', async () => {
  const { page, service, go } = await open({ path: '/agent/voice' })
  const menu = (name: string) => page.getByRole('button', { name: `More for agent ${name}` })
  await page.getByLabel('Accent').fill('Scottish')
  await page.keyboard.press('Control+s')
  await page.getByText('Voice saved').waitFor()
  await menu('default').click()
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('menuitem', { name: 'Export as JSON' }).click(),
  ])
  expect(download.suggestedFilename()).toBe('agent-default.json')
  const text = await readFile(await download.path(), 'utf8')

  await go('/agent/voice?agent=support')
  await page.getByRole('button', { name: 'Agent support. Switch' }).waitFor()
  await menu('support').click()
  await page.getByRole('menuitem', { name: 'Import' }).click()
  const dialog = page.getByRole('dialog', { name: 'Import into the agent support' })
  const editor = dialog.getByRole('textbox', { name: 'Agent to import' })
  const submit = dialog.getByRole('button', { name: 'Import agent' })
  await editor.click()
  await page.keyboard.insertText('{"version": 1, "voice": {"silenceTimeout": 5}}')
  await dialog.getByText('This must be a whole number of milliseconds from 100 to 60,000.').first().waitFor()
  await expect.poll(() => submit.isDisabled()).toBe(true)
  await expectAccessibleInBothSchemes(page)
  await editor.press('Control+a')
  await page.keyboard.insertText(text)
  await dialog.getByText('It sets voice.').waitFor()
  await submit.click()
  await page.getByText('Agent “support” imported').waitFor()
  await expect.poll(() => page.getByLabel('Accent').inputValue()).toBe('Scottish')

  await menu('support').click()
  await page.getByRole('menuitem', { name: 'Delete' }).click()
  await page.getByRole('button', { name: 'Delete agent' }).click()
  await page.getByText('Agent “support” deleted').waitFor()
  await menu('default').waitFor()
  expect((await service.rest('GET', '/platform/agents')).body).toMatchObject([{ agentId: 'default' }])
})

test('a window as wide as a phone keeps the menus of a page, and shows messages whole', async () => {
  const { page } = await open({ path: '/agent/voice', width: 360, height: 640 })
  await page.getByLabel('Accent').fill('Scottish')
  await page.keyboard.press('Control+s')
  const saved = page.getByRole('status').filter({ hasText: 'Voice saved' })
  await saved.waitFor()
  await expect.poll(async () => (await saved.boundingBox())!.x).toBeGreaterThanOrEqual(0)
  await saved.getByRole('button').click()
  await page.getByRole('button', { name: 'More for agent default' }).click()
  await page.getByRole('menuitem', { name: 'Export as JSON' }).waitFor()
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'Voice. Switch page' }).click()
  await page.getByRole('menuitem', { name: 'Calendar' }).click()
  await page.getByRole('heading', { name: 'Calendar' }).first().waitFor()
  for (const name of ['Copy JSON', 'More for agent default'])
    await expectUncovered(page.getByRole('button', { name }))
})

test('a narrow window names the open agent, and switches to another one', async () => {
  const { page, service, go } = await open({ width: 640, height: 400 })
  for (const agentId of ['default', 'support'])
    await service.rest('PUT', `/platform/voice?agentId=${agentId}`, { accent: agentId })
  await go('/agent/voice?agent=support')
  const named = (name: string) => page.getByRole('button', { name: `Agent ${name}. Switch` })
  await named('support').click()
  await expectAccessible(page)
  await page.getByRole('menuitem', { name: 'default' }).click()
  await named('default').waitFor()
  await page.getByRole('button', { name: 'Voice. Switch page' }).waitFor()
  const overflow = 'document.documentElement.scrollWidth - document.documentElement.clientWidth'
  expect(await page.evaluate(overflow)).toBe(0)
})
