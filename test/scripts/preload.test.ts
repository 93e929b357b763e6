import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import packageJson from '../../package.json' with { type: 'json' }
import { projectFolder } from '../support/cli-process.ts'
import { temporaryFolder } from '../support/cli-service.ts'

const guard = '-r ./scripts/preload.cjs'

describe('without the Node that npm ci installs', () => {
  test('an older one says so in one line, and how to get it', () => {
    const pretend = join(temporaryFolder(), 'pretend.cjs')
    writeFileSync(pretend, "Object.defineProperty(process, 'versions', { value: { node: '20.20.2' } })")
    const { status, stdout, stderr } = spawnSync(
      process.execPath,
      ['-r', pretend, ...guard.split(' '), 'src-main/cli/main.ts', '--version'],
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
