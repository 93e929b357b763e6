/** Renders the PNGs of `resources/icons` from the drawings beside them; run it when a drawing has changed. */
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { chromium } from 'playwright-core'
import { chromiumPath } from './chromium.ts'

const folder = join(import.meta.dirname, '..', 'resources', 'icons')

/** In pixels. electron-builder makes the icons of Windows and macOS from the largest. */
const appSizes = [16, 32, 48, 64, 128, 256, 512, 1024]
/** In points; `@2x` is for screens with twice as many pixels. */
const traySize = 22

const icons = [
  ...appSizes.map(size => ({ drawing: 'icon.svg', file: `${size}.png`, size })),
  ...['tray-ok', 'tray-idle'].flatMap(name => [
    { drawing: `${name}.svg`, file: `${name}.png`, size: traySize },
    { drawing: `${name}.svg`, file: `${name}@2x.png`, size: traySize * 2 },
  ]),
]

const browser = await chromium.launch({
  executablePath: chromiumPath(),
  args: ['--no-sandbox', '--force-color-profile=srgb', '--disable-gpu'],
  headless: true,
})
try {
  const page = await browser.newPage()
  for (const { drawing, file, size } of icons) {
    const svg = await readFile(join(folder, drawing), 'utf8')
    await page.setViewportSize({ width: size, height: size })
    await page.setContent(
      `<style>body { margin: 0 } svg { display: block; width: ${size}px; height: ${size}px }</style>${svg}`,
    )
    await writeFile(join(folder, file), await page.screenshot({ omitBackground: true }))
  }
} finally {
  await browser.close()
}
