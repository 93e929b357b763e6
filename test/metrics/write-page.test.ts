import { describe, expect, it } from 'vitest'
import { createHistogram } from '#main/metrics/histogram.ts'
import { type PageFormat, writePage } from '#main/metrics/write-page.ts'
import { readMetrics } from '../support/metrics-page.ts'

const formats: readonly PageFormat[] = ['text', 'openmetrics']

function histogramOf(...milliseconds: number[]) {
  const histogram = createHistogram([0.001, 1, 2.5])
  for (const one of milliseconds) histogram.add(one)
  return histogram.read()
}

const oddValues = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, Number.NaN, 1e21, 1e-7, -0.5]

const families = [
  {
    name: 'a_total',
    type: 'counter' as const,
    help: 'Counts "a\\b"\nand more.',
    samples: [{ labels: { x: 'a"b\\c\nd', y: '' }, value: 3 }, { value: 2 ** 53 - 1 }],
  },
  {
    name: 'b',
    type: 'gauge' as const,
    help: 'Is b.',
    samples: oddValues.map((value, index) => ({ labels: { n: String(index) }, value })),
  },
  {
    name: 'c_seconds',
    type: 'histogram' as const,
    help: 'Takes c.',
    samples: histogramOf(0.5, 1, 1000, 9000),
  },
  { name: 'd', type: 'gauge' as const, help: 'Is not known.', samples: [] },
]

describe('writePage', () => {
  it.each(formats)('writes %s that a strict reader takes, every value as it was', format => {
    const read = readMetrics(writePage(families, format), format)
    expect([...read.keys()]).toEqual([format === 'text' ? 'a_total' : 'a', 'b', 'c_seconds', 'd'])
    const [a, b, c, d] = [...read.values()]
    expect(a?.samples).toEqual([
      { name: 'a_total', labels: { x: 'a"b\\c\nd', y: '' }, value: 3 },
      { name: 'a_total', labels: {}, value: 2 ** 53 - 1 },
    ])
    expect(b?.samples.map(({ value }) => value)).toEqual(oddValues)
    expect(c?.samples.map(({ labels: { le }, value }) => [le, value])).toEqual([
      ['0.001', 2],
      ['1.0', 3],
      ['2.5', 3],
      ['+Inf', 4],
      [undefined, 10.0015],
      [undefined, 4],
    ])
    expect(d?.samples).toEqual([])
  })

  it('writes the text of HELP in one line', () => {
    expect(writePage(families, 'text').split('\n')[0]).toBe('# HELP a_total Counts "a\\\\b"\\nand more.')
    expect(writePage(families, 'openmetrics').split('\n')[0]).toBe('# HELP a Counts \\"a\\\\b\\"\\nand more.')
  })
})

describe('a histogram', () => {
  it('counts what is equal to a bound below it', () => {
    expect(histogramOf(1, 1.001, 2500).buckets.map(({ count }) => count)).toEqual([1, 2, 3])
  })

  it('has counts and a sum of zero before the first duration', () => {
    expect(histogramOf()).toMatchObject({ count: 0, sumSeconds: 0 })
  })
})
