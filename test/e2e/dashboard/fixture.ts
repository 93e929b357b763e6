import type { Browser, Page } from 'playwright-core'
import { beforeAll, expect, inject, onTestFinished } from 'vitest'
import { z } from 'zod'
import { openPage, sharedBrowser, type View } from '../../support/browser.ts'
import {
  adminToken,
  type ServiceFixture,
  type ServiceFixtureOptions,
  startService,
} from '../../support/service-fixture.ts'

export type OpenOptions = Partial<View> & {
  /** Without its `#`: `/connections`. */
  readonly path?: string
  readonly service?: ServiceFixtureOptions
  /** A service that is there already. */
  readonly at?: ServiceFixture
  /** False opens the page without having signed in. */
  readonly signedIn?: boolean
}

export type Dashboard = {
  readonly page: Page
  readonly service: ServiceFixture
  /** Goes to a screen by its address: `/connections/conn_…/activity`. */
  go(path: string): Promise<void>
}

/** The service's clock is the real one here: the page's is too. */
export function startRealTimeService(options: ServiceFixtureOptions = {}): Promise<ServiceFixture> {
  return startService({
    service: { clock: Date.now, ...options.service },
    dashboard: { rendererFolder: inject('rendererFolder'), ...options.dashboard },
  })
}

/** What was copied last. */
export const clipboard = async (page: Page): Promise<string> =>
  z.string().parse(await page.evaluate('navigator.clipboard.readText()'))

/**
 * For a file of tests that open the built dashboard in Chromium: the worker's browser, a service and
 * a page for each. A test fails when its page logs an error or throws one.
 */
export function dashboardTests(): (options?: OpenOptions) => Promise<Dashboard> {
  let browser: Browser
  beforeAll(async () => {
    browser = await sharedBrowser()
  })

  return async ({ path = '/connections', service, at, signedIn = true, ...view }: OpenOptions = {}) => {
    const running = at ?? (await startRealTimeService(service))
    const page = await openPage(browser, { scheme: 'light', width: 1280, height: 800, ...view })
    const problems: string[] = []
    page.on('pageerror', error => problems.push(String(error)))
    page.on('console', message => {
      // A refused call is the page's to show; the browser notes each one as an error of its own.
      if (message.type() === 'error' && !message.text().startsWith('Failed to load resource'))
        problems.push(message.text())
    })
    onTestFinished(async () => {
      await page.context().close()
      expect(problems).toEqual([])
    })
    const go = async (to: string) => void (await page.goto(`${running.dashboardUrl}/#${to}`))
    if (signedIn) {
      // Beforehand, so that the first screen is the one asked for: while another is being left, its buttons
      // can still be pressed.
      await signInPage(page, running.dashboardUrl)
      await go(path)
      // From here on what changes is heard, and nothing is read a second time by itself.
      await page.locator('[data-live="live"]').waitFor({ state: 'attached' })
      await page.waitForLoadState('load')
    } else await page.goto(running.dashboardUrl)
    return { page, service: running, go }
  }
}

/** Signs a page in before it is opened: with the cookie, and the key in its origin's storage. */
async function signInPage(page: Page, dashboardUrl: string): Promise<void> {
  const answer = await page.context().request.post(`${dashboardUrl}/session`, {
    headers: { authorization: `Bearer ${adminToken}` },
  })
  const { key } = z.object({ key: z.string() }).parse(await answer.json())
  const [origin, name, value] = [dashboardUrl, 'cc:session-key', key].map(text => JSON.stringify(text))
  // Signing in again on the page stores another key, which a reload must not replace.
  await page.addInitScript(
    `if (location.origin === ${origin} && localStorage.getItem(${name}) === null) localStorage.setItem(${name}, ${value})`,
  )
}

/** Holds back the page's calls of a procedure (`connections/update`) until they are let go. */
export async function holdCalls(page: Page, procedure: string) {
  const isHeld = Promise.withResolvers<void>()
  const gate = Promise.withResolvers<void>()
  await page.route(`**/rpc/${procedure}`, async route => {
    isHeld.resolve()
    await gate.promise
    await route.continue()
  })
  return {
    /** Resolves once there is one. */
    held: isHeld.promise,
    letGo: () => gate.resolve(),
  }
}
