import type { Locator, Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { CheckedWorkflow, type Workflow } from '#shared/model/workflow.ts'
import { createAction } from '../../support/actions.ts'
import { startExternalSystem } from '../../support/external-system.ts'
import { createConnection } from '../../support/rest-client.ts'
import { postInbound } from '../../support/service-fixture.ts'
import { expectAccessible, expectAccessibleInBothSchemes } from './accessibility.ts'
import { chooseByKey, dashboardTests, typeToFind } from './fixture.ts'

const { open, sharedService } = dashboardTests()

const order = {
  order_id: 'ORD-20418',
  total: 149,
  customer: { name: 'Maya Lindqvist' },
  lines: [{ sku: 'KB-87-GRY', quantity: 1 }],
}

/** Starts a service with a connection that has received an order, and one whose system takes reservations. */
async function withOrders() {
  const warehouse = await startExternalSystem((_request, response) => {
    response.setHeader('content-type', 'application/json').end('{"data":{"id":"rsv_71b0c2"}}')
  })
  const service = await sharedService()
  const { rest } = service
  const orders = await createConnection(rest, { name: 'Acme Orders', persistEvents: true })
  const stock = await createConnection(rest, { name: 'Warehouse', baseUrl: warehouse.url })
  await createAction(rest, stock.connectionId, {
    name: 'Reserve stock',
    toolName: 'reserve_stock',
    method: 'POST',
    path: '/reservations',
    parameters: [
      { name: 'order_id', type: 'string', description: 'The order', required: true },
      { name: 'quantity', type: 'number', description: 'How many', required: true },
      { name: 'note', type: 'string', description: 'Shown on the label', required: false },
    ],
    responseMapping: { reservation: 'data.id' },
  })
  const send = async (event: string, data: object) => {
    const { status } = await rest('POST', `/connections/${orders.connectionId}/send`, { event, data })
    expect(status).toBe(200)
  }
  await send('order.paid', order)
  await send('order.sent', { order_id: 'ORD-20417' })
  return {
    service,
    warehouse,
    orders,
    stock,
    send,
    async create(fields: object = {}): Promise<Workflow> {
      const { body } = await rest('POST', '/workflows', {
        name: 'Paid order',
        enabled: false,
        trigger: { type: 'external.event', connectionId: orders.connectionId, eventName: 'order.paid' },
        ...fields,
      })
      return CheckedWorkflow.parse(body)
    },
    async workflows(): Promise<z.infer<typeof CheckedWorkflow>[]> {
      return z.array(CheckedWorkflow).parse((await rest('GET', '/workflows')).body)
    },
  }
}

const head = (page: Page, number: string) => page.getByRole('button', { name: new RegExp(`Step ${number}$`) })
const field = (page: Page, name: string) => page.getByRole('textbox', { name, exact: true })
/** The name of the focused field: of its group, for one of several to choose from. */
const focusedName = (page: Page) =>
  page.evaluate<string>(
    `(e => (e.closest('[role="radiogroup"]') ?? e).getAttribute('aria-label') ?? e.labels?.[0]?.textContent ?? e.tagName)(document.activeElement)`,
  )
const selected = (page: Page) => page.locator('[aria-current="step"]')
const testRun = (page: Page) => page.getByRole('region', { name: 'Test run' })

/** The steps as they are shown: `Notify 1.1`. */
async function titles(page: Page): Promise<string[]> {
  const texts = await page.locator('[data-step^="steps"]').allTextContents()
  return texts.map(text =>
    text.replace(/^(Notify|Branch|Stop|reserve_stok|Reserve stock).*Step ([\d.]+)$/, '$1 $2'),
  )
}

/** Drags an element by the pointer to another, which may appear only then. */
async function dragTo(page: Page, from: Locator, to: Locator): Promise<void> {
  await from.hover()
  await page.mouse.down()
  const start = await from.boundingBox()
  await page.mouse.move((start?.x ?? 0) + 12, (start?.y ?? 0) + 24, { steps: 3 })
  await to.waitFor()
  await to.hover({ position: { x: 60, y: 8 } })
  await to.hover({ position: { x: 64, y: 9 } })
  await page.mouse.up()
}

/** Chooses an option of the focused list of options by typing. */
async function pick(page: Page, text: string): Promise<void> {
  await typeToFind(page.locator(':focus'), text)
  await page.keyboard.press('Enter')
}

/** Adds a step after the selected one with the keyboard. */
async function addStep(page: Page, name: string): Promise<void> {
  await page.keyboard.press('a')
  await chooseByKey(page, name)
  await page.getByRole('menu').waitFor({ state: 'hidden' })
  // The only possible action is chosen at once.
  const title = name === 'Call an action' ? 'Reserve stock' : name
  // The keys that follow are for the new step, once it has the focus.
  await selected(page).and(page.locator(':focus')).filter({ hasText: title }).waitFor()
}

describe('the workflow builder', () => {
  test('builds and tests a workflow with the keyboard alone', async () => {
    const { service, warehouse, orders, workflows } = await withOrders()
    const { connectionId } = orders
    const path = `/workflows/new?connectionId=${connectionId}&eventName=order.paid`
    const { page } = await open({ at: service, path })
    await page.getByText('1 of the last 2 in 24 hours').waitFor()
    await field(page, 'Name').focus()
    await page.keyboard.press('Control+a')
    await page.keyboard.type('Reserve paid orders')
    await page.keyboard.press('Escape')

    await addStep(page, 'Call an action')
    await page.keyboard.press('Enter')
    await pick(page, 'Warehouse')
    await page.keyboard.press('Tab')
    await pick(page, 'Reserve stock')
    // Arguments of the same name as a field of the event are filled in.
    await page.getByText('"ORD-20418"').waitFor()
    await expect.poll(() => field(page, 'quantity').textContent()).toBe('{{lines.0.quantity}}')
    await expectAccessible(page)

    // A number where a text is given is marked before anything runs.
    await field(page, 'quantity').focus()
    await page.keyboard.press('Control+a')
    await page.keyboard.type('two')
    await page.keyboard.press('Tab')
    await page.getByText('quantity expects a number, not a text.').waitFor()
    await field(page, 'quantity').focus()
    await page.keyboard.press('Control+a')
    await page.keyboard.type('{{quan')
    await page.getByRole('option', { name: /lines\.0\.quantity.*1/ }).waitFor()
    await page.keyboard.press('Enter')
    await page.getByText('quantity expects a number').waitFor({ state: 'hidden' })

    // A wrong name is marked with the nearest one.
    await field(page, 'note').focus()
    await page.keyboard.type('For {{customer.nme}}')
    await page.keyboard.press('Tab')
    await page.getByText('The event has no field customer.nme.').waitFor()
    await page.getByRole('button', { name: 'Use it: {{customer.name}}' }).focus()
    await page.keyboard.press('Enter')
    await page.getByText('"For Maya Lindqvist"').waitFor()
    await page.keyboard.press('Escape')

    await addStep(page, 'Notify')
    await page.keyboard.press('Enter')
    await page.keyboard.type('Reserved as {{steps.call.res')
    await page.getByRole('option', { name: 'steps.call.reservation' }).waitFor()
    await page.keyboard.press('Enter')
    await page.getByText('known once call ran').waitFor()

    await page.getByText('A test sends real requests: Warehouse · reserve_stock.').waitFor()
    await page.keyboard.press('Control+Enter')
    await testRun(page).getByText('Succeeded', { exact: true }).first().waitFor()
    expect(warehouse.requests.map(({ body }) => JSON.parse(body))).toEqual([
      { order_id: 'ORD-20418', quantity: 1, note: 'For Maya Lindqvist' },
    ])
    await page.getByText('It is disabled until you enable it.').waitFor()
    await expect.poll(workflows).toMatchObject([
      {
        name: 'Reserve paid orders',
        enabled: false,
        issues: [],
        steps: [{ key: 'call' }, { key: 'notify' }],
      },
    ])
  })

  test('shows what a test run did, takes its outputs for the previews, and is enabled', async () => {
    const { service, stock, create, workflows } = await withOrders()
    const { workflowId } = await create({
      steps: [
        {
          key: 'call',
          type: 'action',
          connectionId: stock.connectionId,
          toolName: 'reserve_stock',
          arguments: { order_id: '{{order_id}}', quantity: '{{lines.0.quantity}}' },
        },
        { key: 'notify', type: 'notify', message: 'Reserved as {{steps.call.reservation}}' },
      ],
    })
    const { page } = await open({ at: service, path: `/workflows/${workflowId}` })
    await head(page, '2').click()
    await page.getByText('known once call ran').waitFor()
    await page.keyboard.press('Control+Enter')
    await testRun(page).getByText('Warehouse answered').waitFor()
    await testRun(page).getByText('200').waitFor()
    await testRun(page).getByText('Reserved as rsv_71b0c2').waitFor()
    await testRun(page)
      .getByText(/^run_.*\.call$/)
      .waitFor()
    // The preview of a later step knows the output now.
    await page.getByText('"Reserved as rsv_71b0c2"').waitFor()

    await page.keyboard.press('Escape')
    await page.keyboard.press('e')
    await expect.poll(async () => (await workflows())[0]?.enabled).toBe(true)
    await page.getByText('Paid order enabled').waitFor()
    await page.keyboard.press('Control+z')
    await page.getByText('Paid order disabled').waitFor()
    await expect.poll(async () => (await workflows())[0]?.enabled).toBe(false)
    await head(page, '1').getByText('1 run').waitFor()
  })

  test('sets the environment variables that a test lacks', async () => {
    const { service, warehouse, orders, stock, create } = await withOrders()
    await createAction(service.rest, stock.connectionId, {
      ...{ name: 'Look', toolName: 'look', path: '/stock' },
      headers: { 'X-Key': '{{STOCK_KEY}}', 'X-Team': '{{STOCK_TEAM}}' },
    })
    const { workflowId } = await create({
      trigger: { type: 'external.event', connectionId: orders.connectionId, eventName: 'order.paid' },
      steps: [
        { key: 'call', type: 'action', connectionId: stock.connectionId, toolName: 'look', arguments: {} },
      ],
    })
    const { page } = await open({ at: service, path: `/workflows/${workflowId}` })
    await head(page, '1').waitFor()
    await page.keyboard.press('Control+Enter')
    await testRun(page).getByText('missing_environment_variable').waitFor()
    await expectAccessible(page)
    const set = async (name: string) => {
      await testRun(page)
        .getByRole('button', { name: `Set ${name}` })
        .click()
      await page.getByRole('dialog').getByLabel('Value', { exact: true }).fill('12345678')
      await page.getByRole('button', { name: 'Set variable' }).click()
      await page.getByText(`Variable “${name}” is set`).waitFor()
    }
    await set('STOCK_KEY')
    await set('STOCK_TEAM')
    await page.keyboard.press('Control+Enter')
    await expect.poll(() => warehouse.requests.at(-1)?.headers['x-team']).toBe('12345678')
  })

  test('moves, copies and removes steps, undoes it, and asks before changes are lost', async () => {
    const { service, stock, create, workflows } = await withOrders()
    const { workflowId } = await create({
      steps: [
        { key: 'first', type: 'notify', message: 'Order {{order_id}}' },
        {
          key: 'check',
          type: 'branch',
          cases: [
            {
              when: { value: '{{total}}', operator: 'greater', operand: 500 },
              steps: [{ key: 'large', type: 'stop', outcome: 'failed' }],
            },
          ],
          otherwise: [],
        },
        {
          key: 'reserve',
          type: 'action',
          connectionId: stock.connectionId,
          toolName: 'reserve_stok',
          arguments: { order_id: '{{order_id}}' },
        },
      ],
    })
    const { page } = await open({ at: service, path: `/workflows/${workflowId}` })
    await head(page, '3').waitFor()
    const before = ['Notify 1', 'Branch 2', 'Stop 2.1', 'reserve_stok 3']
    await expect.poll(() => titles(page)).toEqual(before)
    await expectAccessibleInBothSchemes(page)

    // F8 goes to the step with a problem.
    await page.keyboard.press('F8')
    await page.getByText('Warehouse has no action reserve_stok.').waitFor()
    await expectAccessibleInBothSchemes(page)
    await page.getByRole('button', { name: 'Use it: reserve_stock' }).click()
    await page.getByText('quantity is required.').waitFor({ state: 'hidden' })
    await page.getByText('Unsaved: steps').waitFor()

    // Into the branch, past it, and back by undoing each move.
    await head(page, '1').click()
    for (const place of ['0.cases.0.steps.0', '0.cases.0.steps.1', '0.otherwise.0', '1']) {
      await page.keyboard.press('Alt+ArrowDown')
      await expect.poll(() => selected(page).getAttribute('data-step')).toBe(`steps.${place}`)
    }
    await expect.poll(() => titles(page)).toEqual(['Branch 1', 'Stop 1.1', 'Notify 2', 'Reserve stock 3'])
    for (let move = 0; move < 4; move++) await page.keyboard.press('Control+z')
    await expect.poll(() => titles(page)).toEqual(['Notify 1', 'Branch 2', 'Stop 2.1', 'Reserve stock 3'])
    await page.keyboard.press('Control+Shift+z')
    await expect.poll(() => titles(page)).toEqual(['Branch 1', 'Notify 1.1', 'Stop 1.2', 'Reserve stock 2'])
    await page.keyboard.press('Control+z')

    await head(page, '2').click()
    await expectAccessible(page)
    await page.getByText('False for').waitFor()
    await page.keyboard.press('Control+d')
    await expect
      .poll(() => titles(page))
      .toEqual(['Notify 1', 'Branch 2', 'Stop 2.1', 'Branch 3', 'Stop 3.1', 'Reserve stock 4'])
    await page.keyboard.press('Delete')
    await expect.poll(() => titles(page)).toEqual(['Notify 1', 'Branch 2', 'Stop 2.1', 'Reserve stock 3'])

    // The pointer drags a step by its handle to the end of the branch.
    await page.keyboard.press('Escape')
    const grip = page.getByRole('button', { name: 'Drag step 1, or press Alt with the arrows' })
    await dragTo(page, grip, page.locator('[data-slot="steps.1.cases.0.steps.1"]'))
    await expect.poll(() => titles(page)).toEqual(['Branch 1', 'Stop 1.1', 'Notify 1.2', 'Reserve stock 2'])

    // A key that changes is followed by the variables that read it.
    await head(page, '1.2').click()
    await page.getByRole('button', { name: /^Advanced/ }).click()
    await field(page, 'Key').fill('told')
    await page.getByText('{{steps.told}}').waitFor({ state: 'detached' })
    await field(page, 'Key').press('Enter')
    await page.getByText('{{steps.told}}').waitFor()

    await page.getByRole('link', { name: 'Connections' }).click()
    const question = page.getByRole('dialog', { name: 'Leave without saving?' })
    await question.getByRole('button', { name: 'Keep editing' }).click()
    await question.waitFor({ state: 'hidden' })
    expect((await workflows())[0]?.steps.map(({ key }) => key)).toEqual(['first', 'check', 'reserve'])
    await page.keyboard.press('Control+s')
    await page.getByText('Saved', { exact: true }).waitFor()
    expect((await workflows())[0]?.steps).toMatchObject([
      { key: 'check', cases: [{ steps: [{ key: 'large' }, { key: 'told' }] }] },
      { key: 'reserve', toolName: 'reserve_stock' },
    ])
  })

  test('offers environment variables in the headers and the body of a request, and shows the body that is sent', async () => {
    const { service, create } = await withOrders()
    await service.rest('PUT', '/environment/API_TOKEN', { value: 'canary-value-4711' })
    const { workflowId } = await create({
      steps: [{ key: 'get', type: 'http', method: 'GET', url: 'https://api.example.com/', body: { a: 1 } }],
    })
    const { page } = await open({ at: service, path: `/workflows/${workflowId}` })
    await head(page, '1').click()
    await page.getByText('A GET is sent without its body.').waitFor()
    await page.getByLabel('Method').selectOption('POST')
    await page.getByText('A GET is sent without its body.').waitFor({ state: 'hidden' })

    for (const [name, value] of [
      ['Authorization', 'Bearer {{API_T'],
      ['Content-Type', 'application/x-www-form-urlencoded'],
    ] as const) {
      await field(page, 'Name of a new header').click()
      await page.keyboard.type(name)
      await page.keyboard.press('Enter')
      await field(page, name).click()
      await page.keyboard.type(value)
      if (!value.includes('{{')) continue
      await page.getByRole('option', { name: 'API_TOKEN environment variable' }).waitFor()
      await page.keyboard.press('Enter')
      await page.getByText('"Bearer ••••"').waitFor()
    }
    await field(page, 'Body').click()
    await page.keyboard.press('Control+a')
    await page.keyboard.type('grant_type=password&user={{customer.name')
    await page.getByRole('option', { name: /customer\.name/ }).waitFor()
    await page.keyboard.press('Enter')
    await page.getByText('grant_type=password&user=Maya%20Lindqvist', { exact: true }).waitFor()
    await page.keyboard.type('&key={{$env.API')
    await page.getByRole('option', { name: '$env.API_TOKEN environment variable' }).waitFor()
    await page.keyboard.press('Enter')
    await page.getByText('grant_type=password&user=Maya%20Lindqvist&key=••••', { exact: true }).waitFor()
    await expectAccessible(page)
    await page.keyboard.press('Control+s')
    await page.getByText('Unsaved').waitFor({ state: 'hidden' })
    const { body } = await service.rest('GET', `/workflows/${workflowId}`)
    expect(CheckedWorkflow.parse(body)).toMatchObject({
      issues: [],
      steps: [
        {
          ...{ method: 'POST', body: 'grant_type=password&user={{customer.name}}&key={{$env.API_TOKEN}}' },
          headers: {
            Authorization: 'Bearer {{API_TOKEN}}',
            'Content-Type': 'application/x-www-form-urlencoded',
          },
        },
      ],
    })
  })

  test('asks for the hosts of a request whose host comes from the event', async () => {
    const { service, create } = await withOrders()
    const { workflowId } = await create({
      steps: [{ key: 'get', type: 'http', method: 'GET', url: 'https://api.example.com/' }],
    })
    const { page } = await open({ at: service, path: `/workflows/${workflowId}` })
    await head(page, '1').click()
    expect(await page.getByRole('combobox', { name: 'Hosts' }).count()).toBe(0)
    await field(page, 'Address').click()
    await page.keyboard.press('Control+a')
    await page.keyboard.type('https://{{customer.name}}/orders')
    await page.getByRole('combobox', { name: 'Hosts' }).click()
    await page.getByText('unless `hosts` names those that are allowed').waitFor()
    await page.keyboard.type('*.example.com')
    await page.keyboard.press('Enter')
    await page.keyboard.press('Tab')
    await page.getByText('unless `hosts` names those that are allowed').waitFor({ state: 'hidden' })
    await expectAccessible(page)
    await page.keyboard.press('Control+s')
    await page.getByText('Unsaved').waitFor({ state: 'hidden' })
    const { body } = await service.rest('GET', `/workflows/${workflowId}`)
    expect(CheckedWorkflow.parse(body).steps).toMatchObject([
      { url: 'https://{{customer.name}}/orders', hosts: ['*.example.com'] },
    ])
  })

  test('writes the lists of a form as the receiver reads them', async () => {
    const { service, create } = await withOrders()
    const { workflowId } = await create({
      steps: [
        {
          ...{ key: 'pay', type: 'http', method: 'POST', url: 'https://api.example.com/' },
          body: { types: ['card', '{{order_id}}'] },
        },
      ],
    })
    const { page } = await open({ at: service, path: `/workflows/${workflowId}` })
    await head(page, '1').click()
    const lists = page.getByLabel('Lists in the form')
    await page.getByText('{"types":["card","ORD-20418"]}').waitFor()
    expect(await lists.count()).toBe(0)
    await field(page, 'Name of a new header').click()
    await page.keyboard.type('Content-Type')
    await page.keyboard.press('Enter')
    await field(page, 'Content-Type').click()
    await page.keyboard.type('application/x-www-form-urlencoded')
    await page.getByText('types=card&types=ORD-20418', { exact: true }).waitFor()
    await lists.focus()
    await lists.selectOption('tag[]=a&tag[]=b')
    await page.getByText('types%5B%5D=card&types%5B%5D=ORD-20418', { exact: true }).waitFor()
    await expectAccessibleInBothSchemes(page)
    const steps = async () => {
      await page.keyboard.press('Control+s')
      await page.getByText('Unsaved').waitFor({ state: 'hidden' })
      const { body } = await service.rest('GET', `/workflows/${workflowId}`)
      return CheckedWorkflow.parse(body).steps
    }
    expect(await steps()).toMatchObject([{ form: { lists: 'brackets' } }])

    // A choice that has no effect stays, and is marked.
    await field(page, 'Content-Type').click()
    await page.keyboard.press('Control+a')
    await page.keyboard.type('application/json')
    await page.getByText('The body is not a form.').waitFor()
    await lists.selectOption('tag=a&tag=b')
    await page.getByText('The body is not a form.').waitFor({ state: 'hidden' })
    expect(await steps()).toEqual([expect.not.objectContaining({ form: expect.anything() })])
  })

  test('completes keys that need brackets, and marks what is not a variable', async () => {
    const { service, orders } = await withOrders()
    const data = { ...order, fields: { 'context.text': 'Gift' } }
    await service.rest('POST', `/connections/${orders.connectionId}/send`, { event: 'order.odd', data })
    const created = await service.rest('POST', '/workflows', {
      name: 'Odd keys',
      enabled: false,
      trigger: { type: 'external.event', connectionId: orders.connectionId, eventName: 'order.odd' },
      steps: [
        { key: 'tell', type: 'notify', message: 'x' },
        { key: 'send', type: 'http', method: 'POST', url: 'https://api.example.com/' },
      ],
    })
    const { workflowId } = CheckedWorkflow.parse(created.body)
    const { page } = await open({ at: service, path: `/workflows/${workflowId}` })
    await head(page, '1').click()
    await field(page, 'Message').click()
    await page.keyboard.press('Control+a')
    await page.keyboard.type('{{ context')
    await page.getByRole('option', { name: 'fields["context.text"] "Gift"' }).waitFor()
    await page.keyboard.press('Enter')
    await page.locator('.cc-chip:not([data-unset])', { hasText: 'fields["context.text"]' }).waitFor()
    await page.getByText('"Gift"', { exact: true }).waitFor()
    await page.keyboard.type(' {{total | round}}')
    await page.getByText('not a variable', { exact: true }).waitFor()
    await page.keyboard.press('Tab')
    await page.getByText('{{total | round}} is not a variable.').waitFor()
    await expectAccessible(page)

    await head(page, '2').click()
    await field(page, 'Body').click()
    await page.keyboard.type('{"a": "{{context')
    await page.getByRole('option', { name: 'fields["context.text"] "Gift"' }).waitFor()
    await page.keyboard.press('Enter')
    await page.getByText('{"a":"Gift"}', { exact: true }).waitFor()
    await page.keyboard.press('Control+s')
    await page.getByText('Unsaved').waitFor({ state: 'hidden' })
    const { body } = await service.rest('GET', `/workflows/${workflowId}`)
    expect(CheckedWorkflow.parse(body)).toMatchObject({
      issues: [{ stepKey: 'tell', code: 'invalid_variable' }],
      steps: [
        { message: '{{fields["context.text"]}} {{total | round}}' },
        { body: { a: '{{fields["context.text"]}}' } },
      ],
    })
  })

  test('shows what somebody else saved meanwhile, and saves nothing before one of the two is chosen', async () => {
    const { service, create, workflows } = await withOrders()
    const steps = (message: string) => [{ key: 'tell', type: 'notify', message }]
    const { workflowId } = await create({ steps: steps('First') })
    const { page } = await open({ at: service, path: `/workflows/${workflowId}` })
    const messageNow = async () => (await workflows())[0]?.steps[0]
    const change = (fields: object) => service.rest('PATCH', `/workflows/${workflowId}`, fields)
    const type = async (text: string) => {
      await field(page, 'Message').fill(text)
      await page.getByText('Unsaved: steps').waitFor()
    }
    await head(page, '1').click()
    await type('Mine')
    // A field that was not changed here is taken over.
    await change({ name: 'Renamed' })
    await page.getByRole('heading', { name: 'Renamed' }).waitFor()
    const note = page.getByRole('status', { name: 'Changed elsewhere' })
    expect(await note.count()).toBe(0)

    await change({ steps: [...steps('Theirs'), { key: 'end', type: 'stop', outcome: 'succeeded' }] })
    await note.getByText('Also changed elsewhere: steps.').waitFor()
    await note.getByText('Changed Notify 1. Added Stop 2.').waitFor()
    await expectAccessibleInBothSchemes(page)
    await page.keyboard.press('Control+s')
    await expect.poll(() => page.evaluate('document.activeElement.textContent')).toBe('Keep mine')
    expect(await messageNow()).toMatchObject({ message: 'Theirs' })
    await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    await note.waitFor({ state: 'detached' })
    await page.getByText('Saved', { exact: true }).waitFor()
    await head(page, '2').waitFor()
    // Undo brings back what was typed here.
    await page.keyboard.press('Control+z')
    await page.getByText('Unsaved: steps').waitFor()
    await expect.poll(() => titles(page)).toEqual(['Notify 1'])
    await change({ steps: steps('Theirs again') })
    await page.getByRole('button', { name: 'Keep mine' }).click()
    await note.waitFor({ state: 'detached' })
    expect(await messageNow()).toMatchObject({ message: 'Theirs again' })
    await page.keyboard.press('Control+s')
    await page.getByText('Saved', { exact: true }).waitFor()
    await expect.poll(messageNow).toMatchObject({ message: 'Mine' })
  })

  test('asks before a workflow with errors is enabled, and its undo leaves the draft alone', async () => {
    const { service, stock, create, workflows } = await withOrders()
    const call = { key: 'call', type: 'action', connectionId: stock.connectionId, toolName: 'reserve_stok' }
    const tell = { key: 'tell', type: 'notify', message: 'Paid' }
    const { workflowId } = await create({ steps: [call, tell] })
    const { page } = await open({ at: service, path: `/workflows/${workflowId}` })
    const isEnabled = async () => (await workflows())[0]?.enabled
    await head(page, '2').click()
    await field(page, 'Message').fill('Paid in full')
    await page.getByText('Unsaved: steps').waitFor()
    const toggle = page.getByRole('switch', { name: 'Enabled' })

    const question = page.getByRole('dialog', { name: 'Enable Paid order with 1 problem?' })
    await toggle.press('Space')
    await question.getByText('Warehouse has no action reserve_stok.').waitFor()
    await expectAccessible(page)
    await question.getByRole('button', { name: 'Leave it disabled' }).click()
    await question.waitFor({ state: 'hidden' })
    await expect.poll(isEnabled).toBe(false)
    await toggle.press('Space')
    await question.getByRole('button', { name: 'Enable anyway' }).click()
    await expect.poll(isEnabled).toBe(true)
    const toast = page.getByRole('status').filter({ hasText: 'Paid order enabled' })
    // Pointed at, it stays until its button is pressed below.
    await toast.hover()

    // The shortcut undoes the draft, also once there is nothing left; the toast's button undoes the switch.
    expect(await toast.getByText('Ctrl').count()).toBe(0)
    for (let time = 0; time < 3; time++) await page.keyboard.press('Control+z')
    await page.getByText('Saved', { exact: true }).waitFor()
    await expect.poll(isEnabled).toBe(true)
    await page.keyboard.press('Control+Shift+z')
    await page.getByText('Unsaved: steps').waitFor()
    await toast.getByRole('button', { name: 'Undo' }).click()
    await expect.poll(isEnabled).toBe(false)
    await page.getByText('Unsaved: steps').waitFor()
    await expect.poll(() => toggle.isChecked()).toBe(false)
    // To disable one needs no question.
    await service.rest('PATCH', `/workflows/${workflowId}`, { enabled: true })
    await expect.poll(() => toggle.isChecked()).toBe(true)
    await toggle.press('Space')
    await expect.poll(isEnabled).toBe(false)
  })

  test('opens with the event that it was started from, and tells the events of any connection', async () => {
    const { service, orders } = await withOrders()
    const { rest } = service
    const events = `/connections/${orders.connectionId}/events`
    const Listed = z.object({ events: z.array(z.object({ eventId: z.string(), dataText: z.string() })) })
    const first = Listed.parse((await rest('GET', events)).body).events.find(one =>
      one.dataText.includes('ORD-20418'),
    )
    for (let number = 0; number < 22; number++)
      await rest('POST', `/connections/${orders.connectionId}/send`, {
        event: 'order.paid',
        data: { order_id: `ORD-3${number}` },
      })
    const { page, go } = await open({ at: service, path: '/workflows' })
    await go(
      `/workflows/new?connectionId=${orders.connectionId}&eventName=order.paid&eventId=${first?.eventId}`,
    )
    const picker = testRun(page).getByRole('combobox', { name: 'Event for the test run' })
    await expect.poll(() => picker.inputValue()).toContain('ORD-20418')
    await go('/workflows/new?eventName=order.paid')
    await expect.poll(() => picker.inputValue()).toContain('ORD-321')
  })

  test('shows in a narrow window what a test would send before the first one runs', async () => {
    const { service, stock, create } = await withOrders()
    const arguments_ = { order_id: '{{order_id}}', quantity: 1 }
    const call = { key: 'call', type: 'action', connectionId: stock.connectionId, toolName: 'reserve_stock' }
    const { workflowId } = await create({ steps: [{ ...call, arguments: arguments_ }] })
    const { page } = await open({ at: service, path: `/workflows/${workflowId}`, width: 900, height: 600 })
    await head(page, '1').waitFor()
    await page.keyboard.press('Control+Enter')
    await testRun(page).getByText('A test sends real requests').waitFor()
    await testRun(page).getByText('Nothing has been tested yet.').waitFor()
    await expectAccessible(page)
    await page.keyboard.press('Control+Enter')
    await testRun(page).getByText('Warehouse answered').waitFor()
  })

  test('runs a test once the event is read that it runs with', async () => {
    const { service, stock, create } = await withOrders()
    const arguments_ = { order_id: '{{order_id}}', quantity: 1 }
    const call = { key: 'call', type: 'action', connectionId: stock.connectionId, toolName: 'reserve_stock' }
    const { workflowId } = await create({ steps: [{ ...call, arguments: arguments_ }] })
    const { page, go } = await open({ at: service })
    const held = Promise.withResolvers<void>()
    await page.route('**/rpc/events/get', async route => {
      await held.promise
      await route.continue()
    })
    await go(`/workflows/${workflowId}`)
    await head(page, '1').waitFor()
    await page.keyboard.press('Control+Enter')
    await testRun(page).getByRole('combobox', { name: 'Event for the test run' }).waitFor()
    expect(await testRun(page).getByText('Failed').isVisible()).toBe(false)
    held.resolve()
    await testRun(page).getByText('Warehouse answered').waitFor()
    await page.unroute('**/rpc/events/get')
  })

  test('is edited as JSON, sends requests, and tries a typed event', async () => {
    const { service, warehouse, create, workflows } = await withOrders()
    const { workflowId } = await create({ steps: [{ key: 'told', type: 'notify', message: '{{order_id}}' }] })
    const { page, go } = await open({ at: service, path: `/workflows/${workflowId}` })
    await head(page, '1').waitFor()

    // As JSON, where what is wrong is not applied.
    await page.getByText('JSON', { exact: true }).click()
    const json = page.getByRole('textbox', { name: 'Workflow as JSON' })
    await json.click()
    await page.keyboard.press('Control+a')
    await page.keyboard.insertText(
      '{"name":"Typed","trigger":{"type":"external.event"},"steps":[{"key":"a","type":"wait"}]}',
    )
    await page.getByText('so it is not applied').waitFor()
    await expectAccessible(page)
    await page.getByRole('button', { name: 'Back to the last valid one' }).click()
    await json.click()
    await page.keyboard.press('Control+a')
    await page.keyboard.insertText(
      '{"name":"Typed","trigger":{"type":"external.event"},"steps":[{"key":"a","type":"wait","seconds":5400}]}',
    )
    await page.getByText('Form', { exact: true }).click()
    await page.getByText('1 h 30 min').waitFor()
    await page.getByRole('heading', { name: 'Typed' }).waitFor()
    await page.getByText('Unsaved: name, trigger, steps').waitFor()
    await page.getByRole('button', { name: 'Discard' }).click()
    await expect.poll(() => titles(page)).toEqual(['Notify 1'])

    // An HTTP request completes variables in its body, and is tried with a typed event.
    await addStep(page, 'HTTP request')
    await field(page, 'Address').click()
    await page.keyboard.type(`${warehouse.url}/orders/{{order_id}}`)
    await field(page, 'Body').click()
    await page.keyboard.type('{"note": "{{customer.na')
    await page.getByRole('option', { name: /customer\.name.*Maya/ }).waitFor()
    await expectAccessible(page)
    await page.keyboard.press('Enter')
    await page.getByText('{"note":"Maya Lindqvist"}').waitFor()
    await page.getByRole('combobox', { name: 'Event for the test run' }).click()
    await page.getByRole('option', { name: 'Typed here' }).click()
    await field(page, 'Data of the event').click()
    await page.keyboard.press('Control+a')
    await page.keyboard.insertText('{"order_id":"ORD-7","total":1.50}')
    await page.getByText('{}', { exact: true }).waitFor()
    await expectAccessible(page)
    await page.getByRole('button', { name: 'Save and run a test' }).click()
    await testRun(page).getByText('Succeeded', { exact: true }).first().waitFor()
    expect(warehouse.requests.map(({ url, body }) => [url, body])).toContainEqual(['/orders/ORD-7', '{}'])

    // A narrow window shows one pane at a time. A dry run sends nothing.
    await page.setViewportSize({ width: 900, height: 600 })
    await page.keyboard.press('Control+Enter')
    await testRun(page).getByLabel('Dry run: fill in every template and send nothing').check()
    await testRun(page).getByRole('button', { name: 'Run again' }).click()
    await testRun(page).getByText('Succeeded, dry run').waitFor()
    await testRun(page).getByText('Not sent in a dry run').waitFor()
    await expectAccessible(page)
    await testRun(page).getByRole('button', { name: 'Back to the steps' }).click()
    await head(page, '1').waitFor()

    await page.getByRole('tab', { name: 'Settings' }).click()
    await page.getByLabel('One run at a time, in the order of the events').check()
    await expectAccessible(page)
    await page.keyboard.press('Control+s')
    await page.getByText('Unsaved: order').waitFor({ state: 'hidden' })
    await expect.poll(workflows).toMatchObject([{ ordered: true }])
    await page.getByRole('button', { name: 'Delete workflow' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Delete workflow' }).click()
    await page.getByText('Workflow “Paid order” deleted').waitFor()
    await expect.poll(workflows).toEqual([])
    await go(`/workflows/${workflowId}`)
    await page.getByText('This workflow cannot be shown').waitFor()
  })
})

/** The events that a test of a workflow can be run with, and how each is chosen. */
const sampleEvents: readonly [string, string, RegExp | null][] = [
  ['the newest stored event', 'ORD-20418', null],
  ['a stored event that was chosen', 'ORD-20419', /ORD-20419/],
  ['a declared sample', 'ORD-SAMPLE', /declared sample/],
  ['a typed event', 'ORD-20418', /Typed here/],
]

describe('the event of a test', () => {
  test.each(sampleEvents)('stays %s while others arrive', async (_name, orderId, option) => {
    const { service, orders, create, send } = await withOrders()
    await service.rest('POST', `/connections/${orders.connectionId}/event-types`, {
      eventName: 'order.paid',
      samplePayload: { order_id: 'ORD-SAMPLE' },
    })
    await send('order.paid', { order_id: 'ORD-20419' })
    await send('order.paid', order)
    const { workflowId } = await create({
      steps: [{ key: 'tell', type: 'notify', message: 'Paid: {{order_id}}' }],
    })
    const { page } = await open({ at: service, path: `/workflows/${workflowId}` })
    const picker = testRun(page).getByRole('combobox', { name: 'Event for the test run' })
    await expect.poll(() => picker.inputValue()).toContain('ORD-20418')
    if (option !== null) {
      await picker.click()
      await page.getByRole('option', { name: option }).click()
      await page.getByRole('option').first().waitFor({ state: 'hidden' })
    }
    const before = await picker.inputValue()
    // More than the picker lists.
    for (let number = 0; number < 21; number++) await send('order.paid', { order_id: `ORD-9${number}` })
    await page.getByText('24 of the last 25 in 24 hours').waitFor()
    expect(await picker.inputValue()).toBe(before)
    await page.getByRole('button', { name: 'Run a test' }).click()
    await testRun(page).getByText(`Paid: ${orderId}`).first().waitFor()
    expect(await picker.inputValue()).toBe(before)
  })

  test('is the first that arrives where there was none, and another one once the trigger takes others', async () => {
    const { service, create, send } = await withOrders()
    const { workflowId } = await create({
      trigger: { type: 'external.event', connectionId: null, eventName: 'order.refunded' },
    })
    const { page } = await open({ at: service, path: `/workflows/${workflowId}` })
    await page.getByText('There is no received event and no declared sample.').waitFor()
    await send('order.refunded', { order_id: 'ORD-1' })
    const picker = testRun(page).getByRole('combobox', { name: 'Event for the test run' })
    await expect.poll(() => picker.inputValue()).toContain('order.refunded ORD-1')
    await page.locator('[data-step="trigger"]').click()
    await page.getByRole('combobox', { name: 'Events' }).press('Backspace')
    await page.keyboard.type('order.paid')
    await page.keyboard.press('Enter')
    await expect.poll(() => picker.inputValue()).toContain('order.paid ORD-20418')
  })
})

test('is tried with an event that is only in memory, digit for digit', async () => {
  const { service, create } = await withOrders()
  const { connectionId, credentials } = await createConnection(service.rest, { name: 'Unlogged' })
  const { workflowId } = await create({
    trigger: { type: 'external.event', connectionId, eventName: 'order.paid' },
    steps: [{ key: 'tell', type: 'notify', message: 'Paid: {{order_id}} {{total}}' }],
  })
  const body = '{"event":"order.paid","data":{"order_id":"ORD-5","total":12345678901234567890}}'
  await postInbound(credentials, body, Date.now())
  const { page } = await open({ at: service, path: `/workflows/${workflowId}` })
  const picker = testRun(page).getByRole('combobox', { name: 'Event for the test run' })
  await expect.poll(() => picker.inputValue()).toMatch(/order\.paid ORD-5.*in memory/)
  await head(page, '1').click()
  await page.getByText('"Paid: ORD-5 12345678901234567890"').waitFor()
  await page.getByRole('button', { name: 'Run a test' }).click()
  await testRun(page).getByText('Succeeded', { exact: true }).first().waitFor()
})

test('shows the runs of a workflow in its own tab, and keeps what is not saved', async () => {
  const { service, create, send } = await withOrders()
  const steps = [{ key: 'tell', type: 'notify', message: 'Paid: {{order_id}}' }]
  const { workflowId } = await create({ steps, enabled: true })
  const { workflowId: other } = await create({ steps, enabled: true, name: 'Another' })
  await send('order.paid', { order_id: 'ORD-1' })
  const Listed = z.object({ runs: z.array(z.unknown()) })
  for (const id of [workflowId, other])
    await expect
      .poll(async () => Listed.parse((await service.rest('GET', `/runs?workflowId=${id}`)).body).runs.length)
      .toBe(1)
  const { page, go } = await open({ at: service, path: `/workflows/${workflowId}` })
  await head(page, '1').click()
  await field(page, 'Message').click()
  await page.keyboard.press('Control+a')
  await page.keyboard.type('Paid in full')
  await page.getByText('Unsaved: steps').waitFor()

  await page.getByRole('tab', { name: /^Runs/ }).click()
  const rows = page.getByRole('listbox', { name: 'Runs, newest first' }).getByRole('option')
  await expect.poll(() => rows.count()).toBe(1)
  await page.getByRole('heading', { name: 'Paid order' }).first().waitFor()
  await rows.first().click()
  await page.getByRole('region', { name: /^Run run_/ }).waitFor()
  await page.getByText('Unsaved: steps').waitFor()
  await expectAccessibleInBothSchemes(page)
  expect(page.url()).toContain(`/workflows/${workflowId}?`)
  await expect.poll(() => page.getByRole('tab').allTextContents()).toEqual(['Builder', 'Runs1', 'Settings'])

  // The address keeps the tab and the run.
  await page.getByRole('tab', { name: 'Builder' }).click()
  await head(page, '1').click()
  await expect.poll(() => field(page, 'Message').textContent()).toBe('Paid in full')
  await page.goBack()
  await page.getByRole('region', { name: /^Run run_/ }).waitFor()
  expect(await page.getByRole('dialog').count()).toBe(0)
  await page.getByRole('tab', { name: 'Builder' }).click()
  await page.getByRole('button', { name: 'Discard' }).click()
  await go(`/workflows/${other}?tab=runs&status=failed`)
  await page.getByText('No run matches').waitFor()
  await page.getByRole('button', { name: 'Show all runs' }).click()
  await expect.poll(() => rows.count()).toBe(1)
})

describe('the card of a step', () => {
  /** The types of steps, the first field of their cards, and the problem of an empty one after Tab. */
  const types: readonly [string, string, RegExp | null][] = [
    ['Call an action', 'Connection', null],
    ['HTTP request', 'Method', null],
    ['Branch', 'Value', null],
    ['For each', 'Items', null],
    ['Wait', 'Wait', null],
    ['Notify', 'Message', /Write a message/],
    ['Stop', 'Outcome', null],
  ]
  test.each(types)(
    '%s begins with %s, is not red before that is left, and has the key behind Advanced',
    async (type, first, problem) => {
      const { service, create } = await withOrders()
      const { workflowId } = await create({ steps: [{ key: 'tell', type: 'notify', message: 'Paid' }] })
      const { page } = await open({ at: service, path: `/workflows/${workflowId}` })
      await head(page, '1').click()
      await addStep(page, type)
      const card = page.locator('article[data-selected]')
      await card.getByRole('button', { name: /^Advanced/ }).waitFor()
      const red = card.locator('[data-error], [aria-invalid="true"], .bad')
      expect(await red.count()).toBe(0)
      // Enter goes on to the first field.
      await page.keyboard.press('Enter')
      await expect.poll(() => focusedName(page)).toBe(first)
      expect(await red.count()).toBe(0)
      await page.keyboard.press('Tab')
      if (problem !== null) await card.getByText(problem).first().waitFor()
      expect((await red.count()) > 0).toBe(problem !== null)

      expect(await card.getByLabel('Key', { exact: true }).isVisible()).toBe(false)
      await card.getByRole('button', { name: /^Advanced/ }).press('Enter')
      await card.getByLabel('Key', { exact: true }).waitFor()
      await expectAccessible(page)
    },
  )

  test('shows what a step lacks once another is selected, after an attempt to save, and as it was saved', async () => {
    const { service, stock, create } = await withOrders()
    const call = {
      key: 'call',
      type: 'action',
      connectionId: stock.connectionId,
      toolName: 'reserve_stock',
      arguments: { order_id: '{{order_id}}' },
    }
    const { workflowId } = await create({ steps: [call] })
    const { page } = await open({ at: service, path: `/workflows/${workflowId}` })
    // As it was saved, and still while another field is edited.
    await head(page, '1').getByText('1 problem').waitFor({ state: 'attached' })
    await head(page, '1').click()
    await field(page, 'note').click()
    await page.keyboard.type('For {{customer.nme}}')
    await page.getByText('quantity is required.').waitFor()
    expect(await page.getByText('The event has no field customer.nme.').count()).toBe(0)

    await page.keyboard.press('Tab')
    await page.getByText('The event has no field customer.nme.').waitFor()
    await head(page, '1').focus()
    await addStep(page, 'Notify')
    await head(page, '2').getByText('1 problem').waitFor({ state: 'detached' })
    await head(page, '1').click()
    await head(page, '2').getByText('1 problem').waitFor({ state: 'attached' })
    await head(page, '2').click()
    await addStep(page, 'HTTP request')
    await page.keyboard.press('Control+s')
    await head(page, '3').getByText('1 problem').waitFor({ state: 'attached' })
  })

  test('gives a template the width that it needs, and shows all of it', async () => {
    const { service, stock, create } = await withOrders()
    const long = `Order {{order_id}} of {{customer.name}}: ${'{{lines.0.sku}} and '.repeat(8)}`
    const { workflowId } = await create({
      steps: [
        { key: 'tell', type: 'notify', message: long },
        {
          key: 'ask',
          type: 'http',
          method: 'GET',
          url: `https://api.example.com/orders/${'{{order_id}}/'.repeat(9)}`,
        },
        {
          key: 'call',
          type: 'action',
          connectionId: stock.connectionId,
          toolName: 'reserve_stock',
          arguments: { order_id: long, quantity: 1 },
        },
        { key: 'each', type: 'each', items: `{{${'lines.'.repeat(30)}0}}`, steps: [] },
        {
          key: 'branch',
          type: 'branch',
          cases: [{ when: { value: long, operator: 'contains', operand: long }, steps: [] }],
          otherwise: [],
        },
      ],
    })
    const { page } = await open({ at: service, path: `/workflows/${workflowId}` })
    const fields = ['Message', 'Address', 'order_id', 'Items', 'Value', 'Compared with']
    const steps = ['1', '2', '3', '4', '5', '5']
    for (const width of [1280, 900, 640]) {
      await page.setViewportSize({ width, height: 800 })
      for (const [index, name] of fields.entries()) {
        await head(page, steps[index] ?? '').click()
        await page.keyboard.press('Escape')
        await head(page, steps[index] ?? '').click()
        await page.locator(`.cm-editor [aria-label="${name}"]`).waitFor()
        const cut = `(() => {
          const editor = document.querySelector('.cm-editor:has([aria-label="${name}"])')
          const scroller = editor.querySelector('.cm-scroller')
          const row = editor.closest('article').getBoundingClientRect()
          return {
            text: scroller.scrollWidth - scroller.clientWidth,
            field: row.right - editor.getBoundingClientRect().right > 60,
            page: document.documentElement.scrollWidth > innerWidth,
          }
        })()`
        await expect
          .poll(() => page.evaluate(cut), { message: `${name} at ${width}` })
          .toEqual({ text: 0, field: false, page: false })
      }
    }
  })
})

describe('pasting steps', () => {
  const step = {
    key: 'reserve',
    type: 'http',
    method: 'POST',
    url: 'https://api.example.com/orders/{{order_id}}',
    body: { note: '{{note}}' },
  }
  const copy = (page: Page, value: unknown) =>
    page.evaluate(`navigator.clipboard.writeText(${JSON.stringify(JSON.stringify(value))})`)

  test('inserts the JSON of a step by keyboard after the chosen one, with a key of its own', async () => {
    const { service, create, workflows } = await withOrders()
    const { workflowId } = await create({ steps: [{ key: 'reserve', type: 'wait', seconds: 1 }] })
    const { page } = await open({ at: service, path: `/workflows/${workflowId}` })
    await head(page, '1').waitFor()
    await copy(page, step)
    await page.keyboard.press('ControlOrMeta+v')
    await head(page, '2').waitFor()
    await expect.poll(() => selected(page).innerText()).toContain('https://api.example.com/orders/')
    await page.keyboard.press('ControlOrMeta+v')
    await head(page, '3').waitFor()
    await page.keyboard.press('ControlOrMeta+s')
    await expect
      .poll(async () => (await workflows())[0]?.steps)
      .toEqual([
        { key: 'reserve', type: 'wait', seconds: 1 },
        { ...step, key: 'reserve_2' },
        { ...step, key: 'reserve_3' },
      ])
  })

  test('takes a list of steps from the menu, and says what else it does not take', async () => {
    const { service, create } = await withOrders()
    const { workflowId } = await create({ steps: [] })
    const { page } = await open({ at: service, path: `/workflows/${workflowId}` })
    await copy(page, [step, { key: 'pause', type: 'wait', seconds: 1 }])
    const addStep = page.getByRole('button', { name: 'Add step' })
    await addStep.click()
    await page.getByRole('menuitem', { name: /^Paste step/ }).click()
    await head(page, '2').waitFor()
    await copy(page, { ...step, url: '/orders' })
    await addStep.last().click()
    await page.getByRole('menuitem', { name: /^Paste step/ }).click()
    await page.getByText('url: Write an absolute URL such as').waitFor()
    await expectAccessible(page)
  })
})
