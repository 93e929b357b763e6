/**
 * Runs what `npm test` stands for: type check, lint and every test, side by side. Ends with one line,
 * `N passed, N failed`, in which the two checks count as one each, and exits 1 on any
 * failure.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { z } from 'zod'

const Report = z.object({
  numPassedTests: z.int(),
  numFailedTests: z.int(),
  numPendingTests: z.int(),
  success: z.boolean(),
})

/** Runs a command beside the tests. @returns once it has ended, with all that it printed. */
async function check(command: string, args: string[]): Promise<{ ok: boolean; output: string }> {
  let output = ''
  try {
    const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'], shell: isWindows })
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
  const [status] = await once(spawn('vitest', args, { stdio: 'inherit', shell: isWindows }), 'close')
  return status === 0
}

const isWindows = process.platform === 'win32'
const folder = mkdtempSync(join(tmpdir(), 'custom-connection-tests-'))
const reportFile = join(folder, 'report.json')
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
    '--reporter=default',
    '--reporter=json',
    `--outputFile.json=${reportFile}`,
    ...process.argv.slice(2),
  ])
  for (const { title, ok, output } of await checks) {
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
  console.error(error)
  failed++
} finally {
  rmSync(folder, { recursive: true, force: true })
}
console.log(`\n${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`)
process.exitCode = failed > 0 ? 1 : 0
