import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import type { Response } from 'playwright-core'
import { expect, inject, test } from 'vitest'
import { adminToken } from '../../support/service-fixture.ts'
import { dashboardTests } from './fixture.ts'

const { open } = dashboardTests()
/** The limit for all scripts together, compressed, in bytes. */
const limit = 400 * 1000
/** The limits for each script and for the styles, uncompressed. */
const chunkLimit = 700 * 1000
const styleLimit = 200 * 1000

test('opening the dashboard loads less than 400 KB of gzipped script, 700 KB in a chunk, and no editor', async () => {
  const { page, service } = await open({ own: true, signedIn: false })
  // Scripts that the page loads ahead when it is idle do not count.
  await page.addInitScript('window.requestIdleCallback = () => 0')
  const scripts = new Map<string, Promise<Response | null>>()
  page.on('request', request => {
    if (request.resourceType() === 'script') scripts.set(new URL(request.url()).pathname, request.response())
  })
  await page.goto(`${service.dashboardUrl}/#token=${adminToken}`)
  await page.getByRole('navigation', { name: 'Main' }).waitFor()
  await page.waitForLoadState('load')
  let bytes = 0
  for (const [script, answered] of scripts) {
    const answer = await answered
    // The service or the browser's cache sent it compressed.
    expect(await answer?.headerValue('content-encoding'), script).toMatch(/^(br|gzip)$/)
    const content = await readFile(join(inject('rendererFolder'), script))
    expect(content.includes('cm-content'), `${script} holds the editor`).toBe(false)
    expect(content.length, script).toBeLessThan(chunkLimit)
    bytes += gzipSync(content).length
  }
  expect(scripts.size).toBeGreaterThan(0)
  const styles =
    await page.evaluate<number>(`Promise.all([...document.querySelectorAll('link[rel=stylesheet]')]
    .map(async link => (await (await fetch(link.href)).text()).length)).then(sizes => sizes.reduce((sum, size) => sum + size))`)
  expect(styles).toBeLessThan(styleLimit)
  expect(bytes).toBeLessThan(limit)
})

test('the other screens are loaded ahead: they open when the service can be reached no more', async () => {
  const { page, service } = await open({ own: true, loadsAhead: true })
  const loaded = () =>
    page.evaluate("performance.getEntriesByType('resource').map(entry => entry.name).join()")
  for (const screen of ['overview', 'actions', 'events', 'activity', 'settings'])
    await expect.poll(loaded).toMatch(new RegExp(`/${screen}-(tab|page)-[^/]*[.]js`))
  // The imports of these screens are loaded at the same time.
  await expect
    .poll(() =>
      page.evaluate(`
        const arrived = new Set(performance.getEntriesByType('resource').map(entry => entry.name))
        ;[...document.querySelectorAll('link[rel=modulepreload], link[rel=stylesheet]')]
          .map(link => link.href).filter(href => !arrived.has(href))`),
    )
    .toEqual([])
  await service.stop()
  await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Settings' }).click()
  await page.getByRole('heading', { name: 'Listener' }).first().waitFor()
})

test('no script imports itself by way of others: what one makes while it loads would lack a part', async () => {
  const folder = join(inject('rendererFolder'), 'assets')
  const names = (await readdir(folder)).filter(name => name.endsWith('.js'))
  const imports = new Map<string, string[]>()
  for (const name of names) {
    const text = await readFile(join(folder, name), 'utf8')
    imports.set(
      name,
      [...text.matchAll(/(?:from|import)"\.\/([^"]+\.js)"/g)].map(([, file = '']) => file),
    )
  }
  const circles: string[] = []
  const seen = new Set<string>()
  const visit = (name: string, path: readonly string[]): void => {
    if (path.includes(name)) circles.push([...path.slice(path.indexOf(name)), name].join(' → '))
    if (seen.has(name) || path.includes(name)) return
    for (const next of imports.get(name) ?? []) visit(next, [...path, name])
    seen.add(name)
  }
  for (const name of names) visit(name, [])
  expect([...imports.values()].flat().length).toBeGreaterThan(names.length)
  expect(circles).toEqual([])
})
