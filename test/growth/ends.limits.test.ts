import { describe, expect, test } from 'vitest'
import { readDocument, worstDocuments } from './documents.ts'
import { scanners } from './scanners.ts'

/**
 * The texts that hurt most, a quarter as long as they may be: what takes far too long for them runs into the watchdog of
 * the test. How the time grows with the length is measured by `npm run bench -- growth`.
 */
const bytes = 256 * 1024

describe('the worst texts come to an end', () => {
  test.each(Object.entries(scanners))('%s', (_name, { scan, worst, most = 4 * bytes }) => {
    for (const make of worst) scan(make(most / 4))
  })

  test.each(worstDocuments)('%s', (_name, format, make) => {
    expect(readDocument(make(bytes), format)).toBeDefined()
  })
})
