import { useQuery } from '@tanstack/react-query'
import { api } from '../client/client.ts'
import { Note } from '../ui/note.tsx'

const askEveryMs = 10_000

/** Says above every screen that events are refused, as long as they are, and that some are lost, until the next start. */
export function StorageNotice() {
  const { data } = useQuery(api.health.get.queryOptions({ refetchInterval: askEveryMs }))
  const service = useQuery(api.service.get.queryOptions({ refetchInterval: askEveryMs }))
  return (
    <>
      {data?.ok === false && (
        <Note tone="bad">
          Events are refused: the event log cannot be written. If the disk is full, delete events or free some
          room.
        </Note>
      )}
      {service.data?.notices.map(notice => (
        <Note key={notice} tone="bad">
          {notice}
        </Note>
      ))}
    </>
  )
}
