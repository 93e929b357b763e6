import { describe, expect, test } from 'vitest'
import { previewImport } from '#main/importing/imports.ts'
import { newConfig } from '#main/storage/local/lowdb-config-store.ts'
import { nowMs } from '../connections/fixtures.ts'
import { cpuMs } from '../support/cpu-ms.ts'
import { newConnection, read } from './fixtures.ts'

const preview = (text: string) => previewImport(newConfig(nowMs), read(text), newConnection)
const within = (milliseconds: number, work: () => void) => expect(cpuMs(work)).toBeLessThan(milliseconds)

describe('a document with more problems than anybody reads', () => {
  test('lists the first thousand of each severity, and how many more there are', () => {
    within(10_000, () => {
      const { valid, issues } = preview(`[${'1,'.repeat(9_999)}1]`)
      expect(valid).toBe(false)
      expect(issues).toHaveLength(1001)
      expect(issues).toContainEqual(
        expect.objectContaining({ message: 'There are 9001 more errors.', count: 9001 }),
      )
    })
  })

  test('takes no long paths apart for secrets that lie deep', () => {
    const depth = 900
    const secrets = Array.from({ length: 200_000 }, () => '"whsec_x"').join(',')
    within(10_000, () => {
      expect(preview(`${'{"a":'.repeat(depth)}[${secrets}]${'}'.repeat(depth)}`).valid).toBe(false)
    })
  })
})
