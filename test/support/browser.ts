import chromium from '@sparticuz/chromium'
import { type Browser, type Page, chromium as playwright } from 'playwright-core'

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
  return playwright.launch({
    executablePath: await chromium.executablePath(),
    // Not the package's own arguments: they switch off what a browser protects pages by.
    args: ['--no-sandbox', '--force-color-profile=srgb', '--font-render-hinting=none', '--disable-gpu'],
    headless: true,
  })
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
