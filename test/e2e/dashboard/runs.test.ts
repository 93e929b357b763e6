import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { ExactJson } from '#shared/json/exact-json.ts'
import { RunDetails, RunPage } from '#shared/model/run.ts'
import { Workflow } from '#shared/model/workflow.ts'
import { startExternalSystem } from '../../support/external-system.ts'
import { testMs } from '../../support/patience.ts'
import { createConnection, type Rest } from '../../support/rest-client.ts'
import type { ServiceFixture } from '../../support/service-fixture.ts'
import { expectAccessible, expectAccessibleInBothSchemes } from './accessibility.ts'
import { clipboard, dashboardTests, startRealTimeService } from './fixture.ts'

const { open, sharedService } = dashboardTests()

const reserveStock = {
  name: 'Reserve stock',
  toolName: 'reserve_stock',
  description: 'Reserves stock for an order.',
  path: '/reservations',
  parameters: [{ name: 'order_id', type: 'string', description: 'The order.', required: true }],
}

async function post(rest: Rest, path: string, body: object): Promise<unknown> {
  const answer = await rest('POST', path, body)
  if (answer.status >= 300) throw new Error(`${path}: ${answer.text}`)
  return answer.body
}

/**
 * Starts a receiver that answers 503 until it is told otherwise, with two connections and a workflow that reserves stock.
 * With the status 0 it never answers.
 */
async function setUp(service: ServiceFixture, persistEvents = true) {
  const { rest } = service
  const state = { status: 503 }
  const system = await startExternalSystem((_request, response) => {
    if (state.status === 0) return
    const body = state.status === 200 ? { reservation: 'rsv_1' } : { error: 'maintenance' }
    response.writeHead(state.status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
  })
  const orders = await createConnection(rest, { name: 'Orders', persistEvents })
  const stock = await createConnection(rest, { name: 'Warehouse', baseUrl: system.url })
  await post(rest, `/connections/${stock.connectionId}/actions`, reserveStock)
  const trigger = { type: 'external.event', connectionId: orders.connectionId, eventName: 'order.paid' }
  const { workflowId } = Workflow.parse(
    await post(rest, '/workflows', {
      name: 'Paid order: reserve and notify',
      trigger,
      steps: [
        {
          key: 'check_total',
          type: 'branch',
          cases: [
            {
              when: { value: '{{total}}', operator: 'greater', operand: 500 },
              steps: [{ key: 'tell_sales', type: 'notify', message: 'A large order' }],
            },
          ],
          otherwise: [
            {
              key: 'reserve_stock',
              type: 'action',
              connectionId: stock.connectionId,
              toolName: 'reserve_stock',
              arguments: { order_id: '{{order_id}}' },
            },
          ],
        },
        { key: 'tell_team', type: 'notify', message: 'Reserved for {{order_id}}' },
      ],
    }),
  )
  const runsOf = async () => RunPage.parse((await rest('GET', `/runs?workflowId=${workflowId}`)).body).runs
  return {
    state,
    rest,
    workflowId,
    orders,
    stock,
    runsOf,
    /**
     * Sends a paid order and resolves once its run has this status. One that waits has failed so often that it waits for
     * minutes: it does not go on by itself meanwhile.
     */
    async send(orderId: string, status: string) {
      await post(rest, `/connections/${orders.connectionId}/send`, {
        event: 'order.paid',
        data: { order_id: orderId, total: 214.5 },
      })
      await expect
        .poll(async () => (await runsOf()).find(run => run.subject === orderId)?.status)
        .toBe(status)
      const found = async () => (await runsOf()).find(one => one.subject === orderId)
      const runId = (await found())?.runId ?? ''
      for (let attempt = 2; status === 'waiting' && attempt <= failedAttempts; attempt++) {
        await post(rest, `/runs/${runId}/retry`, {})
        await expect
          .poll(async () => {
            const run = await found()
            return run?.status === 'waiting' ? run.attempt : 0
          })
          .toBe(attempt)
      }
      return runId
    },
  }
}

/** The next attempt follows 3 to 5 minutes after so many. */
const failedAttempts = 4

const rows = (page: Page) => page.getByRole('listbox', { name: 'Runs, newest first' }).getByRole('option')
const row = (page: Page, text: string | RegExp) => rows(page).filter({ hasText: text })

const detail = (page: Page, runId: string) => page.getByRole('region', { name: `Run ${runId}` })
const steps = (page: Page) => page.getByRole('listbox', { name: 'Steps and attempts' }).getByRole('option')

test('runs appear as events come, wait while paused, and are filtered', async () => {
  const service = await sharedService()
  const { page } = await open({ at: service, path: '/workflows/runs' })
  await page.getByRole('heading', { name: 'No runs yet' }).waitFor()
  await page.getByText('Runs appear here when an event matches a workflow.').waitFor()
  await expectAccessible(page)

  const { state, send } = await setUp(service)
  await send('ORD-1', 'waiting')
  await row(page, 'ORD-1').getByText('Waiting').waitFor()
  state.status = 422
  await send('ORD-2', 'failed')
  await row(page, 'ORD-2').getByText('Failed: 422').waitFor()
  await page.keyboard.press('f')
  await page.getByRole('button', { name: 'Paused' }).waitFor()
  state.status = 200
  await send('ORD-3', 'succeeded')
  await page.getByRole('button', { name: '1 newer' }).click()
  await row(page, 'ORD-3').getByText('Succeeded').waitFor()
  await expect.poll(() => rows(page).count()).toBe(3)
  await page.getByText('3 in 24 hours').waitFor()
  await page.getByText('1 failed · 1 waiting · 0 running').waitFor()

  const status = page.getByRole('radiogroup', { name: 'Status' })
  await status.getByText('Failed').click()
  await expect.poll(() => rows(page).count()).toBe(1)
  await row(page, 'ORD-2').waitFor()
  await status.getByText('Succeeded').click()
  await row(page, 'ORD-3').waitFor()
  await status.getByText('All').click()
  const search = page.getByRole('searchbox', { name: 'Search runs' })
  await page.keyboard.press('/')
  await search.fill('ord-1')
  await expect.poll(() => rows(page).count()).toBe(1)
  await search.fill('nothing of the kind')
  await page.getByRole('heading', { name: 'No run matches' }).waitFor()
  await page.getByRole('button', { name: 'Show all runs' }).click()
  await expect.poll(() => rows(page).count()).toBe(3)

  await page.getByRole('button', { name: 'Any event' }).click()
  await page.getByRole('menuitemradio', { name: 'order.paid' }).click()
  await expect.poll(() => page.url()).toContain('eventName=order.paid')
  await page.getByRole('button', { name: 'Any workflow' }).click()
  await page.getByRole('menuitemradio', { name: 'Paid order' }).click()
  await expect.poll(() => page.url()).toContain('workflow=wf_')
  await page.getByRole('button', { name: 'Last 24 hours' }).click()
  await page.getByRole('menuitemradio', { name: 'Last hour' }).click()
  await expect.poll(() => page.url()).toContain('since=hour')
  await expect.poll(() => rows(page).count()).toBe(3)
  await expectAccessibleInBothSchemes(page)
})

test('a waiting run shows what was tried and what comes, and is retried at once', async () => {
  const service = await sharedService()
  const { state, send } = await setUp(service)
  const runId = await send('ORD-20414', 'waiting')
  const { page } = await open({ at: service, path: '/workflows/runs' })
  await row(page, 'ORD-20414').waitFor()
  await page.keyboard.press('ArrowDown')
  const run = detail(page, runId)
  await run.getByText(/^Waiting until/).waitFor()
  await run.getByText(/^Attempt 5 of 8, in \d min \d+ s/).waitFor()
  const trace = run.getByRole('list', { name: 'From the request to the calls' })
  await expect
    .poll(() => trace.getByRole('listitem').allTextContents())
    .toEqual([
      expect.stringMatching(/^Request.* · 200$/),
      'Triggerorder.paid',
      expect.stringMatching(/^This runqueued for/),
      '4 callsall failed',
      'No other runsof this event',
    ])
  await expect
    .poll(() => steps(page).allTextContents())
    .toEqual([
      expect.stringContaining('BranchStep 1Otherwise: 214.5 is not greater than 500'),
      expect.stringContaining('NotifyStep 1.1Not on this branch'),
      expect.stringContaining('Reserve stockStep 1.2POSTreserve_stock'),
      ...Array.from({ length: failedAttempts }, (_, index) =>
        expect.stringMatching(
          new RegExp(`^Attempt ${index + 1}.*503“maintenance” \\(Warehouse answered 503\\)`),
        ),
      ),
      expect.stringMatching(/^Attempt 5.*next attempt/),
      expect.stringContaining('NotifyStep 2After Reserve stock'),
    ])
  await run.getByRole('region', { name: 'Sent' }).getByText('"ORD-20414"').waitFor()
  await run.getByRole('region', { name: 'Answer' }).getByText('"maintenance"').waitFor()
  await expectAccessibleInBothSchemes(page)

  // The keyboard alone goes to another attempt.
  await trace.getByRole('button', { name: '4 calls' }).press('Enter')
  await page.keyboard.press('Home')
  await run.getByRole('region', { name: 'Output' }).waitFor()

  state.status = 200
  await page.keyboard.press('Control+Enter')
  await page.getByText('Run continued').waitFor()
  await run.getByText(/^Succeeded in/).waitFor()
  await row(page, 'ORD-20414').getByText('Succeeded').waitFor()
  await trace.getByText('4 of 5 failed').waitFor()
  await steps(page).filter({ hasText: 'Attempt 5' }).click()
  await run.getByRole('region', { name: 'Answer' }).getByText('"rsv_1"').waitFor()
  await steps(page).filter({ hasText: 'Attempt 1' }).click()
  await run.getByRole('region', { name: 'Answer' }).getByText('"maintenance"').waitFor()
  await page.keyboard.press('c')
  await page.getByText('Run copied').waitFor()
  expect(RunDetails.parse(JSON.parse(await clipboard(page)))).toMatchObject({ runId, status: 'succeeded' })
})

test('a run keeps the digits of its numbers, and its own steps after the workflow has changed', async () => {
  const service = await sharedService()
  const { rest } = service
  const { connectionId } = await createConnection(rest, { name: 'Orders', persistEvents: true })
  const steps_ = (key: string) => [
    {
      key: 'check_total',
      type: 'branch',
      cases: [{ when: { value: '{{total}}', operator: 'greater', operand: 500 }, steps: [] }],
    },
    { key, type: 'notify', message: 'Paid {{total}}' },
  ]
  const trigger = { type: 'external.event', connectionId, eventName: 'order.paid' }
  const workflow = Workflow.parse(
    await post(rest, '/workflows', { name: 'Exact', trigger, steps: steps_('tell_team') }),
  )
  // The tests' own client would lose the digits.
  const exact = new ExactJson('{"total":12.50,"reference":9007199254740993}')
  await post(rest, `/connections/${connectionId}/send`, { event: 'order.paid', data: exact })
  const runOf = async () => RunPage.parse((await rest('GET', '/runs')).body).runs[0]
  await expect.poll(async () => (await runOf())?.status).toBe('succeeded')
  const runId = (await runOf())?.runId ?? ''
  const { page } = await open({ at: service, path: `/workflows/runs?run=${runId}` })
  await steps(page).getByText('Otherwise: 12.50 is not greater than 500').waitFor()
  await steps(page).getByText('Branch').click()
  await detail(page, runId).getByRole('region', { name: 'Input', exact: true }).getByText('12.50').waitFor()
  await detail(page, runId).getByRole('button', { name: 'Copy the run as JSON' }).click()
  await expect.poll(() => clipboard(page)).toContain('"reference": 9007199254740993')

  // Renaming and disabling it changes no step.
  await rest('PATCH', `/workflows/${workflow.workflowId}`, { name: 'Renamed', enabled: false })
  await detail(page, runId).getByRole('heading', { name: 'Renamed' }).waitFor()
  expect(
    await detail(page, runId)
      .getByText(/have changed since/)
      .count(),
  ).toBe(0)
  await rest('PATCH', `/workflows/${workflow.workflowId}`, { steps: steps_('tell_sales') })
  await detail(page, runId).getByText('The steps of the workflow have changed since this run.').waitFor()
  await expect.poll(() => steps(page).count()).toBe(2)
  await steps(page).filter({ hasText: 'Tell team' }).getByText('Paid 12.50').waitFor()
  await expectAccessibleInBothSchemes(page)
})

test('a run is cancelled and continued, and its event is replayed', async () => {
  const service = await sharedService()
  const { state, send } = await setUp(service)
  const runId = await send('ORD-7', 'waiting')
  const { page } = await open({ at: service, path: `/workflows/runs?run=${runId}` })
  const run = detail(page, runId)
  await run.getByRole('button', { name: 'Cancel run' }).waitFor()
  await page.keyboard.press('x')
  await run.getByText(/^Cancelled at/).waitFor()
  await row(page, 'ORD-7').getByText('Cancelled').waitFor()
  // The focus returns to the list when the button that had it is gone.
  const list = page.getByRole('listbox', { name: 'Runs, newest first' })
  await list.focus()
  await run.getByRole('button', { name: 'Continue run' }).press('Enter')
  await run.getByText(/^Waiting until/).waitFor()
  await list.and(page.locator(':focus')).waitFor()
  await run.getByText(/^Attempt 6 of 8/).waitFor()

  state.status = 422
  await run.getByRole('button', { name: /Retry step 1\.2 now/ }).click()
  await run.getByText('Failed at Reserve stock').waitFor()
  await run.getByText('“maintenance” (Warehouse answered 422)').first().waitFor()

  state.status = 200
  await page.keyboard.press('r')
  await page.getByText('Event replayed').waitFor()
  await row(page, 'replay').getByText('Succeeded').waitFor()
  await row(page, 'replay').click()
  await page.getByText(/^Succeeded in/).waitFor()
  await page.getByRole('listitem').filter({ hasText: 'Replay' }).waitFor()

  state.status = 0
  // The key does nothing until the event of the other run is loaded.
  await page.locator('button:not([aria-disabled="true"])', { hasText: 'Replay event' }).waitFor()
  await page.keyboard.press('r')
  await row(page, 'Running').click()
  await page.getByText(/^Running for/).waitFor()
  await page.getByText('At Reserve stock').waitFor()
  await page.keyboard.press('x')
  await page.getByText(/^Cancelled at/).waitFor()
  await page.keyboard.press('w')
  await expect.poll(() => page.url()).toMatch(/workflows\/wf_/)
})

test('a narrow window shows the list or the run', async () => {
  const service = await sharedService()
  const { send } = await setUp(service)
  const runId = await send('ORD-9', 'waiting')
  const { page } = await open({ at: service, path: '/workflows/runs', width: 900, height: 600 })
  await row(page, 'ORD-9').click()
  const run = detail(page, runId)
  await run.getByText(/^Waiting until/).waitFor()
  await expect.poll(() => rows(page).count()).toBe(0)
  await expectAccessible(page)
  await run.getByRole('button', { name: 'Back to the list' }).click()
  await row(page, 'ORD-9').click()
  await run.waitFor()
  await page.keyboard.press('Escape')
  await row(page, 'ORD-9').waitFor()
  await page.setViewportSize({ width: 640, height: 400 })
  await row(page, 'ORD-9').click()
  await run.getByRole('button', { name: /Retry step/ }).click({ trial: true })
  await run.getByRole('region', { name: 'Answer' }).getByText('"maintenance"').scrollIntoViewIfNeeded()
  await expectAccessible(page)
})

test('a deleted run and unreadable runs have messages', async () => {
  const { page, go } = await open({ path: '/workflows/runs?run=run_00000000000' })
  await page.getByRole('heading', { name: 'This run is no longer kept' }).waitFor()
  await page.getByRole('button', { name: 'Close' }).click()
  await page.route('**/rpc/runs/list', route =>
    route.fulfill({
      json: { json: { runs: [], nextBefore: null, damaged: ['run_00000000001', 'run_00000000002'] } },
    }),
  )
  await go('/workflows/runs?text=damaged')
  await page.getByText('2 runs cannot be read: the disk has changed what is stored.').waitFor()
  await page.unroute('**/rpc/runs/list')
  await page.route('**/rpc/runs/list', route =>
    route.fulfill({
      status: 500,
      json: { json: { defined: false, code: 'internal_error', status: 500, message: 'The disk is gone.' } },
    }),
  )
  await go('/workflows/runs?text=other')
  const alert = page.getByRole('alert').filter({ hasText: 'The runs could not be read' })
  await alert.getByText('The disk is gone.').waitFor()
  await expectAccessible(page)
  await page.unroute('**/rpc/runs/list')
  await alert.getByRole('button', { name: 'Try again' }).click()
  await page.getByRole('heading', { name: 'No run matches' }).waitFor()
})

test('an event leads to its runs and back, and a call to its run and step', async () => {
  const service = await sharedService()
  const { send, orders } = await setUp(service)
  const runId = await send('ORD-11', 'waiting')
  const { page } = await open({ at: service, path: `/workflows/runs?run=${runId}` })
  const run = detail(page, runId)
  await run.getByRole('link', { name: 'Request' }).click()
  const event = page.getByRole('region', { name: 'order.paid' })
  await event.getByRole('list', { name: 'What happened' }).getByText('1 run').waitFor()
  await event.getByRole('list', { name: 'Runs of this event' }).getByText('Waiting').waitFor()
  await expectAccessibleInBothSchemes(page)
  await event.getByRole('link', { name: 'Paid order: reserve and notify' }).click()
  await run.waitFor()
  await page.getByText('Runs of event').waitFor()
  await page.getByRole('button', { name: 'Show the runs of all events' }).click()

  await run.getByRole('link', { name: 'Show the call in activity' }).click()
  const call = page.getByRole('region', { name: 'reserve_stock' })
  await call.getByText('step reserve_stock').waitFor()
  await expectAccessible(page)
  await call.getByRole('link', { name: runId }).click()
  await run.getByRole('link', { name: 'Request' }).click()
  await event.getByRole('link', { name: 'Start a workflow' }).click()
  await expect
    .poll(() => page.url())
    .toMatch(
      new RegExp(`/workflows/new\\?connectionId=${orders.connectionId}&eventName=order.paid&eventId=evt_`),
    )
})

test('a run of an event that is not stored keeps no contents, and says so', async () => {
  const service = await sharedService()
  const { state, send } = await setUp(service, false)
  const waitingId = await send('ORD-12', 'waiting')
  const { page, go } = await open({ at: service, path: `/workflows/runs?run=${waitingId}` })
  const waiting = detail(page, waitingId)
  await waiting.getByRole('region', { name: 'Sent' }).getByText('"ORD-12"').waitFor()
  await waiting.getByRole('region', { name: 'Answer' }).getByText('Warehouse answered 503.').waitFor()
  await waiting.getByRole('button', { name: 'Replay event' }).hover()
  await page.getByRole('tooltip').getByText('Only stored events can be replayed').waitFor()

  state.status = 422
  await page.keyboard.press('Control+Enter')
  await waiting.getByText('Its payload is no longer kept, so it cannot go on.').waitFor()
  expect(await waiting.getByRole('button', { name: /^Retry/ }).count()).toBe(0)
  await waiting.getByRole('region', { name: 'Sent' }).getByText('Deleted, because').waitFor()
  await expectAccessible(page)
  await go(`/workflows/runs?event=evt_00000000000`)
  await page.getByRole('heading', { name: 'No run matches' }).waitFor()
})

test('a search that has not looked at all runs says so, and looks further on demand', async () => {
  const at = await startRealTimeService({ searchBounds: { rows: 20, ms: testMs } })
  const { go, page } = await open({ at })
  const ended = { state: 'succeeded', endedAt: Date.now(), error: null, discard: false, steps: [] } as const
  const facts = { workflowId: 'wf_x', workspaceId: 'default', connectionId: null, lane: 'wf_x' }
  const run = (note: string) => ({
    ...{ ...facts, queuedAt: Date.now(), summary: '{"eventName":"order.paid"}', ended },
    data: JSON.stringify({ event: 'order.paid', data: { note } }),
  })
  const notes = Array.from({ length: 70 }, (_, index) => (index === 5 ? 'zebra crossing' : 'paid'))
  await at.service.storage.runs.start(notes.map(run), null)
  await go('/workflows/runs?text=zebra')
  await page.getByRole('heading', { name: 'Nothing in the newest 20 runs' }).waitFor()
  await expectAccessible(page)
  await page.keyboard.press('s')
  await page.getByRole('option', { name: /order\.paid/ }).waitFor()
  await go('/workflows/runs?text=absent')
  await page.getByRole('button', { name: 'Search older' }).click()
  await page.getByRole('heading', { name: 'No run matches' }).waitFor()
})
