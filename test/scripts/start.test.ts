import { chmodSync, mkdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { createProgress } from '../../scripts/start/build.ts'
import { findElectron } from '../../scripts/start/find-electron.ts'
import { isBuilt } from '../../scripts/start/is-built.ts'
import { type StartOptions, start } from '../../scripts/start/start.ts'
import { temporaryFolder } from '../support/cli-service.ts'
import { waitMs } from '../support/patience.ts'

function write(path: string, text: string, mode = 0o644): void {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, text)
  chmodSync(path, mode)
}

/** A checkout that has been built, all of the same moment. */
function checkout(): string {
  const root = temporaryFolder()
  for (const path of [
    'src-main/a.ts',
    'src-preload/index.ts',
    'src-renderer/ui/a.tsx',
    'src-shared/errors.ts',
    'resources/samples/a.json',
    'electron.vite.config.ts',
    'scripts/third-party-licenses.ts',
    'package-lock.json',
    'out/main/index.js',
    'out/preload/index.cjs',
    'out/renderer/index.html',
  ])
    write(join(root, path), '')
  touch(root, 'out/main/index.js', 10)
  touch(root, 'out/preload/index.cjs', 10)
  touch(root, 'out/renderer/index.html', 10)
  return root
}

/** Sets when a file was changed, in minutes from now. Folders change now, and a busy machine needs seconds for them. */
function touch(root: string, path: string, minutes: number): void {
  const at = Date.now() / 1000 + minutes * 60
  utimesSync(join(root, path), at, at)
}

describe('what is built', () => {
  test('is newer than everything that it is made from', async () => {
    const root = checkout()
    expect(await isBuilt(root)).toBe(true)
    touch(root, 'src-renderer/ui/a.tsx', 20)
    expect(await isBuilt(root)).toBe(false)
    touch(root, 'src-renderer/ui/a.tsx', 0)
    expect(await isBuilt(root)).toBe(true)
    for (const path of ['package-lock.json', 'resources/samples/a.json']) {
      touch(root, path, 20)
      expect(await isBuilt(root)).toBe(false)
      touch(root, path, 0)
    }
  })

  test('is there whole', async () => {
    const root = checkout()
    rmSync(join(root, 'out/preload'), { recursive: true })
    expect(await isBuilt(root)).toBe(false)
  })

  test('is not, once a source was removed', async () => {
    const root = checkout()
    rmSync(join(root, 'src-main/a.ts'))
    touch(root, 'src-main', 20)
    expect(await isBuilt(root)).toBe(false)
  })
})

const posix = process.platform !== 'win32'

/** Stands for the binary: writes down what it was given, says that it is ready, and ends. */
const app = `#!${process.execPath}
const { writeFileSync } = require('node:fs')
writeFileSync(process.env.SEEN, JSON.stringify({ args: process.argv.slice(2), runAsNode: process.env.ELECTRON_RUN_AS_NODE ?? null }))
if (process.env.FAILS) process.exit(Number(process.env.FAILS))
process.send('ready', () => process.disconnect())
process.once('disconnect', () => process.exit(7))
`

/** The installer's script: writes the binary. */
const unpack = `{
const { mkdirSync, writeFileSync, chmodSync } = require('node:fs')
mkdirSync(__dirname + '/dist', { recursive: true })
writeFileSync(__dirname + '/dist/electron', ${JSON.stringify(app)})
chmodSync(__dirname + '/dist/electron', 0o755)
writeFileSync(__dirname + '/dist/version', 'v45.4.1')
writeFileSync(__dirname + '/path.txt', 'electron')
}`

/** An npm package of Electron. */
function electronPackage(installer: string): string {
  const folder = temporaryFolder()
  write(join(folder, 'package.json'), '{"name":"electron","version":"45.4.1"}')
  write(join(folder, 'install.js'), installer)
  return folder
}

function withBinary(): string {
  const folder = electronPackage('process.exit(1)')
  write(join(folder, 'dist/electron'), app, 0o755)
  write(join(folder, 'dist/version'), '45.4.1')
  write(join(folder, 'path.txt'), 'electron')
  return folder
}

/** Runs it. Returns its lines, and the arguments of each `serve`. */
async function run(electronFolder: string, options: Partial<StartOptions> = {}) {
  const said: string[] = []
  const served: (readonly string[])[] = []
  const checked: (readonly string[])[] = []
  const seen = join(temporaryFolder(), 'seen.json')
  const status = await start({
    root: checkout(),
    electronFolder,
    args: [],
    v8Flags: ['--max-semi-space-size=4', '--initial-old-space-size=16'],
    platform: 'linux',
    stallMs: waitMs,
    say: line => void said.push(line),
    build: async () => {
      throw new Error('All is built.')
    },
    check: async args => {
      checked.push(args)
      return args.includes('--wrong') ? 2 : 0
    },
    serve: async args => {
      served.push(args)
      return 5
    },
    ...options,
    env: { ...process.env, DISPLAY: ':0', CI: '', SEEN: seen, ...options.env },
  })
  const given: unknown = await readFile(seen, 'utf8').then(JSON.parse, () => null)
  return { status, said, served, checked, given }
}

/** The arguments of `serve` where the app cannot open. */
const instead = (reason: string, ...args: string[]) => [['--open', '--app-problem', reason, ...args]]

describe.runIf(posix)('npm start', () => {
  test('opens the app with the binary that is there', async () => {
    const root = checkout()
    const ran = await run(withBinary(), { root, env: { ELECTRON_RUN_AS_NODE: '1' } })
    expect(ran).toEqual({
      status: 7,
      said: [],
      served: [],
      checked: [],
      given: {
        args: ['--js-flags=--max-semi-space-size=4 --initial-old-space-size=16', root],
        runAsNode: null,
      },
    })
  })

  test('fetches the binary first, and shows how far it is', async () => {
    const installer = `${unpack}
      require('node:fs').writeFileSync(__dirname + '/dist/libraries', Buffer.alloc(12_000_000))`
    const { status, said, served } = await run(electronPackage(installer))
    expect({ status, served }).toEqual({ status: 7, served: [] })
    // The file may be looked at while it is being written.
    expect(said).toEqual([
      'Fetching Electron, once…',
      expect.stringMatching(/^Fetching Electron: 1[0-2] MB$/),
    ])
  })

  test('serves the dashboard where the binary cannot be had, and passes on why', async () => {
    const fails = electronPackage("console.error(new TypeError('fetch failed').stack); process.exit(1)")
    expect(await run(fails)).toMatchObject({
      status: 5,
      said: ['Fetching Electron, once…'],
      served: instead('Electron cannot be downloaded: TypeError: fetch failed'),
      given: null,
    })
  })

  test('gives up when nothing arrives any more', async () => {
    const { status, served } = await run(electronPackage('setInterval(() => {}, 1000)'), { stallMs: 200 })
    expect(status).toBe(5)
    expect(served).toEqual(instead('Electron cannot be downloaded: nothing arrived for 0 seconds'))
  })

  test('serves the dashboard where there is no display, and fetches nothing', async () => {
    const ran = await run(electronPackage(unpack), { env: { DISPLAY: '', WAYLAND_DISPLAY: '' } })
    expect(ran).toMatchObject({ status: 5, said: [], served: instead('there is no display'), given: null })
  })

  test('serves the dashboard where the app cannot start', async () => {
    const ran = await run(withBinary(), { env: { FAILS: '3' } })
    expect(ran).toMatchObject({ status: 5, said: [], served: instead('status 3') })
    const folder = withBinary()
    chmodSync(join(folder, 'dist/electron'), 0o644)
    expect((await run(folder)).served).toEqual(instead(expect.stringContaining('EACCES')))
  })

  test('opens the app with the data folder that is named', async () => {
    const root = checkout()
    const ran = await run(withBinary(), { root, args: ['--data', '/other'] })
    expect(ran).toMatchObject({ status: 7, said: [], served: [] })
    expect(ran.given).toMatchObject({
      args: [expect.stringContaining('--js-flags='), root, '--data', '/other'],
    })
  })

  test('does not open the app on a data folder if the environment names a database', async () => {
    const env = { CUSTOM_CONNECTION_DATABASE: 'postgres://me@host/name' }
    const ran = await run(withBinary(), { env })
    expect(ran).toMatchObject({ status: 2, served: [], given: null })
    expect(ran.said).toEqual([expect.stringContaining('The desktop app does not support --database')])
  })

  test.each([
    [['--data=/other', '--port', '0'], '--port'],
    [['--hidden'], '--hidden'],
    [['--no-sandbox', '--data', '/other'], '--no-sandbox'],
  ])(
    'refuses an option that the app would ignore, and names the command for it: %j',
    async (args, option) => {
      const ran = await run(withBinary(), { args })
      expect(ran).toMatchObject({ status: 2, served: [], given: null })
      expect(ran.said).toEqual([
        `The desktop app does not support ${option}, only --data DIR. To run the service without the app: npm run serve -- --help`,
      ])
    },
  )

  test('serves with all options where there is no window, and passes on why', async () => {
    const args = ['--data', '/other', '--port', '0']
    const ran = await run(withBinary(), { args, env: { DISPLAY: '', WAYLAND_DISPLAY: '' } })
    expect(ran).toMatchObject({
      status: 5,
      said: [],
      served: instead('there is no display', ...args),
    })
  })

  test.each([true, false])('says nothing before a wrong option, with a display: %s', async hasDisplay => {
    const root = checkout()
    touch(root, 'src-main/a.ts', 20)
    const env = hasDisplay ? {} : { DISPLAY: '', WAYLAND_DISPLAY: '' }
    const ran = await run(electronPackage(unpack), { root, env, args: ['--wrong'] })
    expect(ran).toEqual({ status: 2, said: [], served: [], checked: [['--wrong']], given: null })
  })

  test.each(['--help', '-h'])('shows its help at once for %s', async option => {
    const root = checkout()
    touch(root, 'src-main/a.ts', 20)
    const ran = await run(electronPackage(unpack), { root, args: ['--port', '0', option] })
    expect(ran).toMatchObject({ status: 0, served: [], checked: [], given: null })
    expect(ran.said).toEqual([expect.stringMatching(/^Usage: npm start -- \[options\]\n/)])
  })

  test('builds first what is not built', async () => {
    const root = checkout()
    touch(root, 'src-main/a.ts', 20)
    let builds = 0
    const build = async () => {
      builds += 1
      return true
    }
    expect(await run(withBinary(), { root, build })).toMatchObject({
      status: 7,
      said: [expect.stringMatching(/^Building once/)],
    })
    expect(builds).toBe(1)
    const failed = await run(withBinary(), { root, build: async () => false })
    expect(failed).toMatchObject({
      status: 1,
      said: [expect.stringMatching(/^Building once/)],
      served: [],
      given: null,
    })
  })
})

test('a build says what it builds, and how far it is', () => {
  const progress = createProgress()
  const lines = [
    'vite v8.3.8 building ssr environment for production...',
    'transforming...',
    '✓ 1632 modules transformed.',
    'out/main/cli.js  0.26 kB',
    '✓ built in 11.80s',
    'vite v8.3.8 building ssr environment for production...',
    'vite v8.3.8 building client environment for production...',
  ]
  expect(lines.map(progress).filter(line => line !== null)).toEqual([
    'Building the service and the app (1 of 3)…',
    '  1632 modules read, writing files…',
    'Building the bridge of the window (2 of 3)…',
    'Building the dashboard (3 of 3)…',
  ])
})

describe.runIf(posix)('the binary', () => {
  test('of another version is not the one', () => {
    const folder = withBinary()
    expect(findElectron(folder, {})).toBe(join(folder, 'dist/electron'))
    write(join(folder, 'dist/version'), '44.0.0')
    expect(findElectron(folder, {})).toBeNull()
    expect(findElectron(folder, { ELECTRON_OVERRIDE_DIST_PATH: join(folder, 'dist') })).not.toBeNull()
    expect(findElectron(folder, { ELECTRON_OVERRIDE_DIST_PATH: join(folder, 'none') })).toBeNull()
  })
})
