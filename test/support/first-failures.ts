import type { Reporter, TestCase } from 'vitest/node'

/** Prints why a test failed that passed when it was run once more. */
export default class FirstFailures implements Reporter {
  onTestCaseResult(test: TestCase): void {
    const { state, errors } = test.result()
    if (state !== 'passed' || errors === undefined || errors.length === 0) return
    const reasons = errors.map(({ message }) => message).join('\n')
    console.log(
      `\n${test.module.relativeModuleId} > ${test.fullName}\nfailed once, then passed:\n${reasons}\n`,
    )
  }
}
