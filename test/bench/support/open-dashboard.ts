import { join } from 'node:path'
import { type CDPSession, chromium, type Page } from 'playwright-core'
import { z } from 'zod'
import { chromiumPath } from '../../../scripts/chromium.ts'
import { build } from '../../../scripts/start/build.ts'
import { isBuilt } from '../../../scripts/start/is-built.ts'
import { adminToken } from './processes.ts'

const root = join(import.meta.dirname, '../../..')

/** The dashboard in a browser, signed in. */
export type OpenDashboard = {
  readonly page: Page
  readonly devTools: CDPSession
  close(): Promise<void>
}

/** Builds the dashboard if it is older than its sources. */
export async function buildDashboard(): Promise<void> {
  if (!(await isBuilt(root)) && !(await build(root, console.log))) throw new Error('The build failed.')
}

/**
 * Opens the dashboard of a service that was started after `buildDashboard`. Unlike that of the tests, its browser
 * optimizes code, as those of users do.
 *
 * @param path without its `#`: `/activity`.
 */
export async function openDashboard(dashboardUrl: string, path: string): Promise<OpenDashboard> {
  const browser = await chromium.launch({
    executablePath: chromiumPath(),
    args: ['--no-sandbox', '--disable-gpu'],
    headless: true,
  })
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, locale: 'en-GB' })
  const page = await context.newPage()
  const answer = await context.request.post(`${dashboardUrl}/session`, {
    headers: { authorization: `Bearer ${adminToken}` },
  })
  const { key } = z.object({ key: z.string() }).parse(await answer.json())
  await page.goto(`${dashboardUrl}/healthz`)
  await page.evaluate(`localStorage.setItem('cc:session-key', ${JSON.stringify(key)})`)
  await page.goto(`${dashboardUrl}/#${path}`)
  await page.locator('[data-live="live"]').waitFor({ state: 'attached' })
  return { page, devTools: await context.newCDPSession(page), close: () => browser.close() }
}
