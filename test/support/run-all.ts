/**
 * What `npm test` runs: type check, lint, then every test. Ends with one line, `N passed, N failed`
 * (interface: npm test), in which the two checks count as one each, and exits 1 on any failure.
 */
import { spawnSync } from 'node:child_process'
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

function run(title: string, command: string, args: string[]): boolean {
  console.log(`\n${title}`)
  return spawnSync(command, args, { stdio: 'inherit', shell: process.platform === 'win32' }).status === 0
}

const folder = mkdtempSync(join(tmpdir(), 'custom-connection-tests-'))
const reportFile = join(folder, 'report.json')
let passed = 0
let failed = 0
let skipped = 0
const count = (ok: boolean) => (ok ? passed++ : failed++)

try {
  count(run('Type check', 'tsc', ['-b']))
  count(run('Lint and format', 'biome', ['check', '--error-on-warnings']))
  const green = run('Tests', 'vitest', [
    'run',
    '--reporter=default',
    '--reporter=json',
    `--outputFile.json=${reportFile}`,
    ...process.argv.slice(2),
  ])
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
