import type { Page } from 'playwright-core'
import { afterAll, expect, inject, onTestFinished } from 'vitest'
import { z } from 'zod'
import { openPage, sharedBrowser, type View } from '../../support/browser.ts'
import {
  adminToken,
  type ServiceFixture,
  type ServiceFixtureOptions,
  sharedService,
  startService,
} from '../../support/service-fixture.ts'

export type OpenOptions = Partial<View> & {
  /** Without its `#`: `/connections`. */
  readonly path?: string
  /** A service that is there already. */
  readonly at?: ServiceFixture
  /** Opens a page of its own, at a service of its own unless `at` names one: for a test that changes either for good. */
  readonly own?: boolean
  /** False opens a page of its own without having signed in. */
  readonly signedIn?: boolean
}

export type Dashboard = {
  readonly page: Page
  readonly service: ServiceFixture
  /** Goes to a screen by its address: `/connections/conn_…/activity`. */
  go(path: string): Promise<void>
}

type Tab = { readonly page: Page; readonly problems: string[] }

/** The service's clock is the real one here: the page's is too. */
const realTime = (): ServiceFixtureOptions => ({
  service: { clock: Date.now },
  dashboard: { rendererFolder: inject('rendererFolder') },
})

/** Starts a service for this test alone. */
export const startRealTimeService = (): Promise<ServiceFixture> => startService(realTime())

/** What was copied last. */
export const clipboard = async (page: Page): Promise<string> =>
  z.string().parse(await page.evaluate('navigator.clipboard.readText()'))

/**
 * For a file of tests that open the built dashboard in Chromium. They share a service and a page: each begins with the
 * service's first configuration and the page reloaded, which costs a third of new ones. A test fails when its page
 * logs an error or throws one.
 */
export function dashboardTests() {
  const takeService = sharedService(realTime())
  let shared: ServiceFixture | null = null
  let tab: Tab | null = null

  /** Returns the service with its first configuration: a test of what it has seen takes one of its own. */
  async function service(): Promise<ServiceFixture> {
    shared = await takeService()
    return shared
  }

  async function close(): Promise<void> {
    const closing = tab
    tab = null
    await closing?.page.context().close()
  }
  afterAll(close)

  /** Opens the shared page at a screen, with nothing kept of earlier tests. */
  async function reopen(at: ServiceFixture, path: string, view: View): Promise<Tab> {
    if (tab === null) {
      tab = await openTab(view)
      await signInPage(tab.page, at.dashboardUrl)
      await tab.page.goto(`${at.dashboardUrl}/#${path}`)
      return tab
    }
    const { page, problems } = tab
    await page.unrouteAll({ behavior: 'ignoreErrors' })
    await page.mouse.move(0, 0)
    await page.emulateMedia({ colorScheme: view.scheme, reducedMotion: 'reduce' })
    await page.setViewportSize(view)
    // By the browser's own function: the router's would ask about what is unsaved.
    await page.evaluate(`
      for (const name of Object.keys(localStorage)) if (name !== 'cc:session-key') localStorage.removeItem(name)
      sessionStorage.clear()
      History.prototype.replaceState.call(history, null, '', ${JSON.stringify(`#${path}`)})
    `)
    problems.length = 0
    await page.reload()
    return tab
  }

  async function open(options: OpenOptions = {}): Promise<Dashboard> {
    const {
      path = '/connections',
      at,
      signedIn = true,
      own = !signedIn || options.locale !== undefined,
    } = options
    const view = { scheme: 'light', width: 1280, height: 800, ...options } as const
    const running = at ?? (await (own ? startRealTimeService() : service()))
    const isShared = !own && running === shared
    const { page, problems } = isShared ? await reopen(running, path, view) : await openTab(view)
    onTestFinished(async ({ task }) => {
      // What a failed test leaves is not known.
      if (!isShared) await page.context().close()
      else if (task.result?.state === 'fail') await close()
      expect(problems).toEqual([])
    })
    const go = async (to: string) => void (await page.goto(`${running.dashboardUrl}/#${to}`))
    if (!signedIn) await page.goto(running.dashboardUrl)
    else {
      if (!isShared) {
        // Beforehand, so that the first screen is the one asked for: while another is being left, its buttons
        // can still be pressed.
        await signInPage(page, running.dashboardUrl)
        await go(path)
      }
      // From here on what changes is heard, and nothing is read a second time by itself.
      await page.locator('[data-live="live"]').waitFor({ state: 'attached' })
      await page.waitForLoadState('load')
    }
    return { page, service: running, go }
  }
  return { open, sharedService: service }
}

/** Opens a page in a context of its own, and records its errors. */
async function openTab(view: View): Promise<Tab> {
  const page = await openPage(await sharedBrowser(), view)
  // What is awaited in vain is named by its own error, before the whole test takes too long.
  page.setDefaultTimeout(12_000)
  const problems: string[] = []
  page.on('pageerror', error => problems.push(String(error)))
  page.on('console', message => {
    // A refused call is the page's to show; the browser notes each one as an error of its own.
    if (message.type() === 'error' && !message.text().startsWith('Failed to load resource'))
      problems.push(message.text())
  })
  return { page, problems }
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
