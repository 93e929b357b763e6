import { expect, test } from 'vitest'
import { createAction } from '../../support/actions.ts'
import { startExternalSystem } from '../../support/external-system.ts'
import { createConnection } from '../../support/rest-client.ts'
import { expectAccessibleInBothSchemes } from './accessibility.ts'
import { dashboardTests } from './fixture.ts'

const { open, sharedService } = dashboardTests()

const order = {
  order: { id: 'ORD-20418', status: 'paid', customer: { name: 'Maya Lindqvist' } },
  history: Array.from({ length: 100 }, (_, index) => ({
    at: index,
    note: 'Looked at by somebody in the office',
  })),
}

test('what the assistant sees names what is wrong with a tool, and takes a mapping with one click', async () => {
  const system = await startExternalSystem((_request, response) => void response.end(JSON.stringify(order)))
  const service = await sharedService()
  const { rest } = service
  const { connectionId } = await createConnection(rest, { name: 'Acme', baseUrl: system.url })
  const parameters = [{ name: 'order_id', type: 'string', description: 'The order id', required: true }]
  const { actionId } = await createAction(rest, connectionId, {
    name: 'Look up an order',
    toolName: 'look_up_order',
    description: 'Finds one order by its number.',
    parameters,
  })
  await createAction(rest, connectionId, {
    name: 'Get orders',
    toolName: 'get_orders',
    description: 'All of them, if asked.',
  })
  const action = `/connections/${connectionId}/actions/${actionId}`
  await rest('POST', `${action}/test`, { arguments: { order_id: 'ORD-20418' } })

  const path = `/connections/${connectionId}/actions?action=${actionId}&panel=assistant`
  const { page } = await open({ at: service, path })
  const editor = page.getByRole('region', { name: 'Look up an order' })
  await editor.getByText('The description does not say when to use the tool').waitFor()
  await editor.getByText('The parameter order_id is not described').waitFor()
  await editor.getByText('It looks like get_orders').waitFor()
  await editor.getByText(/^The last response had .* and no mapping$/).waitFor()
  await expectAccessibleInBothSchemes(page)

  await editor.getByRole('button', { name: 'Take this mapping of 3 fields' }).click()
  await editor.getByText(/and no mapping$/).waitFor({ state: 'detached' })
  await editor.getByRole('button', { name: 'Save' }).click()
  await expect
    .poll(async () => (await rest('GET', action)).body)
    .toMatchObject({
      responseMapping: { order_id: 'order.id', status: 'order.status', customer_name: 'order.customer.name' },
    })

  await editor.getByRole('button', { name: 'Edit', exact: true }).first().click()
  await editor.getByLabel('Description').first().fill('Finds one order. Use it when asked for one.')
  await editor.getByRole('tab', { name: 'What the assistant sees' }).click()
  await editor.getByText('It looks like get_orders').waitFor()
  expect(await editor.getByText('The description does not say').count()).toBe(0)
  await editor.getByRole('button', { name: 'Save' }).click()
  await editor.getByText('Unsaved:').waitFor({ state: 'detached' })
  await editor.getByRole('link', { name: 'Open it' }).click()
  await page.getByRole('region', { name: 'Get orders' }).waitFor()
})
