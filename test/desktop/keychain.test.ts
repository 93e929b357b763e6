import { mkdtempSync } from 'node:fs'
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { runCli } from '../support/cli-process.ts'
import { launchApp, newFolder } from './app-fixture.ts'
import type { ElectronStandIn } from './electron-stand-in.ts'

const keyFileOf = (dataFolder: string) => readFile(join(dataFolder, 'secret.key'), 'utf8')

type Prepare = (electron: ElectronStandIn) => void
const withKeyring: Prepare = () => {}
const withoutKeyring: Prepare = electron => {
  electron.keyring.isAvailable = false
}

const templates = mkdtempSync(join(tmpdir(), 'cc-keychain-'))
afterAll(() => rm(templates, { recursive: true, force: true }))

/** Runs an app, which gets one connection, and keeps its data folder. */
async function makeTemplate(prepare: Prepare) {
  const app = await launchApp({ prepare })
  await app.started
  const { credentials } = await app.client().connections.create({ name: 'Shop' })
  const protection = (await app.client().desktop.get({})).keychain
  await app.quit()
  const folder = await mkdtemp(join(templates, 'data-'))
  await cp(app.dataFolder, folder, { recursive: true })
  return { folder, secret: credentials.signingSecret, protection }
}

const made = new Map<Prepare, ReturnType<typeof makeTemplate>>()

/** Returns what an app that has run once has left behind: a copy, because another run would take longer. */
async function ranOnce(prepare = withKeyring) {
  const template = made.get(prepare) ?? makeTemplate(prepare)
  made.set(prepare, template)
  const { folder, secret, protection } = await template
  const dataFolder = join(await newFolder(), 'data')
  await cp(folder, dataFolder, { recursive: true })
  return { dataFolder, secret, protection }
}

/** Starts it again. @returns the secret that it can read, and what else there is to know. */
async function runAgain(dataFolder: string, prepare?: (electron: ElectronStandIn) => void) {
  const app = await launchApp({ dataFolder, ...(prepare === undefined ? {} : { prepare }) })
  await app.started
  const client = app.client()
  const [connection] = await client.connections.list({})
  const { signingSecret } = await client.connections.credentials({
    connectionId: connection?.connectionId ?? '',
  })
  const { keychain } = await client.desktop.get({})
  const { dataKey } = await client.service.get({})
  await app.quit()
  return { signingSecret, protection: keychain, dataKey, log: app.log.text() }
}

describe('the keychain', () => {
  test('wraps a new key, and opens it at the next start', async () => {
    const { dataFolder, secret, protection } = await ranOnce()
    expect(protection).toEqual({ protects: true, warning: null })
    expect(await keyFileOf(dataFolder)).toMatch(/^keychain:v1:[A-Za-z0-9+/=]+\n$/)
    expect(await runAgain(dataFolder)).toMatchObject({
      signingSecret: secret,
      dataKey: 'keychain',
      protection: { protects: true, warning: null },
    })
  })

  test('wraps the key of a folder that was served headless', async () => {
    const { dataFolder, secret } = await ranOnce(withoutKeyring)
    const plain = await keyFileOf(dataFolder)
    expect(plain).toMatch(/^[A-Za-z0-9_-]{43}\n$/)
    expect(await runAgain(dataFolder)).toMatchObject({ signingSecret: secret, dataKey: 'keychain' })
    const wrapped = await keyFileOf(dataFolder)
    expect(wrapped).toMatch(/^keychain:v1:/)
    expect(Buffer.from(wrapped.slice('keychain:v1:'.length), 'base64').toString()).not.toContain(plain.trim())
  })

  test.each([
    ['linux', /^No keyring is available.*Install and unlock one.*Anyone who can read .*secret\.key/],
    ['darwin', /^The system’s keychain is not available\. Unlock it.*Anyone who can read .*secret\.key/],
  ] as const)('protects nothing if it is missing on %s, and the app says so', async (platform, warning) => {
    const first = await launchApp({ options: { platform }, prepare: withoutKeyring })
    await first.started
    const { dataFolder } = first
    await first.client().connections.create({ name: 'Shop' })
    expect((await first.client().desktop.get({})).keychain).toEqual({
      protects: false,
      warning: expect.stringMatching(warning),
    })
    expect(first.log.text()).toMatch(/No keyring is available|keychain is not available/)
    expect(await keyFileOf(dataFolder)).not.toContain('keychain:')
    await first.quit()
    expect(await runAgain(dataFolder, withoutKeyring)).toMatchObject({ dataKey: 'file' })
  })

  test('wraps the key again when the system asks for it', async () => {
    const { dataFolder, secret } = await ranOnce()
    const before = await keyFileOf(dataFolder)
    await runAgain(dataFolder, electron => {
      electron.keyring.renew = true
      electron.keyring.prefix = 'v12'
    })
    expect(await keyFileOf(dataFolder)).not.toBe(before)
    expect(await runAgain(dataFolder)).toMatchObject({ signingSecret: secret, dataKey: 'keychain' })
  })

  test('does not get the only copy if it returns a different text', async () => {
    const { dataFolder, secret } = await ranOnce(withoutKeyring)
    const plain = await keyFileOf(dataFolder)
    const app = await launchApp({
      dataFolder,
      prepare: electron => {
        const { safeStorage } = electron.parts
        safeStorage.decryptStringAsync = async () => ({ result: 'else', shouldReEncrypt: false })
      },
    })
    await app.started
    await app.quit()
    expect(app.log.text()).toContain('returns a different text')
    expect(await keyFileOf(dataFolder)).toBe(plain)
    expect(await runAgain(dataFolder)).toMatchObject({ signingSecret: secret })
  })

  test('is reported with the remedy if it is lost or locked, and the wrapped key stays', async () => {
    const { dataFolder, secret } = await ranOnce()
    const wrapped = await keyFileOf(dataFolder)
    const app = await launchApp({
      dataFolder,
      prepare: electron => {
        electron.keyring.password = 'another'
      },
    })
    await app.started
    expect(app.electron.dialogs).toHaveLength(1)
    expect(app.electron.dialogs[0]?.detail).toMatch(
      /keychain does not open the key file .*secret\.key .*Unlock it.*CUSTOM_CONNECTION_KEY.*backup.*Code: key_in_keychain$/s,
    )
    expect(await app.quit()).toBe(1)
    expect(await keyFileOf(dataFolder)).toBe(wrapped)
    expect(await runAgain(dataFolder)).toMatchObject({ signingSecret: secret, dataKey: 'keychain' })
  })

  test('is no longer needed after it is switched off; until then a headless service refuses the key', async () => {
    const { dataFolder, secret } = await ranOnce()
    const serve = ['serve', '--data', dataFolder, '--port', '0', '--dashboard-port', '0', '--json']
    const refused = await runCli(serve)
    expect(refused.code).toBe(1)
    expect(JSON.parse(refused.stdout)).toEqual({
      ok: false,
      code: 'key_in_keychain',
      message: expect.stringMatching(/Only the desktop app.*Switch that off in the app's settings/),
    })

    const app = await launchApp({ dataFolder })
    await app.started
    expect(await app.client().desktop.update({ useKeychain: false })).toMatchObject({
      preferences: { useKeychain: false },
      keychain: { protects: false, warning: expect.stringMatching(/^Switched off\. Anyone who can read/) },
    })
    expect(await keyFileOf(dataFolder)).toMatch(/^[A-Za-z0-9_-]{43}\n$/)
    await app.quit()
    expect(await runAgain(dataFolder)).toMatchObject({ signingSecret: secret, dataKey: 'file' })

    const again = await launchApp({ dataFolder })
    await again.started
    expect(await again.client().desktop.update({ useKeychain: true })).toMatchObject({
      keychain: { protects: true, warning: null },
    })
    expect(await keyFileOf(dataFolder)).toMatch(/^keychain:v1:/)
  })

  test('is reported by the service at once when it is switched on or off', async () => {
    const app = await launchApp()
    await app.started
    const client = app.client()
    expect((await client.service.get({})).dataKey).toBe('keychain')
    await client.desktop.update({ useKeychain: false })
    expect((await client.service.get({})).dataKey).toBe('file')
    await client.desktop.update({ useKeychain: true })
    expect((await client.service.get({})).dataKey).toBe('keychain')
  })

  test('stays switched on if the unwrapped key cannot be written', async () => {
    const app = await launchApp()
    await app.started
    const wrapped = await keyFileOf(app.dataFolder)
    // In the way of what is written beside the key file before it takes its place.
    await mkdir(join(app.dataFolder, 'secret.key.tmp', 'a'), { recursive: true })
    const client = app.client()
    await expect(client.desktop.update({ useKeychain: false })).rejects.toMatchObject({
      code: 'storage_unavailable',
    })
    expect(await client.desktop.get({})).toMatchObject({
      preferences: { useKeychain: true },
      keychain: { protects: true },
    })
    expect(await keyFileOf(app.dataFolder)).toBe(wrapped)
  })

  test('protects from the next start on if it becomes available later', async () => {
    const dataFolder = join(await newFolder(), 'Data')
    const app = await launchApp({
      dataFolder,
      options: { platform: 'darwin' },
      prepare: electron => {
        electron.keyring.isAvailable = false
      },
    })
    await app.started
    app.electron.keyring.isAvailable = true
    expect((await app.client().desktop.get({})).keychain.warning).toBe(
      `Protected from the next start on. Until then: Anyone who can read ${join(dataFolder, 'secret.key')} can read the stored secrets.`,
    )
  })

  test('is not used if the key comes from the environment', async () => {
    const { dataFolder } = await ranOnce(withoutKeyring)
    const key = (await keyFileOf(dataFolder)).trim()
    await rm(join(dataFolder, 'secret.key'))
    const app = await launchApp({ dataFolder, options: { env: { CUSTOM_CONNECTION_KEY: key } } })
    await app.started
    expect((await app.client().desktop.get({})).keychain).toEqual({
      protects: false,
      warning: expect.stringContaining('CUSTOM_CONNECTION_KEY'),
    })
    await app.client().desktop.update({ useKeychain: false })
    await expect(keyFileOf(dataFolder)).rejects.toThrow('ENOENT')
  })

  test('does not open a wrapped key that was cut short', async () => {
    const { dataFolder } = await ranOnce()
    const wrapped = await keyFileOf(dataFolder)
    await writeFile(join(dataFolder, 'secret.key'), wrapped.slice(0, 30))
    const app = await launchApp({ dataFolder })
    await app.started
    expect(app.electron.dialogs[0]?.detail).toContain('Code: key_in_keychain')
    expect(await app.quit()).toBe(1)
  })
})
