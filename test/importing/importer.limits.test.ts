import { describe, expect, test } from 'vitest'
import { createImportPlanner } from '#main/importing/importer.ts'
import { shareOfThisThread } from '../support/cpu-ms.ts'
import { testMs } from '../support/patience.ts'
import { openStore, request, shop } from './importer-fixture.ts'

describe('a document that takes too much to read', () => {
  /** Refused by no count, but as slow as a document may be; with 45,000 items it needs all memory that an import has. */
  const slow = () => {
    const items = Array.from({ length: 40_000 }, (_, index) => `k${index}: &a${index} [x]`)
    return { ...request(`openapi: 3.0.0\n${items.join('\n')}`), format: 'openapi' as const }
  }

  test('is given up in time, and the next one is read', async () => {
    const { importer } = await openStore()
    const { preview } = importer(createImportPlanner({ cpuLimitMs: 300 }))
    await expect(preview(slow())).rejects.toMatchObject({ code: 'import_timed_out' })
    const { preview: other } = importer()
    expect((await other(shop())).valid).toBe(true)
  })

  test('is given up when it needs too much memory', async () => {
    const { importer } = await openStore()
    const { preview } = importer(createImportPlanner({ memoryLimitMb: 24, cpuLimitMs: testMs }))
    await expect(preview(slow())).rejects.toMatchObject({ code: 'import_too_complex' })
  })

  test('does not hold up the main thread', async () => {
    const { importer } = await openStore()
    const { preview } = importer(createImportPlanner({ cpuLimitMs: testMs }))
    await preview(shop())
    expect(await shareOfThisThread(() => preview(slow()))).toBeLessThan(0.5)
  })

  test('ends when its caller goes away, and the next one waits for nothing', async () => {
    const { importer } = await openStore()
    const { preview } = importer()
    const caller = new AbortController()
    const left = preview(slow(), caller.signal)
    const next = preview(shop())
    caller.abort()
    await expect(left).rejects.toThrow()
    expect((await next).valid).toBe(true)
  })

  test('is refused when more wait than may', async () => {
    const { importer } = await openStore()
    const { preview } = importer()
    const callers = Array.from({ length: 5 }, () => new AbortController())
    const waiting = callers.map(({ signal }) => preview(slow(), signal))
    await expect(preview(shop())).rejects.toMatchObject({ code: 'imports_busy' })
    for (const caller of callers) caller.abort()
    await Promise.allSettled(waiting)
  })
})
