import type { APIRequestContext, Locator, Page } from 'playwright-core'
import { afterAll, expect, inject, onTestFinished } from 'vitest'
import { z } from 'zod'
import { hourMs } from '#shared/durations.ts'
import { openPage, sharedBrowser, type View } from '../../support/browser.ts'
import { waitMs } from '../../support/patience.ts'
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
  readonly signedIn?: boolean
  /** Loads the other screens ahead on a page of its own. Otherwise they load when they are opened, which saves time. */
  readonly loadsAhead?: boolean
}

export type Dashboard = {
  readonly page: Page
  readonly service: ServiceFixture
  /** Goes to a screen by its address, `/connections/conn_…/activity`, and waits until it is shown. */
  go(path: string): Promise<void>
}

type Tab = {
  readonly page: Page
  readonly problems: string[]
  /** The service from which it was signed out in place after its last test, to be signed in to it again. */
  leftOrigin: string | null
}

/** Chooses from the open menu with a key, once the menu has the focus: until then, it would still take it from the item. */
export async function chooseByKey(page: Page, name: string | RegExp): Promise<void> {
  await page.locator('[role="menu"]:focus-within').waitFor()
  await page.getByRole('menuitem', { name }).press('Enter')
}

/** Presses keys of a sequence, such as G then C, without a pause: the page waits only a moment for the second. */
export async function pressInSequence(page: Page, ...keys: readonly string[]): Promise<void> {
  await Promise.all(keys.map(key => page.keyboard.press(key)))
}

/** Types into a select, and waits until its highlighted option has this text: Enter or Tab take that one. */
export async function typeToFind(
  select: Locator,
  text: string,
  option: string | RegExp = text,
): Promise<void> {
  const page = select.page()
  await keepFocused(select)
  await page.keyboard.type(text)
  await page.locator('[role="option"][data-combobox-selected]').filter({ hasText: option }).waitFor()
}

/** Waits for six frames: a screen that is still being built has then changed. */
export const sixFrames = (page: Page) =>
  page.evaluate(
    `new Promise(done => { let frames = 6; const next = () => (frames-- > 0 ? requestAnimationFrame(next) : done()); next() })`,
  )

/** Focuses an element until it keeps the focus: it may be replaced, or a dialog that has just opened may take the focus. */
async function keepFocused(element: Locator): Promise<void> {
  await expect
    .poll(async () => {
      await element.focus()
      await sixFrames(element.page())
      return element.evaluate((one: { matches(selector: string): boolean }) =>
        one.matches(':focus:not(:disabled)'),
      )
    })
    .toBe(true)
}

/** Presses Enter on a button that keeps the focus: one that is replaced between focus and key would lose the key. */
export async function pressOnce(button: Locator): Promise<void> {
  await keepFocused(button)
  await button.page().keyboard.press('Enter')
}

/** The service's clock is the real one here: the page's is too. */
const realTime = (service: ServiceFixtureOptions['service'] = {}): ServiceFixtureOptions => ({
  service: { clock: Date.now, ...service },
  dashboard: { rendererFolder: inject('rendererFolder') },
})

/** Presses a button that asks again, and waits for the answer: the page may ask by itself before, and then it is gone. */
export async function askAgain(button: Locator, answer: Locator): Promise<void> {
  const pressed = button.press('Enter').catch(() => {})
  await Promise.race([pressed, answer.waitFor()])
  await answer.waitFor()
}

/** Starts a service for this test alone. */
export const startRealTimeService = (service?: ServiceFixtureOptions['service']): Promise<ServiceFixture> =>
  startService(realTime(service))

/** Expects that nothing lies over the middle of an element, such as a message that will go away. */
export async function expectUncovered(element: Locator): Promise<void> {
  // A list may still scroll to its selected entry.
  await expect
    .poll(async () => {
      await element.scrollIntoViewIfNeeded()
      return element.evaluate(isOnTop)
    })
    .toBe(true)
}

/** Does what depends on the counts of this hour. If it fails and an hour has ended meanwhile, it is done once more. */
export async function inOneHour(act: () => Promise<void>): Promise<void> {
  const hour = () => Math.floor(Date.now() / hourMs)
  const begunIn = hour()
  try {
    await act()
  } catch (error) {
    if (hour() === begunIn) throw error
    await act()
  }
}

/** Runs in the page. */
function isOnTop(element: {
  getBoundingClientRect(): { x: number; y: number; width: number; height: number }
  contains(other: unknown): boolean
  readonly ownerDocument: { elementFromPoint(x: number, y: number): unknown }
}): boolean {
  const { x, y, width, height } = element.getBoundingClientRect()
  return element.contains(element.ownerDocument.elementFromPoint(x + width / 2, y + height / 2))
}

/** Returns the text of the clipboard. */
export const clipboard = async (page: Page): Promise<string> =>
  z.string().parse(await page.evaluate('navigator.clipboard.readText()'))

/**
 * For a file of tests that open the built dashboard in Chromium. They share a service and a page: each begins with the
 * service's first configuration and the page signed in again, or reloaded where a test left more behind, which takes
 * longer. A test fails when its page logs an error or throws one.
 */
export function dashboardTests() {
  const takeService = sharedService(realTime())
  let shared: ServiceFixture | null = null
  /** The pages by their locale. */
  const tabs = new Map<string, Tab>()

  /** Returns the service with its first configuration: a test of what it has seen takes one of its own. */
  async function service(): Promise<ServiceFixture> {
    shared = await takeService()
    return shared
  }

  /** Returns the shared page of a locale, with nothing set by earlier tests. */
  async function sharedTab(view: FullView): Promise<Tab> {
    const tab = tabs.get(view.locale) ?? (await openTab(view))
    tabs.set(view.locale, tab)
    const { page, problems } = tab
    await page.unrouteAll({ behavior: 'ignoreErrors' })
    await page.mouse.move(0, 0)
    await page.emulateMedia({ colorScheme: view.scheme, reducedMotion: 'reduce' })
    await page.setViewportSize(view)
    problems.length = 0
    return tab
  }

  async function closeTabs(): Promise<void> {
    for (const { page } of tabs.values()) await close(page)
    tabs.clear()
  }
  afterAll(closeTabs)

  async function open(options: OpenOptions = {}): Promise<Dashboard> {
    const { path = '/connections', at, own = false, signedIn = true } = options
    const view = { scheme: 'light', width: 1280, height: 800, locale: 'en-GB', ...options } as const
    const running = at ?? (await (own ? startRealTimeService() : service()))
    const isShared = !own && running === shared
    if (!isShared) {
      const page = await openOwnPage(running.dashboardUrl, { ...view, path, signedIn })
      return { page, service: running, go: to => goTo(page, running, to) }
    }
    const tab = await sharedTab(view)
    const { page, problems, leftOrigin } = tab
    tab.leftOrigin = null
    onTestFinished(async ({ task }) => {
      // A failed test can leave anything on the page.
      if (task.result?.state === 'fail') await closeTabs()
      // Otherwise the page would read again whatever the next test changes before it opens a screen.
      else if (await signOutInPlace(page, running.dashboardUrl)) tab.leftOrigin = running.dashboardUrl
      expect(problems).toEqual([])
    })
    const url = `${running.dashboardUrl}/#${path}`
    if (signedIn && leftOrigin === running.dashboardUrl) await signInAgain(page, url)
    else await load(page, url, signedIn)
    if (signedIn) await isReady(page)
    return { page, service: running, go: to => goTo(page, running, to) }
  }
  return { open, sharedService: service }
}

/** Opens a dashboard in a page of its own, until the test has finished. It fails when the page logs an error or throws one. */
export async function openOwnPage(
  dashboardUrl: string,
  options: Partial<FullView> & { readonly path: string; readonly signedIn: boolean; readonly token?: string },
): Promise<Page> {
  const view = { scheme: 'light', width: 1280, height: 800, locale: 'en-GB', ...options } as const
  const { page, problems } = await openTab(view)
  onTestFinished(async () => {
    await close(page)
    expect(problems).toEqual([])
  })
  await load(page, `${dashboardUrl}/#${options.path}`, options.signedIn, options.token)
  if (options.signedIn) await isReady(page)
  return page
}

/** Closes a page with its context. What its routes still answer is dropped, and is not an error. */
async function close(page: Page): Promise<void> {
  await page.unrouteAll({ behavior: 'ignoreErrors' })
  await page.context().close()
}

/** Resolves once the page shows its screen, hears of what changes, and reads nothing a second time by itself. */
async function isReady(page: Page): Promise<void> {
  await page.locator('[data-live="live"]').waitFor({ state: 'attached' })
  await page.waitForLoadState('load')
  await isShown(page)
}

async function goTo(page: Page, { dashboardUrl }: ServiceFixture, path: string): Promise<void> {
  await page.goto(`${dashboardUrl}/#${path}`)
  await isShown(page)
}

/**
 * Resolves once the page shows the screen of its address, or asks for the token or about what is unsaved: until then, the
 * screen before it would still take keys and clicks.
 */
export async function isShown(page: Page): Promise<void> {
  const shown = `(() => {
    if (document.querySelector('[autocomplete="current-password"]') !== null) return true
    if (document.querySelector('[role="dialog"]')?.textContent.includes('Leave without saving?')) return true
    const { state, history, latestLocation } = window.__TSR_ROUTER__
    const isRead = location.hash === '' || location.hash === new URL('#' + history.location.href, location).hash
    return isRead && state.status === 'idle' && state.resolvedLocation?.href === latestLocation.href
  })()`
  await expect.poll(() => page.evaluate(shown)).toBe(true)
}

type FullView = Required<View> & Pick<OpenOptions, 'loadsAhead'>

/** Opens a page in a context of its own, and records its errors. */
async function openTab(view: FullView): Promise<Tab> {
  const page = await openPage(await sharedBrowser(), view)
  page.setDefaultTimeout(waitMs)
  if (view.loadsAhead !== true) await page.addInitScript('window.requestIdleCallback = () => 0')
  await page.addInitScript(holdable)
  const problems: string[] = []
  page.on('pageerror', error => problems.push(String(error)))
  page.on('console', message => {
    // A refused call is the page's to show; the browser notes each one as an error of its own.
    if (message.type() === 'error' && !message.text().startsWith('Failed to load resource'))
      problems.push(message.text())
  })
  return { page, problems, leftOrigin: null }
}

/** Waits in the page until something is there, and names it if it does not come. */
const until = `async (what, isThere) => {
  const endsAt = performance.now() + ${waitMs}
  while (!isThere()) {
    if (performance.now() > endsAt) throw new Error('The page does not show ' + what)
    await new Promise(requestAnimationFrame)
  }
}`

/**
 * Tells a page that its session has ended, which unmounts every screen and empties its cache. Returns `false` if it is
 * not signed in to the service at this origin, has a call in flight, or keeps anything that signing out would leave there.
 */
async function signOutInPlace(page: Page, origin: string): Promise<boolean> {
  if (page.isClosed() || !page.url().startsWith(`${origin}/#`)) return false
  const isLeft = await page.evaluate(`(async () => {
    const until = ${until}
    const isIdle = () => window.callsInFlight === 0 && document.querySelector('[data-live="live"]') !== null
    if (
      localStorage.getItem('cc:session-key') === null ||
      localStorage.getItem('cc:color-scheme') !== null ||
      window.holds.size > 0
    )
      return false
    const endsAt = performance.now() + 300
    while (!isIdle() && performance.now() < endsAt) await new Promise(requestAnimationFrame)
    if (!isIdle()) return false
    // Otherwise the last screen would be the first to be mounted again, and would fetch what is gone.
    history.replaceState(history.state, '', '#/nowhere')
    await until('that an address is unknown', () =>
      document.querySelector('h2')?.textContent === 'This page does not exist')
    window.dispatchEvent(new Event('cc:signed-out'))
    await until('the form for the token', () => document.querySelector('[autocomplete="current-password"]') !== null)
    const key = localStorage.getItem('cc:session-key')
    localStorage.clear()
    sessionStorage.clear()
    localStorage.setItem('cc:session-key', key)
    await until('that messages are gone', () => {
      const buttons = document.querySelectorAll('.mantine-Notification-closeButton')
      for (const button of buttons) button.click()
      return buttons.length === 0
    })
    return true
  })()`)
  return z.boolean().parse(isLeft)
}

/** Opens an address without loading the page: it is told that another tab has signed in. */
async function signInAgain(page: Page, url: string): Promise<void> {
  await page.evaluate(`(async () => {
    const until = ${until}
    const newValue = localStorage.getItem('cc:session-key')
    window.dispatchEvent(new StorageEvent('storage', { key: 'cc:session-key', newValue }))
    await until('that it is current', () => document.querySelector('[data-live="live"]') !== null)
    history.replaceState(history.state, '', ${JSON.stringify(new URL(url).hash)})
    await until('the screen', () => document.querySelector('h2')?.textContent !== 'This page does not exist')
  })()`)
}

/**
 * Loads the dashboard at an address, with nothing stored but the session. It is signed in before it is loaded, so that
 * the first screen is the one asked for: while another is being left, its buttons can still be pressed.
 */
async function load(page: Page, url: string, signedIn: boolean, token = adminToken): Promise<void> {
  const { origin } = new URL(url)
  // A small document of the same origin, for its storage.
  if (!page.url().startsWith(`${origin}/`)) await page.goto(`${origin}/healthz`)
  const key = signedIn ? await signIn(page.context().request, origin, token) : null
  if (!signedIn) await page.context().clearCookies()
  // By the browser's own function: the router's would ask about what is unsaved.
  await page.evaluate(`
    localStorage.clear()
    sessionStorage.clear()
    if (${key !== null}) localStorage.setItem('cc:session-key', ${JSON.stringify(key)})
    History.prototype.replaceState.call(history, null, '', ${JSON.stringify(url)})
  `)
  await page.reload()
}

/** Signs a context in, which keeps the cookie. @returns the key for the storage of its pages. */
async function signIn(request: APIRequestContext, origin: string, token: string): Promise<string> {
  const answer = await request.post(`${origin}/session`, {
    headers: { authorization: `Bearer ${token}` },
    timeout: waitMs,
  })
  return z.object({ key: z.string() }).parse(await answer.json()).key
}

/**
 * Counts the calls in flight and lets pages hold them back, over a reload too. In the page, because the browser's interception sometimes misses
 * a request that is sent right after it was asked for.
 */
const holdable = `if (location.protocol.startsWith('http')) {
  const { fetch } = window
  window.holds = new Map()
  window.callsInFlight = 0
  window.hold = path => {
    const hold = {}
    hold.gate = new Promise(resolve => { hold.letGo = resolve })
    window.holds.set(path, hold)
    sessionStorage.setItem('test:held', path)
  }
  window.letGo = path => {
    sessionStorage.removeItem('test:held')
    window.holds.get(path).letGo()
  }
  if (sessionStorage.getItem('test:held') !== null) window.hold(sessionStorage.getItem('test:held'))
  window.fetch = async (input, init) => {
    const hold = window.holds.get(new URL(input.url ?? input, location.href).pathname)
    if (hold !== undefined) {
      hold.isHeld = true
      await hold.gate
    }
    window.callsInFlight++
    try {
      return await fetch(input, init)
    } finally {
      window.callsInFlight--
    }
  }
}`

/** Holds back the page's calls of a procedure (`connections/update`) until they are let go. */
export async function holdCalls(page: Page, procedure: string) {
  const path = JSON.stringify(`/rpc/${procedure}`)
  await page.evaluate(`window.hold(${path})`)
  return {
    /** Resolves once there is one. */
    held: () => expect.poll(() => page.evaluate(`window.holds.get(${path})?.isHeld`)).toBe(true),
    letGo: () => page.evaluate(`window.letGo(${path})`),
  }
}

/** Holds the reading of files that are chosen from now on. Returns a function that lets it go on. */
export async function holdReading(page: Page): Promise<() => Promise<void>> {
  await page.evaluate(`{
    const { promise, resolve } = Promise.withResolvers()
    const read = Blob.prototype.arrayBuffer
    Blob.prototype.arrayBuffer = async function () {
      await promise
      return read.call(this)
    }
    addEventListener('release-reading', resolve)
  }`)
  return () => page.evaluate(`dispatchEvent(new Event('release-reading')), undefined`)
}
