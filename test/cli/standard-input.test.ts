import { spawnSync } from 'node:child_process'
import { closeSync, openSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect, test } from 'vitest'
import { projectFolder } from '../support/cli-process.ts'

const input = pathToFileURL(join(projectFolder, 'src-main', 'cli', 'input.ts')).href

/** Copies stdin to stdout as the packaged app on Windows reads it. */
const copy = `import { standardInput } from '${input}'
standardInput('win32', { electron: '45.4.1' }).pipe(process.stdout)`

const run = (stdio: 'pipe' | number, text?: string) =>
  spawnSync(process.execPath, ['--input-type=module', '--eval', copy], {
    encoding: 'utf8',
    stdio: [stdio, 'pipe', 'pipe'],
    ...(text !== undefined && { input: text }),
  })

test('reads a pipe where Electron hides stdin', () => {
  expect(run('pipe', 'one\ntwo')).toMatchObject({ status: 0, stdout: 'one\ntwo', stderr: '' })
})

test('falls back to the stdin of Node where it is not a pipe', () => {
  const file = openSync(join(projectFolder, 'package.json'), 'r')
  expect(run(file).stdout).toContain('"name": "custom-connection"')
  closeSync(file)
})
