import type { ServerResponse } from 'node:http'
import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { Action } from '#shared/model/action.ts'
import { createAction, testAction } from '../../support/actions.ts'
import { isSigned, type SystemRequest, startExternalSystem } from '../../support/external-system.ts'
import { createConnection } from '../../support/rest-client.ts'
import { expectAccessible, expectAccessibleInBothSchemes } from './accessibility.ts'
import { dashboardTests } from './fixture.ts'

const { open, sharedService } = dashboardTests()

const refund =
  '{"refund":{"id":9007199254740993,"status":"pending","amount":{"value":49.00}},"order":{"status":"paid"}}'
const refundParameters = [
  { name: 'order_id', type: 'string', description: 'Which order', required: true },
  { name: 'amount', type: 'number', description: 'How much', required: true },
  { name: 'metadata', type: 'object', description: 'Anything else', required: false },
  { name: 'notify', type: 'boolean', description: 'Tell the customer', required: false },
]

/** Starts a service with a connection to an external system. */
async function withConnection(answer?: (request: SystemRequest, response: ServerResponse) => void) {
  const system = await startExternalSystem(
    answer ?? ((_request, response) => void response.setHeader('x-request-id', 'req_1').end(refund)),
  )
  const service = await sharedService()
  const connection = await createConnection(service.rest, { name: 'Acme', baseUrl: `${system.url}/v2` })
  const { connectionId } = connection
  const path = `/connections/${connectionId}/actions`
  return {
    system,
    service,
    connection,
    path,
    create: (fields: object = {}) => createAction(service.rest, connectionId, fields),
    createRefund: (fields: object = {}) =>
      createAction(service.rest, connectionId, {
        name: 'Create a refund',
        toolName: 'create_refund',
        method: 'POST',
        path: '/refunds',
        parameters: refundParameters,
        ...fields,
      }),
    async actions(): Promise<Action[]> {
      const { body } = await service.rest('GET', path)
      return z.array(Action).parse(body)
    },
  }
}

const rows = (page: Page) => page.getByRole('grid', { name: 'Actions' }).getByRole('row')
const rowOf = (page: Page, name: string) => rows(page).filter({ hasText: name })
const send = (page: Page) => page.getByRole('button', { name: /^Send (GET|POST|DELETE) request/ })
const mapped = (page: Page) => page.getByRole('region', { name: 'What the assistant receives' })

describe('the table', () => {
  test('selects, filters, switches and deletes with the keyboard, and undoes it', async () => {
    const { service, path, createRefund, create, actions } = await withConnection()
    const original = await createRefund({
      headers: { 'X-Key': '{{SHOP_KEY}}' },
      responseMapping: { refund_id: 'refund.id' },
    })
    await create({ name: 'Look up', parameters: [{ ...refundParameters[0], name: 'orderId' }] })
    const { page } = await open({ at: service, path })
    await rowOf(page, 'Create a refund').waitFor()
    await page.getByRole('tab', { name: /Actions\s*2/ }).waitFor()
    await expectAccessible(page)

    for (const key of ['e', 'Delete', 'Backspace', 'Control+Enter']) await page.keyboard.press(key)
    await page.keyboard.press('/')
    await page.keyboard.type('post refund')
    await expect.poll(() => rows(page).count()).toBe(1)
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('e')
    await page.getByRole('switch', { name: 'Enable Create a refund', checked: false }).waitFor()
    await page.getByText('Create a refund disabled. The assistant can’t call it.').waitFor()
    await expect.poll(async () => (await actions())[0]?.isEnabled).toBe(false)
    await page.keyboard.press('Control+z')
    await page.getByText('Create a refund enabled. The assistant can call it.').waitFor()
    await expect.poll(actions).toMatchObject([{ isEnabled: true }, { name: 'Look up', isEnabled: true }])
    await page.keyboard.press('e')
    await page.getByText('Create a refund disabled. The assistant can’t call it.').waitFor()
    expect((await actions())[0]?.isEnabled).toBe(false)

    await page.keyboard.press('Delete')
    await page.getByText('Action “Create a refund” deleted').waitFor()
    await expect.poll(async () => (await actions()).length).toBe(1)
    // In a field, Ctrl+Z undoes typing.
    await page.getByLabel('Filter actions').press('Control+z')
    expect(await actions()).toHaveLength(1)
    await page.getByLabel('Filter actions').press('Escape')
    await page.getByLabel('Filter actions').evaluate('document.activeElement.blur()')
    await page.keyboard.press('Control+z')
    await page.getByText('Action “Create a refund” is back').waitFor()
    const { updatedAt: _, warnings: __, ...fields } = original
    await expect.poll(actions).toMatchObject([{ ...fields, isEnabled: false }, { name: 'Look up' }])

    // An unusual parameter name works, so it needs no attention.
    await page.getByText('Needs attention 1').click()
    await expect.poll(() => rows(page).count()).toBe(1)
    await rowOf(page, 'Create a refund').getByText('The variable SHOP_KEY is not set.').waitFor()
  })

  test('keeps the cursor in the filter when text is inserted in the middle', async () => {
    const { service, path, createRefund } = await withConnection()
    const { actionId } = await createRefund()
    const { page, go } = await open({ at: service, path })
    await rowOf(page, 'Create a refund').waitFor()
    const filter = page.getByLabel('Filter actions')
    for (const at of [path, `${path}?action=${actionId}`]) {
      await go(at)
      await filter.fill('refd')
      await filter.press('ArrowLeft')
      await filter.pressSequentially('un')
      await expect.poll(() => filter.inputValue()).toBe('refund')
      await expect.poll(() => rows(page).count()).toBe(1)
    }
  })

  test('shows the result of the last test, and opens it', async () => {
    const { service, connection, path, createRefund } = await withConnection(
      (_request, response) => void response.writeHead(422).end('{}'),
    )
    const { connectionId } = connection
    const { actionId } = await createRefund()
    const { page } = await open({ at: service, path })
    await rowOf(page, 'Create a refund').getByText('Not tested').waitFor()
    await testAction(service.rest, { connectionId, actionId }, { order_id: 'x', amount: 1 })
    await rowOf(page, 'Create a refund').getByText('422').waitFor()
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Control+Enter')
    await page.getByText('422 Unprocessable Content').waitFor()
    await page.keyboard.press('Escape')
    await rowOf(page, 'Create a refund').waitFor()
  })

  test('duplicates an action, disabled and with its own tool name', async () => {
    const { service, path, createRefund, actions } = await withConnection()
    await createRefund()
    const { page } = await open({ at: service, path })
    await rowOf(page, 'Create a refund').click({ button: 'left', position: { x: 5, y: 5 } })
    await page.getByRole('region', { name: 'Create a refund' }).waitFor()
    await page.getByRole('button', { name: 'More for Create a refund' }).click()
    await page.getByRole('menuitem', { name: 'Duplicate' }).click()
    await page.getByRole('heading', { name: 'Create a refund copy' }).waitFor()
    await expect
      .poll(actions)
      .toMatchObject([
        { isEnabled: true },
        { toolName: 'create_refund_copy', isEnabled: false, parameters: refundParameters },
      ])
  })

  test('renders only the visible rows of a thousand, and reaches the last', async () => {
    const { service, connection } = await withConnection()
    const text = JSON.stringify({
      actions: Array.from({ length: 1000 }, (_, index) => ({
        name: `Action ${String(index).padStart(4, '0')}`,
        description: 'When somebody asks.',
        path: `/action/${index}`,
        headers: { 'X-Key': '{{KEY}}' },
        parameters: refundParameters,
      })),
    })
    const { connectionId } = connection
    expect((await service.rest('POST', '/import', { text, connectionId })).status).toBe(200)
    const { page } = await open({ at: service, path: `/connections/${connectionId}` })
    const tab = page.getByRole('tab', { name: /Actions\s*1,000/ })
    await tab.waitFor()
    await tab.click()
    await rowOf(page, 'Action 0000').waitFor()
    expect(await rows(page).count()).toBeLessThan(60)
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('End')
    await rowOf(page, 'Action 0999').waitFor()
  })
})

describe('a definition', () => {
  test('can be written with the keyboard, and its tool name follows the name until it is edited', async () => {
    const { service, path, system, actions } = await withConnection()
    const { page } = await open({ at: service, path })
    await page.getByRole('heading', { name: 'No actions yet' }).waitFor()
    await expectAccessible(page)
    await page.keyboard.press('n')
    await page.locator('input:focus').waitFor()
    await page.keyboard.type('Größe prüfen')
    await expect.poll(() => page.getByLabel('Tool name').inputValue()).toBe('grosse_prufen')
    await page.getByLabel('Description', { exact: true }).fill('When the customer asks for a size.')
    await page.getByRole('button', { name: 'Method: POST' }).click()
    await page.getByRole('option', { name: 'GET' }).waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('option', { name: 'GET' }).waitFor({ state: 'hidden' })
    await page.getByRole('button', { name: 'Method: POST' }).click()
    await page.getByRole('option', { name: 'GET' }).click()
    await page.getByLabel('Path', { exact: true }).fill('/sizes?unit=cm')

    await page.getByRole('button', { name: 'Add a parameter' }).click()

    await page.locator('input:focus').waitFor()
    await page.keyboard.type('sku')
    await page.getByLabel('Description of sku').fill('Which article')
    await page.getByRole('button', { name: 'Add a parameter' }).click()
    await page.locator('input:focus').waitFor()
    await page.keyboard.type('withStock')
    await page.getByText('withStock is not in snake_case, which is recommended.').waitFor()
    await page.getByLabel('Type of withStock').selectOption('boolean')
    await page.getByLabel('Description of withStock').fill('Whether to count')
    await page.keyboard.press('Alt+ArrowUp')
    await expect
      .poll(() => page.evaluate('document.activeElement.ariaLabel'))
      .toBe('Description of withStock')
    await page.getByText(`Calls GET ${system.url}/v2/sizes?unit=cm&withStock=…&sku=…`).waitFor()
    await expectAccessible(page)

    await page.keyboard.press('Control+s')
    await page.getByText('Action “Größe prüfen” created').waitFor()
    await expect.poll(actions).toMatchObject([
      {
        toolName: 'grosse_prufen',
        method: 'GET',
        path: '/sizes?unit=cm',
        parameters: [
          { name: 'withStock', type: 'boolean' },
          { name: 'sku', type: 'string' },
        ],
        isEnabled: true,
      },
    ])

    // A renamed action keeps its tool name, because assistants may use it.
    await page.getByLabel('Name', { exact: true }).fill('Check size')
    await page.getByRole('button', { name: 'Use suggestion: check_size' }).click()
    await page.getByText('Name, Tool name').waitFor()
    await page.keyboard.press('Control+s')
    await page.getByText('Unsaved:').waitFor({ state: 'detached' })
    await expect.poll(actions).toMatchObject([{ name: 'Check size', toolName: 'check_size' }])
  })

  test('shows a problem at its field, and focuses it', async () => {
    const { service, path, create, createRefund, actions } = await withConnection()
    await create({ name: 'Look up', toolName: 'look_up' })
    const { actionId } = await createRefund()
    const { page } = await open({ at: service, path: `${path}?action=${actionId}` })
    await page.getByLabel('Tool name').fill('look_up')
    await page.getByText('Look up has this tool name already.').waitFor()
    await page.getByLabel('Path', { exact: true }).fill('/orders/{id}')
    await page.getByText('No parameter fills {id}. Add a parameter of this name').waitFor()
    await page.getByRole('button', { name: 'Add a header' }).click()
    await page.getByLabel('Header name').and(page.locator(':focus')).fill('Host')
    await page.getByText('The header Host is set by the service itself.').waitFor()
    await page.getByRole('button', { name: 'Remove amount' }).click()
    // Pointed at, it stays until it is pressed below.
    await page.getByText('Parameter “amount” removed').hover()
    await page
      .getByRole('button', { name: /^Remove/ })
      .and(page.locator(':focus'))
      .waitFor()
    await expectAccessible(page)
    await page.keyboard.press('Control+s')
    await expect
      .poll(() => page.evaluate('document.activeElement.id'))
      .toBe(await page.getByLabel('Tool name').getAttribute('id'))
    await page.getByRole('button', { name: 'Undo' }).click()
    await page.getByRole('button', { name: 'Remove amount' }).waitFor()
    await page.getByRole('button', { name: 'Discard' }).click()
    await page.getByText('Unsaved:').waitFor({ state: 'detached' })
    expect((await actions()).at(-1)).toMatchObject({ toolName: 'create_refund', path: '/refunds' })
  })

  test('asks before unsaved changes are lost, but not between its own tabs', async () => {
    const { service, path, create, createRefund } = await withConnection()
    await create({ name: 'Look up', toolName: 'look_up' })
    const { actionId } = await createRefund()
    const { page } = await open({ at: service, path: `${path}?action=${actionId}` })
    await page.getByLabel('Name', { exact: true }).fill('Refund')
    await page.getByRole('tab', { name: 'Test', exact: true }).click()
    await page.getByRole('button', { name: /^Save and send POST/ }).waitFor()
    await page.getByRole('tab', { name: 'Definition' }).click()
    await expect.poll(() => page.getByLabel('Name', { exact: true }).inputValue()).toBe('Refund')

    const question = page.getByRole('dialog', { name: 'Leave without saving?' })
    await rowOf(page, 'Look up').click({ position: { x: 5, y: 5 } })
    await question.waitFor()
    await expectAccessible(page)
    await page.keyboard.press('Escape')
    await question.waitFor({ state: 'detached' })
    await expect.poll(() => page.getByLabel('Name', { exact: true }).inputValue()).toBe('Refund')
    await page.getByRole('tab', { name: 'Overview' }).click()
    await question.getByRole('button', { name: 'Keep editing' }).click()
    await page.getByRole('button', { name: 'Close editor' }).click()
    await question.getByRole('button', { name: 'Discard changes' }).click()
    await rowOf(page, 'Create a refund').waitFor()
    await page.getByRole('region', { name: 'Create a refund' }).waitFor({ state: 'detached' })
  })

  test('can be saved from that question, or focuses its first problem', async () => {
    const { service, path, createRefund, actions } = await withConnection()
    const { actionId } = await createRefund()
    const { page } = await open({ at: service, path: `${path}?action=${actionId}` })
    const name = page.getByLabel('Name', { exact: true })
    const question = page.getByRole('dialog', { name: 'Leave without saving?' })
    await page.getByRole('heading', { name: 'Create a refund' }).waitFor()
    await page.getByRole('tab', { name: 'Overview' }).click()
    await page.getByRole('heading', { name: 'Take the URL and the secret' }).waitFor()
    await page.evaluate('history.back()')
    await name.fill('')
    await page.getByRole('tab', { name: 'Test', exact: true }).click()
    await send(page)
      .or(page.getByRole('button', { name: 'Save and send POST' }))
      .waitFor()
    // The browser's history has already moved when the question opens.
    await page.evaluate('history.forward()')
    await question.getByRole('button', { name: 'Save', exact: true }).click()
    await question.waitFor({ state: 'detached' })
    await name.and(page.locator(':focus')).waitFor()
    expect(await actions()).toMatchObject([{ name: 'Create a refund' }])

    await name.fill('Refund')
    await page.evaluate('history.forward()')
    await question.getByRole('button', { name: 'Save', exact: true }).click()
    await page.getByRole('heading', { name: 'Take the URL and the secret' }).waitFor()
    await expect.poll(actions).toMatchObject([{ name: 'Refund' }])
  })

  test('creates a new action from that question, and continues the navigation', async () => {
    const { service, path, actions } = await withConnection()
    const { page } = await open({ at: service, path: `${path}?action=new` })
    await page.getByLabel('Name', { exact: true }).fill('Look up')
    await page.getByLabel('Description', { exact: true }).fill('Finds an order.')
    await page.getByLabel('Path', { exact: true }).fill('/orders')
    await page.getByRole('tab', { name: 'Overview' }).click()
    const question = page.getByRole('dialog', { name: 'Leave without saving?' })
    await question.getByRole('button', { name: 'Create action' }).click()
    await page.getByRole('heading', { name: 'Take the URL and the secret' }).waitFor()
    await expect.poll(actions).toMatchObject([{ name: 'Look up', toolName: 'look_up' }])
  })

  test('marks a variable that is not set, and can set it', async () => {
    const { service, path, createRefund } = await withConnection()
    const { actionId } = await createRefund({ headers: { 'X-Key': '{{SHOP_KEY}}' } })
    const { page } = await open({ at: service, path: `${path}?action=${actionId}` })
    await page.getByText('SHOP_KEY is not set; calls fail until it is.').waitFor()
    await page.getByRole('button', { name: 'Set it' }).click()
    const dialog = page.getByRole('dialog', { name: 'Set SHOP_KEY' })
    await dialog.getByLabel('Value', { exact: true }).fill('sk-canary-4711')
    await expectAccessible(page)
    await page.keyboard.press('Enter')
    await page.getByText('SHOP_KEY is not set; calls').waitFor({ state: 'detached' })
    await page.getByText('The variable SHOP_KEY is not set.').waitFor({ state: 'detached' })
    const { body } = await service.rest('GET', '/environment')
    expect(body).toMatchObject([{ name: 'SHOP_KEY', sources: ['settings'] }])
    expect(await page.content()).not.toContain('sk-canary-4711')
  })

  test('merges changes made elsewhere, and keeps its own', async () => {
    const { service, path, createRefund, actions } = await withConnection()
    const { actionId } = await createRefund()
    const { page } = await open({ at: service, path: `${path}?action=${actionId}` })
    await page.getByLabel('Name', { exact: true }).fill('Refund')
    await service.rest('PATCH', `${path}/${actionId}`, { path: '/v3/refunds', name: 'Other' })
    await expect.poll(() => page.getByLabel('Path', { exact: true }).inputValue()).toBe('/v3/refunds')
    await page.getByRole('button', { name: 'Keep mine: name' }).click()
    await page.keyboard.press('Control+s')
    await page.getByText('Unsaved:').waitFor({ state: 'detached' })
    await expect.poll(actions).toMatchObject([{ name: 'Refund', path: '/v3/refunds' }])
  })

  test('keeps its rows and the cursor when another field is changed elsewhere', async () => {
    const { service, path, createRefund } = await withConnection()
    const { actionId } = await createRefund()
    const { page } = await open({ at: service, path: `${path}?action=${actionId}` })
    const names = page.getByLabel('Header name')
    for (const name of ['X-Shop', 'X-Shop']) {
      await page.getByRole('button', { name: 'Add a header' }).click()
      await page.locator('input:focus').waitFor()
      await page.keyboard.type(name)
    }
    await page.keyboard.press('ArrowLeft')
    await service.rest('PATCH', `${path}/${actionId}`, { path: '/v3/refunds' })
    await expect.poll(() => page.getByLabel('Path', { exact: true }).inputValue()).toBe('/v3/refunds')
    await page.keyboard.type('-')
    expect(await Promise.all((await names.all()).map(name => name.inputValue()))).toEqual([
      'X-Shop',
      'X-Sho-p',
    ])
  })

  test('restores a removed parameter once, by Discard and by Undo', async () => {
    const { service, path, createRefund } = await withConnection()
    const { actionId } = await createRefund()
    const { page } = await open({ at: service, path: `${path}?action=${actionId}` })
    await page.getByRole('button', { name: 'Remove notify' }).click()
    await page.getByRole('button', { name: 'Discard' }).click()
    await page.getByRole('button', { name: 'Remove notify' }).waitFor()
    await page.getByRole('button', { name: 'Undo' }).click()
    await page.getByText('Parameter “notify” is back').waitFor()
    await expect.poll(() => page.getByRole('button', { name: 'Remove notify' }).count()).toBe(1)
  })
})

describe('a test', () => {
  test('keeps the focus at an argument that is left out or sent empty', async () => {
    const { service, path, createRefund } = await withConnection()
    const { actionId } = await createRefund()
    const { page } = await open({ at: service, path: `${path}?action=${actionId}&panel=test` })
    const notify = page.getByRole('radiogroup', { name: 'notify' })
    await notify.getByRole('radio', { name: 'Left out' }).press('ArrowRight')
    await notify.getByRole('radio', { name: 'true' }).and(page.locator(':focus')).press('ArrowLeft')
    await notify.locator('input[value="out"]:focus:checked').waitFor({ state: 'attached' })
    await page.keyboard.press('Control+Enter')
    await page.getByRole('button', { name: 'Send it empty' }).press('Enter')
    await page.getByLabel('order_id').and(page.locator(':focus')).waitFor()
  })

  test('begins with the arguments of the last one, with all digits', async () => {
    const { service, path, connection, system, createRefund } = await withConnection()
    const { actionId } = await createRefund()
    const { connectionId } = connection
    const amount = JSON.rawJSON('12345678901234567890.10')
    await testAction(service.rest, { connectionId, actionId }, { order_id: 'ORD-1', amount })
    const { page } = await open({ at: service, path: `${path}?action=${actionId}&panel=test` })
    await expect.poll(() => page.getByLabel('amount').inputValue()).toBe('12345678901234567890.10')
    await send(page).click()
    await expect.poll(() => system.requests.length).toBe(2)
    expect(system.requests[1]?.body).toBe(system.requests[0]?.body)
    await page.getByRole('tab', { name: 'History' }).click()
    await page.getByRole('option').getByText('amount 12345678901234567890.10').first().waitFor()
  })

  test('of another day shows its date', async () => {
    const { service, path, connection, createRefund } = await withConnection()
    const { actionId } = await createRefund()
    const { connectionId } = connection
    for (const order of ['ORD-1', 'ORD-2'])
      await testAction(service.rest, { connectionId, actionId }, { order_id: order, amount: 1 })
    const { page, go } = await open({ at: service, own: true })
    await page.clock.setFixedTime(Date.now() + 172_800_000)
    await go(`${path}?action=${actionId}&panel=test`)
    const day = new Intl.DateTimeFormat('en-GB', {
      day: 'numeric',
      month: 'short',
      timeZone: 'Europe/Berlin',
    }).format(Date.now())
    await page.getByRole('region', { name: 'Create a refund' }).locator('time').getByText(day).waitFor()
    await page.getByRole('button', { name: '1 earlier' }).click()
    await page.getByRole('menuitem').getByText(day).waitFor()
  })

  test('sends a signed request and shows its status, time, exact body, headers and request', async () => {
    const { service, path, system, connection, createRefund } = await withConnection()
    await service.rest('PUT', '/environment/SHOP_KEY', { value: 'sk-canary-4711' })
    const { actionId } = await createRefund({
      headers: { 'X-Key': 'Bearer {{SHOP_KEY}}' },
      responseMapping: { refund_id: 'refund.id' },
    })
    const { page } = await open({ at: service, path: `${path}?action=${actionId}&panel=test` })
    await page.getByRole('region', { name: 'Before sending' }).waitFor()
    await page.getByText(/It may change data at 127\.0\.0\.1/).waitFor()
    await page.keyboard.press('Control+Enter')
    await page.getByText('order_id is required.', { exact: true }).waitFor()
    expect(system.requests).toEqual([])
    for (const { description } of refundParameters) await page.getByText(description).waitFor()
    await expectAccessible(page)

    await page.getByLabel('order_id').fill('ORD-1')
    await page.getByLabel('amount').fill('49.00')
    await page.getByRole('textbox', { name: 'metadata' }).fill('{"ticket":"SUP-1"}')
    await page.getByRole('radiogroup', { name: 'notify' }).getByText('true').click()
    await page.keyboard.press('Control+Enter')
    await page.getByText('200 OK').waitFor()
    const [request] = system.requests
    if (request === undefined) throw new Error('A request has arrived.')
    expect(request).toMatchObject({
      method: 'POST',
      url: '/v2/refunds',
      body: '{"order_id":"ORD-1","amount":49.00,"metadata":{"ticket":"SUP-1"},"notify":true}',
    })
    expect(isSigned(request, connection.credentials.signingSecret)).toBe(true)
    await page
      .getByText(/^[\d.]+ ms$/)
      .first()
      .waitFor()
    await page
      .getByRole('list', { name: /Time of each phase/ })
      .getByText('Waiting')
      .waitFor()
    await page.getByRole('treeitem', { name: /9007199254740993/ }).waitFor()
    await mapped(page).getByText('9007199254740993').waitFor()
    await expectAccessible(page)

    await page.getByText('Raw', { exact: true }).click()
    await page.getByText(refund).waitFor()
    await page.getByText(/^Headers \d+$/).click()
    await page.getByText('x-request-id').waitFor()
    await page.getByText('Request', { exact: true }).last().click()
    await page.getByText('Bearer ••••').waitFor()
    expect(await page.content()).not.toContain('sk-canary-4711')

    await page.getByRole('button', { name: 'Copy as curl' }).click()
    await page.getByText('curl command copied').waitFor()
    const curl = z.string().parse(await page.evaluate('navigator.clipboard.readText()'))
    expect(curl).toContain(`${system.url}/v2/refunds`)
    // biome-ignore lint/suspicious/noTemplateCurlyInString: the shell's own
    expect(curl).toContain('Bearer ${SHOP_KEY:?}')
    expect(curl).not.toContain(connection.credentials.signingSecret)
  })

  test('maps a list, a header and the status of an answer', async () => {
    const { service, path, actions, createRefund } = await withConnection((_request, response) => {
      response.writeHead(201, { Location: '/refunds/7', Link: ['</2>; rel="next"', '</9>; rel="last"'] })
      response.end('[{"id":9007199254740993},{"id":2}]')
    })
    const { actionId } = await createRefund()
    const { page } = await open({ at: service, path: `${path}?action=${actionId}&panel=test` })
    await page.getByLabel('order_id').fill('ORD-1')
    await page.getByLabel('amount').fill('1')
    await send(page).click()
    await page.getByText('201 Created').waitFor()
    await page.getByRole('button', { name: 'Map the list as items' }).click()
    await mapped(page).getByText('[{"id":9007199254740993},{"id":2}]').waitFor()
    await page.getByText(/^Headers \d+$/).click()
    await page.getByRole('button', { name: 'Map location', exact: true }).click()
    await mapped(page).getByText('"/refunds/7"').waitFor()
    await page.getByRole('button', { name: 'Map link', exact: true }).click()
    await mapped(page)
      .getByText(JSON.stringify(['</2>; rel="next"', '</9>; rel="last"']))
      .waitFor()
    await expectAccessibleInBothSchemes(page)
    await page.getByRole('button', { name: 'Unmap link', exact: true }).click()

    await page.getByRole('tab', { name: 'Definition' }).click()
    await page.getByText('A path can also be').waitFor()
    await page.getByRole('button', { name: 'Add a field' }).click()
    await page.getByLabel('Alias').last().fill('code')
    await page.getByLabel('Path of code').fill('$status')
    await page.keyboard.press('Control+s')
    const responseMapping = { items: '$body', location: '$headers.location', code: '$status' }
    await expect.poll(actions).toMatchObject([{ responseMapping }])
  })

  test('keeps the typed arguments and the earlier tests', async () => {
    const { service, path, create, createRefund } = await withConnection(
      ({ body }, response) => void response.writeHead(body.includes('ORD-1') ? 200 : 404).end(body),
    )
    await create({ name: 'Look up', toolName: 'look_up' })
    const { actionId } = await createRefund()
    const { page } = await open({ at: service, path: `${path}?action=${actionId}&panel=test` })
    for (const [order, status] of [
      ['ORD-1', '200 OK'],
      ['ORD-2', '404 Not Found'],
    ] as const) {
      await page.getByLabel('order_id').fill(order)
      await page.getByLabel('amount').fill('1')
      await send(page).click()
      await page.getByText(status).waitFor()
    }
    await page.getByLabel('order_id').fill('ORD-3')
    await rowOf(page, 'Look up').click({ position: { x: 5, y: 5 } })
    await page.getByText('The action takes no arguments.').waitFor()
    await rowOf(page, 'Create a refund').click({ position: { x: 5, y: 5 } })
    await page.getByText('404 Not Found').waitFor()
    await expect.poll(() => page.getByLabel('order_id').inputValue()).toBe('ORD-3')

    await page.getByRole('button', { name: '1 earlier' }).click()
    await page.getByRole('menuitem', { name: /200/ }).click()
    await page.getByText('200 OK').waitFor()
    await page.getByRole('button', { name: 'Use its arguments' }).click()
    await expect.poll(() => page.getByLabel('order_id').inputValue()).toBe('ORD-1')

    await page.getByRole('tab', { name: /History\s*2/ }).click()
    const history = page.getByRole('listbox', { name: 'Calls of Create a refund' })
    await expect.poll(() => history.getByRole('option').count()).toBe(2)
    await expectAccessible(page)
    await history.focus()
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')
    await page.getByText('404 Not Found').waitFor()
    // The list is gone, and the focus is in the editor.
    await page
      .locator('section:focus')
      .and(page.getByRole('region', { name: 'Create a refund' }))
      .waitFor()
    // A reload keeps the typed arguments. Another tab starts with those of the last test.
    await page.getByLabel('order_id').fill('ORD-9')
    await page.reload()
    await page.getByText('404 Not Found').waitFor()
    await expect.poll(() => page.getByLabel('order_id').inputValue()).toBe('ORD-9')
    await page.evaluate('sessionStorage.clear()')
    await page.reload()
    await page.getByText('404 Not Found').waitFor()
    await expect.poll(() => page.getByLabel('order_id').inputValue()).toBe('ORD-2')
  })

  test('of a new action creates it first, or focuses its first problem', async () => {
    const { service, path, system, actions } = await withConnection()
    const { page } = await open({ at: service, path: `${path}?action=new` })
    await page.getByLabel('Path', { exact: true }).fill('/refunds')
    await page.getByLabel('Description', { exact: true }).fill('Gives money back.')
    await page.getByRole('button', { name: 'Add a parameter' }).click()
    await page.locator('input:focus').waitFor()
    await page.keyboard.type('amount')
    await page.getByLabel('Type of amount').selectOption('number')
    await page.getByLabel('Description of amount').fill('How much')
    await page.getByRole('tab', { name: 'Test', exact: true }).click()
    await page.getByLabel('amount').fill('12.50')
    await expectAccessible(page)
    const createAndSend = page.getByRole('button', { name: 'Create and send POST' })
    await createAndSend.click()
    const name = page.getByLabel('Name', { exact: true })
    await name.and(page.locator(':focus')).waitFor()
    expect(await actions()).toEqual([])
    expect(system.requests).toEqual([])

    await page.keyboard.type('Refund')
    await page.getByRole('tab', { name: 'Test', exact: true }).click()
    await createAndSend.click()
    await page.getByText('200 OK').waitFor()
    await expect.poll(() => page.getByLabel('amount').inputValue()).toBe('12.50')
    expect(system.requests).toMatchObject([{ method: 'POST', url: '/v2/refunds', body: '{"amount":12.50}' }])
    await expect.poll(actions).toMatchObject([{ name: 'Refund', toolName: 'refund' }])
    await page.getByRole('tab', { name: /History\s*1/ }).waitFor()
  })

  test('saves the changes first, and sends everything that was typed', async () => {
    const { service, path, system, createRefund, actions } = await withConnection()
    const { actionId } = await createRefund()
    const { page } = await open({ at: service, path: `${path}?action=${actionId}` })
    await page.getByLabel('Path', { exact: true }).fill('/v3/refunds')
    await page.getByRole('tab', { name: 'Test', exact: true }).click()
    await page.getByLabel('amount').fill('12.50')
    await page.getByLabel('order_id').pressSequentially('RD-7')
    await page.keyboard.press('Home')
    await page.keyboard.type('O')
    await page.keyboard.press('Control+Enter')
    await page.getByText('200 OK').waitFor()
    expect(system.requests).toMatchObject([
      { url: '/v2/v3/refunds', body: '{"order_id":"ORD-7","amount":12.50}' },
    ])
    await expect.poll(actions).toMatchObject([{ path: '/v3/refunds' }])
    await page.getByText('Unsaved:').waitFor({ state: 'detached' })

    // An invalid draft is not saved and not sent.
    await page.getByRole('tab', { name: 'Definition' }).click()
    await page.getByLabel('Path', { exact: true }).fill('//elsewhere.example/x')
    await page.getByRole('tab', { name: 'Test', exact: true }).click()
    await page.getByRole('button', { name: /^Save and send POST/ }).click()
    await page.getByText('Remove the host after //. It belongs to the base URL.').waitFor()
    expect(system.requests).toHaveLength(1)
  })

  test('folds the mapped result in a low window', async () => {
    const { service, connection, path, createRefund } = await withConnection()
    const { connectionId } = connection
    const { actionId } = await createRefund({ responseMapping: { refund_id: 'refund.id' } })
    await testAction(service.rest, { connectionId, actionId }, { order_id: 'x', amount: 1 })
    const at = `${path}?action=${actionId}&panel=test`
    const { page } = await open({ at: service, path: at, width: 900, height: 600 })
    const fold = mapped(page).getByRole('button', { name: 'Mapped result' })
    const isShown = () => mapped(page).getByText('refund_id').isVisible()
    await fold.waitFor()
    expect(await isShown()).toBe(false)
    const response = page.getByRole('tree')
    await expect.poll(async () => (await response.boundingBox())?.height).toBeGreaterThan(160)
    await fold.click()
    await expect.poll(isShown).toBe(true)
    await page.setViewportSize({ width: 1280, height: 800 })
    await page.reload()
    await mapped(page).getByText('refund_id').waitFor()
  })

  test('maps a field of the response by click and by key, as an unsaved change', async () => {
    const { service, path, createRefund, actions } = await withConnection()
    const { actionId } = await createRefund()
    const { page } = await open({ at: service, path: `${path}?action=${actionId}&panel=test` })
    await page.getByLabel('order_id').fill('ORD-1')
    await page.getByLabel('amount').fill('1')
    await send(page).click()
    await mapped(page).getByRole('heading', { name: 'Whole response' }).waitFor()
    await page.getByRole('treeitem', { name: /^id/ }).click()
    await page.getByRole('button', { name: 'Map field' }).click()
    await mapped(page).getByRole('heading', { name: 'Mapped result' }).waitFor()
    await page.getByRole('treeitem', { name: /pending/ }).click()
    await page.keyboard.press('Control+Shift+M')
    await page.getByRole('treeitem', { name: /paid/ }).click()
    await page.keyboard.press('Enter')
    await expect
      .poll(() => mapped(page).getByRole('term').allTextContents())
      .toEqual(['refund_id', 'status', 'order_status'])
    expect((await actions())[0]?.responseMapping).toBeNull()
    await page.getByText('Response mapping').waitFor()
    await page.keyboard.press('Control+s')
    await page.getByText('Unsaved:').waitFor({ state: 'detached' })
    expect((await actions())[0]?.responseMapping).toEqual({
      refund_id: 'refund.id',
      status: 'refund.status',
      order_status: 'order.status',
    })
    await page.getByRole('tab', { name: 'Definition' }).click()
    await page.getByRole('button', { name: 'Remove status' }).click()
    await page.getByRole('tree', { name: 'Response' }).waitFor()
    await expectAccessible(page)
  })

  test('says what to do without a base URL, a variable or a listening system', async () => {
    const { service, path, connection, createRefund } = await withConnection()
    const { actionId } = await createRefund({ headers: { 'X-Key': '{{SHOP_KEY}}' }, parameters: [] })
    const { page } = await open({ at: service, path: `${path}?action=${actionId}&panel=test` })
    await send(page).click()
    await page.getByText('A variable is not set').waitFor()
    await page.getByText('missing_environment_variable').first().waitFor()
    await expectAccessible(page)
    await page.getByRole('button', { name: 'Set SHOP_KEY' }).click()
    await page.getByRole('dialog').getByLabel('Value', { exact: true }).fill('12345678')
    await page.getByRole('button', { name: 'Set variable' }).click()
    await page.getByText('Variable “SHOP_KEY” is set').waitFor()
    await send(page).click()
    await page.getByText('200 OK').waitFor()

    const one = `/connections/${connection.connectionId}`
    await service.rest('PATCH', one, { baseUrl: 'http://127.0.0.1:9' })
    await page.getByText('127.0.0.1:9/refunds').waitFor()
    await send(page).click()
    await page.getByText('The call did not reach the host').waitFor()
    await page.getByText('connection_refused').first().waitFor()
    await service.rest('PATCH', one, { baseUrl: null })
    await page.getByText('no base URL /').waitFor()
    const field = page.getByLabel('Base URL', { exact: true })
    await field.waitFor()
    await send(page).click()
    await field.and(page.locator(':focus')).waitFor()
    await page.keyboard.type('no-url')
    await page.keyboard.press('Enter')
    await page.getByText('Write an absolute URL').waitFor()
    await field.fill('http://127.0.0.1:9/v2')
    await page.keyboard.press('Enter')
    await page.getByText('127.0.0.1:9/v2/refunds').waitFor()
    // A call that could not be sent is not a test.
    const { text } = await service.rest('GET', `${one}/actions/${actionId}/tests`)
    expect(text).not.toContain('no_base_url')
  })

  test('sets each missing variable of an earlier test too, however it was made', async () => {
    const { service, path, connection, createRefund } = await withConnection()
    const { actionId } = await createRefund({
      headers: { 'X-Key': '{{SHOP_KEY}}', Authorization: 'Bearer {{SHOP_TOKEN}}' },
      parameters: [],
    })
    const test = `/connections/${connection.connectionId}/actions/${actionId}/test`
    expect((await service.rest('POST', test, {})).text).toContain('missing_environment_variable')
    const { page } = await open({ at: service, path: `${path}?action=${actionId}&panel=test` })
    for (const name of ['SHOP_KEY', 'SHOP_TOKEN']) {
      await page.getByRole('button', { name: `Set ${name}` }).click()
      await page.getByRole('dialog').getByLabel('Value', { exact: true }).fill('12345678')
      await page.getByRole('button', { name: 'Set variable' }).click()
      await page.getByText(`Variable “${name}” is set`).waitFor()
    }
    await send(page).click()
    await page.getByText('200 OK').waitFor()
  })

  test('that takes long can be cancelled, and says what that means', async () => {
    const held: ServerResponse[] = []
    const { service, path, system, createRefund } = await withConnection((_request, response) => {
      held.push(response)
    })
    const { actionId } = await createRefund({ parameters: [] })
    const { page } = await open({ at: service, path: `${path}?action=${actionId}&panel=test` })
    await send(page).click()
    await page.getByText(/^Waiting for 127\.0\.0\.1/).waitFor()
    await expect.poll(() => system.requests.length).toBe(1)
    await expectAccessible(page)
    await page.getByRole('button', { name: 'Cancel' }).click()
    await page.getByRole('heading', { name: 'Cancelled' }).waitFor()
    await page.getByText(/may have reached 127\.0\.0\.1/).waitFor()
    await expect.poll(() => held[0]?.destroyed).toBe(true)
    await page.getByRole('tab', { name: /History\s*1/ }).click()
    await page.getByRole('option').getByText('network_error').waitFor()
  })
})

test('the assistant panel shows the tool, or why there is none', async () => {
  const { service, path, connection, createRefund } = await withConnection()
  const { actionId } = await createRefund()
  const { page } = await open({ at: service, path: `${path}?action=${actionId}&panel=assistant` })
  await page.getByText('Offered as a tool').waitFor()
  await page.getByText('"additionalProperties"').waitFor()
  await expectAccessible(page)
  await service.rest('PATCH', `${path}/${actionId}`, { isEnabled: false })
  await service.rest('PATCH', `/connections/${connection.connectionId}`, { enabled: false })
  await page.getByRole('button', { name: 'Enable connection' }).click()
  await page.getByRole('button', { name: 'Enable action' }).click()
  await page.getByText('Offered as a tool').waitFor()
})

test('a narrow window shows one pane, also in the dark, and Escape goes back', async () => {
  const { service, path, create, createRefund } = await withConnection()
  await create({ name: 'Look up', toolName: 'look_up' })
  await createRefund()
  const { page } = await open({ at: service, path, width: 900, height: 600, scheme: 'dark' })
  await rowOf(page, 'Look up').waitFor()
  await expectAccessible(page)
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('Enter')
  await page.getByRole('region', { name: 'Look up' }).waitFor()
  expect(await rows(page).count()).toBe(0)
  await page.keyboard.press('ArrowDown')
  await page.getByRole('region', { name: 'Create a refund' }).waitFor()
  await expectAccessible(page)
  await page.keyboard.press('Escape')
  await rowOf(page, 'Look up').waitFor()
})

test('the editor says that an action does not exist', async () => {
  const { service, path, createRefund } = await withConnection()
  await createRefund()
  const { page } = await open({ at: service, path: `${path}?action=act_gone` })
  await page.getByRole('heading', { name: 'This action does not exist' }).waitFor()
  await page.getByRole('button', { name: 'All actions' }).click()
  await rowOf(page, 'Create a refund').waitFor()
})
