import type { Page } from 'playwright-core'
import { expect, onTestFinished, test } from 'vitest'
import { expectAccessibleInBothSchemes } from './accessibility.ts'
import { dashboardTests } from './fixture.ts'

const { open } = dashboardTests()
const path = '/agent/calendar'
/** Tuesday. */
const now = '2026-03-17T08:00:00Z'

/** Opens the page at a fixed time, in a time zone that the test chooses. */
async function openAt(options: Parameters<typeof open>[0] = {}) {
  const dashboard = await open({ path, ...options })
  const { page } = dashboard
  await page.evaluate(`{
    const fixed = Date.parse('${now}')
    Date.now = () => fixed
  }`)
  onTestFinished(() => page.evaluate('Date.now = () => new Date().getTime()'))
  await dashboard.go('/agent/widget')
  await page.getByRole('heading', { name: 'Web widget' }).waitFor()
  await dashboard.go(path)
  await page.getByRole('textbox', { name: 'Monday from' }).waitFor()
  return dashboard
}

const field = (page: Page, name: string) => page.getByRole('textbox', { name, exact: true })
const slots = (page: Page) => page.getByRole('list', { name: /^Slots of/ }).getByRole('listitem')

async function chooseZone(page: Page, zone: string): Promise<void> {
  const select = page.getByRole('combobox', { name: 'Time zone of the preview' })
  await select.click()
  await select.fill(zone)
  await page.getByRole('option', { name: zone, exact: true }).click()
}

test('the week is edited by switches, times, keys and bars, and saved', async () => {
  const { page, service } = await openAt()
  await page.getByText('40 h a week').waitFor()
  // ↑ and ↓ change a time by a quarter of an hour; 9 is completed.
  await field(page, 'Thursday from').press('ArrowUp')
  await page.getByText('Unsaved: Thursday start 09:00 → 09:15').waitFor()
  await field(page, 'Thursday to').press('ArrowDown')
  await expect.poll(() => field(page, 'Thursday to').inputValue()).toBe('16:45')
  await field(page, 'Thursday from').fill('11')
  await page.keyboard.press('Tab')
  await expect.poll(() => field(page, 'Thursday from').inputValue()).toBe('11:00')
  await field(page, 'Thursday to').fill('10:00')
  await page.getByText('The end must be later than the start.').waitFor()
  await page.getByText('Correct the marked fields to see the slots.').waitFor()
  await expectAccessibleInBothSchemes(page)
  await field(page, 'Thursday to').fill('19:00')
  await page.getByText('40 h a week').waitFor()

  // A day has its hours back when it is switched on again.
  const switchOf = (day: string) => page.getByRole('switch', { name: day })
  await field(page, 'Friday to').fill('15:30')
  await switchOf('Friday').press('Space')
  await expect.poll(() => page.getByText('Closed', { exact: true }).count()).toBe(3)
  await switchOf('Friday').press('Space')
  await expect.poll(() => field(page, 'Friday to').inputValue()).toBe('15:30')

  // The end of Monday's bar: from 17:00 to 18:30, on an axis of 13 hours.
  const handle = page.locator('[data-edge="end"]').first()
  const { x = 0, y = 0, width = 0, height = 0 } = (await handle.boundingBox()) ?? {}
  const axis = (await page.locator('[style*="--hours"]').first().boundingBox())?.width ?? 0
  await page.mouse.move(x + width / 2, y + height / 2)
  await page.mouse.down()
  await page.mouse.move(x + width / 2 + (axis / 13) * 1.5, y + height / 2, { steps: 5 })
  await page.mouse.up()
  await expect.poll(() => field(page, 'Monday to').inputValue()).toBe('18:30')
  await page.getByRole('button', { name: 'Copy Monday to weekdays' }).click()
  await expect.poll(() => field(page, 'Wednesday to').inputValue()).toBe('18:30')

  await field(page, 'Furthest ahead').fill('4000')
  await page.getByText('This must be a whole number of days from 0 to 3,650.').waitFor()
  await field(page, 'Furthest ahead').fill('10')
  await page.getByText('Until Friday 27 March.').waitFor()
  await field(page, 'Buffer').fill('15')
  await page.keyboard.press('Control+s')
  await page.getByText('Calendar saved').waitFor()
  const hours = { start: '09:00', end: '18:30' }
  expect((await service.rest('GET', '/platform/calendar')).body).toEqual({
    workingHours: { monday: hours, tuesday: hours, wednesday: hours, thursday: hours, friday: hours },
    bufferTime: 15,
    maxAdvanceBooking: 10,
  })
  await page.getByText('5 days open · buffer 15 min · 10 days ahead').waitFor()
})

test('slots follow the date, the length and the time zone, also when clocks change', async () => {
  const { page, service } = await openAt()
  const night = { start: '01:00', end: '05:00' }
  await service.rest('PUT', '/platform/calendar', {
    workingHours: { tuesday: { start: '09:00', end: '12:00' }, sunday: night },
    maxAdvanceBooking: 300,
  })
  await page.getByText('2 days open').waitFor()
  await chooseZone(page, 'Europe/Berlin')
  await page.getByRole('heading', { name: 'Tuesday 17 March' }).waitFor()
  await expect
    .poll(() => slots(page).allTextContents())
    .toEqual(['09:00', '09:30', '10:00', '10:30', '11:00', '11:30'])
  await field(page, 'If an appointment takes').fill('60')
  await expect.poll(() => slots(page).allTextContents()).toEqual(['09:00', '10:00', '11:00'])
  // Three hours ahead of UTC, it is past ten.
  await chooseZone(page, 'Europe/Moscow')
  await expect.poll(() => slots(page).allTextContents()).toEqual(['11:00'])

  // Clocks in Berlin go forward on 29 March, and back on 25 October.
  await chooseZone(page, 'Europe/Berlin')
  await page.getByRole('button', { name: 'Sunday 29 March, bookable' }).click()
  await page.getByText('Clocks are set forward by 1 h on this day.').waitFor()
  await expect.poll(() => slots(page).allTextContents()).toEqual(['01:00', '03:00', '04:00'])
  for (let month = 3; month < 10; month++) await page.getByRole('button', { name: 'Next month' }).click()
  await page.getByRole('button', { name: 'Sunday 25 October, bookable' }).click()
  await page.getByText('Clocks are set back by 1 h on this day.').waitFor()
  await expect
    .poll(() => slots(page).allTextContents())
    .toEqual(['01:00', '02:00+02:00', '02:00+01:00', '03:00', '04:00'])
  await expectAccessibleInBothSchemes(page)

  await page.keyboard.press('ArrowRight')
  await page.getByText('Closed on Mondays.').waitFor()
  await page.keyboard.press('ArrowLeft')
  await page.keyboard.press('ArrowLeft')
  await page.getByRole('heading', { name: 'Saturday 24 October' }).waitFor()
  await page.keyboard.press('ArrowDown')
  await page.getByRole('heading', { name: 'Saturday 31 October' }).waitFor()
  await expect.poll(() => page.evaluate('document.activeElement.dataset.date')).toBe('2026-10-31')
  // None of this belongs to the shape.
  expect(await page.getByRole('button', { name: 'Save' }).count()).toBe(0)
})

test('a narrow window shows the week or the slots', async () => {
  const { page } = await open({ path, width: 640, height: 400 })
  await page.getByRole('textbox', { name: 'Monday from' }).waitFor()
  await expectAccessibleInBothSchemes(page)
  await page.getByRole('button', { name: 'Slots', exact: true }).click()
  await page.getByText('as a caller in Berlin gets them').waitFor()
  await expectAccessibleInBothSchemes(page)
  await page.keyboard.press('Escape')
  await page.getByRole('textbox', { name: 'Monday from' }).waitFor()
})

test('a window as wide as a phone shows the names of the days whole', async () => {
  const { page } = await open({ path, width: 360, height: 640 })
  await page.getByRole('textbox', { name: 'Monday from' }).waitFor()
  await page.getByRole('switch', { name: 'Saturday' }).press('Space')
  await page.getByRole('textbox', { name: 'Saturday from' }).waitFor()
  const cut = `[...document.querySelectorAll('section span')]
    .filter(one => /day$/.test(one.textContent) && one.scrollWidth > one.clientWidth)
    .map(one => one.textContent)`
  expect(await page.evaluate(cut)).toEqual([])
  await expectAccessibleInBothSchemes(page)
})
