import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { createConnection } from '../../support/rest-client.ts'
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
const isOf = (procedure: string) => (request: { url(): string }) =>
  request.url().endsWith(`/rpc/${procedure}`)

/** Resolves once the stream runs, and the calls that its start leads to are made. */
async function isLive(page: Page): Promise<void> {
  await page.locator('[data-live="live"]').waitFor({ state: 'attached' })
  await page.evaluate('new Promise(done => requestAnimationFrame(() => setTimeout(done)))')
}

test('a load of a screen, and a change of the watched connection, read nothing twice', async () => {
  const { page, service } = await open({ own: true })
  const ids = [(await createConnection(service.rest)).connectionId]
  ids.push((await createConnection(service.rest)).connectionId)
  await page.goto('about:blank')
  const calls = recordCalls(page)
  await page.goto(`${service.dashboardUrl}/#/connections/${ids[0]}/activity`)
  await page.getByText('Nothing has happened yet').waitFor()
  await isLive(page)
  expect(calls.toSorted()).toEqual([...new Set(calls)].toSorted())
  expect(calls).toContain('connections/list')

  calls.length = 0
  const restarted = page.waitForResponse(isOf('live/follow'))
  await page.goto(`${service.dashboardUrl}/#/connections/${ids[1]}/activity`)
  await restarted
  await isLive(page)
  expect(calls.toSorted()).toEqual(['attempts/list', 'connections/get', 'eventTypes/list', 'events/list'])
})

test('a change while the stream of another connection opens is not missed', async () => {
  const { page, service, go } = await open({ own: true })
  const { connectionId } = await createConnection(service.rest, { name: 'Shop' })
  await go(`/connections/${connectionId}`)
  await page.getByRole('heading', { name: 'Shop' }).waitFor()
  const { held, letGo } = await holdCalls(page, 'live/follow')
  await go(`/connections/${connectionId}/activity`)
  await held()
  await service.rest('PATCH', `/connections/${connectionId}`, { name: 'Store' })
  await letGo()
  await page.getByRole('heading', { name: 'Store' }).waitFor()
})
