import { statfsSync } from 'node:fs'
import { setTimeout } from 'node:timers/promises'
import { type Browser, chromium, type Locator, type Page } from 'playwright-core'
import { chromiumPath } from '../../scripts/chromium.ts'

let shared: Promise<Browser> | null = null

/** Returns the one browser of this worker, started when first asked for. It ends with the worker's process. */
export async function sharedBrowser(): Promise<Browser> {
  const browser = await shared
  if (browser?.isConnected()) return browser
  shared = openBrowser()
  return shared
}

/** Starts Chromium from npm, without a window. The caller closes it. */
export async function openBrowser(): Promise<Browser> {
  const browser = await chromium.launch({
    executablePath: chromiumPath(),
    // Not the package's own arguments: they switch off what a browser protects pages by.
    args: [
      ...['--no-sandbox', '--force-color-profile=srgb', '--font-render-hinting=none', '--disable-gpu'],
      // Each test loads its page again: optimizing its code takes more time than the test then saves.
      '--js-flags=--no-maglev --no-turbofan',
    ],
    headless: true,
    ignoreDefaultArgs: hasSharedMemory() ? ['--disable-dev-shm-usage'] : [],
  })
  await lookOften(browser)
  return browser
}

/**
 * Returns whether Chromium can share memory between its processes in memory. Playwright lets it use files on the disk,
 * because some containers have too little of it. Creating and deleting these files takes 4 % of the time.
 */
function hasSharedMemory(): boolean {
  try {
    const { bavail, bsize } = statfsSync('/dev/shm')
    return bavail * bsize >= 1024 ** 3
  } catch {
    return false
  }
}

/** Milliseconds between two looks at what is waited for, while it has not come. */
const looksAfterMs = [10, 20, 30, 50]

/** Set once the waits of this worker look often. */
let looksOften = false

/**
 * Makes `waitFor` and `click` look for their element every 50 ms, and `press` wait until a dialog leaves the focus alone. Playwright itself looks after 20, 70, 170, 270 and
 * 770 ms, and then every 500 ms, so that a test would mostly wait for the next look.
 */
async function lookOften(browser: Browser): Promise<void> {
  if (looksOften) return
  looksOften = true
  const page = await browser.newPage()
  const locators: Locator = Object.getPrototypeOf(page.locator('body'))
  await page.close()
  const { waitFor, click, press } = locators
  locators.waitFor = async function (this: Locator, options = {}) {
    const { state = 'visible' } = options
    const isThere = await lookUntil(async () => {
      if (state === 'visible') return this.isVisible()
      if (state === 'hidden') return !(await this.isVisible())
      return (await this.count()) > 0 === (state === 'attached')
    })
    if (!isThere) await waitFor.call(this, options)
  }
  locators.click = async function (this: Locator, options = {}) {
    await lookUntil(() => this.evaluateAll(canBeClicked))
    return click.call(this, options)
  }
  locators.press = async function (this: Locator, key, options = {}) {
    for (let round = 0; round < 20 && !(await this.evaluateAll(keepsFocus)); round++);
    return press.call(this, key, options)
  }
}

type InPage = {
  focus(): void
  matches(selector: string): boolean
  closest(selector: string): InPage | null
}

declare const requestAnimationFrame: (next: () => void) => void

/**
 * Focuses a control of a dialog, and returns whether it has the focus six frames later. A dialog that has just opened
 * gives its first control the focus twice, the second time a moment later: a key would then go to that one. Returns
 * `true` for everything else.
 */
function keepsFocus([element, ...others]: InPage[]): boolean | Promise<boolean> {
  if (!element || others.length > 0 || !element.closest('[role="dialog"], [role="alertdialog"]')) return true
  if (!element.matches(':enabled')) return true
  element.focus()
  return new Promise(done => {
    let frames = 6
    const next = () => (frames-- > 0 ? requestAnimationFrame(next) : done(element.matches(':focus')))
    next()
  })
}

/** Returns whether a click need not wait for its element. Playwright complains about several elements at once. */
function canBeClicked(elements: { matches(selector: string): boolean }[]): boolean {
  return elements.length > 1 || elements[0]?.matches(':not(:disabled, [aria-disabled="true"])') === true
}

/**
 * Returns whether it is there, after at most 5 seconds, or `false` when it cannot be told: Playwright then waits on, and
 * explains.
 */
async function lookUntil(isThere: () => Promise<boolean>): Promise<boolean> {
  const endsAt = performance.now() + 5000
  for (let look = 0; performance.now() < endsAt; look++) {
    try {
      if (await isThere()) return true
    } catch {
      return false
    }
    await setTimeout(looksAfterMs[look] ?? 50)
  }
  return false
}

export type View = {
  readonly scheme: 'light' | 'dark'
  readonly width: number
  readonly height: number
  /** The locale and time zone numbers and times are shown in. */
  readonly locale?: string
}

/** A page of its own context: no cookies, nothing kept. */
export async function openPage(
  browser: Browser,
  { scheme, width, height, locale = 'en-GB' }: View,
): Promise<Page> {
  const context = await browser.newContext({
    colorScheme: scheme,
    viewport: { width, height },
    locale,
    timezoneId: 'Europe/Berlin',
    reducedMotion: 'reduce',
    permissions: ['clipboard-read', 'clipboard-write'],
  })
  return context.newPage()
}
