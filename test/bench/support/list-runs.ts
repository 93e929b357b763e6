import { z } from 'zod'
import type { RunningService } from './processes.ts'

const Page = z.object({
  runs: z.array(
    z.object({ runId: z.string(), eventId: z.string(), workflowId: z.string(), status: z.string() }),
  ),
  nextBefore: z.string().nullable(),
})

/** Returns all runs, newest first. */
export async function listRuns({
  call,
}: Pick<RunningService, 'call'>): Promise<z.infer<typeof Page>['runs']> {
  const found: z.infer<typeof Page>['runs'] = []
  for (let before = ''; ; ) {
    const page = Page.parse(await call('GET', `/runs?limit=200${before}`))
    found.push(...page.runs)
    if (page.nextBefore === null) return found
    before = `&before=${page.nextBefore}`
  }
}
