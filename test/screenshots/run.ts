/**
 * Pictures of every screen, light and dark, in a large and a small window, of a service with a day behind it:
 * `npm run build && npm run screenshots`. All of them go to out/screenshots, those of the README to
 * resources/screenshots. Names given as arguments choose some: `npm run screenshots 02 05b`.
 */
import { copyFile, mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Browser } from 'playwright-core'
import { openBrowser, openPage, type View } from '../support/browser.ts'
import { type Demo, startDemo } from './demo.ts'
import { ofReadme, type Screen, screens } from './screens.ts'

const root = join(import.meta.dirname, '..', '..')
const rendererFolder = process.env.CUSTOM_CONNECTION_RENDERER ?? join(root, 'out', 'renderer')
const target = join(root, 'out', 'screenshots')
const readmeFolder = join(root, 'resources', 'screenshots')
const sizes = [
  { width: 1280, height: 800 },
  { width: 900, height: 600 },
  // 1280 by 800 at 200 % zoom.
  { width: 640, height: 400 },
]
/** How long a step may take, in milliseconds: what does not show by then is not there. */
const stepMs = 6000
const schemes = ['light', 'dark'] as const

const nameOf = (screen: Screen, { scheme, width }: View) =>
  `${screen.name}-${scheme}${width === 1280 ? '' : `-${width}`}.png`

async function take(browser: Browser, demo: Demo, screen: Screen, view: View): Promise<string | null> {
  const page = await openPage(browser, view)
  page.setDefaultTimeout(stepMs)
  try {
    await page.goto(demo.signInUrl)
    await page.getByRole('navigation', { name: 'Main' }).waitFor()
    const acme = demo.connections.get('Acme Orders ERP') ?? ''
    await page.goto(`${demo.url}/#${screen.path.replace('{acme}', acme)}`)
    await page.getByRole('heading').first().waitFor()
    await screen.prepare?.(page)
    await page.evaluate('document.fonts.ready')
    await page.screenshot({ path: join(target, nameOf(screen, view)) })
    return null
  } catch (error) {
    return `${nameOf(screen, view)}: ${error instanceof Error ? error.message.split('\n')[0] : error}`
  } finally {
    await page.context().close()
  }
}

const wanted = process.argv.slice(2)
const chosen = screens.filter(
  ({ name }) => wanted.length === 0 || wanted.some(start => name.startsWith(start)),
)
await mkdir(target, { recursive: true })
await mkdir(readmeFolder, { recursive: true })
const demos = {
  full: await startDemo({ rendererFolder }),
  empty: await startDemo({ rendererFolder, empty: true }),
}
const browser = await openBrowser()
const problems: string[] = []
try {
  for (const screen of chosen)
    for (const scheme of schemes)
      for (const size of sizes) {
        const demo = screen.empty === true ? demos.empty : demos.full
        const problem = await take(browser, demo, screen, { scheme, ...size })
        if (problem !== null) problems.push(problem)
      }
  for (const { name, scheme } of ofReadme.filter(one => chosen.some(screen => screen.name === one.name)))
    await copyFile(join(target, `${name}-${scheme}.png`), join(readmeFolder, `${name}-${scheme}.png`))
} finally {
  await browser.close()
  await demos.full.close()
  await demos.empty.close()
}
console.log(`${chosen.length * schemes.length * sizes.length - problems.length} pictures in out/screenshots`)
for (const problem of problems) console.error(problem)
process.exitCode = problems.length > 0 ? 1 : 0
