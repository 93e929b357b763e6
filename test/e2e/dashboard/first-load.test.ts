import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import type { Response } from 'playwright-core'
import { expect, inject, test } from 'vitest'
import { dashboardTests } from './fixture.ts'

const open = dashboardTests()
const limit = 400 * 1000

test('opening the dashboard loads less than 400 KB of gzipped script, and no editor', async () => {
  const { page } = await open()
  const scripts = new Map<string, Promise<Response | null>>()
  page.on('request', request => {
    if (request.resourceType() === 'script') scripts.set(new URL(request.url()).pathname, request.response())
  })
  await page.reload()
  await page.getByRole('navigation', { name: 'Main' }).waitFor()
  await page.waitForLoadState('load')
  let bytes = 0
  for (const [script, answered] of scripts) {
    const answer = await answered
    // From the browser's cache or sent anew, it came compressed.
    expect(await answer?.headerValue('content-encoding'), script).toMatch(/^(br|gzip)$/)
    const content = await readFile(join(inject('rendererFolder'), script))
    expect(content.includes('cm-content'), `${script} holds the editor`).toBe(false)
    bytes += gzipSync(content).length
  }
  expect(scripts.size).toBeGreaterThan(0)
  expect(bytes).toBeLessThan(limit)
})
