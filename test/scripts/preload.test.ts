import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import packageJson from '../../package.json' with { type: 'json' }
import { projectFolder } from '../support/cli-process.ts'
import { temporaryFolder } from '../support/cli-service.ts'

const guard = '-r ./scripts/preload.cjs'

/** Stands for an older Node. */
function pretendNode20(): string {
  const file = join(temporaryFolder(), 'pretend.cjs')
  writeFileSync(file, "Object.defineProperty(process, 'versions', { value: { node: '20.20.2' } })")
  return file
}

describe('without npm ci', () => {
  /** Returns a folder with the files that the scripts read first, without packages or with some. */
  function checkout(installed: readonly string[]): string {
    const folder = temporaryFolder()
    for (const path of ['package.json', 'scripts'])
      cpSync(join(projectFolder, path), join(folder, path), { recursive: true })
    for (const name of installed) mkdirSync(join(folder, 'node_modules', name), { recursive: true })
    return folder
  }
  const guarded = Object.entries(packageJson.scripts).filter(([, command]) => command.startsWith('node '))
  const names = Object.keys(packageJson.devDependencies)

  test.each(guarded)('npm run %s says so in one line, on any Node', (_name, command) => {
    for (const installed of [[], names.slice(1)])
      for (const pretend of [[], ['-r', pretendNode20()]]) {
        const args = [...pretend, ...command.split(' ').slice(1)]
        const { status, stdout, stderr } = spawnSync(process.execPath, args, {
          cwd: checkout(installed),
          encoding: 'utf8',
        })
        expect({ status, stdout }).toEqual({ status: 1, stdout: '' })
        expect(stderr).toBe('Packages of this project are not installed. Run npm ci first.\n')
      }
  })
})

describe('without the Node that npm ci installs', () => {
  test('an older one says so in one line, and how to get it', () => {
    const { status, stdout, stderr } = spawnSync(
      process.execPath,
      ['-r', pretendNode20(), ...guard.split(' '), 'src-main/cli/main.ts', '--version'],
      { cwd: projectFolder, encoding: 'utf8' },
    )
    expect({ status, stdout }).toEqual({ status: 1, stdout: '' })
    expect(stderr).toBe(
      'Node 24 or newer is needed, but this is 20.20.2. npm ci installs the right one, but install scripts are ' +
        'blocked. Run: npm rebuild node --ignore-scripts=false\n',
    )
  })

  test('every command that runs on Node is guarded', () => {
    for (const [name, command] of Object.entries(packageJson.scripts))
      if (/^(node|vitest)\b/.test(command)) expect(command, name).toMatch(new RegExp(`^node ${guard} `))
    for (const name of ['start', 'serve', 'cli', 'test'] as const)
      expect(packageJson.scripts[name]).toContain(guard)
  })

  test('npm runs the install script that brings it, and no other', () => {
    expect(packageJson.allowScripts).toMatchObject({ node: true })
    const allowed = Object.entries(packageJson.allowScripts).filter(([, isAllowed]) => isAllowed)
    expect(allowed).toHaveLength(1)
    const lock = readFileSync(join(projectFolder, 'package-lock.json'), 'utf8')
    const withScripts = [...lock.matchAll(/"node_modules\/([^"]+)": \{[^{}]*"hasInstallScript": true/g)]
    expect(withScripts.map(([, name]) => name).sort()).toEqual(Object.keys(packageJson.allowScripts).sort())
  })
})

test('the oldest Node is the same in engines, the executable, the build and the README', () => {
  expect(packageJson.engines.node).toBe('>=24')
  const read = (path: string) => readFileSync(join(projectFolder, path), 'utf8')
  expect(read('src-main/cli/run-cli.ts')).toContain('const oldestNode = 24\n')
  expect(read('electron.vite.config.ts')).toContain("target: 'node24'")
  expect(read('README.md')).toContain('Node 24')
  expect(read('docs/on-prem.md')).toContain('Node 24')
})
