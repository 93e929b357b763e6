import { expect, test } from 'vitest'
import { Workflow } from '#shared/model/workflow.ts'
import { createConnection } from '../../support/rest-client.ts'
import { expectAccessible, expectAccessibleInBothSchemes } from './accessibility.ts'
import { dashboardTests } from './fixture.ts'

const { open, sharedService } = dashboardTests()

test('names and a condition of a trigger are set by the keyboard, and a test says whether its event fits', async () => {
  const service = await sharedService()
  const { rest } = service
  const { connectionId } = await createConnection(rest, { name: 'GitHub', persistEvents: true })
  const send = (event: string, action: string) =>
    rest('POST', `/connections/${connectionId}/send`, { event, data: { action } })
  await send('issues', 'opened')
  await send('push', 'none')
  const trigger = { type: 'external.event', connectionId, eventName: 'issues' }
  const steps = [{ key: 'tell', type: 'notify', message: 'Issue {{action}}' }]
  const created = await rest('POST', '/workflows', { name: 'Issues', trigger, steps })
  const { workflowId } = Workflow.parse(created.body)
  const { page, go } = await open({ at: service, path: `/workflows/${workflowId}` })

  const card = page.getByRole('article').filter({ hasText: 'When GitHub sends' })
  await card.getByText('1 of the last 2 in 24 hours').waitFor()
  await card.getByRole('button', { name: /When GitHub sends/ }).click()
  await card.getByRole('combobox', { name: 'Events' }).focus()
  await page.keyboard.type('issue_comment.*')
  await page.keyboard.press('Enter')
  await card.getByText('When GitHub sends issues or issue_comment.*').waitFor()
  await card.getByRole('button', { name: 'Add a condition' }).press('Enter')
  await card.getByRole('textbox', { name: 'Value' }).focus()
  await page.keyboard.type('{{act')
  await page.getByRole('option', { name: /action/ }).waitFor()
  await page.keyboard.press('Enter')
  await card.getByRole('textbox', { name: 'Compared with' }).fill('opened')
  await card.getByText('True for').waitFor()
  await expectAccessibleInBothSchemes(page)
  await page.keyboard.press('Control+s')
  const stored = async () => Workflow.parse((await rest('GET', `/workflows/${workflowId}`)).body).trigger
  const when = { value: '{{action}}', operator: 'equals', operand: 'opened' }
  await expect.poll(stored).toEqual({
    ...trigger,
    ...{ eventName: null, eventNames: ['issues', 'issue_comment.*'], when },
  })

  await page.getByRole('button', { name: 'Run a test' }).click()
  const panel = page.getByRole('region', { name: 'Test run' })
  await panel.getByText('Trigger fits').waitFor()
  await expectAccessible(page)
  await card.getByRole('textbox', { name: 'Compared with' }).fill('closed')
  await card.getByText('False for').waitFor()
  await page.getByRole('button', { name: 'Run a test' }).click()
  await panel.getByText('Trigger does not fit: the event starts no run').waitFor()
  await panel.getByText('Succeeded', { exact: true }).first().waitFor()
  await expectAccessible(page)

  await go('/workflows')
  await page.getByText('issues, issue_comment.*').waitFor()
})
