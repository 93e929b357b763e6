import { expect, test } from 'vitest'
import { createAction } from '../../support/actions.ts'
import { isSigned, startExternalSystem } from '../../support/external-system.ts'
import { createConnection, type Rest } from '../../support/rest-client.ts'
import { expectAccessible, expectAccessibleInBothSchemes } from './accessibility.ts'
import { clipboard, dashboardTests, pressOnce, typeToFind } from './fixture.ts'

const { open } = dashboardTests()

/** A connection whose receiver has no window, acts twice, and fails over a body that is not JSON. */
async function withReceiver(rest: Rest) {
  let secret = ''
  let refunds = 0
  const system = await startExternalSystem((request, response) => {
    response.setHeader('content-type', 'application/json')
    if (!isSigned(request, secret)) response.writeHead(401).end('{"error":"bad signature"}')
    else if (!request.body.trim().startsWith('{')) response.writeHead(500).end('{"error":"unexpected token"}')
    else response.end(`{"refund":"rf_${++refunds}"}`)
  })
  const connection = await createConnection(rest, { name: 'Acme Orders ERP', baseUrl: `${system.url}/v2` })
  secret = connection.credentials.signingSecret
  const parameters = [
    { name: 'order_id', type: 'string', description: 'The order', required: true },
    { name: 'amount', type: 'number', description: 'How much', required: true },
  ]
  const fields = { name: 'Create a refund', method: 'POST', path: '/refunds', parameters }
  const { actionId } = await createAction(rest, connection.connectionId, fields)
  return { connectionId: connection.connectionId, actionId, system, secret }
}

test('shows what a receiver lets through and what to change, by keyboard alone', async () => {
  const { page, go, service } = await open()
  const { connectionId, system, secret } = await withReceiver(service.rest)
  await go(`/connections/${connectionId}`)
  await page.getByRole('heading', { name: 'Acme Orders ERP' }).waitFor()
  await page.keyboard.press('5')
  await page.getByRole('heading', { name: 'Prove your receiver' }).waitFor()
  await expectAccessibleInBothSchemes(page)
  const form = page.getByRole('form', { name: 'Call' })

  // Without arguments nothing is sent.
  await form.getByRole('button', { name: /^Fire 9 calls/ }).press('Enter')
  await form.getByText('order_id is required.').waitFor()
  expect(system.requests).toEqual([])
  await form.getByLabel('order_id').fill('ORD-TEST-1')
  await form.getByLabel('amount').fill('0.01')
  await form.getByRole('checkbox').press(' ')
  await form.getByRole('button', { name: /^Fire 15 calls/ }).waitFor()
  await page.keyboard.press('Control+Enter')

  await page.getByText('3 of 14 checks fail').waitFor()
  await page.getByText('10 passed · 1 to look at · 3 failed · 1 not sent').waitFor()
  // The first that fails is open.
  const stale = page.getByRole('region', { name: 'Stale: signed 6 minutes ago' })
  await stale.getByRole('heading', { name: 'A recorded call works for ever' }).waitFor()
  await stale.getByText('also mends “From the future”').waitFor()
  await stale.getByText('sha256=').first().waitFor()
  await expectAccessibleInBothSchemes(page)

  await page.keyboard.press('F8')
  await page.getByRole('region', { name: /^From the future/ }).waitFor()
  await page.keyboard.press('F8')
  const replayed = page.getByRole('region', { name: /^Replayed/ })
  await replayed.getByText(/The second answer differs from the first/).waitFor()
  await expectAccessible(page)
  await page.keyboard.press('ArrowDown')
  await page.getByRole('region', { name: 'Signed, but not JSON' }).getByText('The receiver fails').waitFor()
  const calls = system.requests.length
  await page.keyboard.press('r')
  await expect.poll(() => system.requests.length).toBe(calls + 1)
  await page.getByText('3 of 14 checks fail').waitFor()

  await page.keyboard.press('Control+Shift+c')
  await expect.poll(() => clipboard(page)).toContain('# Receiver check: Create a refund')
  const report = await clipboard(page)
  expect(report).toContain('**3 of 14 checks fail.**')
  for (const hidden of [secret, secret.slice(6), 'ORD-TEST-1', 'rf_']) expect(report).not.toContain(hidden)
})

test('shares a report, chooses a language, and fits a small window, by mouse', async () => {
  const { page, go, service } = await open({ width: 900, height: 600 })
  const { connectionId } = await withReceiver(service.rest)
  await go(`/connections/${connectionId}/check`)
  const form = page.getByRole('form', { name: 'Call' })
  await form.getByLabel('order_id').fill('ORD-TEST-1')
  await form.getByLabel('amount').fill('0.01')
  await form.getByText('These arguments do no harm').click()
  await expectAccessible(page)
  await form.getByRole('button', { name: /^Fire 15 calls/ }).click()
  await page.getByText('3 of 14 checks fail').waitFor()
  await expectAccessible(page)

  await page.getByRole('button', { name: /^Failed Stale/ }).click()
  const stale = page.getByRole('region', { name: 'Stale: signed 6 minutes ago' })
  await stale.getByText('Python').click()
  await stale.getByText('time.time()').waitFor()
  await expectAccessible(page)
  await page.getByRole('button', { name: 'Back to the checks' }).click()

  await page.getByRole('button', { name: 'Share report' }).click()
  const dialog = page.getByRole('dialog', { name: 'Share the report' })
  await dialog.getByText('# Receiver check: Create a refund').waitFor()
  await expectAccessible(page)
  await dialog.getByText('JUnit XML', { exact: true }).click()
  await dialog.getByText('<testsuites name="Receiver check"').waitFor()
  await dialog.getByText('rf_1').waitFor({ state: 'hidden' })
  await dialog.getByText('With the answers').click()
  await dialog
    .getByText(/system-out.*rf_1/)
    .first()
    .waitFor()
  const saved = page.waitForEvent('download')
  await dialog.getByRole('button', { name: 'Save to file' }).click()
  expect((await saved).suggestedFilename()).toBe('receiver-check.xml')
  await pressOnce(dialog.getByRole('button', { name: /^Copy/ }))
  await expect.poll(() => clipboard(page)).toContain('failure type="look"')
})

test('leads to a whole receiver where nothing is verified', async () => {
  const { page, go, service } = await open()
  const system = await startExternalSystem()
  const { connectionId } = await createConnection(service.rest, { name: 'Open', baseUrl: system.url })
  await createAction(service.rest, connectionId)
  await go(`/connections/${connectionId}/check`)
  await pressOnce(page.getByRole('button', { name: /^Fire 15 calls/ }))
  await page.getByText('7 of 11 checks fail').waitFor()
  await page.getByRole('button', { name: /^Failed Wrong secret/ }).press('Enter')
  const detail = page.getByRole('region', { name: 'Wrong secret' })
  await detail.getByText(/^Verify the signature of each call/).waitFor()
  await expectAccessible(page)
  await detail.getByRole('link', { name: 'The Overview shows a whole receiver' }).press('Enter')
  await page.getByText('Verify a call', { exact: true }).waitFor()
})

test('sends only what must be refused without consent, and says what is missing', async () => {
  const { page, go, service } = await open()
  const { rest } = service
  const bare = await createConnection(rest, { name: 'Bare' })
  await go(`/connections/${bare.connectionId}/check`)
  await page.getByText('Nothing to check yet').waitFor()
  await expectAccessible(page)
  await page.getByRole('button', { name: 'New action' }).waitFor()

  const { connectionId, system } = await withReceiver(rest)
  await go(`/connections/${connectionId}/check`)
  const form = page.getByRole('form', { name: 'Call' })
  await form.getByLabel('order_id').fill('ORD-TEST-1')
  await form.getByLabel('amount').fill('0.01')
  await pressOnce(form.getByRole('button', { name: /^Fire 9 calls/ }))
  await page.getByText('2 of 8 checks fail').waitFor()
  expect(system.requests).toHaveLength(8)
  await page.getByRole('button', { name: /^Not sent Signed just now/ }).press('Enter')
  await page.getByText(/which was not allowed/).waitFor()
  await expectAccessible(page)

  // What is found stays while the page is open.
  await page.keyboard.press('1')
  await page.keyboard.press('5')
  await page.getByText('2 of 8 checks fail').waitFor()

  // Another action has its own form, and the choice keeps the focus.
  await createAction(rest, connectionId, { name: 'Look up an order' })
  await page.reload()
  await typeToFind(page.getByRole('combobox', { name: 'Endpoint' }), 'look up')
  await page.keyboard.press('Enter')
  await page.getByRole('button', { name: /^Fire 15 calls/ }).waitFor()
  await expect.poll(() => page.locator(':focus').getAttribute('value')).toBe('Look up an order')

  await rest('PATCH', `/connections/${connectionId}`, { baseUrl: null })
  await page.getByText('This connection has no base URL').waitFor()
  await expectAccessible(page)
})
