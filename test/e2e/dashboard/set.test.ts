import { expect, test } from 'vitest'
import { Workflow } from '#shared/model/workflow.ts'
import { createConnection } from '../../support/rest-client.ts'
import { expectAccessible, expectAccessibleInBothSchemes } from './accessibility.ts'
import { dashboardTests } from './fixture.ts'

const { open, sharedService } = dashboardTests()

test('values with types are set in the builder, with what they become', async () => {
  const service = await sharedService()
  const { rest } = service
  const { connectionId } = await createConnection(rest, { name: 'Shop', persistEvents: true })
  const data = { quantity: '5', tags: '["bug","shop"]' }
  await rest('POST', `/connections/${connectionId}/send`, { event: 'order.paid', data })
  const trigger = { type: 'external.event', connectionId, eventName: 'order.paid' }
  const steps = [{ key: 'set', type: 'set', values: { number: { value: '{{quantity}}' } } }]
  const created = await rest('POST', '/workflows', { name: 'Orders', trigger, steps })
  const { workflowId } = Workflow.parse(created.body)
  const { page } = await open({ at: service, path: `/workflows/${workflowId}` })

  const card = page.getByRole('article').filter({ hasText: '1 value' })
  await card.getByRole('button', { name: /Set/ }).first().click()
  await card.getByText('"5"', { exact: true }).waitFor()
  await card.getByRole('combobox', { name: 'Type of number' }).selectOption('Number')
  await card.locator('[data-kind="num"]').getByText('5').waitFor()
  const values = page
    .getByRole('article')
    .filter({ hasText: /values?/ })
    .filter({ hasText: 'Set' })
  await values.getByRole('button', { name: 'Add a value' }).press('Enter')
  await values.getByRole('textbox', { name: 'Name' }).nth(1).fill('labels')
  await values.getByRole('textbox', { name: 'Value of labels' }).fill('{{tags}}')
  await values.getByRole('combobox', { name: 'Type of labels' }).selectOption('List')
  await values.getByText('["bug","shop"]', { exact: true }).waitFor()
  await values.getByRole('combobox', { name: 'Type of labels' }).selectOption('Number')
  await values.getByText('labels: The text is not a number of JSON, such as 12.5.').waitFor()
  await expectAccessibleInBothSchemes(page)
  await values.getByRole('combobox', { name: 'Type of labels' }).selectOption('List')
  await page.getByRole('button', { name: 'Save and run a test' }).click()
  const panel = page.getByRole('region', { name: 'Test run' })
  await panel.getByText('number 5 · labels 2 items').waitFor()
  await expectAccessible(page)
  const stored = Workflow.parse((await rest('GET', `/workflows/${workflowId}`)).body)
  expect(stored.steps).toEqual([
    {
      ...{ key: 'set', type: 'set' },
      values: { number: { value: '{{quantity}}', as: 'number' }, labels: { value: '{{tags}}', as: 'list' } },
    },
  ])
})
