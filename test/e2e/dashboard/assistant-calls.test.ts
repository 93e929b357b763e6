import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { createAction } from '../../support/actions.ts'
import { startExternalSystem } from '../../support/external-system.ts'
import { connectMcp, httpTransport } from '../../support/mcp-client.ts'
import { waitMs } from '../../support/patience.ts'
import { createConnection } from '../../support/rest-client.ts'
import { expectAccessible, expectAccessibleInBothSchemes } from './accessibility.ts'
import { dashboardTests } from './fixture.ts'

const { open } = dashboardTests()

/** Opens a dashboard with two tools, and connects an MCP client under a name with a token of its own. */
async function openWithClient(clientName: string, token: object = {}) {
  const system = await startExternalSystem((request, response) => {
    response.statusCode = request.url.includes('ORD-0') ? 404 : 200
    response.setHeader('content-type', 'application/json').end('{"order":{"status":"paid"}}')
  })
  const dashboard = await open({ own: true })
  const { rest } = dashboard.service
  const { connectionId } = await createConnection(rest, { name: 'Acme', baseUrl: system.url })
  const parameters = [{ name: 'order_id', type: 'string', description: 'Order number', required: true }]
  await createAction(rest, connectionId, { name: 'Look up', toolName: 'look_up_order', parameters })
  const refund = await createAction(rest, connectionId, {
    ...{ name: 'Create a refund', toolName: 'create_refund', method: 'POST', path: '/refunds', parameters },
  })
  const { body } = await rest('POST', '/assistant/tokens', { name: 'Laptop', ...token })
  const created = z.object({ token: z.string(), tokenId: z.string() }).parse(body)
  const url = `${dashboard.service.dashboardUrl}/mcp/${connectionId}`
  const { client } = await connectMcp(httpTransport(url, created.token), '2026-07-28', clientName)
  // A call that asks waits for what the test looks at meanwhile.
  const call = (name: string, order_id: string) =>
    client.callTool({ name, arguments: { order_id } }, { timeout: waitMs })
  return { ...dashboard, connectionId, refund, tokenId: created.tokenId, client, call, system }
}

const card = (page: Page) => page.getByRole('region', { name: 'Client configuration' })
const calls = (page: Page) => page.getByRole('table', { name: 'Tool calls, newest first' })

describe('an MCP client', () => {
  test('is connected, and each of its calls is logged and opens in full', async () => {
    const { page, go, call, client, connectionId, service, tokenId, refund } =
      await openWithClient('Visual Studio Code')
    await client.listTools()
    await go('/assistant')
    await card(page)
      .getByRole('tab', { name: /VS Code.*connected/ })
      .click()
    await card(page).getByText('VS Code is connected').waitFor()
    await call('look_up_order', 'ORD-20418')
    await call('look_up_order', 'ORD-0')
    await service.rest('PATCH', `/assistant/tokens/${tokenId}`, {
      permissions: { [refund.actionId]: 'refuse' },
    })
    await call('create_refund', 'ORD-7').catch(() => {})
    const rows = calls(page).getByRole('row')
    await expect.poll(() => rows.count()).toBe(4)
    const text = async (index: number) => (await rows.nth(index).innerText()).replace(/\s+/g, ' ')
    await expect.poll(() => text(1)).toMatch(/VS Code create_refund order_id: "ORD-7" refused/)
    await expect.poll(() => text(2)).toMatch(/look_up_order order_id: "ORD-0" 404/)
    await expect.poll(() => text(3)).toMatch(/look_up_order order_id: "ORD-20418" 200 \d/)
    await card(page).getByText('3 calls').waitFor()
    await page.getByText('1 client connected').waitFor()
    await expectAccessibleInBothSchemes(page)

    await rows
      .nth(1)
      .getByRole('button', { name: /show the refused call$/ })
      .click()
    const refusal = page.getByRole('dialog', { name: 'Refused call' })
    await refusal.getByText('tool_not_permitted').waitFor()
    await expectAccessible(page)
    await refusal.getByRole('button', { name: 'Rerun with edited arguments' }).click()
    await expect.poll(() => page.url()).toContain(`action=${refund.actionId}&panel=test`)
    await expect.poll(() => page.getByLabel('order_id').first().inputValue()).toBe('ORD-7')

    await go('/assistant')
    await rows
      .nth(3)
      .getByRole('link', { name: /show the call$/ })
      .click()
    await expect.poll(() => page.url()).toContain(`/connections/${connectionId}/activity?item=call_`)
    await page.getByRole('region', { name: 'look_up_order' }).getByText('"paid"').waitFor()
    await page
      .getByRole('region', { name: 'look_up_order' })
      .getByText('MCP client · Visual Studio Code, Laptop')
      .waitFor()

    await go('/assistant')
    await page.getByRole('button', { name: 'All calls' }).click()
    await expect.poll(() => page.url()).toContain(`/connections/${connectionId}/activity?show=outbound`)
    await page.getByText('create_refund').first().click()
    await page.getByText('The token of this client may not call the tool. Nothing was sent.').waitFor()
  })
})

describe('a call that changes data', () => {
  test('is announced on every screen with its arguments, and allowed or declined there', async () => {
    const { page, go, call, system } = await openWithClient('Claude Desktop', { askFirst: true })
    const navigation = page.getByRole('navigation', { name: 'Main' })
    const first = call('create_refund', 'ORD-20418')
    const toast = page.getByRole('alert').filter({ hasText: 'wants to call create_refund' })
    await toast.waitFor()
    await navigation.getByRole('link', { name: 'Assistant 1 waiting' }).waitFor()
    await expectAccessibleInBothSchemes(page)
    await toast.getByText('"ORD-20418"').waitFor()
    await toast.getByText(/^expires in \d/).waitFor()
    expect(system.requests).toHaveLength(0)

    // Its keys work once there was time to read it.
    await toast.getByRole('button', { name: 'Allow A' }).waitFor()
    await page.keyboard.press('a')
    expect(await first).toMatchObject({ content: expect.anything() })
    expect(system.requests).toHaveLength(1)
    await toast.waitFor({ state: 'detached' })

    const isDeclined = (called: ReturnType<typeof call>) =>
      called.then(
        ({ isError }) => isError,
        () => true,
      )
    const second = isDeclined(call('create_refund', 'ORD-8'))
    await toast.getByRole('button', { name: 'Decline X' }).waitFor()
    await page.keyboard.press('x')
    expect(await second).toBe(true)
    await toast.waitFor({ state: 'detached' })

    await go('/assistant')
    const third = call('create_refund', 'ORD-10')
    const held = page.getByRole('region', { name: 'Waiting: create_refund' })
    await held.getByText('Claude Desktop').waitFor()
    await held.getByText('"ORD-10"').waitFor()
    await expectAccessibleInBothSchemes(page)
    expect(await toast.count()).toBe(0)
    await held.getByRole('button', { name: 'Allow' }).focus()
    await page.keyboard.press('Enter')
    expect(await third).toMatchObject({ content: expect.anything() })
    expect(system.requests).toHaveLength(2)
    await held.waitFor({ state: 'detached' })

    const fourth = isDeclined(call('create_refund', 'ORD-9'))
    await held.getByRole('button', { name: 'Decline' }).click()
    expect(await fourth).toBe(true)
    await held.waitFor({ state: 'detached' })
    expect(system.requests).toHaveLength(2)
    await expect.poll(() => calls(page).getByRole('row').nth(1).innerText()).toContain('refused')
  })

  test('shows what its arguments are, whatever is in them, and does not show millions of characters at once', async () => {
    const { page, call, system } = await openWithClient('\u202eedoC edualC', { askFirst: true })
    const value = `ORD-1\u202e00 :"ytitnauq" \u200b<img src="x">${'9'.repeat(300_000)}end`
    const called = call('create_refund', value)
    const toast = page.getByRole('alert').filter({ hasText: 'wants to call create_refund' })
    await toast.waitFor()
    const shown = await toast.innerText()
    expect(shown).toContain('ORD-1\\u202e00 :\\"ytitnauq\\" \\u200b<img')
    expect(shown).not.toMatch(/[\u200b\u202e]/)
    expect(shown.length).toBeLessThan(30_000)
    await expectAccessible(page)
    await toast.getByRole('button', { name: /^Show all 300,/ }).press('Enter')
    await expect.poll(() => toast.innerText()).toContain('end"')
    await toast.getByRole('button', { name: /^Allow/ }).press('Enter')
    await called
    expect(JSON.parse(system.requests[0]?.body.toString() ?? '')).toEqual({ order_id: value })
  })

  test('is decided once in two tabs, by a key that is not typed into a field or pressed over a dialog', async () => {
    const { page, call, system, service } = await openWithClient('Claude Desktop', { askFirst: true })
    const other = await page.context().newPage()
    await other.goto(`${service.dashboardUrl}/#/workflows`)
    const toastOn = (one: Page) => one.getByRole('alert').filter({ hasText: 'wants to call create_refund' })
    const first = call('create_refund', 'ORD-1')
    for (const one of [page, other]) await toastOn(one).getByRole('button', { name: 'Allow A' }).waitFor()
    await page.keyboard.press('Control+k')
    const find = page.getByRole('dialog').getByRole('combobox')
    await find.fill('x')
    await find.press('a')
    await find.press('x')
    expect(await find.inputValue()).toBe('xax')
    await page.keyboard.press('Tab')
    await page.keyboard.press('a')
    expect(system.requests).toHaveLength(0)
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await Promise.all([page.keyboard.press('a'), other.keyboard.press('a')])
    expect(await first).toMatchObject({ content: expect.anything() })
    for (const one of [page, other]) await toastOn(one).waitFor({ state: 'detached' })
    expect(system.requests).toHaveLength(1)
    await other.close()
  })

  test('leaves its keys to a screen that has them itself', async () => {
    const { page, go, call, service, system } = await openWithClient('Cursor', { askFirst: true })
    const steps = [{ key: 'end', type: 'stop', outcome: 'succeeded' }]
    const trigger = { type: 'external.event' }
    const { body } = await service.rest('POST', '/workflows', { name: 'Orders', trigger, steps })
    const { workflowId } = z.object({ workflowId: z.string() }).parse(body)
    await go(`/workflows/${workflowId}`)
    await page.getByRole('button', { name: 'Add a step' }).first().waitFor()
    const asked = call('create_refund', 'ORD-11')
    const toast = page.getByRole('alert').filter({ hasText: 'wants to call create_refund' })
    // Of the two, X is free here.
    await toast.getByRole('button', { name: 'Decline X' }).waitFor()
    expect(await toast.getByRole('button', { name: 'Allow', exact: true }).count()).toBe(1)
    await page.keyboard.press('a')
    await page.getByRole('menu').waitFor()
    expect(system.requests).toHaveLength(0)
    await page.keyboard.press('Escape')
    await toast.getByRole('button', { name: 'Allow' }).click()
    expect(await asked).toMatchObject({ content: expect.anything() })
  })
})
