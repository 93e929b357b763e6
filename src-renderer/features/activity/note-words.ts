import type { z } from 'zod'
import type { EventNote } from '#shared/model/inbound-event.ts'

/** What is unusual about an event's text, and what it comes to. */
export const noteWords: Readonly<Record<z.infer<typeof EventNote>, string>> = {
  extra_fields: 'There are fields beside event and data. Workflows do not see them; Raw shows them.',
  duplicate_keys: 'A key comes twice in one object. The last value counts.',
  reserved_keys:
    'data has a field eventName or connectionId. In the trigger the service’s own value stands in its place.',
}
