/**
 * Runs test files many times beside a load, to find tests that fail by chance:
 * `npm run test:often -- test/e2e/dashboard/live.test.ts --times 20 --load 10`. Prints each failure as it comes and ends
 * with a line for each test that failed; exits 1 if one did.
 */
import { parseArgs } from 'node:util'
import { Worker } from 'node:worker_threads'
import { createVitest, type Reporter } from 'vitest/node'
import { z } from 'zod'

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    times: { type: 'string', default: '20' },
    /** How many threads take processor time meanwhile. */
    load: { type: 'string', default: '10' },
    project: { type: 'string', multiple: true, default: [] },
  },
})
const Caught = z.object({ message: z.string(), stack: z.string().optional() })
const failures = new Map<string, number>()

function failed(
  name: string,
  errors: readonly { readonly message: string; readonly stack?: string | undefined }[],
) {
  failures.set(name, (failures.get(name) ?? 0) + 1)
  console.log(`\nFailed: ${name}`)
  for (const { stack, message } of errors) console.log(stack ?? message)
}

const printer: Reporter = {
  onTestCaseResult(test) {
    const { state, errors = [] } = test.result()
    if (state === 'failed') failed(`${test.module.relativeModuleId} > ${test.fullName}`, errors)
  },
  onTestModuleEnd(module) {
    const errors = module.errors()
    if (errors.length > 0) failed(module.relativeModuleId, errors)
  },
}
const vitest = await createVitest('test', { watch: false, project: values.project, reporters: [printer] })
try {
  const files = await vitest.globTestSpecifications(positionals)
  if (files.length === 0) throw new Error(`No test file matches ${positionals.join(', ')}.`)
  // The threads end with this process.
  for (let thread = 0; thread < Number(values.load); thread++) new Worker('for (;;);', { eval: true }).unref()
  for (let time = 1; time <= Number(values.times); time++) {
    console.log(`\nRun ${time} of ${values.times}`)
    const { unhandledErrors } = await vitest.runTestSpecifications(files)
    for (const error of unhandledErrors) failed('An error that nobody caught', [Caught.parse(error)])
  }
} finally {
  await vitest.close()
}
for (const [name, times] of failures) console.log(`${times} of ${values.times} failed: ${name}`)
console.log(failures.size === 0 ? `All of ${values.times} runs passed.` : `${failures.size} tests failed.`)
process.exit(failures.size === 0 ? 0 : 1)
