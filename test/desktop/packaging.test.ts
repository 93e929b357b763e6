import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Arch, build, Platform } from 'electron-builder'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { z } from 'zod'
import packageJson from '../../package.json' with { type: 'json' }
import { projectFolder } from '../support/cli-process.ts'
import { workerBundles } from '../support/worker-names.ts'

/** The text before the fuses in Electron's binary. A version, their number and one digit for each follow. */
const fuseSentinel = 'dL7pKGdnNz796PbbjQWNKmHXBZaB9tsX'
const fuseNames = [
  'runAsNode',
  'enableCookieEncryption',
  'enableNodeOptionsEnvironmentVariable',
  'enableNodeCliInspectArguments',
  'enableEmbeddedAsarIntegrityValidation',
  'onlyLoadAppFromAsar',
  'loadBrowserProcessSpecificV8Snapshot',
  'grantFileProtocolExtraPrivileges',
]

type AsarEntry = { files?: Record<string, AsarEntry> | undefined }
const AsarEntry: z.ZodType<AsarEntry> = z.lazy(() =>
  z.object({ files: z.record(z.string(), AsarEntry).optional() }),
)

const DebOptions = z.tuple([z.array(z.string()), z.string()])

let project: string
let unpacked: string
let deb: { args: string[]; desktopEntry: string }
beforeAll(async () => {
  project = mkdtempSync(join(tmpdir(), 'cc-packaging-'))
  for (const path of ['package.json', 'electron-builder.yml', 'resources/icons'])
    cpSync(join(projectFolder, path), join(project, path), { recursive: true })
  cpSync(inject('builtFolder'), join(project, 'out'), { recursive: true })
  // These files must not be packed.
  write('node_modules/leftover/index.js', '')
  write('src-main/service.ts', '')
  write('out/main/index.js.map', '{}')
  write('out/types/main.tsbuildinfo', '{}')
  write('secret.key', '')
  // Stands for Electron: no code, but fuses to be set.
  write('electron/electron', `${fuseSentinel}\u0001${String.fromCharCode(fuseNames.length)}11111111`)
  write('electron/LICENSE', '')
  write('electron/LICENSES.chromium.html', '')
  for (const locale of ['en-US', 'de']) write(`electron/locales/${locale}.pak`, '')
  mkdirSync(join(project, 'electron', 'resources'))

  await build({
    projectDir: project,
    targets: Platform.LINUX.createTarget('deb', Arch.x64),
    config: {
      electronDist: join(project, 'electron'),
      electronVersion: packageJson.devDependencies.electron,
    },
    // Records the arguments of the program that makes a deb, which is not available here.
    async effectiveOptionComputed(given: unknown) {
      const [args, desktopFile] = DebOptions.parse(given)
      deb = { args, desktopEntry: readFileSync(desktopFile, 'utf8') }
      return true
    },
  })
  unpacked = join(project, 'release', 'linux-unpacked')
})
afterAll(() => rm(project, { recursive: true, force: true }))

function write(path: string, text: string): void {
  const file = join(project, path)
  mkdirSync(join(file, '..'), { recursive: true })
  writeFileSync(file, text)
}

/** The paths in an asar archive: a header of four lengths, then its tree as JSON. */
function asarPaths(file: string): string[] {
  const bytes = readFileSync(file)
  const tree: unknown = JSON.parse(bytes.toString('utf8', 16, 16 + bytes.readUInt32LE(12)))
  const paths = ({ files }: AsarEntry, path: string): string[] =>
    files === undefined
      ? [path]
      : Object.entries(files).flatMap(([name, entry]) => paths(entry, `${path}${path && '/'}${name}`))
  return paths(AsarEntry.parse(tree), '')
}

describe('the packaged app', () => {
  test('contains the bundles, the icons and nothing else', () => {
    const paths = asarPaths(join(unpacked, 'resources', 'app.asar'))
    expect(paths).toEqual(
      expect.arrayContaining([
        'package.json',
        'out/main/index.js',
        'out/main/cli.js',
        ...workerBundles().map(name => `out/main/${name}`),
        'out/preload/index.cjs',
        'out/renderer/index.html',
        'resources/icons/512.png',
        'resources/icons/tray-ok.png',
        'resources/icons/tray-idle@2x.png',
      ]),
    )
    const allowed = /^(package\.json|out\/(main|preload|renderer)\/.*|resources\/icons\/[\w@-]+\.png)$/
    expect(paths.filter(path => !allowed.test(path) || path.endsWith('.map'))).toEqual([])
    expect(readdirSync(join(unpacked, 'resources'))).toEqual(['app.asar', 'apparmor-profile'])
    expect(readdirSync(join(unpacked, 'locales'))).toEqual(['en-US.pak'])
  })

  test('has an icon of each size of an icon theme, and a desktop entry that matches its windows', () => {
    const sizes = deb.args.flatMap(argument => /hicolor\/(\d+)x\d+\/apps\//.exec(argument)?.[1] ?? [])
    // One of 1024 alone is found by no desktop.
    expect(sizes).toEqual(expect.arrayContaining(['16', '32', '48', '64', '128', '256', '512']))
    // Electron names its windows after the package.
    expect(deb.args.join('\n')).toContain('=/usr/share/applications/custom-connection.desktop')
    expect(deb.desktopEntry).toContain('\nStartupWMClass=custom-connection\n')
  })

  test('contains the licenses of bundled third parties', () => {
    const text = readFileSync(join(unpacked, 'LICENSES.third-party.txt'), 'utf8')
    const titles = [...text.matchAll(/^-{80}\n(.+) \S+ \(.+\)\n-{80}$/gm)].map(([, name]) => name)
    // The service's, the dashboard's, the build's own, fonts, and one whose package holds no text.
    for (const name of ['fastify', 'undici', 'zod', 'react-dom', '@mantine/core', 'vite', 'abstract-logging'])
      expect(titles).toContain(name)
    expect(titles).toContain('@fontsource-variable/inter')
    expect(text).toContain('SIL OPEN FONT LICENSE')
    expect(text).toContain('Redistribution and use in source and binary forms')
    expect(titles).not.toContain('vitest')
    expect(asarPaths(join(unpacked, 'resources', 'app.asar'))).toContain('out/renderer/licenses.txt')
  })

  test('has every fuse set', () => {
    const binary = readFileSync(join(unpacked, 'custom-connection'), 'latin1')
    const wire = binary.slice(binary.indexOf(fuseSentinel) + fuseSentinel.length + 2)
    const on = fuseNames.filter((_name, index) => wire[index] === '1')
    expect(on).toEqual([
      'enableCookieEncryption',
      'enableEmbeddedAsarIntegrityValidation',
      'onlyLoadAppFromAsar',
    ])
    expect(wire).toMatch(/^[01]{8}$/)
  })
})
