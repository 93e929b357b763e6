/** Runs `npm start`; see `start/start.ts`. */
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { allowClosedStdout } from '#main/cli/output.ts'
import { runCli } from '#main/cli/run-cli.ts'
import { start } from './start/start.ts'

const root = join(import.meta.dirname, '..')

allowClosedStdout(process.stdout)
process.exitCode = await start({
  root,
  electronFolder: join(root, 'node_modules', 'electron'),
  args: process.argv.slice(2),
  v8Flags: process.execArgv.filter(flag => /^--(max-semi|initial-old)-space-size=/.test(flag)),
  platform: process.platform,
  env: process.env,
  stallMs: 60_000,
  say: line => void process.stdout.write(`${line}\n`),
  build,
  serve: args => runCli(['serve', ...args]),
})

function build(): Promise<boolean> {
  const electronVite = join(root, 'node_modules', 'electron-vite', 'bin', 'electron-vite.js')
  const child = spawn(process.execPath, [electronVite, 'build', '--logLevel', 'error'], {
    cwd: root,
    stdio: 'inherit',
  })
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('close', code => resolve(code === 0))
  })
}
