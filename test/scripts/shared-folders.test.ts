import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative, sep } from 'node:path'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { chromiumPath } from '../../scripts/chromium.ts'

const root = join(import.meta.dirname, '..', '..')
const folders: string[] = []

function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'cc-shared-'))
  folders.push(folder)
  return folder
}

afterEach(() => {
  vi.unstubAllEnvs()
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true })
})

describe('the Chromium of the tests', () => {
  it('is in this checkout', () => {
    expect(relative(root, chromiumPath()).split(sep).slice(0, 2)).toEqual(['node_modules', '.cache'])
  })

  it('is unpacked even if another user left a file of its name in the folder for temporary files', () => {
    const shared = temporaryFolder()
    const cache = temporaryFolder()
    const planted = ['chromium', 'fonts', 'libGLESv2.so']
    for (const name of planted) writeFileSync(join(shared, name), '')
    for (const name of ['TMPDIR', 'TMP', 'TEMP']) vi.stubEnv(name, shared)
    const path = chromiumPath(cache)
    expect(path.startsWith(cache)).toBe(true)
    expect(statSync(path).size).toBeGreaterThan(100_000_000)
    expect(readdirSync(shared)).toEqual(planted)
    expect(chromiumPath(cache)).toBe(path)
  })
})

/** Where a name that others can guess is used on purpose, and why that is safe. */
const exceptions = new Set([
  // The service uses the folder of its socket only if it belongs to its own user.
  'src-main/storage/local/data-folder-paths.ts',
  // The prefix of mkdtemp.
  'test/desktop/app-fixture.ts',
  // Names that are only compared, or that nothing is written to.
  'test/storage/data-folder-paths.test.ts',
  'test/http/session.test.ts',
])

function sources(): { path: string; text: string }[] {
  const tops = readdirSync(root, { withFileTypes: true })
    .filter(entry => entry.isDirectory() && /^(src-.*|test|scripts)$/.test(entry.name))
    .map(entry => join(root, entry.name))
  return tops
    .flatMap(top => readdirSync(top, { recursive: true, withFileTypes: true }))
    .filter(entry => entry.isFile() && /\.(ts|tsx|cjs)$/.test(entry.name))
    .map(entry => join(entry.parentPath, entry.name))
    .map(file => ({
      path: relative(root, file).split(sep).join('/'),
      text: readFileSync(file, 'utf8'),
    }))
}

describe('the sources', () => {
  it('use no fixed name in a folder that all users of a computer share', () => {
    const fixed =
      /['"`]\/(?:tmp|var\/tmp|dev\/shm)\b\/?[\w-]|(?<!mkdtemp(?:Sync)?\(\s*(?:join\(\s*)?)\btmpdir\(\)/
    const found = sources().filter(({ path, text }) => !exceptions.has(path) && fixed.test(text))
    expect(found.map(({ path }) => path)).toEqual([])
  })
})
