import { expect, test } from 'vitest'
import { RunPage } from '#shared/model/run.ts'
import { Workflow } from '#shared/model/workflow.ts'
import { createConnection } from '../../support/rest-client.ts'
import { expectAccessible, expectAccessibleInBothSchemes } from './accessibility.ts'
import { dashboardTests } from './fixture.ts'

const { open, sharedService } = dashboardTests()

test('a key is set by the keyboard, and a duplicate leads to the run that has it', async () => {
  const service = await sharedService()
  const { rest } = service
  const { connectionId } = await createConnection(rest, { name: 'Acme Orders', persistEvents: true })
  const send = async (data: object) =>
    expect(
      (await rest('POST', `/connections/${connectionId}/send`, { event: 'order.paid', data })).status,
    ).toBe(200)
  await send({ order_id: 'ORD-20418', total: 149 })
  const trigger = { type: 'external.event', connectionId, eventName: 'order.paid' }
  const steps = [{ key: 'tell', type: 'notify', message: 'Order {{order_id}} paid' }]
  const created = Workflow.parse((await rest('POST', '/workflows', { name: 'Paid', trigger, steps })).body)
  const { workflowId } = created
  const { page, go } = await open({ at: service, path: `/workflows/${workflowId}` })

  const card = page.getByRole('article').filter({ hasText: 'When Acme Orders sends' })
  await card.getByRole('button', { name: /When Acme Orders sends/ }).click()
  await card.getByRole('radio', { name: 'For every event' }).focus()
  await page.keyboard.press('ArrowRight')
  const key = page.getByRole('textbox', { name: 'Key', exact: true })
  await key.focus()
  await page.keyboard.press('Tab')
  await card.getByText('Enter a key, such as {{order_id}}.').waitFor()
  await key.focus()
  await page.keyboard.type('{{ord')
  await page.getByRole('option', { name: /order_id/ }).waitFor()
  await page.keyboard.press('Enter')
  await card.getByText('"ORD-20418"').waitFor()
  await page.getByRole('textbox', { name: 'Hours' }).fill('48')
  await card.getByText('2 d', { exact: true }).waitFor()
  await expectAccessibleInBothSchemes(page)
  await page.keyboard.press('Control+s')
  const stored = async () => Workflow.parse((await rest('GET', `/workflows/${workflowId}`)).body).trigger.once
  await expect.poll(stored).toEqual({ key: '{{order_id}}', hours: 48 })

  for (let n = 0; n < 3; n++) await send({ order_id: 'ORD-20419' })
  await send({ total: 1 })
  const { runs } = RunPage.parse((await rest('GET', `/runs?workflowId=${workflowId}`)).body)
  const [withoutKey, run] = runs
  expect(runs).toHaveLength(2)
  await go(`/connections/${connectionId}/activity?kinds=event.accepted`)
  const row = page.getByRole('option').filter({ hasText: 'duplicate' }).first()
  await row.click()
  const detail = page.getByRole('region', { name: 'order.paid' })
  await detail.getByText('a duplicate', { exact: true }).waitFor()
  await expectAccessible(page)
  await detail.getByRole('link', { name: run?.runId ?? '' }).click()
  await page.getByText('2 later events with the same key started nothing.').waitFor()
  await expectAccessible(page)
  await go(`/workflows/runs?run=${withoutKey?.runId}`)
  await page.getByText('The event has no value for the key of the trigger').waitFor()
})

test('the signed id of a message is offered as the key', async () => {
  const service = await sharedService()
  const { rest } = service
  const sender = { scheme: 'standard-webhooks' }
  const { connectionId } = await createConnection(rest, { name: 'Acme Orders', sender })
  const { page } = await open({
    at: service,
    path: `/workflows/new?connectionId=${connectionId}&eventName=order.paid`,
  })
  const card = page.getByRole('article').filter({ hasText: 'When Acme Orders sends' })
  await card.getByText('Once per key').click()
  const key = page.getByRole('textbox', { name: 'Key', exact: true })
  await expect.poll(() => key.textContent()).toContain('headers.webhook-id')
  await expectAccessible(page)
})

test('a variable is offered though the event that has it arrives after the text', async () => {
  const service = await sharedService()
  const { rest } = service
  const { connectionId } = await createConnection(rest, { name: 'Acme Late', persistEvents: true })
  const sent = { event: 'order.paid', data: { order_id: 'ORD-1' } }
  expect((await rest('POST', `/connections/${connectionId}/send`, sent)).status).toBe(200)
  const once = { key: '{{eventName}}', hours: 24 }
  const trigger = { type: 'external.event', connectionId, eventName: 'order.paid', once }
  const steps = [{ key: 'tell', type: 'notify', message: 'Paid' }]
  const created = await rest('POST', '/workflows', { name: 'Late', trigger, steps })
  const { workflowId } = Workflow.parse(created.body)
  const { page, go } = await open({ at: service, path: '/workflows' })
  const { promise: isTyped, resolve: letThrough } = Promise.withResolvers<void>()
  await page.route('**/rpc/events/get', async route => {
    await isTyped
    await route.continue()
  })
  await go(`/workflows/${workflowId}`)
  const card = page.getByRole('article').filter({ hasText: 'When Acme Late sends' })
  await card.getByRole('button', { name: /When Acme Late sends/ }).click()
  const key = page.getByRole('textbox', { name: 'Key', exact: true })
  await key.focus()
  await page.keyboard.press('ControlOrMeta+a')
  await page.clock.install()
  await page.keyboard.type('{{ord')
  // The list is looked for a moment after the typing.
  await page.clock.runFor(1000)
  letThrough()
  await page.getByRole('option', { name: /order_id/ }).waitFor()
  await page.keyboard.press('Enter')
  await expect.poll(() => key.textContent()).toContain('{{order_id}}')
})
