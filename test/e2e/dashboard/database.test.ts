import { describe, expect, it, onTestFinished } from 'vitest'
import { createCluster, noPostgres } from '../../support/postgres.ts'
import { newDatabase } from '../../support/postgres-database.ts'
import { dashboardTests, startRealTimeService } from './fixture.ts'

const { open } = dashboardTests()

const serviceOn = (database: string) =>
  startRealTimeService({ database, env: { CUSTOM_CONNECTION_KEY: 'a1'.repeat(32) } })

describe.skipIf(noPostgres !== null)('a service on a database', () => {
  it('is not offered what it does not have, and is told where its data are', async () => {
    const url = await newDatabase()
    const service = await serviceOn(url)
    const { page, go } = await open({ at: service, own: true })
    await page.getByText('Connect your first system').waitFor()
    await page.getByText('Load a sample').waitFor({ state: 'detached' })
    await go('/workflows')
    await page.getByRole('button', { name: 'Start from nothing' }).waitFor()
    expect(await page.getByText('sample').count()).toBe(0)
    await go('/settings/listener')
    await page.getByText('With a database, the address is set on the command line').waitFor()
    await go('/settings/data-folder')
    const { host, pathname } = new URL(url)
    await page.getByText(`${host}${pathname}`, { exact: true }).waitFor()
    expect(await page.getByText('admin-token', { exact: true }).count()).toBe(0)
    expect(await page.getByText('--force').count()).toBe(0)
  })

  it('says while the database is away that it is, and goes on by itself', async () => {
    const cluster = createCluster()
    onTestFinished(() => cluster.remove())
    let server = await cluster.start()
    onTestFinished(() => server.stop('SIGQUIT'))
    const service = await serviceOn(server.url())
    const { page, go } = await open({ at: service, own: true })
    await page.getByText('Connect your first system').waitFor()
    await server.stop('SIGQUIT')
    await go('/workflows/runs')
    await page.getByText('The runs could not be read').waitFor()
    await page.getByText('The service cannot use the database.').waitFor()
    const again = await page.context().newPage()
    await again.goto(page.url())
    await again.getByText('The dashboard cannot be opened now').waitFor()
    await page.getByRole('complementary').getByText('Refusing events').waitFor()
    await go('/assistant/conversation')
    await page.getByText('The conversations cannot be shown').waitFor()

    server = await cluster.start({}, server.port)
    await page.getByText('Choose a model').waitFor()
    await again.getByText('No runs yet').waitFor()
    for (const shown of [page, again]) {
      await expect.poll(() => shown.getByText('cannot use the database').count()).toBe(0)
    }
  })

  it('says that a load balancer reaches no node, and goes on once it does', async () => {
    const service = await serviceOn(await newDatabase())
    const { page, go } = await open({ at: service, own: true })
    await page.getByText('Connect your first system').waitFor()
    await page.route('**/rpc/**', route =>
      route.fulfill({ status: 503, contentType: 'text/html', body: '<h1>No server is available</h1>' }),
    )
    await go('/workflows/runs')
    await page.getByText('The runs could not be read').waitFor()
    await page.getByText('Not up to date: the service does not answer.').waitFor()
    await page.getByRole('complementary').getByText('Not reachable').waitFor()
    await page.unroute('**/rpc/**')
    await page.getByText('No runs yet').waitFor()
    await page.getByRole('complementary').getByText('Listening').waitFor()
  })
})
