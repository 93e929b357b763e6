import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { createAction } from '../../support/actions.ts'
import { startExternalSystem } from '../../support/external-system.ts'
import { createConnection } from '../../support/rest-client.ts'
import { expectAccessible, expectAccessibleInBothSchemes } from './accessibility.ts'
import { dashboardTests, pressOnce } from './fixture.ts'

const { open, sharedService } = dashboardTests()

const text = (name: string, fields: object = {}) => ({
  ...{ name, type: 'string', description: `The ${name}.`, required: true },
  ...fields,
})

/** Opens the definition of an action, and reads what is stored of it. */
async function withAction(fields: object, panel = 'definition') {
  const system = await startExternalSystem()
  const service = await sharedService()
  const { connectionId } = await createConnection(service.rest, { name: 'Acme', baseUrl: `${system.url}/v2` })
  const { actionId } = await createAction(service.rest, connectionId, { name: 'Place an order', ...fields })
  const path = `/connections/${connectionId}/actions`
  const { page } = await open({ at: service, path: `${path}?action=${actionId}&panel=${panel}` })
  const Stored = z.object({
    parameters: z.array(z.unknown()),
    path: z.string(),
    sendsBody: z.boolean().optional(),
  })
  return {
    ...{ page, system, connectionId, actionId },
    stored: async () => Stored.parse((await service.rest('GET', `${path}/${actionId}`)).body),
  }
}

const opener = (page: Page, name: string) => page.getByRole('button', { name: `How ${name} is sent` })
async function save(page: Page): Promise<void> {
  await page.keyboard.press('Control+s')
  await page.getByText('Unsaved:').waitFor({ state: 'detached' })
}

describe('the rows of the parameters', () => {
  test('fill placeholders, are opened with the keyboard, and save only what says something', async () => {
    const plain = [text('order_id'), text('note', { required: false })]
    const { page, stored } = await withAction({ method: 'POST', path: '/orders', parameters: plain })
    await opener(page, 'note').waitFor()
    expect(await page.getByText('in body', { exact: true }).count()).toBe(2)

    const path = page.getByLabel('Path', { exact: true })
    await path.fill('/orders/{order_id}/{version}')
    await page.getByText('No parameter fills {order_id}.').waitFor()
    await page.getByLabel('Name', { exact: true }).focus()
    await page.keyboard.press('Control+s')
    await path.and(page.locator(':focus')).waitFor()
    expect((await stored()).path).toBe('/orders')

    await pressOnce(opener(page, 'order_id'))
    await page.getByLabel('Sent in').selectOption('path')
    await page.getByText('No parameter fills {version}.').waitFor()
    await expectAccessibleInBothSchemes(page)
    await page.emulateMedia({ colorScheme: 'light' })
    await pressOnce(page.getByRole('button', { name: 'Add parameter' }))
    await page.getByLabel('Description of version').and(page.locator(':focus')).waitFor()
    await page.keyboard.type('Which version.')
    await page.getByText('every placeholder has a parameter').waitFor()
    await save(page)
    expect(await stored()).toMatchObject({
      path: '/orders/{order_id}/{version}',
      parameters: [
        { ...plain[0], in: 'path' },
        plain[1],
        { name: 'version', type: 'string', description: 'Which version.', required: true, in: 'path' },
      ],
    })

    // Back at its defaults, a parameter is stored as it was before.
    await path.fill('/orders/{version}')
    await page.getByText('The path has no placeholder {order_id}.').waitFor()
    await opener(page, 'version').focus()
    for (const key of ['ArrowUp', 'ArrowUp', 'Enter']) await page.keyboard.press(key)
    await page.getByLabel('Sent in').selectOption('body')
    await page.getByLabel('Name on the wire').fill('no')
    await page.getByText('sent as no').waitFor({ state: 'detached' })
    await page.getByLabel('Name on the wire').fill('')
    await save(page)
    expect((await stored()).parameters.slice(0, 2)).toEqual(plain)
  })

  test('say in words how a form is written, and take a schema as JSON with its problems at their lines', async () => {
    const { page, stored } = await withAction({
      method: 'POST',
      path: '/subscriptions',
      headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
      parameters: [text('items', { required: false }), text('api_version', { required: false })],
    })
    await pressOnce(opener(page, 'items'))
    await page.getByLabel('List', { exact: true }).press('Space')
    await page.getByLabel('Type of items').selectOption('object')
    await expect
      .poll(() => page.getByLabel('Written as').locator('option').allTextContents())
      .toEqual(['a[0][b]=1', 'a=[{"b":1}]'])
    await page.getByLabel('Written as').selectOption('indexed')

    const schema = page.getByRole('region', { name: 'Schema' })
    await page.keyboard.press('Alt+j')
    const editor = schema.getByRole('textbox', { name: 'Schema as JSON' })
    await editor.fill('{\n  "type": "object",\n  "properties": {\n    "price": { "type": "text" }\n  }\n}')
    await editor.getByText('This must be one of string, number').waitFor()
    await expectAccessible(page)
    await page.keyboard.press('Control+s')
    await editor.and(page.locator(':focus')).waitFor()
    await editor.fill('{\n  "type": "object",\n  "properties": {\n    "price": { "type": "string" }\n  }')
    await page.getByText('The schema is not a JSON object yet.').waitFor()
    await page.keyboard.insertText('\n}')
    await page.keyboard.press('Alt+j')
    await schema.getByText('price').waitFor()

    await pressOnce(opener(page, 'api_version'))
    await page.getByLabel('Sent in').selectOption('header')
    await page.getByLabel('Name on the wire').fill('Acme-Version')
    await page.getByLabel('Constant').press('Space')
    await page.getByLabel('Value', { exact: true }).fill('2026-10-28')
    await page.keyboard.press('Escape')
    await opener(page, 'api_version').press('Enter')
    await page.getByText('always 2026-10-28').waitFor()
    await page.getByText('as a[0][b]=1').waitFor()
    await save(page)
    expect((await stored()).parameters).toEqual([
      {
        ...text('items', { type: 'object', required: false, isList: true, style: 'indexed' }),
        schema: { type: 'object', properties: { price: { type: 'string' } } },
      },
      text('api_version', { required: false, in: 'header', wireName: 'Acme-Version', value: '2026-10-28' }),
    ])
  })

  test('ask whether a call has a body only if nothing is sent in it', async () => {
    const { page, stored } = await withAction({ method: 'DELETE', path: '/orders/7', parameters: [] })
    await page.getByLabel('Send no body').check()
    await save(page)
    expect((await stored()).sendsBody).toBe(false)
    await page.getByLabel('Send no body').uncheck()
    await save(page)
    expect(await stored()).not.toHaveProperty('sendsBody')
    await page.getByRole('button', { name: 'Add a parameter' }).click()
    await page.getByLabel('Send no body').waitFor({ state: 'detached' })
  })
})

describe('the form of a test', () => {
  const task = {
    method: 'PUT',
    path: '/tasks/{gid}',
    parameters: [
      text('gid', { in: 'path' }),
      text('fields', { required: false, in: 'query', isList: true, style: 'comma' }),
      text('status', { required: false, schema: { type: 'string', enum: ['pending', 'approved'] } }),
      text('due_on', { required: false, schema: { type: 'string', format: 'date' } }),
      text('done', { required: false, type: 'boolean' }),
      text('external', {
        ...{ required: false, type: 'object' },
        schema: {
          type: 'object',
          properties: {
            id: { type: 'string', minLength: 3 },
            lines: {
              type: 'array',
              items: {
                type: 'object',
                required: ['sku'],
                properties: { sku: { type: 'string' }, amount: { type: 'number' }, also: {} },
              },
            },
          },
        },
      }),
    ],
  }

  test('is made from the schemas, shows the request before it is sent, and is sent with the keyboard', async () => {
    const { page, system } = await withAction(task, 'test')
    const before = page.getByRole('region', { name: 'Before sending' })
    await before.getByText(`${system.url}/v2/tasks/{gid}`).waitFor()
    await page.getByLabel('gid').fill('a/1')
    await page.getByLabel('status').selectOption('approved')
    await page.getByLabel('due_on').fill('2026-12-41')
    await page.getByText('due_on must be a date such as 2026-11-29.').waitFor()
    await page.getByRole('radiogroup', { name: 'done' }).getByText('false').click()

    await pressOnce(page.getByRole('button', { name: 'Add to fields' }))
    await page.getByLabel('fields, number 1').and(page.locator(':focus')).waitFor()
    await page.keyboard.type('name')
    await page.keyboard.press('Alt+a')
    await page.getByLabel('fields, number 2').and(page.locator(':focus')).waitFor()
    await page.keyboard.press('Alt+a')
    await page.keyboard.press('Alt+Backspace')
    await page.getByLabel('fields, number 2').and(page.locator(':focus')).waitFor()
    await page.keyboard.type('url')
    await before.getByText('name,url').waitFor()

    await pressOnce(page.getByRole('button', { name: 'Add external' }))
    await page.getByLabel('id', { exact: true }).fill('7')
    await pressOnce(page.getByRole('button', { name: 'Add to lines' }))
    await page.getByLabel('sku').and(page.locator(':focus')).waitFor()
    await page.keyboard.type('A-1')
    await page.getByLabel('amount').fill('12.5x')
    await page.getByText('external.lines.0.amount must be a number').waitFor()
    await before.getByText('2 arguments do not fit.').waitFor()
    await expectAccessibleInBothSchemes(page)
    await page.emulateMedia({ colorScheme: 'light' })

    await page.keyboard.press('Control+Enter')
    await page.getByLabel('due_on').and(page.locator(':focus')).waitFor()
    await page.getByLabel('due_on').fill('')
    await before.getByRole('button', { name: 'external' }).click()
    await page.getByLabel('id', { exact: true }).and(page.locator(':focus')).waitFor()
    await page.keyboard.type('89')
    await page.getByLabel('amount').fill('12.50')
    const also = page.getByRole('textbox', { name: 'also' })
    await also.fill('{"a":')
    await before.getByText('1 argument does not fit.').waitFor()
    await page.keyboard.press('Control+Enter')
    await also.and(page.locator(':focus')).waitFor()
    expect(system.requests).toEqual([])
    await also.fill('[1.10]')
    await before.getByText('Left out, because they are empty: due_on.').waitFor()
    const shown = await before.locator('figure pre').textContent()
    await page.keyboard.press('Control+Enter')
    await page.getByText('200 OK').waitFor()
    const body =
      '{"status":"approved","done":false,"external":{"id":"789","lines":[{"sku":"A-1","amount":12.50,"also":[1.10]}]}}'
    expect(system.requests).toMatchObject([{ url: '/v2/tasks/a%2F1?fields=name,url', body }])
    expect(shown?.replace(/\s/g, '')).toBe(body)
  })

  test('is the same as its JSON', async () => {
    const { page } = await withAction(task, 'test')
    await page.getByRole('button', { name: 'Example' }).click()
    await page.getByLabel('fields, number 1').waitFor()
    await page.getByRole('radiogroup', { name: 'Arguments as' }).getByText('JSON').click()
    const editor = page.getByRole('textbox', { name: 'Arguments as JSON' })
    await editor.getByText('"2026-11-29"').waitFor()
    await editor.fill('{"gid":"7","nothing":1}')
    await page.getByText('The action has no parameter "nothing".').waitFor()
    await page.keyboard.press('Control+Enter')
    await page.getByRole('region', { name: 'Before sending' }).getByText('1 argument does not fit.').waitFor()
    await editor.fill('{"gid":"7","external":{"id":"abc","more":1}}')
    await page.getByRole('radiogroup', { name: 'Arguments as' }).getByText('Form').click()
    await expect.poll(() => page.getByLabel('gid').inputValue()).toBe('7')
    // The form has no field for what the schema does not name.
    await page.getByRole('textbox', { name: 'external' }).getByText('"more"').waitFor()
    await page.getByRole('button', { name: 'Clear' }).click()
    await expect.poll(() => page.getByLabel('gid').inputValue()).toBe('')
  })
})
