import { expect, test } from 'vitest'
import { createAction, testAction } from '../../support/actions.ts'
import { startExternalSystem } from '../../support/external-system.ts'
import { createConnection } from '../../support/rest-client.ts'
import { expectAccessibleInBothSchemes } from './accessibility.ts'
import { dashboardTests } from './fixture.ts'

const { open, sharedService } = dashboardTests()

const orders = ['ORD-1', 'ORD-2', 'ORD-3', 'ORD-missing', 'ORD-5']

/** Opens the history of an action with a call for each order, of which one has failed. */
async function openHistory() {
  const system = await startExternalSystem((request, response) => {
    response.statusCode = request.url?.includes('missing') === true ? 404 : 200
    response.end('{}')
  })
  const service = await sharedService()
  const { connectionId } = await createConnection(service.rest, { name: 'Acme', baseUrl: system.url })
  const { actionId } = await createAction(service.rest, connectionId, {
    name: 'Look up',
    toolName: 'look_up',
    method: 'GET',
    path: '/orders',
    parameters: ['order_id', 'b', 'c', 'd', 'e', 'f'].map(name => ({
      ...{ name, type: 'string', description: name, required: false },
    })),
  })
  for (const order of orders) await testAction(service.rest, { connectionId, actionId }, { order_id: order })
  await testAction(
    service.rest,
    { connectionId, actionId },
    Object.fromEntries(['order_id', 'b', 'c', 'd', 'e', 'f'].map(name => [name, name])),
  )
  const { page } = await open({
    at: service,
    path: `/connections/${connectionId}/actions?action=${actionId}&panel=history`,
  })
  const list = page.getByRole('listbox', { name: 'Calls of Look up' })
  const rows = list.getByRole('option')
  await expect.poll(() => rows.count()).toBe(6)
  return { page, list, rows }
}

test('the history shows outcomes, times, arguments and sources, and opens a call', async () => {
  const { page, list, rows } = await openHistory()
  await page.getByRole('tab', { name: /History\s*6/ }).waitFor()
  const head = page.getByRole('region', { name: 'Times and outcomes' })
  for (const text of ['6 calls', '5 succeeded', '1 failed', 'p50', 'p95'])
    await head.getByText(text, { exact: true }).waitFor()
  await head.getByRole('img', { name: /^Times of 6 calls: / }).waitFor()
  await rows.filter({ hasText: 'order_id ORD-missing' }).getByText('404 Not Found').waitFor()
  const full = rows.filter({ hasText: 'order_id order_id' })
  await full.getByText('+2', { exact: true }).waitFor()
  await full.getByText('Test panel').waitFor()
  await expectAccessibleInBothSchemes(page)

  await list.focus()
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('Enter')
  await page.getByRole('tab', { name: 'Test', exact: true, selected: true }).waitFor()
  await page.locator('section:focus').waitFor()
})

test('a range of times is chosen with keys and with the mouse, and leaves its calls', async () => {
  const { page, list, rows } = await openHistory()
  const shortest = page.getByRole('slider', { name: 'From' })
  const longest = page.getByRole('slider', { name: 'Until' })
  const all = page.getByRole('button', { name: /· \d calls?.*, show all$/ })
  /** Returns the number of calls that the range leaves, as the button and the rows have it. */
  async function left(): Promise<number> {
    const told = Number(/· (\d) call/.exec((await all.textContent()) ?? '')?.[1])
    await expect.poll(() => rows.count()).toBe(told)
    return told
  }

  // Two ranges that meet have all calls between them, however long these took.
  await shortest.focus()
  for (let times = 0; times < 5; times++) await page.keyboard.press('ArrowRight')
  await all.waitFor()
  expect(await shortest.getAttribute('aria-valuenow')).toBe('5')
  expect(await shortest.getAttribute('aria-valuetext')).toMatch(/ ms$/)
  const slow = await left()
  await expectAccessibleInBothSchemes(page)
  await page.keyboard.press('Escape')
  await all.waitFor({ state: 'detached' })
  await shortest.and(page.locator(':focus')).waitFor()

  await page.keyboard.press('Tab')
  await longest.and(page.locator(':focus')).waitFor()
  const parts = Number(await longest.getAttribute('aria-valuemax'))
  for (let at = parts; at > 5; at--) await page.keyboard.press('ArrowLeft')
  expect(await longest.getAttribute('aria-valuenow')).toBe('5')
  expect(slow + (await left())).toBe(6)

  const chart = await page.getByRole('img', { name: /^Times of 6 calls: / }).boundingBox()
  if (chart === null) throw new Error('The chart is not shown')
  const [y, part] = [chart.y + chart.height / 2, chart.width / parts]
  await page.keyboard.press('Escape')
  await all.waitFor({ state: 'detached' })
  await page.mouse.move(chart.x + 5.5 * part, y)
  await page.mouse.down()
  await page.mouse.move(chart.x + chart.width + 30, y, { steps: 4 })
  await page.mouse.up()
  await all.waitFor()
  expect(await shortest.getAttribute('aria-valuenow')).toBe('5')
  expect(await left()).toBe(slow)
  // The handle is taken and moved to the start.
  await page.mouse.move(chart.x + 5 * part, y)
  await page.mouse.down()
  await page.mouse.move(chart.x - 10, y, { steps: 4 })
  await page.mouse.up()
  await all.waitFor({ state: 'detached' })
  // A click takes a part.
  await page.mouse.click(chart.x + 2.5 * part, y)
  expect(await longest.getAttribute('aria-valuenow')).toBe('3')
  await left()
  await all.click()
  await expect.poll(() => rows.count()).toBe(6)
  await list.and(page.locator(':focus')).waitFor()
})
