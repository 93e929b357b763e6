import { expect, test } from 'vitest'
import { createTimeSlices } from '#main/lib/time-slices.ts'
import { judgeAnswer } from '#main/outbound/cases/judge-answer.ts'
import { parseExact } from '#shared/json/exact-json.ts'
import type { CaseRule } from '#shared/model/case.ts'

const size = 5 * 1024 * 1024
const slices = createTimeSlices({ sliceMs: 5, isBusy: () => false })
const object = (count: number) => {
  const fields = Array.from({ length: count }, (_, index) => `"k${index}":${index % 10}`)
  return `{${fields.join(',')}}`
}
const text = `"${'a'.repeat(size)}"`

/** Names the value that a hostile system answers, and the rule that takes longest on it. */
const hostile: [name: string, value: string, rule: CaseRule, expected: unknown][] = [
  ['a text and a long pattern', text, 'matches', `*${'a'.repeat(900)}b*`],
  ['a text and a short pattern', text, 'matches', `*${'a'.repeat(31)}b*`],
  ['a text and 1,000 stars', text, 'matches', '*'.repeat(1000)],
  ['an object that is compared', object(350_000), 'equals', {}],
  ['an object that is counted', object(350_000), 'count', 1],
  ['an object that should be absent', object(350_000), 'absent', undefined],
  ['objects that are compared', `[${Array(50).fill(object(7000))}]`, 'equals', Array(50).fill({})],
  ['a list', `[${Array(size / 2).fill('1')}]`, 'equals', [1]],
  ['a number of many digits', `1${'0'.repeat(size)}1`, 'equals', 1],
  ['a fraction of many digits', `1.${'0'.repeat(size)}`, 'equals', 1],
]

test.each(hostile)(
  '50 rules on %s of 5 MiB take no more than 5 seconds',
  async (_, value, rule, expected) => {
    const valueText = expected === undefined ? {} : { valueText: JSON.stringify(expected) }
    const fields = Array.from({ length: 50 }, () => ({ path: 'v', rule, ...valueText }))
    const body = parseExact(`{"v":${value}}`)
    const before = process.cpuUsage()
    const longest = { ms: 0 }
    let last = process.cpuUsage().user
    const measured = {
      run: <Result>(work: () => Result) =>
        slices.run(() => {
          last = process.cpuUsage().user
          const result = work()
          longest.ms = Math.max(longest.ms, (process.cpuUsage().user - last) / 1000)
          return result
        }),
    }
    const parts = { slices: measured, mask: (given: unknown) => given }
    const found = await judgeAnswer({ status: null, fields }, { status: 200, headers: {} }, body, parts)
    const ms = process.cpuUsage(before).user / 1000
    console.info(
      `${found.length} differences, ${Math.round(ms)} ms, longest rule ${Math.round(longest.ms)} ms`,
    )
    expect(ms).toBeLessThan(5000)
    expect(JSON.stringify(found).length).toBeLessThan(40_000)
  },
)
