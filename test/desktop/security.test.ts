import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { MessageChannel } from 'node:worker_threads'
import { createORPCClient } from '@orpc/client'
import { RPCLink } from '@orpc/client/message-port'
import { beforeEach, describe, expect, test } from 'vitest'
import { lockDown } from '#main/desktop/lockdown.ts'
import { isOwnPage, servePage } from '#main/desktop/page.ts'
import { pagePolicy } from '#main/http/page.ts'
import { asElectronPort, launchApp, newFolder, type WindowClient } from './app-fixture.ts'
import { createElectronStandIn, type ElectronStandIn, preventable } from './electron-stand-in.ts'

describe('the page', () => {
  let electron: ElectronStandIn
  let folder: string
  beforeEach(async () => {
    electron = createElectronStandIn()
    const home = await newFolder()
    folder = join(home, 'renderer')
    await mkdir(join(folder, 'assets'), { recursive: true })
    await writeFile(join(home, 'secret.key'), 'secret')
    await writeFile(join(home, 'renderer-secret'), 'secret')
    await writeFile(join(folder, 'index.html'), '<title>Dashboard</title>')
    await writeFile(join(folder, 'assets', 'index-1.js'), 'export {}')
    await writeFile(join(folder, 'assets', 'a b.woff2'), '')
    servePage(electron.parts.protocol, folder)
  })

  test('is served with its policy', async () => {
    for (const url of ['app://cc/', 'app://cc/index.html', 'app://cc/?a=1#/settings']) {
      const response = await electron.fetch(url)
      expect(response.status).toBe(200)
      expect(await response.text()).toBe('<title>Dashboard</title>')
      expect(Object.fromEntries(response.headers)).toMatchObject({
        'content-type': 'text/html; charset=utf-8',
        'content-security-policy': pagePolicy,
        'x-content-type-options': 'nosniff',
      })
    }
    expect(pagePolicy).toMatch(/script-src 'self'(;|$)/)
  })

  test.each([
    ['assets/index-1.js', 'text/javascript; charset=utf-8'],
    ['assets/a%20b.woff2', 'font/woff2'],
  ])('brings %s as %s', async (path, type) => {
    const response = await electron.fetch(`app://cc/${path}`)
    expect([response.status, response.headers.get('content-type')]).toEqual([200, type])
  })

  test.each([
    'app://cc/../secret.key',
    'app://cc/%2e%2e/secret.key',
    'app://cc/..%2fsecret.key',
    'app://cc/assets/..%2f..%2fsecret.key',
    'app://cc/..%2frenderer-secret',
    'app://cc/..%5csecret.key',
    'app://cc//etc/passwd',
    'app://cc/%2fetc%2fpasswd',
    'app://cc/index.html%00.js',
    'app://cc/%ff',
    'app://cc/assets',
    'app://cc/index.html/x',
    `app://cc/${'a'.repeat(5000)}`,
    'app://other/index.html',
    'app:///index.html',
  ])('does not answer %s', async url => {
    const response = await electron.fetch(url)
    expect(response.status).toBe(404)
    expect(await response.text()).toBe('')
  })

  test('is read-only', async () => {
    expect((await electron.fetch('app://cc/', { method: 'POST' })).status).toBe(405)
    const head = await electron.fetch('app://cc/', { method: 'HEAD' })
    expect([head.status, await head.text()]).toEqual([200, ''])
  })

  test.each([
    ['app://cc/', true],
    ['app://cc/index.html#/settings', true],
    ['app://cc.example/', false],
    ['app://cc:80/', false],
    ['app://user@cc/', true],
    ['https://cc/', false],
    ['file:///app/out/renderer/index.html', false],
    ['', false],
  ])('%j is the app’s own: %s', (url, own) => {
    expect(isOwnPage(url)).toBe(own)
  })
})

describe('a page of the app', () => {
  function open() {
    const electron = createElectronStandIn()
    lockDown(electron.parts)
    const window = new electron.parts.BrowserWindow({
      width: 900,
      height: 600,
      minWidth: 900,
      minHeight: 600,
      show: false,
      title: '',
      icon: '',
      webPreferences: {
        preload: '',
        sandbox: true,
        contextIsolation: true,
        nodeIntegration: false,
        webviewTag: false,
        spellcheck: false,
      },
    })
    expect(electron.windows).toEqual([window])
    const [standIn] = electron.windows
    if (standIn === undefined) throw new Error('There is a window.')
    return { electron, window: standIn }
  }

  test.each(['will-navigate', 'will-redirect'])('cannot navigate: %s', event => {
    const { window } = open()
    const goesTo = (url: string) => {
      const details = preventable({ url })
      window.contents.emit(event, details)
      return !details.isPrevented
    }
    expect(goesTo('app://cc/index.html')).toBe(true)
    for (const url of ['https://example.com/', 'file:///etc/passwd', 'app://evil/', 'javascript:alert(1)'])
      expect(goesTo(url), url).toBe(false)
  })

  test('opens no windows, and opens web pages and links that install an MCP server in their programs', () => {
    const { electron, window } = open()
    const urls = [
      'https://example.com/a',
      'http://127.0.0.1:1/',
      'https://example.com/a" --b',
      'file:///etc/passwd',
      'app://cc/',
      'smb://x/',
      'x',
      'vscode:mcp/install?%7B%22name%22%3A%22x" y%22%7D',
      'cursor://anysphere.cursor-deeplink/mcp/install?name=x&config=e30%3D',
      'vscode://file/etc/passwd',
      'vscode:mcp/other?x',
      'cursor://anysphere.cursor-deeplink.evil/mcp/install?x',
    ]
    for (const url of urls) expect(window.open(url)).toEqual({ action: 'deny' })
    expect(electron.opened).toEqual([
      'https://example.com/a',
      'http://127.0.0.1:1/',
      'https://example.com/a%22%20--b',
      'vscode:mcp/install?%7B%22name%22%3A%22x%22%20y%22%7D',
      'cursor://anysphere.cursor-deeplink/mcp/install?name=x&config=e30%3D',
    ])
  })

  test('embeds nothing', () => {
    const { window } = open()
    const event = preventable({})
    window.contents.emit('will-attach-webview', event)
    expect(event.isPrevented).toBe(true)
  })

  test('may only write text to the clipboard', () => {
    const { electron } = open()
    expect(electron.asks('clipboard-sanitized-write', 'app://cc/index.html')).toBe(true)
    expect(electron.checks('clipboard-sanitized-write', 'app://cc/')).toBe(true)
    expect(electron.asks('clipboard-sanitized-write', 'https://example.com/')).toBe(false)
    expect(electron.checks('clipboard-sanitized-write', 'https://example.com')).toBe(false)
    for (const permission of [
      'clipboard-read',
      'media',
      'notifications',
      'openExternal',
      'local-network-access',
    ]) {
      expect(electron.asks(permission, 'app://cc/'), permission).toBe(false)
      expect(electron.checks(permission, 'app://cc'), permission).toBe(false)
    }
    expect(electron.device()).toBe(false)
  })
})

describe('a message port', () => {
  /** Sends a port from a frame. @returns whether the service answers on it. */
  async function isAnswered(
    electron: ElectronStandIn,
    senderFrame: { origin: string } | null,
    extra: number = 0,
  ): Promise<boolean> {
    const channels = Array.from({ length: 1 + extra }, () => new MessageChannel())
    const [first] = channels
    if (first === undefined) throw new Error('There is a channel.')
    const closed = new Promise<false>(resolve => first.port1.once('close', () => resolve(false)))
    electron.connect({ senderFrame, ports: channels.map(({ port2 }) => asElectronPort(port2)) })
    const client: WindowClient = createORPCClient(new RPCLink({ port: first.port1 }))
    const answered = client.health.get({}).then(
      ({ ok }) => ok,
      () => false,
    )
    const outcome = await Promise.race([closed, answered])
    for (const { port1 } of channels) port1.close()
    return outcome
  }

  test('is accepted only from the window’s main frame, and closed otherwise', async () => {
    const app = await launchApp()
    await app.started
    const { electron } = app
    const { mainFrame } = app.window().webContents
    expect(await isAnswered(electron, mainFrame)).toBe(true)
    expect(await isAnswered(electron, null)).toBe(false)
    expect(await isAnswered(electron, { origin: 'app://cc' })).toBe(false)
    expect(await isAnswered(electron, mainFrame, 1)).toBe(false)

    app.window().frame.origin = 'https://example.com'
    expect(await isAnswered(electron, mainFrame)).toBe(false)
    app.window().frame.origin = 'app://cc'
    expect(await isAnswered(electron, mainFrame)).toBe(true)

    app.window().close()
    expect(await isAnswered(electron, mainFrame)).toBe(false)
  })

  test('reaches the service and the app, with errors of the catalogue', async () => {
    const app = await launchApp()
    await app.started
    const client = app.client()
    const { connectionId } = await client.connections.create({ name: 'Shop' })
    expect(await client.connections.list({})).toMatchObject([{ connectionId, name: 'Shop' }])
    expect(await client.desktop.get({})).toMatchObject({ dashboardUrl: null })
    await expect(client.connections.get({ connectionId: 'none' })).rejects.toMatchObject({
      code: 'connection_not_found',
    })
    for (const url of ['file:///etc/passwd', 'javascript:alert(1)', 'smb://x/', '/etc/passwd', '--help', ''])
      await expect(client.desktop.openExternal({ url }), url).rejects.toMatchObject({ code: 'invalid_input' })
    expect(await client.desktop.openExternal({ url: 'https://example.com/" --b' })).toEqual({ opened: true })
    expect(app.electron.opened).toEqual(['https://example.com/%22%20--b'])
  })
})
