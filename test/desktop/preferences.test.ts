import { access, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { readBackup } from '#main/backup/read-backup.ts'
import { autostartFile, setLaunchAtLogin } from '#main/desktop/launch-at-login.ts'
import { desktopDefaults } from '#shared/model/desktop.ts'
import { serve, stop } from '../support/cli-service.ts'
import { launchApp, newFolder, sharedApp } from './app-fixture.ts'
import { createElectronStandIn } from './electron-stand-in.ts'

const command = ['/opt/Custom Connection/app', 'a"b`c$d\\e%f'] as const

/** Its command matters only to the entry of the autostart. */
const cleanApp = sharedApp({ options: { command } })

describe('preferences', () => {
  test('have defaults and survive a restart', async () => {
    const first = await launchApp()
    await first.started
    expect((await first.client().desktop.get({})).preferences).toEqual(desktopDefaults)
    await first.client().desktop.update({ keepRunning: false, notifyRejected: true })
    const file = join(first.dataFolder, 'desktop.json')
    if (process.platform !== 'win32') expect((await stat(file)).mode & 0o777).toBe(0o600)
    await first.quit()

    const second = await launchApp({ dataFolder: first.dataFolder })
    await second.started
    const { preferences } = await second.client().desktop.get({})
    expect(preferences).toEqual({ ...desktopDefaults, keepRunning: false, notifyRejected: true })
  })

  test('ignore unknown preferences and fill in missing ones', async () => {
    const dataFolder = await newFolder()
    const kept = { preferences: { keepRunning: false, ofTomorrow: 1 } }
    await writeFile(join(dataFolder, 'desktop.json'), JSON.stringify(kept))
    const app = await launchApp({ dataFolder })
    await app.started
    const { preferences } = await app.client().desktop.get({})
    expect(preferences).toEqual({ ...desktopDefaults, keepRunning: false })
  })

  test('are all stored when they change at the same time', async () => {
    const app = await cleanApp()
    const client = app.client()
    const [first, second] = await Promise.all([
      client.desktop.update({ dashboardOnTcp: true, keepRunning: false }),
      client.desktop.update({ dashboardOnTcp: true, notifyRejected: true }),
    ])
    expect(first.dashboardUrl).toBe(second.dashboardUrl)
    expect((await client.desktop.get({})).preferences).toEqual({
      ...desktopDefaults,
      dashboardOnTcp: true,
      keepRunning: false,
      notifyRejected: true,
    })
  })

  test('are refused if they are invalid', async () => {
    const app = await cleanApp()
    // @ts-expect-error: a page that sends something else.
    const wrong = app.client().desktop.update({ keepRunning: 'yes' })
    await expect(wrong).rejects.toMatchObject({
      code: 'invalid_input',
      data: { issues: [{ path: 'keepRunning' }] },
    })
  })
})

describe('the dashboard on TCP', () => {
  test('starts and stops with its preference, and requires the token', async () => {
    const app = await launchApp()
    await app.started
    const client = app.client()
    const { dashboardUrl } = await client.desktop.update({ dashboardOnTcp: true })
    if (dashboardUrl === null) throw new Error('It is on.')
    expect((await fetch(`${dashboardUrl}/healthz`)).status).toBe(200)
    expect((await fetch(`${dashboardUrl}/api/v1/connections`)).status).toBe(401)
    const token = (await readFile(join(app.dataFolder, 'admin-token'), 'utf8')).trim()
    const headers = { authorization: `Bearer ${token}` }
    expect((await fetch(`${dashboardUrl}/api/v1/connections`, { headers })).status).toBe(200)

    expect(await client.desktop.update({ dashboardOnTcp: false })).toMatchObject({ dashboardUrl: null })
    await expect(fetch(`${dashboardUrl}/healthz`)).rejects.toThrow('fetch failed')

    await client.desktop.update({ dashboardOnTcp: true })
    await app.quit()
    const again = await launchApp({ dataFolder: app.dataFolder })
    await again.started
    await expect.poll(async () => (await again.client().desktop.get({})).dashboardUrl).toMatch(/^http:/)
  })

  test('stays off if its port is taken, and reports why', async () => {
    const other = await serve(await newFolder())
    const { hostname, port } = new URL(other.dashboardUrl)
    const app = await launchApp({ options: { dashboard: { host: hostname, port: Number(port) } } })
    await app.started
    await expect(app.client().desktop.update({ dashboardOnTcp: true })).rejects.toMatchObject({
      code: 'port_in_use',
    })
    expect(await app.client().desktop.get({})).toMatchObject({
      preferences: { dashboardOnTcp: false },
      dashboardUrl: null,
    })
    await stop(other)
  })
})

describe('launch at login', () => {
  test('on Linux is an entry of the desktop’s autostart, which starts it in the tray', async () => {
    const app = await cleanApp()
    const file = join(app.home, '.config', 'autostart', 'custom-connection.desktop')
    await app.client().desktop.update({ launchAtLogin: true })
    const entry = await readFile(file, 'utf8')
    expect(entry).toMatch(/^\[Desktop Entry\]\nType=Application\nName=Custom Connection\n/)
    expect(entry).toContain(
      String.raw`Exec="/opt/Custom Connection/app" "a\\"b\\${'`'}c\\$d\\\\e%%f" "--hidden"`,
    )
    await app.client().desktop.update({ launchAtLogin: false })
    await expect(access(file)).rejects.toThrow('ENOENT')
  })

  test('is updated at the start, because the program may have moved', async () => {
    const first = await launchApp({ options: { command: ['/old/app'] } })
    await first.started
    await first.client().desktop.update({ launchAtLogin: true })
    await first.quit()
    const second = await launchApp({
      dataFolder: first.dataFolder,
      options: { home: first.home, command: ['/new/app'] },
    })
    await second.started
    const file = autostartFile({ env: {}, home: first.home })
    await expect.poll(() => readFile(file, 'utf8')).toContain('Exec="/new/app" "--hidden"')
  })

  test('is not set again at the start on Windows, where Task Manager may have disabled it', async () => {
    const options = { platform: 'win32' } as const
    const first = await launchApp({ options })
    await first.started
    await first.client().desktop.update({ launchAtLogin: true, dashboardOnTcp: true })
    expect(first.electron.loginItem).toMatchObject([{ openAtLogin: true }])
    await first.quit()
    const second = await launchApp({ dataFolder: first.dataFolder, options })
    await second.started
    const dashboardUrl = async () => (await second.client().desktop.get({})).dashboardUrl
    await expect.poll(dashboardUrl).not.toBeNull()
    expect(second.electron.loginItem).toEqual([])
  })

  test('uses the XDG folder', () => {
    expect(autostartFile({ env: { XDG_CONFIG_HOME: '/x' }, home: '/home/a' })).toBe(
      '/x/autostart/custom-connection.desktop',
    )
  })

  test.each(['darwin', 'win32'] as const)('on %s is a login item', async platform => {
    const electron = createElectronStandIn()
    const options = { platform, env: {}, home: '/home/a', command: ['/app', '/checkout'] } as const
    await setLaunchAtLogin(electron.parts.app, options, true)
    await setLaunchAtLogin(electron.parts.app, options, false)
    const item = { path: '/app', args: ['/checkout', '--hidden'] }
    expect(electron.loginItem).toEqual([
      { ...item, openAtLogin: true },
      { ...item, openAtLogin: false },
    ])
  })
})

describe('the window can have', () => {
  test('the data folder shown', async () => {
    const app = await cleanApp()
    expect(await app.client().desktop.openDataFolder({})).toEqual({ opened: true })
    expect(app.electron.opened).toEqual([app.dataFolder])
  })

  test('a backup saved where the user chooses, or not at all', async () => {
    const app = await cleanApp()
    expect(await app.client().desktop.saveBackup({})).toEqual({ file: null })
    const file = join(app.home, 'backup.tar.gz')
    await writeFile(file, 'which the dialog has asked about')
    app.electron.saveTo = file
    expect(await app.client().desktop.saveBackup({})).toEqual({ file })
    expect(await readBackup(file)).toMatchObject({ files: expect.anything() })
    expect(await app.client().backups.list({})).toMatchObject([
      { source: 'command', label: 'backup.tar.gz', ok: true },
    ])
  })
})
