import { randomBytes } from 'node:crypto'
import { stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { Agent, request } from 'undici'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { maxKnowledgeFileBytes, maxUploadPartBytes } from '#shared/model/platform/knowledge.ts'
import { Tool } from '#shared/model/tool.ts'
import { type Nodes, startNodes } from '../../bench/support/nodes.ts'
import { adminToken, newFolder, removeFolder } from '../../bench/support/processes.ts'
import { createAction } from '../../support/actions.ts'
import { contentTypes, wordXml, zip } from '../../support/docx.ts'
import { startExternalSystem } from '../../support/external-system.ts'
import { noPostgres } from '../../support/postgres.ts'
import { newDatabase } from '../../support/postgres-database.ts'
import { type CreatedConnection, createConnection, createRest } from '../../support/rest-client.ts'
import { call, say, startScriptedModel } from '../../support/scripted-model.ts'
import { postInbound } from '../../support/service-fixture.ts'
import { inOneHour, openOwnPage } from './fixture.ts'

const places = [0, 1, 2]

/** Returns a text with a picture of so many bytes. */
function termsOf(pictureBytes: number): Buffer {
  const text = wordXml('<w:p><w:r><w:t>Damaged goods are returned.</w:t></w:r></w:p>')
  const entries = [contentTypes, { name: 'word/document.xml', bytes: Buffer.from(text) }]
  return zip([...entries, { name: 'word/media/picture.png', bytes: randomBytes(pictureBytes) }])
}

describe.skipIf(noPostgres !== null)('the dashboard of three nodes behind a proxy', () => {
  let nodes: Nodes
  beforeAll(async () => {
    nodes = await startNodes(places.length, await newDatabase())
  })
  afterAll(() => nodes.close())

  /** Calls REST on any node. */
  const rest = createRest(() => nodes.dashboardUrl, adminToken)
  const restOf = (place: number) => createRest(() => nodes.at(place).line.dashboardUrl, adminToken)
  const open = (path: string, signedIn = true) =>
    openOwnPage(nodes.dashboardUrl, { path, signedIn, token: adminToken })

  /** Opens another tab, and waits until it follows what happens. */
  async function openTab(page: Page, path: string): Promise<Page> {
    const tab = await page.context().newPage()
    await tab.goto(`${nodes.dashboardUrl}/#${path}`)
    await tab.locator('[data-live="live"]').waitFor({ state: 'attached' })
    return tab
  }

  /** Posts an event to the listener of a node. Returns the status. */
  async function post(place: number, { credentials }: CreatedConnection, event: string, secret?: string) {
    const { pathname } = new URL(credentials.inboundUrl)
    const inboundUrl = nodes.at(place).line.listenerUrl + pathname
    const signingSecret = secret ?? credentials.signingSecret
    return (await postInbound({ inboundUrl, signingSecret }, JSON.stringify({ event }), Date.now())).status
  }

  /** Asks each node directly, with the session of a page. */
  async function onEach<Result>(
    page: Page,
    ask: (url: string, headers: Record<string, string>) => Promise<Result>,
  ) {
    const [cookie] = await page.context().cookies()
    const key = String(await page.evaluate("localStorage.getItem('cc:session-key')"))
    return Promise.all(
      places.map(place => {
        const { dashboardUrl } = nodes.at(place).line
        // Each port has a name of its own.
        const name = `cc_session_${new URL(dashboardUrl).port}`
        const headers = { cookie: `${name}=${cookie?.value}`, 'x-session-key': key, 'x-csrf-token': 'orpc' }
        return ask(dashboardUrl, headers)
      }),
    )
  }

  const isSignedIn = async (url: string, headers: Record<string, string>) =>
    Object(await (await fetch(`${url}/session`, { headers })).json()).authorized

  /** Opens a live stream. Returns the rest of it. */
  async function follow(url: string, headers: Record<string, string>) {
    const { body } = await fetch(`${url}/rpc/live/follow`, {
      method: 'POST',
      body: '{"json":{}}',
      headers: { ...headers, 'content-type': 'application/json' },
    })
    const reader = body?.getReader()
    await reader?.read()
    return async () => {
      while ((await reader?.read())?.done === false);
    }
  }

  test('is signed in on all nodes at once, and signed out of the streams of all', async () => {
    const page = await open('/connections', false)
    await page.getByLabel('Admin token', { exact: true }).fill(adminToken)
    await page.getByRole('button', { name: 'Open the dashboard' }).click()
    await page.getByRole('navigation', { name: 'Main' }).waitFor()
    expect(await onEach(page, isSignedIn)).toEqual([true, true, true])
    const streams = await onEach(page, follow)
    const tab = await openTab(page, '/connections')
    await page.goto(`${nodes.dashboardUrl}/#/settings/data-folder`)
    await page.getByRole('button', { name: 'Sign out' }).click()
    await tab.getByText('You are signed out').waitFor()
    for (const end of streams) await expect(end()).rejects.toThrow()
  })

  let shops = 0
  test('shows on every screen what happens on every node', () =>
    inOneHour(async () => {
      const name = `Shop ${++shops}`
      const page = await open('/connections')
      const shop = await createConnection(restOf(0), { name, persistEvents: true })
      const { connectionId } = shop
      const listed = page.getByRole('row', { name: new RegExp(name) })
      await listed.waitFor()
      const steps = [{ key: 'end', type: 'stop', outcome: 'succeeded' }]
      const trigger = { type: 'external.event', connectionId }
      await restOf(1)('POST', '/workflows', { name: 'Count', trigger, steps })
      const activity = await openTab(page, `/connections/${connectionId}/activity`)
      const runs = await openTab(page, '/workflows/runs')
      for (const place of places) {
        expect(await post(place, shop, `order.of_${place}`)).toBe(200)
        await activity.getByRole('option', { name: new RegExp(`order\\.of_${place}`) }).waitFor()
        await runs.getByText(`order.of_${place}`).first().waitFor()
        await listed.getByText(`order.of_${place}`).waitFor()
        expect(await post(place, shop, 'order.forged', 'x'.repeat(32))).toBe(401)
        await expect
          .poll(() => activity.getByRole('option', { name: /Signature does not match/ }).count())
          .toBe(place + 1)
        await listed.getByRole('img', { name: new RegExp(`, ${place + 1} rejected`) }).waitFor()
        await activity.getByText(`${place + 1} event${place === 0 ? '' : 's'} · 0 calls`).waitFor()
      }
      await restOf(2)('PATCH', `/connections/${connectionId}`, { name: 'Store' })
      await activity.getByRole('heading', { name: 'Store' }).waitFor()
      await page.getByRole('row', { name: /Store/ }).waitFor()
    }))

  test('downloads a backup by a link that another node has made', async () => {
    const page = await open('/settings/data-folder')
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Download a backup' }).click(),
    ])
    expect(await download.failure()).toBeNull()
    expect((await stat(await download.path())).size).toBeGreaterThan(1000)
    await page.getByRole('row', { name: /Good Download/ }).waitFor()
    expect(await page.getByRole('region', { name: 'Backups on a schedule' }).count()).toBe(0)
  })

  test('holds a conversation, over reloads, with a stop and the decision of a call', async () => {
    const system = await startExternalSystem()
    const model = await startScriptedModel()
    onTestFinished(() => model.close())
    const { connectionId } = await createConnection(rest, { name: 'ERP', baseUrl: system.url })
    const order = { name: 'order_id', type: 'string', description: 'The order', required: true }
    const action = { name: 'Create refund', toolName: 'create_refund', method: 'POST', parameters: [order] }
    await createAction(rest, connectionId, action)
    await rest('PATCH', '/settings', { assistantModel: model.model })
    const tools = Tool.array().parse((await rest('GET', '/tools')).body)
    const tool = tools.find(({ toolName }) => toolName === 'create_refund')?.name ?? ''
    const page = await open('/assistant/conversation')
    const log = page.getByRole('log', { name: 'Messages' })
    const field = page.getByRole('textbox', { name: 'Message' })
    const send = async (text: string) => {
      await field.fill(text)
      await field.press('Enter')
    }
    model.script([{ text: 'It was delivered and ' }, { hold: true }, { text: 'costs 149 EUR.' }])
    await send('Where is ORD-1?')
    await log.getByText('It was delivered').waitFor()
    await page.reload()
    await log.getByText('It was delivered').waitFor()
    model.release()
    await log.getByText('costs 149 EUR.').waitFor()

    model.script([{ text: 'Let me think. ' }, { hold: true }])
    await send('And ORD-2?')
    await log.getByText('Let me think.').waitFor()
    await page.getByRole('button', { name: 'Stop' }).click()
    await log.getByText(/stopped/i).waitFor()

    model.script([{ text: 'I refund it. ' }, call(tool, { order_id: 'ORD-1' })], say('Refunded.'))
    await send('Refund ORD-1.')
    const asked = page.getByRole('region', { name: 'Call create_refund?' })
    await asked.waitFor()
    await page.reload()
    await asked.getByRole('button', { name: /once/i }).click()
    await log.getByText('Refunded.').waitFor()
    expect(system.requests).toHaveLength(1)
  })

  test('sends a file in parts, which arrive at any node', async () => {
    const page = await open('/agent/knowledge?agent=shop')
    await page.getByText('No files yet').waitFor()
    const folder = newFolder()
    onTestFinished(() => removeFolder(folder))
    await writeFile(join(folder, 'terms.docx'), termsOf(8 * maxUploadPartBytes))
    await page.getByLabel('Files to add').setInputFiles(join(folder, 'terms.docx'))
    await page.getByRole('row', { name: 'terms.docx' }).getByText('Ready').waitFor()
  })

  test('takes a file of 50 MiB', async () => {
    const body = termsOf(maxKnowledgeFileBytes - 32 * 1024)
    // A connection of its own: the server closes one that is kept while the file is made.
    const dispatcher = new Agent()
    onTestFinished(() => dispatcher.close())
    const url = `${nodes.at(0).line.dashboardUrl}/api/v1/platform/knowledge?name=terms.docx`
    const headers = { authorization: `Bearer ${adminToken}` }
    const { statusCode } = await request(url, { method: 'POST', headers, body, dispatcher })
    expect(statusCode).toBe(200)
    expect((await restOf(1)('GET', '/platform/knowledge')).body).toMatchObject([{ bytes: body.length }])
  })

  test('goes on when one node after the other is killed and started again', async () => {
    const store = await createConnection(rest, { name: 'Market', persistEvents: true })
    const page = await open(`/connections/${store.connectionId}/activity`)
    await page.getByText('Nothing has happened yet').waitFor()
    for (const place of places) {
      await nodes.kill(place)
      expect(await post((place + 1) % places.length, store, `order.without_${place}`)).toBe(200)
      await page.getByRole('option', { name: new RegExp(`order\\.without_${place}`) }).waitFor()
      await nodes.start(place)
    }
    await page.locator('[data-live="live"]').waitFor({ state: 'attached' })
    await page.getByText('Not up to date').waitFor({ state: 'detached' })
    expect(await page.getByRole('alert').allTextContents()).toEqual([])
  })
})
