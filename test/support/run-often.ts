/**
 * Runs test files many times beside a load, to find tests that fail by chance:
 * `npm run test:often -- test/e2e/dashboard/live.test.ts --times 20 --load 10`. Prints each failure as it comes and ends
 * with a line for each test that failed; exits 1 if one did.
 */
import { parseArgs } from 'node:util'
import { Worker } from 'node:worker_threads'
import { createVitest, DefaultReporter, type TestCase, type TestModule } from 'vitest/node'

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    times: { type: 'string', default: '20' },
    /** How many threads take processor time meanwhile. */
    load: { type: 'string', default: '10' },
    project: { type: 'string', multiple: true, default: [] },
  },
})
const failures = new Map<string, number>()
const count = (name: string) => failures.set(name, (failures.get(name) ?? 0) + 1)

class Failures extends DefaultReporter {
  override onTestCaseResult(test: TestCase): void {
    super.onTestCaseResult(test)
    if (test.result().state === 'failed') count(`${test.module.relativeModuleId} > ${test.fullName}`)
  }
  override onTestModuleEnd(module: TestModule): void {
    super.onTestModuleEnd(module)
    for (const { message } of module.errors()) count(`${module.relativeModuleId}: ${message}`)
  }
}

const vitest = await createVitest('test', {
  watch: false,
  project: values.project,
  reporters: [new Failures({ summary: false })],
})
try {
  const files = await vitest.globTestSpecifications(positionals)
  if (files.length === 0) throw new Error(`No test file matches ${positionals.join(', ')}.`)
  // The threads end with this process.
  for (let thread = 0; thread < Number(values.load); thread++) new Worker('for (;;);', { eval: true }).unref()
  for (let time = 1; time <= Number(values.times); time++) {
    console.log(`\nRun ${time} of ${values.times}`)
    const { unhandledErrors } = await vitest.runTestSpecifications(files)
    for (const error of unhandledErrors) count(`Unhandled error: ${error}`)
  }
} finally {
  await vitest.close()
}
for (const [name, times] of failures) console.log(`${times} of ${values.times} failed: ${name}`)
console.log(failures.size === 0 ? `All of ${values.times} runs passed.` : `${failures.size} tests failed.`)
process.exit(failures.size === 0 ? 0 : 1)
