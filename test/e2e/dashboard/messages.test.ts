import { test } from 'vitest'
import { createAction } from '../../support/actions.ts'
import { createConnection } from '../../support/rest-client.ts'
import { dashboardTests, expectUncovered } from './fixture.ts'

const { open } = dashboardTests()

test('what a message covers in a small window can be brought out from under it', async () => {
  const { page, service, go } = await open({ width: 900, height: 600 })
  const { connectionId } = await createConnection(service.rest, { baseUrl: 'https://api.example.com' })
  const { actionId } = await createAction(service.rest, connectionId, {
    parameters: Array.from({ length: 8 }, (_, at) => ({
      name: `field_${at}`,
      type: 'string',
      description: 'A field.',
      required: false,
    })),
    responseMapping: Object.fromEntries(Array.from({ length: 6 }, (_, at) => [`alias_${at}`, `a.b${at}`])),
  })
  await go(`/connections/${connectionId}/actions?action=${actionId}`)
  await page.getByRole('button', { name: 'Remove field_0' }).click()
  await page.getByRole('button', { name: 'Undo' }).waitFor()
  for (const name of ['Remove field_7', 'Remove alias_4', 'Remove alias_5'])
    await expectUncovered(page.getByRole('button', { name }))
})
