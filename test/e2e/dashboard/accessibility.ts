import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import { z } from 'zod'

const Violations = z.array(
  z.object({
    id: z.string(),
    help: z.string(),
    nodes: z.array(z.object({ target: z.unknown(), failureSummary: z.string().optional() })),
  }),
)

/** Half the size of what the package exports, which every page would parse. */
const axeSource = readFileSync(fileURLToPath(import.meta.resolve('axe-core/axe.min.js')), 'utf8')

/** Without the markup of every element that it looks at, which no failure here needs. */
const prepareAxe = `${axeSource}; axe.configure({ noHtml: true })`

/** The rules whose findings differ between the colour schemes. */
const colourRules = { runOnly: ['color-contrast', 'link-in-text-block'] }
/** 24 by 24 CSS pixels, or so much room around the middle. */
const targetSize = { 'target-size': { enabled: true } }
const allRules = { rules: { 'label-content-name-mismatch': { enabled: true }, ...targetSize } }

/** Fails with what axe finds wrong on the page as it is now, in light and in dark. */
export async function expectAccessibleInBothSchemes(page: Page): Promise<void> {
  await page.emulateMedia({ colorScheme: 'light' })
  await expectNoViolations(page, allRules)
  await page.emulateMedia({ colorScheme: 'dark' })
  await expectNoViolations(page, colourRules)
}

/** Fails with what axe finds wrong on the page as it is now. */
export const expectAccessible = (page: Page): Promise<void> => expectNoViolations(page, allRules)

async function expectNoViolations(page: Page, rules: typeof colourRules | typeof allRules): Promise<void> {
  // Compiling it takes longer than most of its runs.
  if ((await page.evaluate('typeof axe')) === 'undefined') await page.evaluate(prepareAxe)
  const options = JSON.stringify({ resultTypes: ['violations'], ...rules })
  const found = Violations.parse(
    await page.evaluate(`axe.run(document, ${options}).then(result => result.violations)`),
  )
  const told = found.map(({ id, help, nodes }) => ({
    id,
    help,
    where: nodes.map(({ target, failureSummary }) => `${JSON.stringify(target)} ${failureSummary}`),
  }))
  expect(told).toEqual([])
}
