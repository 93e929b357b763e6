import { useQuery } from '@tanstack/react-query'
import { api } from '../client/client.ts'
import { Note } from '../ui/note.tsx'

const askEveryMs = 10_000

/** Says above every screen that events are refused, as long as they are. */
export function StorageNotice() {
  const { data } = useQuery(api.health.get.queryOptions({ refetchInterval: askEveryMs }))
  if (data?.ok !== false) return null
  return (
    <Note tone="bad">
      Events are refused: the event log cannot be written. If the disk is full, delete events or free some
      room.
    </Note>
  )
}
