import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { createConnection } from '../../support/rest-client.ts'
import { postInbound } from '../../support/service-fixture.ts'
import { dashboardTests, holdCalls } from './fixture.ts'

const { open } = dashboardTests()

/** Records the procedures that the page calls from now on, except for the stream. */
function recordCalls(page: Page): string[] {
  const calls: string[] = []
  page.on('request', request => {
    const [, procedure] = new URL(request.url()).pathname.split('/rpc/')
    if (procedure !== undefined && procedure !== 'live/follow') calls.push(procedure)
  })
  return calls
}
/** Keeps a page that is loaded later from reading anything by time. */
const readNothingByTime = (page: Page) =>
  page.addInitScript(`{
    const { setInterval } = window
    window.setInterval = (run, ms, ...more) => (ms >= 1000 ? 0 : setInterval(run, ms, ...more))
  }`)

/** Resolves once the stream runs, and the calls that its start leads to are made. */
async function isLive(page: Page): Promise<void> {
  await page.locator('[data-live="live"]').waitFor({ state: 'attached' })
  await page.evaluate('new Promise(done => requestAnimationFrame(() => setTimeout(done)))')
}

test('a load of a screen, and a change of the connection, read nothing twice, over one stream', async () => {
  const { page, service } = await open({ own: true })
  const ids = [(await createConnection(service.rest)).connectionId]
  ids.push((await createConnection(service.rest)).connectionId)
  await readNothingByTime(page)
  await page.goto('about:blank')
  const calls = recordCalls(page)
  let streams = 0
  page.on('request', request => {
    if (request.url().endsWith('/rpc/live/follow')) streams++
  })
  await page.goto(`${service.dashboardUrl}/#/connections/${ids[0]}/activity`)
  await page.getByText('Nothing has happened yet').waitFor()
  await isLive(page)
  expect(calls.toSorted()).toEqual([...new Set(calls)].toSorted())
  expect(calls).toContain('connections/get')

  calls.length = 0
  await page.goto(`${service.dashboardUrl}/#/connections/${ids[1]}/activity`)
  const read = [
    ...['activity/counts', 'activity/list', 'connections/get', 'connections/rows'],
    ...['statistics/get', 'statistics/hours'],
  ]
  await expect.poll(() => calls.toSorted()).toEqual(read)
  await page.getByText('Nothing has happened yet').waitFor()
  await isLive(page)
  expect(calls).toHaveLength(read.length)
  expect(streams).toBe(1)
})

test('what another node did not have yet is read again when something happens', async () => {
  const { page, service, go } = await open({ own: true })
  const { connectionId, credentials } = await createConnection(service.rest)
  const refuse = () =>
    postInbound({ ...credentials, signingSecret: 'x'.repeat(32) }, '{"event":"a"}', Date.now())
  // It may be read again for the first refusal too, whose diagnosis comes later.
  let isElsewhere = true
  await page.route('**/rpc/attempts/get', async route => {
    const postData = { json: { connectionId, attemptId: 'att_none' } }
    await route.fulfill({ response: await route.fetch(isElsewhere ? { postData } : {}) })
  })
  await go(`/connections/${connectionId}/activity`)
  await refuse()
  await page.getByRole('option', { name: /Signature does not match/ }).click()
  const opened = page.getByRole('region', { name: 'Rejected attempt' })
  await opened.getByText('no longer stored').waitFor()
  isElsewhere = false
  await refuse()
  await opened.getByText('no longer stored').waitFor({ state: 'detached' })
})

test('what happens while the stream is cut is there when it is back', async () => {
  const { page, service, go } = await open({ own: true })
  const { connectionId, credentials } = await createConnection(service.rest, { name: 'Shop' })
  await go(`/connections/${connectionId}/activity`)
  await page.getByText('Nothing has happened yet').waitFor()
  const { held, letGo } = await holdCalls(page, 'live/follow')
  await service.restart(Number(new URL(service.dashboardUrl).port))
  await held()
  await service.rest('PATCH', `/connections/${connectionId}`, { name: 'Store' })
  await postInbound(
    {
      ...credentials,
      inboundUrl: credentials.inboundUrl.replace(/:\d+/, `:${new URL(service.listenerUrl).port}`),
    },
    '{"event":"order.paid"}',
    Date.now(),
  )
  await letGo()
  await page.getByRole('heading', { name: 'Store' }).waitFor()
  await page.getByRole('option', { name: /order\.paid/ }).waitFor()
})
