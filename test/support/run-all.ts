/**
 * Runs what `npm test` stands for: type check, lint and every test but those of `limits`, side by side. Ends with one line,
 * `N passed, N failed`, in which the two checks count as one each, and exits 1 on any
 * failure. A run that is interrupted ends with the list of what has failed until then, and exits 130.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { z } from 'zod'
import { failedTestsVariable } from './failed-tests.ts'

const Report = z.object({
  numPassedTests: z.int(),
  numFailedTests: z.int(),
  numPendingTests: z.int(),
  success: z.boolean(),
})

/** The commands that run. */
const running = new Set<ChildProcess>()
let isInterrupted = false

function track<Child extends ChildProcess>(child: Child): Child {
  running.add(child)
  child.once('close', () => running.delete(child))
  return child
}

// At Ctrl-C the terminal has told the commands as well; a signal to this process alone has to be passed on.
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.on(signal, () => {
    isInterrupted = true
    for (const child of running) child.kill(signal)
  })

/** Runs a command beside the tests. @returns once it has ended, with all that it printed. */
async function check(command: string, args: string[]): Promise<{ ok: boolean; output: string }> {
  let output = ''
  if (isInterrupted) return { ok: false, output }
  try {
    const child = track(spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'], shell: isWindows }))
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', text => (output += text))
    const [status] = await once(child, 'close')
    return { ok: status === 0, output }
  } catch (error) {
    return { ok: false, output: output + error }
  }
}

/** Runs the tests, which print as they go. @returns whether vitest was content. */
async function test(args: string[]): Promise<boolean> {
  const env = { ...process.env, [failedTestsVariable]: failedFile }
  const [status] = await once(
    track(spawn('vitest', args, { stdio: 'inherit', shell: isWindows, env })),
    'close',
  )
  return status === 0
}

class Interrupted extends Error {}

/** Prints which tests have failed before the run was interrupted. */
function reportInterruption(): void {
  const names = existsSync(failedFile) ? readFileSync(failedFile, 'utf8').trim() : ''
  console.log(
    `\nInterrupted. ${names === '' ? 'No test has failed until then.' : `Failed until then:\n${names}`}`,
  )
}

const isWindows = process.platform === 'win32'
const folder = mkdtempSync(join(tmpdir(), 'custom-connection-tests-'))
const reportFile = join(folder, 'report.json')
const failedFile = join(folder, 'failed.txt')
let passed = 0
let failed = 0
let skipped = 0
const count = (ok: boolean) => (ok ? passed++ : failed++)

try {
  // One after the other, both beside the build that the tests begin with.
  const checks = (async () => [
    { title: 'Type check', ...(await check('tsc', ['-b', '--singleThreaded'])) },
    { title: 'Lint and format', ...(await check('biome', ['check', '--error-on-warnings'])) },
  ])()
  const green = await test([
    'run',
    '--project=!limits',
    '--reporter=default',
    '--reporter=json',
    '--reporter=./test/support/failed-tests.ts',
    `--outputFile.json=${reportFile}`,
    ...process.argv.slice(2),
  ])
  const ended = await checks
  if (isInterrupted) throw new Interrupted()
  for (const { title, ok, output } of ended) {
    count(ok)
    console.log(`\n${title}: ${ok ? 'ok' : 'failed'}`)
    if (!ok) console.log(output)
  }
  const report = Report.parse(JSON.parse(readFileSync(reportFile, 'utf8')))
  passed += report.numPassedTests
  failed += report.numFailedTests
  skipped = report.numPendingTests
  // A run can fail without a failed test: a file that does not load, an error nobody caught.
  if (!green && report.numFailedTests === 0) failed++
} catch (error) {
  if (error instanceof Interrupted) reportInterruption()
  else {
    console.error(error)
    failed++
  }
} finally {
  rmSync(folder, { recursive: true, force: true })
}
if (isInterrupted) process.exitCode = 130
else {
  console.log(`\n${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`)
  process.exitCode = failed > 0 ? 1 : 0
}
