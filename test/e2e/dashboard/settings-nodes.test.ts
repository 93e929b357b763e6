import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { NodeList } from '#shared/model/nodes.ts'
import { noPostgres } from '../../support/postgres.ts'
import { newDatabase, query } from '../../support/postgres-database.ts'
import { createConnection } from '../../support/rest-client.ts'
import { expectAccessible, expectAccessibleInBothSchemes } from './accessibility.ts'
import { askAgain, clipboard, dashboardTests, holdCalls, startRealTimeService } from './fixture.ts'

const { open } = dashboardTests()

const startNode = (database: string, nodeName: string, options: { readonly adminToken?: string } = {}) =>
  startRealTimeService({
    ...{ database, nodeName, env: { CUSTOM_CONNECTION_KEY: 'a1'.repeat(32) } },
    ...options,
  })

/** Ends a node as if it had been killed so long ago, with changed facts of its last heartbeat. */
async function loseNode(database: string, nodeName: string, agoMs: number, facts: object): Promise<void> {
  const node = await startNode(database, nodeName)
  await node.stop()
  await query(
    database,
    `UPDATE node SET seen_at = -seen_at - $2, facts = (facts::jsonb || $3::jsonb)::text
      WHERE seen_at < 0 AND facts::jsonb->>'name' = $1`,
    [nodeName, agoMs, facts],
  )
}

const rowsOf = (page: Page) => page.getByRole('table', { name: 'Nodes' }).locator('tbody tr')
/** Expects what each row says. A node that has just started says only with its next heartbeat that it is ready. */
const expectRows = (page: Page, texts: readonly RegExp[]) =>
  expect.poll(() => rowsOf(page).allInnerTexts()).toEqual(texts.map(text => expect.stringMatching(text)))
const foot = (page: Page) => page.getByRole('complementary').getByRole('status')

describe.skipIf(noPostgres !== null)('the nodes on a database', () => {
  it('are listed with what became of a lost one, which can be forgotten', async () => {
    const database = await newDatabase()
    await loseNode(database, 'cc-3', 48_000, { runsUnderWay: 12 })
    const one = await startNode(database, 'cc-1')
    await startNode(database, 'cc-2')
    const { page, go } = await open({ at: one, own: true })
    await foot(page).getByRole('link', { name: '2 of 3 nodes' }).click()
    await expectRows(page, [
      /^cc-3\n.*Started .*Not seen for \d+ (s|min)\b/s,
      /^cc-1\n.*This page.*Ready/s,
      /^cc-2\n(?!.*This page).*Ready/s,
    ])
    const alert = page.getByRole('alert').filter({ hasText: 'cc-3 was last seen at' })
    await alert.getByText('Other nodes go on with the 12 runs that it had under way.').waitFor()
    await expectAccessibleInBothSchemes(page)

    await alert.getByRole('button', { name: 'Forget node' }).click()
    await alert.waitFor({ state: 'detached' })
    await expect.poll(() => rowsOf(page).count()).toBe(2)
    await expect.poll(() => page.evaluate('document.activeElement.textContent')).toBe('cc-1')
    await foot(page).getByRole('link', { name: '2 nodes', exact: true }).waitFor()

    await page.keyboard.press('ArrowDown')
    const facts = page.getByRole('region', { name: 'Node cc-2' })
    await facts.getByText(/^Version \d+, the newest$/).waitFor()
    await page.keyboard.press('c')
    await page.getByText('Nodes copied').waitFor()
    const copied = NodeList.parse(JSON.parse(await clipboard(page)))
    expect(copied.map(({ name, isThis }) => [name, isThis])).toEqual([
      ['cc-1', true],
      ['cc-2', false],
    ])

    await go('/connections')
    await page.keyboard.press('Control+k')
    await page.getByRole('combobox', { name: 'Search or run' }).fill('nodes')
    await page.getByRole('option', { name: 'Settings: Nodes' }).waitFor()
  })

  it('show who drains, whose configuration is behind and whose clock is wrong', async () => {
    const database = await newDatabase()
    await loseNode(database, 'cc-2', 0, { state: 'draining', runsUnderWay: 4 })
    await loseNode(database, 'cc-3', 0, { state: 'ready', clockOffsetMs: 2940, version: '0.0.1' })
    await loseNode(database, 'cc-4', 8000, { state: 'ready', runsUnderWay: 1 })
    await query(database, `UPDATE node SET config_version = -1 WHERE facts::jsonb->>'name' = 'cc-3'`)
    // They do not beat: they are there for as long as it takes to look.
    await query(
      database,
      `UPDATE node SET seen_at = (extract(epoch FROM clock_timestamp()) * 1000)::bigint + 600000
        WHERE facts::jsonb->>'name' IN ('cc-2', 'cc-3')`,
    )
    const { page } = await open({ at: await startNode(database, 'cc-1'), own: true, path: '/settings/nodes' })
    await expectRows(page, [
      /cc-4.*Not seen for \d+ (s|min)\b/s,
      /cc-2.*Draining: 4 runs left/s,
      /cc-1/,
      /cc-3.*0\.0\.1.*Configuration behind.*2\.9 s ahead/s,
    ])
    await page.getByRole('link', { name: 'cc-3' }).click()
    await page.getByText('Its clock is wrong').waitFor()
    await page.getByText(/^2 on .*, 1 on 0\.0\.1$/).waitFor()
    await page.getByRole('region', { name: 'All nodes' }).getByText('1 node behind').waitFor()
    await expectAccessibleInBothSchemes(page)

    // At 200 % zoom, the facts have what the table leaves out.
    await page.setViewportSize({ width: 640, height: 400 })
    const heads = () => page.getByRole('columnheader').filter({ visible: true }).allInnerTexts()
    await expect.poll(heads).toEqual(['Node', 'Version', 'Health', 'Runs'])
    await page.getByRole('region', { name: 'Node cc-3' }).getByText('2.9 s ahead').waitFor()
    await expectAccessible(page)
  })

  it('warn of another admin token, here and in the log of the one that has started later', async () => {
    const database = await newDatabase()
    const one = await startNode(database, 'cc-1')
    const two = await startNode(database, 'cc-2', { adminToken: 'another-token-of-the-tests-9876543210' })
    const { page } = await open({ at: one, own: true, path: '/settings/nodes' })
    await expectRows(page, [/cc-1.*Ready/s, /cc-2.*Other admin token/s])
    await page.getByRole('link', { name: 'cc-2' }).click()
    await page.getByText('Start all nodes with the same token').waitFor()
    await expectAccessibleInBothSchemes(page)
    const warnings = ({ log }: typeof one) =>
      log.lines.filter(line => JSON.stringify(line).includes('have another admin token'))
    expect(warnings(one)).toEqual([])
    await expect.poll(() => warnings(two)).toMatchObject([{ fields: { nodes: ['cc-1'] } }])
  })

  it('are told apart where each has something of its own', async () => {
    const database = await newDatabase()
    const one = await startNode(database, 'cc-1')
    await startNode(database, 'cc-2')
    const { connectionId } = await createConnection(one.rest, { name: 'Acme', persistEvents: false })
    const { page, go } = await open({ at: one, own: true, path: '/settings/listener' })
    await page.getByText('2 nodes ready').waitFor()
    for (const [path, words] of [
      ['/settings/listener', 'this is the address of the one that has answered'],
      ['/settings/public-url', 'Set the URL of your load balancer here'],
      ['/settings/environment', 'Start all nodes with the same'],
      ['/settings/limits', 'Each node counts open connections and memory for itself'],
      ['/settings/data-folder', 'this is that of the one that has answered'],
      ['/assistant/conversation?setup=true', 'Each node looks for these servers on its own computer'],
      [`/connections/${connectionId}`, 'This is the address of one node.'],
      [`/connections/${connectionId}/activity`, 'only in the memory of the node that has received them'],
    ] as const) {
      await go(path)
      await page.getByText(words).waitFor()
    }
    await expectAccessibleInBothSchemes(page)
    await go('/settings/public-url')
    await page.getByRole('textbox', { name: 'Public URL' }).fill('https://hooks.example.com')
    await page.getByText('Set the URL of your load balancer here').waitFor({ state: 'detached' })
    await page.keyboard.press('Control+s')
    await page.getByText('Public URL saved').waitFor()
    await go(`/connections/${connectionId}`)
    await page.getByRole('button', { name: 'Copy inbound URL' }).waitFor()
    expect(await page.getByText('This is the address of one node.').count()).toBe(0)
  })

  it('of a single one says how another joins', async () => {
    const service = await startNode(await newDatabase(), 'cc-1')
    const { page } = await open({ at: service, own: true, path: '/settings/nodes' })
    await page.getByText('This is the only node.').waitFor()
    await foot(page).getByText('Listening').waitFor()
    await page.getByRole('link', { name: 'Database' }).click()
    await page.getByRole('heading', { name: 'Database', level: 1 }).waitFor()
    expect(await page.getByText('of the one that has answered').count()).toBe(0)
  })

  it('of a single one is not told apart from those that are lost', async () => {
    const database = await newDatabase()
    await loseNode(database, 'cc-0', 48_000, {})
    const { page, go } = await open({
      ...{ at: await startNode(database, 'cc-1'), own: true, path: '/settings/nodes' },
    })
    await expect.poll(() => rowsOf(page).count()).toBe(2)
    await go('/settings/data-folder')
    await page.getByRole('heading', { name: 'Database', level: 1 }).waitFor()
    expect(await page.getByText('of the one that has answered').count()).toBe(0)
  })

  it('are grey once nothing was heard of them for 15 seconds', async () => {
    const service = await startNode(await newDatabase(), 'cc-1')
    const { page, go } = await open({ at: service, own: true })
    await page.clock.install()
    await go('/settings/nodes')
    await page.getByText('Each reports every second').waitFor()
    await page.route('**/rpc/service/nodes', route => route.abort())
    await page.clock.runFor(17_000)
    await page.getByText(/^Last heard \d\d:\d\d:\d\d$/).waitFor()
    expect(await rowsOf(page).first().innerText()).toContain('cc-1')
    await expectAccessibleInBothSchemes(page)
    await page.unroute('**/rpc/service/nodes')
    await page.clock.runFor(6000)
    await page.getByText('Each reports every second').waitFor()
  })

  it('are neither none nor zero before they are read, and can be asked for again', async () => {
    const service = await startNode(await newDatabase(), 'cc-1')
    const { page } = await open({ at: service, own: true, path: '/settings/nodes' })
    await page.getByRole('link', { name: 'cc-1' }).waitFor()
    const hold = await holdCalls(page, 'service/nodes')
    await page.reload()
    await page.getByRole('status', { name: 'Loading nodes' }).waitFor()
    expect(await page.getByRole('main').innerText()).not.toMatch(/\b0\b/)
    await page.route('**/rpc/service/nodes', route =>
      route.fulfill({ status: 500, json: { json: { code: 'internal_error', message: 'It failed.' } } }),
    )
    await hold.letGo()
    await page.getByText('The nodes could not be read').waitFor()
    await page.unroute('**/rpc/service/nodes')
    await askAgain(page.getByRole('button', { name: 'Try again' }), page.getByRole('link', { name: 'cc-1' }))
  })
})

it('a service without a database has no nodes', async () => {
  const { page, go } = await open({ path: '/settings/listener' })
  const settings = page.getByRole('navigation', { name: 'Settings' })
  await settings.getByRole('link', { name: 'Listener' }).waitFor()
  expect(await settings.getByRole('link', { name: 'Nodes' }).count()).toBe(0)
  await go('/settings/nodes')
  await page.getByText('This service keeps its data in a folder').waitFor()
  await expectAccessibleInBothSchemes(page)
})
