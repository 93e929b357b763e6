import { expect, test } from 'vitest'
import { postInbound } from '../support/service-fixture.ts'
import { take } from '../support/take.ts'
import { launchApp } from './app-fixture.ts'

test('receives events while the window is closed', async () => {
  const app = await launchApp()
  await app.started
  const created = await app.client().connections.create({ name: 'Shop', persistEvents: true })
  app.window().close()

  const body = '{"event":"order.created","data":{"id":42}}'
  expect(await postInbound(created.credentials, body)).toMatchObject({ status: 200 })

  app.electron.trays[0]?.click()
  expect(app.electron.windows).toHaveLength(2)
  const client = app.client()
  const { connectionId } = created
  expect(await client.events.list({ connectionId })).toMatchObject({
    events: [{ eventName: 'order.created', dataText: '{"id":42}' }],
  })
  // The page that was opened follows what happens, over its port.
  const feed = await client.activity.live({ connectionId })
  await postInbound(created.credentials, '{"event":"order.paid"}')
  expect(await take(feed, 2)).toMatchObject([{ eventName: 'order.created' }, { eventName: 'order.paid' }])
})

test('shows the listener’s address and actions in the tray', async () => {
  const app = await launchApp()
  await app.started
  const [tray] = app.electron.trays
  const { listener } = await app.client().service.get({})
  expect(tray?.image).toBe('/app/resources/icons/tray-ok.png')
  expect(tray?.toolTip).toBe(`Custom Connection: Receiving events at ${listener.url}`)
  expect(tray?.menu.map(({ label, type, enabled = true }) => [label ?? type, enabled])).toEqual([
    [`Receiving events at ${listener.url}`, false],
    ['Copy listener URL', true],
    ['separator', true],
    ['Open Custom Connection', true],
    ['Quit', true],
  ])
  const choose = (label: string) => tray?.menu.find(item => item.label === label)?.click?.()
  choose('Copy listener URL')
  expect(app.electron.clipboard).toEqual([listener.url])
  app.window().close()
  choose('Open Custom Connection')
  expect(app.electron.windows).toHaveLength(2)

  const moved = await app.client().service.moveListener({ host: '127.0.0.1', port: 0 })
  expect(tray?.toolTip).toBe(`Custom Connection: Receiving events at ${moved.url}`)
  choose('Copy listener URL')
  expect(app.electron.clipboard.at(-1)).toBe(moved.url)

  choose('Quit')
  expect(await app.quit()).toBe(0)
})

test('opens only the menu after a click in the macOS menu bar', async () => {
  const app = await launchApp({ options: { platform: 'darwin' } })
  await app.started
  app.window().close()
  const [tray] = app.electron.trays
  tray?.click()
  expect(app.electron.menusOpened).toBe(1)
  expect(app.electron.windows).toHaveLength(1)
  tray?.menu.find(({ label }) => label === 'Open Custom Connection')?.click?.()
  expect(app.electron.windows).toHaveLength(2)
})

test('shows the data folder in the menu, and developer tools only in a checkout', async () => {
  const app = await launchApp()
  await app.started
  const items = app.electron.menu.flatMap(({ submenu = [] }) => submenu)
  items.find(({ label }) => label === 'Show data folder')?.click?.()
  expect(app.electron.opened).toEqual([app.dataFolder])
  expect(items.map(({ role }) => role)).toContain('toggleDevTools')
})
