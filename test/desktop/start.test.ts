import { access, mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { openDataFolder } from '#main/storage/local/data-folder.ts'
import { serve, stop } from '../support/cli-service.ts'
import { launchApp, newFolder } from './app-fixture.ts'

describe('the app starts', () => {
  test('with the early settings, then the service, then the window', async () => {
    const { electron, dataFolder, started, window } = await launchApp()
    await started
    expect(electron.calls).toEqual([
      'name custom-connection',
      `userData ${dataFolder}-window`,
      'scheme app',
      'lock',
      'ready',
      'serve app',
      'tray',
      'window',
    ])
    expect(window().calls).toEqual(['load app://cc/', 'show'])
    expect(window().options).toMatchObject({
      minWidth: 900,
      minHeight: 600,
      webPreferences: {
        preload: '/app/out/preload/index.cjs',
        sandbox: true,
        contextIsolation: true,
        nodeIntegration: false,
        webviewTag: false,
      },
    })
    expect(window().options).not.toHaveProperty('titleBarStyle')
  })

  test('with the title bar inside the window on macOS', async () => {
    const app = await launchApp({ options: { platform: 'darwin' } })
    await app.started
    expect(app.window().options.titleBarStyle).toBe('hiddenInset')
    expect(app.electron.menu[0]).toEqual({ role: 'appMenu' })
  })

  test('without a window at login, and opens one when it is started again', async () => {
    const { electron, started, window } = await launchApp({
      options: { argv: ['/usr/bin/custom-connection', '--hidden'] },
    })
    await started
    expect(electron.windows).toEqual([])
    expect(electron.trays).toHaveLength(1)
    electron.app.emit('second-instance')
    expect(window().calls).toEqual(['load app://cc/'])
  })

  test('without a window at login on macOS', async () => {
    const { electron, started } = await launchApp({
      options: { platform: 'darwin' },
      prepare: stand => {
        stand.wasOpenedAtLogin = true
      },
    })
    await started
    expect(electron.windows).toEqual([])
    electron.app.emit('activate')
    expect(electron.windows).toHaveLength(1)
  })

  test('once: a second instance ends, and the first comes to the front', async () => {
    const second = await launchApp({
      prepare: electron => {
        electron.isFirst = false
      },
    })
    await second.started
    expect(second.electron.calls.slice(-3)).toEqual(['quit', 'ended', 'ready'])
    expect(second.electron.trays).toEqual([])
    await expect(access(second.dataFolder)).rejects.toThrow('ENOENT')

    const first = await launchApp()
    await first.started
    first.electron.app.emit('second-instance')
    expect(first.electron.windows).toHaveLength(1)
    expect(first.window().calls.slice(-2)).toEqual(['show', 'focus'])
  })

  test('after a kill', async () => {
    const first = await launchApp()
    await first.started
    await first.quit()
    // A killed one leaves its socket and what it wrote of itself.
    await writeFile(join(first.dataFolder, 'service.json'), '{"pid":1}')
    await writeFile(join(first.dataFolder, 'service.sock'), '')
    const second = await launchApp({ dataFolder: first.dataFolder })
    await second.started
    expect(second.electron.windows).toHaveLength(1)
    expect(second.electron.dialogs).toEqual([])
  })
})

describe('the app ends', () => {
  test('when accepted events are durable, and releases the data folder', async () => {
    const app = await launchApp()
    await app.started
    expect(await app.quit()).toBe(0)
    expect(app.electron.calls.slice(-3)).toEqual(['quit', 'tray removed', 'exit 0'])
    const folder = await openDataFolder(app.dataFolder)
    await folder.close()
  })

  test('only when asked to, if it keeps running without a window', async () => {
    const { electron, started, window, client } = await launchApp()
    await started
    window().close()
    expect(electron.calls).not.toContain('quit')

    electron.app.emit('activate')
    await client().desktop.update({ keepRunning: false })
    window().close()
    expect(electron.calls).toContain('quit')
  })
})

describe('the app that cannot start says why', () => {
  test('while another process holds the data folder, and continues afterwards', async () => {
    const other = await serve(await newFolder())
    const app = await launchApp({
      dataFolder: other.data,
      prepare: electron => {
        electron.answers.splice(0, 1, 'Try again')
        electron.onQuestion = async () => {
          await stop(other)
        }
      },
    })
    await app.started
    expect(app.electron.dialogs).toEqual([
      {
        message: 'Custom Connection cannot start',
        detail: expect.stringContaining(`The process ${other.pid} already uses the data folder`),
        buttons: ['Try again', 'Quit'],
      },
    ])
    expect(app.electron.dialogs[0]?.detail).toMatch(/Stop the other one.*\n\nCode: data_folder_in_use$/)
    expect(app.electron.windows).toHaveLength(1)
  })

  test('when the configuration is damaged, and leaves it unchanged', async () => {
    const dataFolder = await newFolder()
    await writeFile(join(dataFolder, 'config.json'), '{ "schemaVersion": ')
    const app = await launchApp({
      dataFolder,
      prepare: electron => {
        electron.answers.splice(0, 1, 'Show data folder', 'Quit')
      },
    })
    await app.started
    const [dialog] = app.electron.dialogs
    expect(dialog?.detail).toMatch(
      /config\.json cannot be used.*Restore a backup.*Code: damaged_configuration/s,
    )
    expect(app.electron.opened).toEqual([dataFolder])
    expect(app.electron.windows).toEqual([])
    expect(await app.quit()).toBe(1)
  })

  test('when the disk refuses writes', async () => {
    const folder = await newFolder()
    await writeFile(join(folder, 'file'), '')
    const app = await launchApp({ dataFolder: join(folder, 'file', 'data') })
    await app.started
    expect(app.electron.dialogs[0]?.detail).toContain('Code: storage_unavailable')
    expect(await app.quit()).toBe(1)
  })

  test('but opens the window if only the port is taken', async () => {
    const other = await serve(await newFolder())
    const { hostname, port } = new URL(other.listenerUrl)
    const app = await launchApp({
      options: { listener: { host: hostname, port: Number(port) } },
      prepare: electron => void electron.answers.splice(0, 1, 'OK'),
    })
    await app.started
    expect(app.electron.dialogs[0]).toMatchObject({
      message: 'Events cannot be received',
      detail: expect.stringMatching(/already listens on.*settings.*Code: port_in_use/s),
    })
    expect(app.electron.windows).toHaveLength(1)
    expect(app.electron.trays[0]?.toolTip).toMatch(/Not receiving events at 127\.0\.0\.1:\d+$/)
    const moved = await app.client().service.moveListener({ host: '127.0.0.1', port: 0 })
    expect(app.electron.trays[0]?.toolTip).toBe(`Custom Connection: Receiving events at ${moved.url}`)
    await stop(other)
  })

  test('but starts the sample’s server if the port of events is taken', async () => {
    const first = await launchApp()
    await first.started
    const { connectionId } = await first.client().samples.load({})
    const { baseUrl } = await first.client().connections.get({ connectionId })
    await first.quit()
    const other = await serve(await newFolder())
    const { hostname, port } = new URL(other.listenerUrl)
    const app = await launchApp({
      dataFolder: first.dataFolder,
      options: { listener: { host: hostname, port: Number(port) } },
      prepare: electron => void electron.answers.splice(0, 1, 'OK'),
    })
    await app.started
    expect((await fetch(`${baseUrl}/orders`)).status).toBe(401)
    await stop(other)
  })
})

test('ignores a damaged window state or preference', async () => {
  const dataFolder = await newFolder()
  await mkdir(dataFolder, { recursive: true })
  await writeFile(
    join(dataFolder, 'desktop.json'),
    '{"preferences":{"keepRunning":false,"notifyRejected":7},',
  )
  const app = await launchApp({ dataFolder })
  await app.started
  expect(app.electron.windows).toHaveLength(1)
  expect(await app.client().desktop.get({})).toMatchObject({ preferences: { keepRunning: true } })
})
