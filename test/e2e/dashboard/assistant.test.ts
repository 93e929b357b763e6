import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { ClientToken } from '#shared/model/assistant.ts'
import { createAction } from '../../support/actions.ts'
import { startExternalSystem } from '../../support/external-system.ts'
import { createConnection, type Rest } from '../../support/rest-client.ts'
import { expectAccessible, expectAccessibleInBothSchemes } from './accessibility.ts'
import { clipboard, dashboardTests, holdCalls, pressInSequence } from './fixture.ts'

const { open } = dashboardTests()
const placeholder = 'YOUR_CLIENT_TOKEN'

/** Creates a connection with a tool that reads, one that writes and one that deletes. */
async function createTools(rest: Rest, baseUrl = 'https://api.example.com') {
  const { connectionId } = await createConnection(rest, { name: 'Acme', baseUrl })
  const base = { path: '/orders', parameters: [] }
  const reading = await createAction(rest, connectionId, {
    ...base,
    name: 'Look up an order',
    toolName: 'look_up_order',
    description: 'Find one order. Use it when the customer names an order.',
  })
  const writing = await createAction(rest, connectionId, {
    ...base,
    name: 'Create a refund',
    toolName: 'create_refund',
    method: 'POST',
    description: 'Refunds an order in full or in part.',
  })
  await createAction(rest, connectionId, {
    ...base,
    name: 'Remove a card',
    toolName: 'remove_card',
    method: 'DELETE',
    description: 'Remove a saved card. Only on their explicit wish.',
  })
  return { connectionId, reading, writing }
}

async function tokensIn(rest: Rest): Promise<ClientToken[]> {
  return z.array(ClientToken).parse((await rest('GET', '/assistant/tokens')).body)
}

const createToken = (rest: Rest, fields: object) => rest('POST', '/assistant/tokens', fields)
const card = (page: Page) => page.getByRole('region', { name: 'Client configuration' })
const toolsPane = (page: Page) => page.getByRole('region', { name: 'Tools it sees' })

test('the palette opens the dialog for a new client token, also where Connect is open', async () => {
  const { page } = await open()
  const dialog = page.getByRole('dialog', { name: 'New client token' })
  for (const name of ['From elsewhere', 'From Connect']) {
    await page.keyboard.press('Control+k')
    await page.getByRole('combobox', { name: 'Search or run' }).fill('client token')
    await page.getByRole('option', { name: /New client token/ }).click()
    await dialog.getByLabel('Name').fill(name)
    await dialog.getByRole('button', { name: 'Cancel' }).click()
    await dialog.waitFor({ state: 'detached' })
    expect(new URL(page.url()).search).toBe('')
  }
})

test('G then A goes to Connect, which the sidebar and the palette lead to as well', async () => {
  const { page } = await open()
  const navigation = page.getByRole('navigation', { name: 'Main' })
  expect(await navigation.getByRole('link', { name: 'Connect', exact: true }).count()).toBe(0)
  await pressInSequence(page, 'g', 'a')
  await page.getByRole('heading', { name: 'Connect', level: 1 }).waitFor()
  await navigation.getByRole('link', { name: 'Connect', exact: true }).waitFor()
  await navigation.getByRole('link', { name: /^Connections/ }).click()
  await page.keyboard.press('Control+k')
  await page.getByRole('combobox', { name: 'Search or run' }).fill('mcp')
  await page.getByRole('option', { name: /Connect an assistant/ }).click()
  await page.getByRole('heading', { name: 'Connect an assistant' }).waitFor()
})

describe('the configuration', () => {
  test('of each client is copied with C, for the chosen tools and transport', async () => {
    const { page, service } = await open({ path: '/assistant' })
    const { connectionId } = await createTools(service.rest)
    await card(page).getByRole('tab', { name: 'VS Code' }).click()
    await card(page).getByText('"servers"').waitFor()
    await page.keyboard.press('c')
    await page.getByText('Configuration copied').waitFor()
    const url = `${service.dashboardUrl}/mcp`
    const headers = { Authorization: `Bearer ${placeholder}` }
    expect(JSON.parse(await clipboard(page))).toEqual({
      servers: { 'custom-connection': { type: 'http', url, headers } },
    })
    await card(page).getByRole('button', { name: 'Tools from: All connections' }).click()
    await page.getByRole('menuitemradio', { name: 'Acme' }).click()
    await card(page).getByRole('tab', { name: 'Cursor' }).click()
    await page.keyboard.press('c')
    await expect
      .poll(async () => JSON.parse(await clipboard(page)))
      .toEqual({ mcpServers: { 'custom-connection-acme': { url: `${url}/${connectionId}`, headers } } })
    await card(page).getByText('stdio', { exact: true }).click()
    await card(page).getByText('"command"').waitFor()
    await card(page).getByRole('button', { name: 'Copy', exact: true }).click()
    await expect
      .poll(async () => JSON.parse(await clipboard(page)))
      .toMatchObject({
        mcpServers: {
          'custom-connection-acme': {
            args: expect.arrayContaining(['mcp', '--data', service.dataFolder, '--connection', connectionId]),
          },
        },
      })
    await card(page).getByRole('link', { name: 'Add to Cursor' }).waitFor()
  })

  test('contains a token made here when it is copied, but never shows it', async () => {
    const { page, service } = await open({ path: '/assistant' })
    await card(page).getByRole('tab', { name: 'VS Code' }).click()
    expect(await card(page).getByRole('link', { name: 'Add to VS Code' }).count()).toBe(0)
    await page.getByRole('button', { name: 'New token' }).click()
    const dialog = page.getByRole('dialog', { name: 'New client token' })
    await expect.poll(() => dialog.getByLabel('Name').inputValue()).toBe('VS Code')
    await expectAccessibleInBothSchemes(page)
    await page.keyboard.press('Enter')
    const shown = page.getByRole('dialog', { name: 'Token “VS Code”' })
    const token = (await shown.getByRole('figure', { name: 'Token' }).innerText()).trim()
    expect(token).toMatch(/^ccmcp_/)
    await expectAccessible(page)
    await shown.getByRole('button', { name: 'Done' }).click()
    await page.getByRole('table', { name: 'Client tokens' }).getByText('VS Code').waitFor()
    await shown.waitFor({ state: 'hidden' })
    expect(await page.locator('body').innerText()).not.toContain(token)
    await page.keyboard.press('c')
    await expect.poll(() => clipboard(page)).toContain(`Bearer ${token}`)
    const link = card(page).getByRole('link', { name: 'Add to VS Code' })
    const [, json = ''] = (await link.getAttribute('href'))?.split('vscode:mcp/install?') ?? []
    expect(JSON.parse(decodeURIComponent(json))).toMatchObject({
      name: 'custom-connection',
      headers: { Authorization: `Bearer ${token}` },
    })
    await expect
      .poll(() => tokensIn(service.rest))
      .toMatchObject([
        { name: 'VS Code', workspaceId: 'default', readOnly: false, askFirst: true, lastUsedAt: null },
      ])
  })
})

describe('the tools', () => {
  test('are found when needed by a token that is made so, which its tools change, and over 100 it is suggested', async () => {
    const { page, service } = await open({ own: true })
    const { connectionId } = await createTools(service.rest)
    for (let kind = 0; kind < 100; kind++)
      await createAction(service.rest, connectionId, { name: `Look up ${kind}` })
    await page.goto(`${service.dashboardUrl}/#/assistant`)
    await page.getByRole('button', { name: 'New token' }).click()
    const dialog = page.getByRole('dialog', { name: 'New client token' })
    await dialog.getByText(/^103 tools: finding them when needed saves about [\d,]+ tokens/).waitFor()
    await dialog.getByText('Find tools when needed').click()
    await dialog.getByText(/three tools, \d{3} tokens/).waitFor()
    await expectAccessible(page)
    await dialog.getByLabel('Name').fill('Laptop')
    await dialog.getByRole('button', { name: 'Create token' }).click()
    await page.getByRole('button', { name: 'Done' }).click()
    await expect.poll(() => tokensIn(service.rest)).toMatchObject([{ tools: 'on demand' }])
    await page.getByText('finds tools when needed').waitFor()
    await toolsPane(page).getByText('for three tools, which find these').waitFor()
    const search = toolsPane(page).getByRole('region', { name: 'Try a search' })
    await search.getByRole('searchbox').fill('weather forecast')
    await search.getByText('Nothing fits. Tools are found by name, description and parameters.').waitFor()
    await search.getByRole('searchbox').fill('remove saved cards')
    const best = search.getByRole('list', { name: 'Found tools' }).getByRole('link').first()
    await best.getByText('Remove a card').waitFor()
    await best.getByText('saved', { exact: true }).waitFor()
    await expectAccessibleInBothSchemes(page)
    const choice = toolsPane(page).getByRole('radiogroup', { name: 'Tools of: Laptop' })
    await choice.getByRole('radio', { name: 'Find tools when needed' }).focus()
    await page.keyboard.press('ArrowLeft')
    await expect.poll(() => tokensIn(service.rest)).toMatchObject([{ tools: 'all' }])
    await toolsPane(page)
      .getByText(/^103 tools: finding them when needed/)
      .waitFor()
  })

  test('of more than are read at once have the tokens of all of them', async () => {
    const { page, service } = await open({ own: true })
    for (let n = 0; n < 6; n++) {
      const { connectionId } = await createConnection(service.rest, { baseUrl: 'https://api.example.com' })
      for (let kind = 0; kind < 90; kind++)
        await createAction(service.rest, connectionId, { name: `Look up ${kind}` })
    }
    const { body } = await service.rest('GET', '/assistant/tools')
    const total = new Intl.NumberFormat('en-GB').format(Math.round(Object(body).totalTokens / 10) * 10)
    await page.goto(`${service.dashboardUrl}/#/assistant`)
    await toolsPane(page).getByText(`About ${total} tokens`).waitFor()
    await toolsPane(page).getByText('for all tools').waitFor()
  })

  test('have the names and the tokens that a model gets, with warnings, and open their actions', async () => {
    const { page, service } = await open({ path: '/assistant' })
    const { connectionId, writing } = await createTools(service.rest)
    const { body } = await service.rest('GET', '/assistant/tools')
    const { tools, totalTokens } = z
      .object({ tools: z.array(z.object({ name: z.string(), tokens: z.int() })), totalTokens: z.int() })
      .parse(body)
    const rows = toolsPane(page).getByRole('row')
    await expect.poll(() => rows.count()).toBe(3)
    for (const [index, { name, tokens }] of tools.entries())
      for (const part of [name, String(tokens)])
        await expect.poll(() => rows.nth(index).innerText()).toContain(part)
    const total = Math.round(totalTokens / 10) * 10
    await toolsPane(page).getByText(`About ${total} tokens`).waitFor()
    await expectAccessibleInBothSchemes(page)
    await toolsPane(page).getByRole('button', { name: '1 tool has warnings' }).click()
    await expect.poll(() => rows.count()).toBe(1)
    await expect.poll(() => rows.innerText()).toContain('create_refund')
    await toolsPane(page).getByRole('button', { name: 'Show all tools' }).click()
    await page.keyboard.press('/')
    await page.keyboard.type('refund')
    await expect.poll(() => rows.count()).toBe(1)
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')
    await expect
      .poll(() => page.url())
      .toContain(`/connections/${connectionId}/actions?action=${writing.actionId}&panel=assistant`)
  })

  test('have the name that can be called at the chosen address, copied with a key or a click', async () => {
    const { page, service } = await open({ path: '/assistant' })
    const { connectionId } = await createTools(service.rest)
    const { body } = await service.rest('GET', '/tools')
    const [first, second] = z.array(z.object({ name: z.string(), toolName: z.string() })).parse(body)
    await toolsPane(page).getByText('Names at /mcp and in conversations.').waitFor()
    await toolsPane(page)
      .getByRole('button', { name: `Copy ${second?.name}` })
      .click()
    await expect.poll(() => clipboard(page)).toBe(second?.name)
    // The click has not opened the action.
    expect(page.url()).toMatch(/assistant$/)
    await toolsPane(page).getByRole('grid', { name: 'Tools' }).focus()
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('y')
    await expect.poll(() => clipboard(page)).toBe(first?.name)
    await card(page).getByRole('button', { name: 'Tools from: All connections' }).click()
    await page.getByRole('menuitemradio', { name: 'Acme' }).click()
    await toolsPane(page).getByText(`Names at /mcp/${connectionId}.`).waitFor()
    await toolsPane(page)
      .getByRole('button', { name: `Copy ${first?.toolName}`, exact: true })
      .click()
    await expect.poll(() => clipboard(page)).toBe(first?.toolName)
  })

  test('are loading, absent or could not be read, each in its own words', async () => {
    const { page, service } = await open()
    const hold = await holdCalls(page, 'assistant/tools')
    await pressInSequence(page, 'g', 'a')
    await toolsPane(page).getByRole('status', { name: 'Loading tools' }).waitFor()
    await hold.letGo()
    await toolsPane(page).getByRole('heading', { name: 'No tools yet' }).waitFor()
    await page.getByText('No calls yet').waitFor()
    await page.getByText('No tokens yet').waitFor()
    await page.getByText('Waiting for the first call…').waitFor()
    await expectAccessibleInBothSchemes(page)
    await page.route('**/rpc/assistant/tools', route => route.fulfill({ status: 500, body: '{}' }))
    await page.reload()
    await toolsPane(page).getByText('The tools could not be read').waitFor()
    await page.unrouteAll()
    await createTools(service.rest)
    await toolsPane(page).getByRole('row').first().waitFor()
  })
})

test('the first call is made with the command that is shown, and confirmed when it arrives', async () => {
  const system = await startExternalSystem()
  const { page, service } = await open({ own: true, path: '/assistant' })
  await createTools(service.rest, system.url)
  const first = page.getByRole('region', { name: 'First call' })
  await first.getByText('Waiting for the first call…').waitFor()
  await page.getByRole('button', { name: 'New token' }).click()
  await page.getByRole('dialog').getByLabel('Name').fill('curl')
  await page.keyboard.press('Enter')
  await page.getByRole('button', { name: 'Done' }).click()
  const command = first.getByRole('figure', { name: 'First call with curl' })
  await expect.poll(() => command.innerText()).toMatch(/Mcp-Name: acme_\w{4}__look_up_order/)
  expect(await command.innerText()).toContain('Bearer ••••')
  await expectAccessibleInBothSchemes(page)
  await command.getByRole('button', { name: 'Copy' }).click()
  await expect.poll(() => clipboard(page)).toContain('Bearer ccmcp_')
  const { stdout } = await promisify(execFile)('bash', ['-c', await clipboard(page)])
  expect(JSON.parse(stdout)).toMatchObject({ result: { content: [{ text: '{"ok":true}' }, {}] } })
  await first.getByText('curl called').waitFor()
  await first.getByText('200').waitFor()
  await page.getByRole('table', { name: 'Tool calls, newest first' }).getByText('look_up_order').waitFor()
  await command.waitFor({ state: 'detached' })
  await expectAccessibleInBothSchemes(page)
  await first.getByRole('button', { name: 'Call with curl' }).click()
  await command.waitFor()
})

describe('client tokens', () => {
  test('say what each may call, tool by tool with the keyboard alone', async () => {
    const { page, service } = await open({ path: '/assistant' })
    const { reading, writing } = await createTools(service.rest)
    await createToken(service.rest, { name: 'Laptop', askFirst: true })
    await createToken(service.rest, { name: 'Reports', readOnly: true })
    const cell = (word: string, toolName: string, token = 'Laptop') =>
      toolsPane(page).getByRole('button', { name: new RegExp(`^${word}: \\w+__${toolName}, ${token}$`) })
    await cell('Runs', 'look_up_order').waitFor()
    await cell('Asks', 'create_refund').waitFor()
    await toolsPane(page).getByRole('grid', { name: 'Tools' }).focus()
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('a')
    await cell('Asks', 'look_up_order').waitFor()
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('x')
    await cell('Refused', 'create_refund').waitFor()
    await toolsPane(page).getByText('for 2 tools').waitFor()
    await cell('Asks', 'remove_card').focus()
    await page.keyboard.press('Enter')
    await cell('Refused', 'remove_card').waitFor()
    await page.keyboard.press('Enter')
    await cell('Runs', 'remove_card').waitFor()
    await page.keyboard.press('Enter')
    await cell('Asks', 'remove_card').waitFor()
    await expectAccessibleInBothSchemes(page)
    await page.getByRole('button', { name: 'Reports: show what it may call' }).click()
    await cell('Refused', 'create_refund', 'Reports').waitFor()
    await cell('Refused', 'create_refund', 'Reports').click({ force: true })
    await toolsPane(page).getByRole('button', { name: 'Permissions of: Reports' }).click()
    await page.getByRole('menuitemradio', { name: 'Laptop' }).click()
    await cell('Refused', 'create_refund').waitFor()
    // No press has opened an action.
    expect(page.url()).toMatch(/assistant$/)
    await expect
      .poll(async () => (await tokensIn(service.rest)).map(({ permissions }) => permissions))
      .toEqual([{ [reading.actionId]: 'ask', [writing.actionId]: 'refuse' }, {}])
  })

  test('keep a permission that another window changes while one of them is saved', async () => {
    const { page, service } = await open({ path: '/assistant' })
    const { reading, writing } = await createTools(service.rest)
    await createToken(service.rest, { name: 'Laptop', askFirst: true })
    await toolsPane(page)
      .getByRole('button', { name: /^Runs: \w+__look_up_order, Laptop$/ })
      .waitFor()
    const { held, letGo } = await holdCalls(page, 'assistant/updateToken')
    await toolsPane(page).getByRole('grid', { name: 'Tools' }).focus()
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('a')
    await held()
    const [token] = await tokensIn(service.rest)
    const permissions = { [writing.actionId]: 'refuse' }
    await service.rest('PATCH', `/assistant/tokens/${token?.tokenId}`, { permissions })
    await letGo()
    await expect
      .poll(async () => (await tokensIn(service.rest))[0]?.permissions)
      .toEqual({ [reading.actionId]: 'ask', ...permissions })
  })

  test('are narrowed with a switch, and revoked after a question', async () => {
    const { page, service } = await open({ path: '/assistant' })
    await createToken(service.rest, { name: 'Laptop' })
    const table = page.getByRole('table', { name: 'Client tokens' })
    await table.getByRole('switch', { name: 'Laptop: read-only' }).click({ force: true })
    await expect.poll(async () => (await tokensIn(service.rest))[0]?.readOnly).toBe(true)
    await table.getByRole('button', { name: 'Revoke Laptop' }).click()
    const dialog = page.getByRole('dialog', { name: 'Revoke “Laptop”?' })
    await dialog.getByRole('button', { name: 'Cancel' }).click()
    await dialog.waitFor({ state: 'hidden' })
    expect(await tokensIn(service.rest)).toHaveLength(1)
    await table.getByRole('button', { name: 'Revoke Laptop' }).click()
    await dialog.getByRole('button', { name: 'Revoke token' }).click()
    await page.getByText('No tokens yet').waitFor()
    await expect.poll(() => tokensIn(service.rest)).toEqual([])
  })
})

test('at 900 × 600 and at 200 % zoom the tools have a button, and nothing is cut off sideways', async () => {
  const { page, service } = await open({ path: '/assistant' })
  await createTools(service.rest)
  await createToken(service.rest, { name: 'Laptop' })
  for (const size of [
    { width: 900, height: 600 },
    { width: 640, height: 400 },
  ]) {
    await page.setViewportSize(size)
    await page.getByRole('button', { name: 'Tools', exact: true }).waitFor()
    await expect
      .poll(() => page.evaluate('document.documentElement.scrollWidth'))
      .toBeLessThanOrEqual(size.width)
    await expectAccessible(page)
    await page.keyboard.press('/')
    await toolsPane(page).getByRole('row').first().waitFor()
    await expectAccessible(page)
    await page.keyboard.press('Escape')
    await page.keyboard.press('Escape')
    await card(page).waitFor()
  }
})
