import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { projectFolder } from '../support/cli-process.ts'
import { waitMs } from '../support/patience.ts'
import { newFolder } from './app-fixture.ts'

const standIn = new URL('./electron-for-commands.ts', import.meta.url).href
const hooks = `import { registerHooks } from 'node:module'
registerHooks({
  resolve: (name, context, next) =>
    name === 'electron' ? { url: '${standIn}', shortCircuit: true } : next(name, context),
})`

/** Runs a subcommand of the app, which Electron would start. */
function runInApp(args: string[], trouble: string) {
  const flags = [
    '--unhandled-rejections=warn',
    '--import',
    `data:text/javascript,${encodeURIComponent(hooks)}`,
  ]
  const main = join(projectFolder, 'src-main', 'desktop', 'main.ts')
  return spawnSync(process.execPath, [...flags, main, ...args], {
    encoding: 'utf8',
    env: { ...process.env, TROUBLE: trouble },
    timeout: waitMs,
  })
}

test('a subcommand of the app prints its result and ends with its status', () => {
  const ran = runInApp(['sign', '--secret', 'whsec_x', '--body', '{}'], '')
  expect(ran).toMatchObject({ status: 0, stderr: '' })
  expect(ran.stdout).toContain('x-service-timestamp: ')
  expect(runInApp(['sign', '--nope'], '').status).toBe(2)
})

test.each([
  ['exception', 'of a callback'],
  ['rejection', 'of a promise'],
])('ends after an uncaught error: %s', async (trouble, message) => {
  const data = await newFolder()
  const ran = runInApp(['serve', '--data', data, '--port', '0', '--dashboard-port', '0'], trouble)
  expect(ran.status).toBe(1)
  expect(ran.stderr).toContain(message)
  expect(ran.stdout).not.toContain('A dialog.')
})
