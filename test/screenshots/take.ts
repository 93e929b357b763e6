import { copyFile, mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Browser } from 'playwright-core'
import { openPage, type View } from '../support/browser.ts'
import { type Demo, startDemo } from './demo.ts'
import type { Screen } from './screens.ts'

const schemes = ['light', 'dark'] as const

export type TakeOptions = {
  readonly browser: Browser
  /** The built dashboard. */
  readonly rendererFolder: string
  readonly screens: readonly Screen[]
  /** The sizes of the window. A picture of the width 1280 has the name of its screen alone. */
  readonly sizes: readonly Pick<View, 'width' | 'height'>[]
  /** The folder of all pictures. */
  readonly target: string
  /** The pictures of the README, and their folder. */
  readonly ofReadme: readonly { readonly name: string; readonly scheme: 'light' | 'dark' }[]
  readonly readmeFolder: string
  /** How long a step may take, in milliseconds: what does not show by then is not there. */
  readonly stepMs: number
}

/**
 * Takes pictures of screens, light and dark, in each size. Returns the files, and a line for each picture that could not
 * be taken, whose earlier one stays.
 */
export async function takeScreenshots(
  options: TakeOptions,
): Promise<{ taken: string[]; problems: string[] }> {
  const { rendererFolder, screens, sizes, target, ofReadme, readmeFolder } = options
  await mkdir(target, { recursive: true })
  await mkdir(readmeFolder, { recursive: true })
  const [taken, problems]: [string[], string[]] = [[], []]
  for (const empty of [false, true]) {
    const wanted = screens.filter(screen => (screen.empty ?? false) === empty)
    if (wanted.length === 0) continue
    const demo = await startDemo({ rendererFolder, empty })
    try {
      for (const screen of wanted)
        for (const scheme of schemes)
          for (const size of sizes) {
            const file = `${screen.name}-${scheme}${size.width === 1280 ? '' : `-${size.width}`}.png`
            const problem = await take(options, demo, screen, { scheme, ...size }, file)
            if (problem === null) taken.push(file)
            else problems.push(`${file}: ${problem}`)
          }
    } finally {
      await demo.close()
    }
  }
  for (const file of ofReadme.map(({ name, scheme }) => `${name}-${scheme}.png`))
    if (taken.includes(file)) await copyFile(join(target, file), join(readmeFolder, file))
  return { taken, problems }
}

/** Takes one picture. Returns null, or why it could not be taken. */
async function take(
  { browser, target, stepMs }: TakeOptions,
  demo: Demo,
  screen: Screen,
  view: View,
  file: string,
): Promise<string | null> {
  const page = await openPage(browser, view)
  page.setDefaultTimeout(stepMs)
  try {
    await page.goto(demo.signInUrl)
    await page.getByRole('navigation', { name: 'Main' }).waitFor()
    const acme = demo.connections.get('Acme Orders ERP') ?? ''
    await page.goto(`${demo.url}/#${screen.path.replace('{acme}', acme)}`)
    await page.getByRole('heading').first().waitFor()
    await screen.prepare?.(page, demo)
    await page.evaluate('document.fonts.ready')
    await page.screenshot({ path: join(target, file) })
    return null
  } catch (error) {
    return error instanceof Error ? (error.message.split('\n')[0] ?? '') : String(error)
  } finally {
    await page.context().close()
  }
}
