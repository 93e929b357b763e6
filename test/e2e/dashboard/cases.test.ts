import type { Locator, Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { createAction, testAction } from '../../support/actions.ts'
import { startExternalSystem } from '../../support/external-system.ts'
import { createConnection } from '../../support/rest-client.ts'
import { expectAccessibleInBothSchemes } from './accessibility.ts'
import { dashboardTests, type OpenOptions } from './fixture.ts'

const { open, sharedService } = dashboardTests()

const parameters = [
  { name: 'order_id', type: 'string', description: 'Order number', required: true },
  { name: 'amount', type: 'number', description: 'Amount', required: false },
]

/** A connection with an action that reads and one that changes data, and a system whose amount can be changed. */
async function startRefunds() {
  const answer = { amount: '49.00', held: Promise.resolve() }
  const system = await startExternalSystem(async (request, response) => {
    if (request.url.includes('slow')) await answer.held
    const isMissing = request.url.includes('missing') || request.body.includes('missing')
    response.statusCode = isMissing ? 404 : 200
    response.setHeader('content-type', 'application/json')
    response.end(
      isMissing
        ? '{"error":"There is no such order."}'
        : `{"refund":{"id":"rf_8Q2mX4","status":"pending","amount":${answer.amount},"settles_at":"2026-11-24T10:00:00Z"}}`,
    )
  })
  const service = await sharedService()
  const { connectionId } = await createConnection(service.rest, { name: 'Acme Orders', baseUrl: system.url })
  const responseMapping = {
    refund: 'refund.id',
    status: 'refund.status',
    amount: 'refund.amount',
    settles: 'refund.settles_at',
  }
  const look = await createAction(service.rest, connectionId, {
    ...{ name: 'Look up', toolName: 'look_up', method: 'GET', path: '/refunds', parameters, responseMapping },
  })
  const refund = await createAction(service.rest, connectionId, {
    ...{ name: 'Refund', toolName: 'refund', method: 'POST', path: '/refunds', parameters, responseMapping },
  })
  const actions = `/connections/${connectionId}/actions`
  const show = (options: OpenOptions = {}) => open({ at: service, path: actions, ...options })
  return { service, system, answer, connectionId, look, refund, actions, show }
}

const Created = z.object({ caseId: z.string() })

type Refunds = Awaited<ReturnType<typeof startRefunds>>

async function createCase(
  { service, connectionId }: Refunds,
  actionId: string,
  name: string,
  expectation: object = { status: 200 },
  args: object = { order_id: 'ORD-1' },
): Promise<string> {
  const { body, status } = await service.rest(
    'POST',
    `/connections/${connectionId}/actions/${actionId}/cases`,
    { name, arguments: args, expect: expectation },
  )
  expect(status).toBe(201)
  return Created.parse(body).caseId
}

const amountIs = (value: unknown) => ({
  status: 200,
  fields: [
    { path: 'refund.id', rule: 'exists' },
    { path: 'refund.amount', rule: 'equals', value },
    { path: 'refund.settles_at', rule: 'type', value: 'date' },
    { path: 'refund.status', rule: 'equals', value: 'settled' },
  ],
})

const hasFocus = (element: Locator) => element.and(element.page().locator(':focus')).waitFor()
const detailOf = (page: Page, name: string) => page.getByRole('region', { name: `Case ${name}` })
const rowOf = (page: Page, path: string) =>
  page.getByRole('table', { name: 'Expected and got' }).getByRole('row').filter({ hasText: path })

test('a test becomes a case that passes, and a changed answer shows which field differs', async () => {
  const refunds = await startRefunds()
  const { service, connectionId, look, answer, show, system } = refunds
  await testAction(service.rest, { connectionId, actionId: look.actionId }, { order_id: 'ORD-20418' })
  const { page } = await show({
    path: `${refunds.actions}?action=${look.actionId}&panel=test`,
  })
  await page.getByRole('button', { name: /^Save as case/ }).click()
  const dialog = page.getByRole('dialog', { name: 'Save as case' })
  await hasFocus(dialog.getByLabel('Name'))
  expect(await dialog.getByLabel('Name').inputValue()).toBe('Look up, ORD-20418')
  await dialog.getByText('1 argument as sent').waitFor()
  expect(await dialog.getByLabel('Value of status').inputValue()).toBe('200')
  expect(await dialog.getByLabel('Rule of refund.id').inputValue()).toBe('exists')
  expect(await dialog.getByLabel('Value of refund.status').inputValue()).toBe('"pending"')
  expect(await dialog.getByLabel('Value of refund.amount').inputValue()).toBe('49.00')
  expect(await dialog.getByLabel('Rule of refund.settles_at').inputValue()).toBe('type')
  expect(await dialog.getByLabel('Value of refund.settles_at').inputValue()).toBe('date')
  await expectAccessibleInBothSchemes(page)
  await dialog.getByRole('checkbox', { name: 'Check refund.settles_at' }).uncheck()
  await dialog.getByLabel('Value of refund.status').fill('pending')
  await dialog.getByRole('button', { name: /^Save case/ }).click()
  await dialog.getByText('This must be JSON.').waitFor()
  await dialog.getByLabel('Value of refund.status').fill('"pending"')
  await dialog.getByLabel('Name').fill('Refund in part')
  await dialog.getByRole('button', { name: /^Save case/ }).click()
  await dialog.waitFor({ state: 'detached' })
  await hasFocus(page.getByRole('button', { name: /^Save as case/ }))

  await page.getByRole('tab', { name: /^Cases\s*1/ }).click()
  const detail = detailOf(page, 'Refund in part')
  await detail.getByText('Not run yet.').waitFor()
  await detail.getByRole('button', { name: /^Run/ }).click()
  await detail.getByText('The answer is as expected.').waitFor()
  await rowOf(page, 'refund.amount').getByText('49.00').first().waitFor()
  await page.getByText('1 of 1 passes').first().waitFor()

  answer.amount = '4900'
  await detail.getByRole('button', { name: /^Run/ }).click()
  await detail.getByRole('heading', { name: 'refund.amount is 4900, not 49' }).waitFor()
  await detail.getByText('The only field that differs.').waitFor()
  await rowOf(page, 'refund.amount').getByText('Not passed').waitFor()
  await rowOf(page, 'refund.status').getByText('Passed').waitFor()
  await expectAccessibleInBothSchemes(page)
  await page.getByRole('button', { name: 'Copy the command' }).waitFor()
  await page.getByText('custom-connection test "Acme Orders" --tool look_up').waitFor()

  await detail.getByRole('button', { name: 'Expect 4900 from now on' }).click()
  await detail.getByText('Old: the case has changed since.').waitFor()
  await expect.poll(() => page.evaluate('document.activeElement === document.body')).toBe(false)
  await detail.getByRole('button', { name: /^Run/ }).click()
  await detail.getByText('The answer is as expected.').waitFor()
  await hasFocus(detail.getByRole('button', { name: /^Run/ }))
  await page.keyboard.press('ControlOrMeta+K')
  await page.getByRole('combobox').fill('run the cases')
  await page.getByRole('option', { name: /Run the cases of this connection/ }).click()
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  await expect.poll(() => system.requests.length).toBe(5)
  await detail.getByText('The answer is as expected.').waitFor()
  await detail.getByRole('link', { name: 'Show answer' }).click()
  await page.getByText('A case', { exact: true }).first().waitFor()
  // The test, and the four runs with the same arguments.
  expect(system.requests.map(({ url }) => url)).toEqual(Array(5).fill('/refunds?order_id=ORD-20418'))
})

test('cases are saved, run, edited and gone through with keys alone', async () => {
  const refunds = await startRefunds()
  const { service, connectionId, look, refund, show, answer } = refunds
  await createCase(refunds, look.actionId, 'First', amountIs(49))
  await createCase(refunds, look.actionId, 'Second')
  await createCase(refunds, refund.actionId, 'Third', { status: 201 })
  await testAction(service.rest, { connectionId, actionId: look.actionId }, { order_id: 'ORD-2' })
  answer.amount = '12'
  const { page } = await show({ path: `${refunds.actions}?action=${look.actionId}&panel=test` })
  await page.getByText('rf_8Q2mX4').first().waitFor()
  await page
    .getByRole('button', { name: /^Save as case/ })
    .and(page.locator(':enabled'))
    .waitFor()
  await page.keyboard.press('ControlOrMeta+Shift+S')
  const dialog = page.getByRole('dialog', { name: 'Save as case' })
  await hasFocus(dialog.getByLabel('Name'))
  await dialog.getByRole('button', { name: 'Add a field of the answer' }).press('Enter')
  await hasFocus(dialog.getByLabel('Field of the answer'))
  await page.keyboard.press('ControlOrMeta+A')
  await page.keyboard.type('refund')
  expect(await dialog.getByLabel('Rule of refund', { exact: true }).inputValue()).toBe('type')
  await page.keyboard.press('ControlOrMeta+Enter')
  await dialog.waitFor({ state: 'detached' })

  await page.getByRole('tab', { name: 'Test', exact: true }).press('ArrowRight')
  await page.getByRole('tab', { name: /^Cases\s*3/, selected: true }).waitFor()
  const list = page.getByRole('listbox', { name: 'Cases of Look up' })
  await list.focus()
  await page.keyboard.press('ArrowDown')
  await detailOf(page, 'Second').waitFor()
  await hasFocus(list)
  await page.keyboard.press('ArrowUp')
  await page.keyboard.press('ControlOrMeta+Enter')
  await detailOf(page, 'First').getByRole('heading', { name: 'refund.amount is 12, not 49' }).waitFor()
  await detailOf(page, 'First').getByText('2 fields differ.').waitFor()
  await hasFocus(list)

  // All of them: the one that changes data is asked about.
  await page.keyboard.press('a')
  const question = page.getByRole('dialog', { name: 'Run cases that change data?' })
  await question.getByText('1 of 4 cases changes data at').waitFor()
  await question.getByText('POST refund').waitFor()
  await expectAccessibleInBothSchemes(page)
  await question.getByRole('button', { name: 'Only the 3 GET cases' }).press('Enter')
  await question.waitFor({ state: 'detached' })
  const bar = page.getByRole('region', { name: 'Cases of this connection' })
  await bar.getByText('1 of 4 pass').waitFor()
  await hasFocus(list)
  await page.keyboard.press('a')
  await question.getByRole('button', { name: 'Run all', exact: true }).press('Enter')
  await question.waitFor({ state: 'detached' })
  const actionRow = page.getByRole('grid', { name: 'Actions' }).getByRole('row').filter({ hasText: 'Refund' })
  await actionRow.getByText('0 of 1').waitFor()
  // It asks once.
  await bar.getByRole('button', { name: /^Run all/ }).waitFor()
  await page.keyboard.press('a')
  await bar.getByRole('button', { name: /^Run all/ }).waitFor()
  expect(await question.count()).toBe(0)

  await bar.getByRole('button', { name: /^Run all/ }).press('Enter')
  await bar
    .getByRole('button', { name: /^Run all|^Cancel/ })
    .and(page.locator(':focus'))
    .waitFor()
  await hasFocus(bar.getByRole('button', { name: /^Run all/ }))
  await list.focus()

  await page.keyboard.press('F8')
  await detailOf(page, 'Look up, ORD-2').waitFor()
  await page.keyboard.press('F8')
  await detailOf(page, 'Third').getByRole('heading', { name: 'status is 200, not 201' }).waitFor()
  await hasFocus(page.getByRole('listbox', { name: 'Cases of Refund' }))
  await page.keyboard.press('F8')
  await detailOf(page, 'First').waitFor()
  await hasFocus(list)

  await page.keyboard.press('e')
  const form = page.getByRole('dialog', { name: 'Edit case' })
  await hasFocus(form.getByLabel('Name'))
  await page.keyboard.press('ControlOrMeta+A')
  await page.keyboard.type('Second')
  await page.keyboard.press('ControlOrMeta+Enter')
  await form.getByText(/already/).waitFor()
  await form.getByLabel('Name').focus()
  await page.keyboard.press('ControlOrMeta+A')
  await page.keyboard.type('Renamed')
  await page.keyboard.press('ControlOrMeta+Enter')
  await form.waitFor({ state: 'detached' })
  await detailOf(page, 'Renamed').waitFor()
  await hasFocus(list)
  await page.keyboard.press('n')
  await page.getByRole('dialog', { name: 'New case' }).waitFor()
  await page.keyboard.press('Escape')
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  await hasFocus(list)
})

test('running all shows how far it is, each result at once, and can be cancelled', async () => {
  const refunds = await startRefunds()
  const { look, answer, system, show } = refunds
  const { promise, resolve } = Promise.withResolvers<void>()
  answer.held = promise
  await createCase(refunds, look.actionId, 'First')
  await createCase(refunds, look.actionId, 'Second', { status: 200 }, { order_id: 'slow' })
  await createCase(refunds, look.actionId, 'Third')
  const { page } = await show({})
  const bar = page.getByRole('region', { name: 'Cases of this connection' })
  await bar.getByText('3 cases, not run yet').waitFor()
  await bar.getByRole('button', { name: /^Run all/ }).click()
  await bar.getByText('1 of 3').waitFor()
  await hasFocus(bar.getByRole('button', { name: 'Cancel' }))
  await page
    .getByRole('row', { name: /Look up/ })
    .getByText('1 of 3')
    .waitFor()
  await expectAccessibleInBothSchemes(page)
  await page.keyboard.press('Enter')
  await hasFocus(bar.getByRole('button', { name: /^Run all/ }))
  resolve()
  await bar.getByText('1 of 3 cases pass').waitFor()
  expect(system.requests.map(({ url }) => url)).toEqual(['/refunds?order_id=ORD-1', '/refunds?order_id=slow'])
})

test('a reload keeps the first difference, and says what is not known', async () => {
  const refunds = await startRefunds()
  const { service, connectionId, look, show } = refunds
  const caseId = await createCase(refunds, look.actionId, 'Refund in part', amountIs(48))
  await service.rest('POST', `/connections/${connectionId}/actions/${look.actionId}/cases/${caseId}/run`, {})
  const { page } = await show({ path: `${refunds.actions}?action=${look.actionId}&panel=cases` })
  const detail = detailOf(page, 'Refund in part')
  await detail.getByRole('heading', { name: 'refund.amount is 49, not 48' }).waitFor()
  await detail.getByText(/Whether others do is not kept/).waitFor()
  await rowOf(page, 'refund.id').getByText('Passed').waitFor()
  await rowOf(page, 'refund.settles_at').getByText('Not kept').waitFor()
  // Run elsewhere, the list follows.
  await service.rest('PATCH', `/connections/${connectionId}/actions/${look.actionId}/cases/${caseId}`, {
    expect: { status: 200, fields: [] },
  })
  await detail.getByText('Old: the case has changed since.').waitFor()
  await service.rest('POST', `/connections/${connectionId}/cases/run`, {})
  await detail.getByText('The answer is as expected.').waitFor()
  await service.rest('PATCH', `/connections/${connectionId}/actions/${look.actionId}`, { name: 'Looked up' })
  await page.getByText('Old: the action has changed since').first().waitFor()
})

test('a case without an answer shows the error of its call, and an action without cases what to do', async () => {
  const refunds = await startRefunds()
  const { service, connectionId, look, refund, show } = refunds
  await service.rest('PATCH', `/connections/${connectionId}`, { baseUrl: 'http://127.0.0.1:9' })
  await createCase(refunds, look.actionId, 'Down', amountIs(49))
  const { page, go } = await show({ path: `${refunds.actions}?action=${look.actionId}&panel=cases` })
  const detail = detailOf(page, 'Down')
  await detail.getByRole('button', { name: /^Run/ }).click()
  await detail.getByRole('heading', { name: 'There was no answer' }).waitFor()
  await detail.getByText('connection_refused').waitFor()
  await rowOf(page, 'refund.amount').getByText('Not kept').waitFor()
  await expectAccessibleInBothSchemes(page)
  await detail.getByRole('button', { name: 'More for Down' }).click()
  await page.getByRole('menuitem', { name: 'Delete' }).click()
  await page.getByText('Case “Down” deleted').waitFor()
  await page.getByRole('button', { name: /^Undo/ }).click()
  await detail.waitFor()

  await go(`${refunds.actions}?action=${refund.actionId}&panel=cases`)
  await page.getByText('Save a test as one.').waitFor()
  await expectAccessibleInBothSchemes(page)
})

test('cases fit a phone, 200 % and 320 pixels', async () => {
  const refunds = await startRefunds()
  const { look } = refunds
  await createCase(refunds, look.actionId, 'Refund in part of a long order', amountIs(48))
  for (const width of [900, 390, 320]) {
    const { page } = await refunds.show({
      ...{ width, height: 700 },
      path: `${refunds.actions}?action=${look.actionId}&panel=cases`,
    })
    const list = page.getByRole('listbox', { name: 'Cases of Look up' })
    await expectFits(page)
    await list.getByRole('option').first().click()
    const detail = detailOf(page, 'Refund in part of a long order')
    await detail.getByRole('button', { name: /^Run/ }).click()
    await detail.getByRole('heading', { name: 'refund.amount is 49, not 48' }).waitFor()
    await expectFits(page)
    await detail.getByRole('button', { name: /^Edit/ }).click()
    await page.getByRole('dialog', { name: 'Edit case' }).waitFor()
    await expectFits(page)
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await detail.getByRole('button', { name: 'Back to the cases' }).click()
    await list.waitFor()
  }
})

/** Expects that nothing has to be scrolled sideways, and that axe finds nothing. */
async function expectFits(page: Page): Promise<void> {
  expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true)
  const wide = await page.evaluate(`[...document.querySelectorAll('main, main *, [role=dialog] *')]
    .filter(one => one.scrollWidth > one.clientWidth + 1 && /auto|scroll/.test(getComputedStyle(one).overflowX) &&
      one.matches(':not(pre, [role=tablist], .cm-scroller)'))
    .map(one => one.className)`)
  expect(wide).toEqual([])
  await expectAccessibleInBothSchemes(page)
}
