import { expect, test } from 'vitest'
import { z } from 'zod'
import { expectAccessible, expectAccessibleInBothSchemes } from './accessibility.ts'
import { dashboardTests } from './fixture.ts'

const { open } = dashboardTests()
const path = '/agent/voice'

test('the marks of the example call and the fields show the same times, which are saved', async () => {
  const { page, service } = await open({ path })
  const field = page.getByLabel('Silence timeout', { exact: true })
  const mark = page.getByRole('slider', { name: 'Silence timeout in the example' })
  await expectAccessibleInBothSchemes(page)
  await expect.poll(() => mark.getAttribute('aria-valuenow')).toBe('700')
  await page.getByText('450 ms: keeps listening').waitFor()

  await mark.press('ArrowRight')
  await expect.poll(() => field.inputValue()).toBe('750')
  await page.getByText('Unsaved: silence timeout 700 → 750 ms').waitFor()
  await field.fill('400')
  await page.getByText('450 ms: answers too soon').waitFor()
  await expect.poll(() => mark.getAttribute('aria-valuenow')).toBe('400')
  await field.fill('20')
  await page.getByText('This must be a whole number of milliseconds from 100 to 60,000.').waitFor()
  await expectAccessibleInBothSchemes(page)
  await mark.press('Home')
  await expect.poll(() => field.inputValue()).toBe('100')
  await page.getByRole('button', { name: 'Discard' }).click()
  await expect.poll(() => field.inputValue()).toBe('700')

  const other = page.getByRole('slider', { name: 'Interruption threshold in the example' })
  const box = await other.boundingBox()
  if (box === null) throw new Error('The mark is not shown.')
  const [x, y] = [box.x + box.width / 2, box.y + box.height / 2]
  await page.mouse.move(x, y)
  await page.mouse.down()
  await page.mouse.move(x + 60, y, { steps: 4 })
  await page.mouse.up()
  const dragged = Number(await other.getAttribute('aria-valuenow'))
  expect(dragged).toBeGreaterThan(500)
  expect(dragged % 50).toBe(0)
  await page.getByText('Patient', { exact: true }).click()
  await page.getByLabel('Accent').fill('Scottish')
  await page.keyboard.press('Control+s')
  await page.getByText('Voice saved').waitFor()
  const { body } = await service.rest('GET', '/platform/voice')
  expect(body).toMatchObject({
    silenceTimeout: 700,
    interruptionThreshold: dragged,
    responseRate: 'patient',
    accent: 'Scottish',
  })
})

test('unchanged fields follow what is saved elsewhere, and each agent has its own voice', async () => {
  const { page, service, go } = await open({ path })
  await page.getByLabel('Accent').fill('Irish')
  const current = z.record(z.string(), z.unknown()).parse((await service.rest('GET', '/platform/voice')).body)
  await service.rest('PUT', '/platform/voice', { ...current, silenceTimeout: 900 })
  await expect.poll(() => page.getByLabel('Silence timeout', { exact: true }).inputValue()).toBe('900')
  await expect.poll(() => page.getByLabel('Accent').inputValue()).toBe('Irish')

  await page.getByRole('button', { name: 'More for agent default' }).click()
  await page.getByRole('menuitem', { name: 'New agent' }).click()
  const dialog = page.getByRole('dialog', { name: 'New agent' })
  await dialog.getByLabel('Agent ID').fill('not an id')
  await page.keyboard.press('Enter')
  await dialog.getByText('An agent’s id has 1 to 64').waitFor()
  await dialog.getByLabel('Agent ID').fill('sales')
  await page.keyboard.press('Enter')
  await page.getByRole('button', { name: 'Discard changes' }).click()
  await page.getByRole('button', { name: 'Agent sales. Switch' }).waitFor()
  await page.getByLabel('Accent').fill('Welsh')
  await page.keyboard.press('Control+s')
  await page.getByText('Voice saved').waitFor()
  expect((await service.rest('GET', '/platform/voice?agentId=sales')).body).toMatchObject({ accent: 'Welsh' })
  // The chosen agent is remembered.
  await go('/connections')
  await go(path)
  await expect.poll(() => page.getByLabel('Accent').inputValue()).toBe('Welsh')
  await page.getByRole('button', { name: 'Agent sales. Switch' }).click()
  await page.getByRole('menuitem', { name: 'default' }).click()
  await expect.poll(() => page.getByLabel('Accent').inputValue()).toBe('')
})

test('the example call fits a narrow window', async () => {
  const { page } = await open({ path, width: 640, height: 400 })
  const example = page.getByRole('region', { name: 'Example call' })
  await example.waitFor()
  const hiddenWidth = `(e => e.scrollWidth - e.clientWidth)(document.querySelector('[aria-label="Example call"]'))`
  await expect.poll(() => page.evaluate(hiddenWidth)).toBe(0)
  const mark = page.getByRole('slider', { name: 'Interruption threshold in the example' })
  await mark.focus()
  await mark.press('ArrowLeft')
  await page.getByText('Unsaved: interruption threshold 300 → 250 ms').waitFor()
  await expectAccessible(page)
})
