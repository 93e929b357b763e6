import { expect, test } from 'vitest'
import { createAction, testAction } from '../../support/actions.ts'
import { startExternalSystem } from '../../support/external-system.ts'
import { createConnection } from '../../support/rest-client.ts'
import { expectAccessibleInBothSchemes } from './accessibility.ts'
import { dashboardTests, typeToFind } from './fixture.ts'

const { open } = dashboardTests()

test('limits the rate of calls, and says until when they wait', async () => {
  const { page, go, service } = await open()
  const { rest } = service
  // The page counts down by the clock of the browser.
  service.clock.now = Date.now()
  const system = await startExternalSystem((_request, response) => {
    response.statusCode = 429
    response.setHeader('retry-after', '3000').end()
  })
  const { connectionId } = await createConnection(rest, { name: 'Acme 3', baseUrl: system.url })
  await rest('POST', `/connections/${connectionId}/send`, { event: 'a', data: {} })
  await go(`/connections/${connectionId}`)
  const card = page.getByRole('region', { name: 'Rate limit' })
  await card.getByText('No limit').waitFor()
  await card.getByRole('link', { name: 'Change' }).press('Enter')
  await page.getByRole('switch', { name: 'Limit the rate of calls' }).press(' ')
  await page.getByLabel('Calls', { exact: true }).fill('100')
  await page.getByLabel('Seconds', { exact: true }).fill('0')
  await page.keyboard.press('Control+s')
  await page.getByText('Choose 1 to 3,600 seconds.').waitFor()
  await expectAccessibleInBothSchemes(page)
  await page.getByLabel('Seconds', { exact: true }).fill('60')
  await page.keyboard.press('Control+s')
  await page.getByRole('button', { name: 'Save sign-in' }).waitFor({ state: 'hidden' })
  expect((await rest('GET', `/connections/${connectionId}`)).body).toMatchObject({
    ...{ auth: null, rateLimit: { calls: 100, perSeconds: 60 } },
  })
  await page.getByRole('link', { name: 'Overview', exact: true }).last().press('Enter')
  await card.getByText('100 calls in 60 s').waitFor()

  const { actionId } = await createAction(rest, connectionId)
  await testAction(rest, { connectionId, actionId })
  const band = page.getByRole('region', { name: /^Calls wait until .*, \d+ min from now$/ })
  await band.waitFor()
  // The sidebar says so too.
  const paused = page.getByRole('navigation', { name: 'Breadcrumb' }).getByText('Calls paused')
  await paused.waitFor()
  await card.getByText(/^100 calls in 60 s · paused until/).waitFor()
  await page.getByRole('heading', { name: 'What a paused connection does' }).waitFor()
  await expectAccessibleInBothSchemes(page)
  await page.setViewportSize({ width: 900, height: 600 })
  await expectAccessibleInBothSchemes(page)
  await band.getByRole('button', { name: 'End the pause' }).press('Enter')
  await band.waitFor({ state: 'hidden' })
  await paused.waitFor({ state: 'hidden' })
})

test('signs in the calls of a connection by OAuth 2, tried before it is saved', async () => {
  const { page, go, service } = await open()
  const { rest } = service
  const tokenServer = await startExternalSystem(({ headers }, response) => {
    response.statusCode = headers.authorization === undefined ? 200 : 401
    response.end(
      headers.authorization === undefined
        ? '{"access_token":"canary-token","expires_in":3600}'
        : '{"error":"invalid_client"}',
    )
  })
  const { connectionId } = await createConnection(rest, { name: 'Acme 2', baseUrl: 'https://a.example/v2' })
  await go(`/connections/${connectionId}`)
  const card = page.getByRole('region', { name: 'How calls sign in' })
  await card.getByText('only the signature').waitFor()
  await card.getByRole('link', { name: 'Change' }).press('Enter')
  await page.getByText('There is nothing to try').waitFor()
  await expectAccessibleInBothSchemes(page)

  await page.getByRole('radio', { name: /No sign-in/ }).press('ArrowUp')
  await expect.poll(() => page.getByRole('radio', { name: /OAuth 2/ }).isChecked()).toBe(true)
  await page.getByLabel('Token URL').fill(tokenServer.url)
  await page.getByLabel('Client ID').fill('northwind')
  await page.keyboard.press('Control+e')
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Name').fill('ACME_CLIENT_SECRET')
  await dialog.getByLabel('Value').fill('canary-secret')
  await page.keyboard.press('Enter')
  await page.getByText('ACME_CLIENT_SECRET is set').waitFor()

  await page.keyboard.press('Control+Enter')
  await page.getByText('The token server does not know this client').waitFor()
  await page.getByRole('button', { name: 'Save anyway' }).waitFor()
  await expectAccessibleInBothSchemes(page)
  await page.keyboard.press('F8')
  await expect.poll(() => page.locator(':focus').textContent()).toContain('invalid_client')
  await page.getByRole('button', { name: 'Try in the body' }).press('Enter')
  await page.getByText('Token for 1 h').waitFor()
  await expectAccessibleInBothSchemes(page)
  await page.getByText('signs in by OAuth 2').waitFor()
  await page.keyboard.press('Control+s')
  await page.getByRole('button', { name: 'Save sign-in' }).waitFor({ state: 'hidden' })
  expect((await rest('GET', `/connections/${connectionId}`)).body).toMatchObject({
    auth: { in: 'header', name: 'Authorization', value: 'Bearer {{ACME_2_TOKEN}}' },
  })
  expect(await page.content()).not.toMatch(/canary-/)
  await page.getByRole('link', { name: 'Overview', exact: true }).last().press('Enter')
  await card.getByText('Token for').waitFor()
  await card.getByText('OAuth 2, client northwind with').waitFor()
  await expectAccessibleInBothSchemes(page)

  // An API key in the query instead; the form keeps what is saved.
  await card.getByRole('link', { name: 'Change' }).press('Enter')
  expect(await page.getByLabel('Token URL').inputValue()).toBe(tokenServer.url)
  await page.getByRole('radio', { name: /OAuth 2/ }).press('ArrowUp')
  await page.getByText('The query', { exact: true }).click()
  await page.getByLabel('Name', { exact: true }).fill('key')
  await page.getByRole('textbox', { name: 'Value' }).fill('plain')
  await page.keyboard.press('Control+s')
  await page.getByText('Write the secret as an environment variable').waitFor()
  await page.getByRole('textbox', { name: 'Value' }).fill('{{ACME_KEY}}')
  await page.getByText('ACME_KEY is not set').waitFor()
  await page.keyboard.press('Control+s')
  await page.getByRole('button', { name: 'Save sign-in' }).waitFor({ state: 'hidden' })
  expect((await rest('GET', `/connections/${connectionId}`)).body).toMatchObject({
    auth: { in: 'query', name: 'key', value: '{{ACME_KEY}}' },
  })

  // And a user with a password, whose variable is chosen by its name.
  await page.getByRole('radio', { name: /API key/ }).press('ArrowUp')
  await page.getByLabel('User name').fill('northwind')
  await typeToFind(page.getByRole('combobox', { name: 'Password' }), 'ACME_CLIENT', 'ACME_CLIENT_SECRET')
  await page.keyboard.press('Enter')
  await page.keyboard.press('Control+s')
  await page.getByRole('button', { name: 'Save sign-in' }).waitFor({ state: 'hidden' })
  expect((await rest('GET', '/environment')).body).toMatchObject([
    { name: 'ACME_2_BASIC', kind: 'basic', basic: { user: 'northwind' } },
    { name: 'ACME_2_TOKEN', kind: 'oauth2' },
    { name: 'ACME_CLIENT_SECRET', kind: 'value' },
  ])

  await page.setViewportSize({ width: 900, height: 600 })
  await page.getByRole('button', { name: 'Kind' }).press('Enter')
  await page.getByRole('radio', { name: /Bearer token/ }).waitFor()
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'Try', exact: true }).press('Enter')
  await page.getByRole('heading', { name: 'Try sign-in' }).waitFor()
  await expectAccessibleInBothSchemes(page)
})
