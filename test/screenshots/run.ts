/**
 * Pictures of every screen, light and dark, in a large and a small window, of a service with a day behind it:
 * `npm run screenshots`, which builds the dashboard if needed. All of them go to out/screenshots, those of the README to
 * resources/screenshots. Names given as arguments choose some: `npm run screenshots 02 05b`.
 */
import { join } from 'node:path'
import { build } from '../../scripts/start/build.ts'
import { isBuilt } from '../../scripts/start/is-built.ts'
import { openBrowser } from '../support/browser.ts'
import { ofReadme, screens } from './screens.ts'
import { takeScreenshots } from './take.ts'

const root = join(import.meta.dirname, '..', '..')
const given = process.env.CUSTOM_CONNECTION_RENDERER
const wanted = process.argv.slice(2)
if (given === undefined && !(await isBuilt(root)) && !(await build(root, console.log))) process.exit(1)
const browser = await openBrowser()
try {
  const { taken, problems } = await takeScreenshots({
    browser,
    rendererFolder: given ?? join(root, 'out', 'renderer'),
    screens: screens.filter(({ name }) => wanted.length === 0 || wanted.some(one => name.startsWith(one))),
    sizes: [
      { width: 1280, height: 800 },
      { width: 900, height: 600 },
      // 1280 by 800 at 200 % zoom.
      { width: 640, height: 400 },
    ],
    target: join(root, 'out', 'screenshots'),
    ofReadme,
    readmeFolder: join(root, 'resources', 'screenshots'),
    stepMs: 20_000,
  })
  console.log(`${taken.length} pictures in out/screenshots`)
  for (const problem of problems) console.error(problem)
  process.exitCode = problems.length > 0 ? 1 : 0
} finally {
  await browser.close()
}
