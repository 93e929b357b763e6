import { z } from 'zod'
import type { RunningService } from './processes.ts'

const Stored = z.object({ eventId: z.string(), data: z.object({ id: z.coerce.string() }).catch({ id: '' }) })
const Page = z.object({ events: z.array(Stored), nextBefore: z.string().nullable() })

/** Returns all stored events of a connection, newest first. `data.id` is empty where an event has none. */
export async function readStored(
  service: Pick<RunningService, 'call'>,
  connectionId: string,
): Promise<z.infer<typeof Stored>[]> {
  const stored: z.infer<typeof Stored>[] = []
  for (let before = ''; ; ) {
    const page = Page.parse(
      await service.call('GET', `/connections/${connectionId}/events?limit=200${before}`),
    )
    stored.push(...page.events)
    if (page.nextBefore === null) return stored
    before = `&before=${page.nextBefore}`
  }
}
