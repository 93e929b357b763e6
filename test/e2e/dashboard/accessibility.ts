import axe from 'axe-core'
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

/** Calls back with the page in light and in dark. */
export async function inBothSchemes(page: Page, check: () => Promise<void>): Promise<void> {
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme })
    await check()
  }
}

/** Fails with what axe finds wrong on the page as it is now. */
export async function expectAccessible(page: Page): Promise<void> {
  // Compiling it takes longer than most of its runs.
  if ((await page.evaluate('typeof axe')) === 'undefined') await page.evaluate(axe.source)
  const found = Violations.parse(
    await page.evaluate(
      'axe.run(document, { resultTypes: ["violations"], rules: { "label-content-name-mismatch": { enabled: true } } }).then(result => result.violations)',
    ),
  )
  const told = found.map(({ id, help, nodes }) => ({
    id,
    help,
    where: nodes.map(({ target, failureSummary }) => `${JSON.stringify(target)} ${failureSummary}`),
  }))
  expect(told).toEqual([])
}
