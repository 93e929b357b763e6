import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { listenOn } from '#main/lib/listen-on.ts'
import { copyBuiltCheckout, noDisplay, scriptArguments } from '../support/built-checkout.ts'
import { startCli } from '../support/cli-process.ts'
import { keptToken, temporaryFolder } from '../support/cli-service.ts'

let checkout: string
beforeAll(() => {
  checkout = copyBuiltCheckout(mkdtempSync(join(tmpdir(), 'cc-start-')))
})
afterAll(() => rmSync(checkout, { recursive: true, force: true }))

/** Starts `npm start` on a computer without a display. */
function start(...args: string[]) {
  const [entry = '', ...more] = scriptArguments('start')
  return startCli([...more, ...args], { entry, cwd: checkout, env: noDisplay })
}

const freePorts = ['--port', '0', '--dashboard-port', '0']

test('npm start --help prints the help alone', async () => {
  const stdout = expect.stringMatching(/^Usage: npm start -- \[options\]\n/)
  expect(await start('--help').ended).toEqual({ code: 0, stdout, stderr: '' })
})

test.each([
  [['--port', 'abc'], 'error: --port: Write a whole number. (see --help)\n'],
  [['--prot', '1'], "error: unknown option '--prot' (Did you mean --port?) (see --help)\n"],
  [['--tls-cert', 'a.pem'], 'error: Give both --tls-cert and --tls-key, or neither. (see --help)\n'],
])('npm start %j prints the error alone', async (args, stderr) => {
  expect(await start(...args).ended).toEqual({ code: 2, stdout: '', stderr })
})

test('npm start on a busy port prints no more than the error', async () => {
  const server = createServer()
  const { port } = await listenOn(server, '127.0.0.1', 0)
  onTestFinished(() => void server.close())
  const args = ['--data', temporaryFolder(), '--log-level', 'silent', '--dashboard-port', '0']
  const { code, stdout, stderr } = await start(...args, '--port', String(port)).ended
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
  expect(stderr).toMatch(/^port_in_use: [^\n]*\n$/)
})

test('npm start without a terminal says in one line how to sign in, without the token', async () => {
  const data = temporaryFolder()
  const started = start('--data', data, ...freePorts)
  const dashboard = await started.line('stdout', line => line.startsWith('Dashboard: '))
  const hint = await started.line('stderr', line => line.startsWith('To sign in'))
  const url = dashboard.replace('Dashboard: ', '')
  expect(hint).toBe(`To sign in, open ${url} and enter the admin token. It is in ${data}/admin-token.`)
  const { stdout, stderr } = started.output()
  expect(stdout.split('\n')[0]).toBe(
    'The desktop app cannot open (there is no display). Open the dashboard in a browser instead.',
  )
  started.signal('SIGTERM')
  expect((await started.ended).code).toBe(0)
  expect(stdout + stderr).not.toContain(keptToken(data))
})

test('npm start --json prints nothing but JSON on stdout', async () => {
  const started = start('--data', temporaryFolder(), ...freePorts, '--json')
  const line = await started.line('stdout')
  expect(JSON.parse(line)).toMatchObject({ dashboardUrl: expect.any(String) })
  started.signal('SIGTERM')
  expect((await started.ended).stdout).toBe(`${line}\n`)
})
