import { expect, test } from 'vitest'
import { createConnection } from '../../support/rest-client.ts'
import { postInbound } from '../../support/service-fixture.ts'
import { expectAccessible } from './accessibility.ts'
import { dashboardTests, inOneHour, startRealTimeService } from './fixture.ts'

const { open } = dashboardTests()

test('the overview and the activity draw the events of 24 hours, 7 and 30 days, by keyboard too', async () => {
  await inOneHour(showsHistory)
})

async function showsHistory(): Promise<void> {
  const service = await startRealTimeService()
  const { connectionId, credentials } = await createConnection(service.rest)
  for (const event of ['a', 'b', 'c']) await postInbound(credentials, `{"event":"${event}"}`, Date.now())
  await postInbound(credentials, 'no JSON', Date.now())
  const { page } = await open({ at: service, path: `/connections/${connectionId}` })
  const chartOf = (over: string) => page.getByRole('region', { name: `Events and calls in ${over}` })
  const day = chartOf('the last 24 hours')
  await day.getByText('Accepted 3').waitFor()
  await day.getByText('Rejected 1').waitFor()
  // Nothing is known of what was before the service began.
  await day.getByText(/^Counted since /).waitFor()
  const bars = day.getByRole('img', { name: /^Events in/ })
  expect(await bars.getAttribute('aria-label')).toMatch(
    /^Events in the last 24 hours: 3 accepted, 1 rejected\. By hour, oldest first: (unknown; ){23}3 accepted, 1 rejected\. Calls in the last 24 hours: 0 succeeded\.$/,
  )
  await day.getByRole('radio', { name: '24 h' }).focus()
  await page.keyboard.press('ArrowRight')
  await chartOf('the last 7 days').getByText('Accepted 3').waitFor()
  await page.keyboard.press('ArrowRight')
  await chartOf('the last 30 days').getByText('Accepted 3').waitFor()
  await expectAccessible(page)
  // The activity shows as much.
  await page.getByRole('tab', { name: 'Activity' }).click()
  await chartOf('the last 30 days').getByText('Accepted 3').waitFor()
}
