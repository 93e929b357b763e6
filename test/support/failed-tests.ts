import { appendFileSync } from 'node:fs'
import type { Reporter, TestCase } from 'vitest/node'

/** The variable with the file to which names of failed tests are appended. */
export const failedTestsVariable = 'CUSTOM_CONNECTION_FAILED_TESTS'

/** Appends the name of each failed test to a file at once, so that the list is there however the run ends. */
export default class FailedTests implements Reporter {
  onTestCaseResult(test: TestCase): void {
    const file = process.env[failedTestsVariable]
    if (file !== undefined && test.result().state === 'failed')
      appendFileSync(file, `${test.module.relativeModuleId} > ${test.fullName}\n`)
  }
}
