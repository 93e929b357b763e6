/** Runs `npm start`; see `start/start.ts`. */
import { join } from 'node:path'
import { allowClosedStdout } from '#main/cli/output.ts'
import { runCli } from '#main/cli/run-cli.ts'
import { build } from './start/build.ts'
import { start } from './start/start.ts'

const root = join(import.meta.dirname, '..')

// With --json, stdout has one JSON value.
const out = process.argv.includes('--json') ? process.stderr : process.stdout

allowClosedStdout(process.stdout)
process.exitCode = await start({
  root,
  electronFolder: join(root, 'node_modules', 'electron'),
  args: process.argv.slice(2),
  v8Flags: process.execArgv.filter(flag => /^--(max-semi|initial-old)-space-size=/.test(flag)),
  platform: process.platform,
  env: process.env,
  stallMs: 60_000,
  say: line => void out.write(`${line}\n`),
  build: () => build(root, line => void out.write(`${line}\n`)),
  check: args => runCli(['serve', '--check', ...args]),
  serve: args => runCli(['serve', ...args]),
})
