import { client } from '../../client/client.ts'
import { useActivity } from '../../client/live-provider.tsx'
import { formatJson } from '../../ui/format-json.ts'
import { newestDataText } from './received-sample.ts'

/** Asks for the data of the newest event of a name: the stored one, else what is kept in memory; null for none. */
export function useLastReceived(connectionId: string): (eventName: string) => Promise<string | null> {
  const { items } = useActivity(connectionId)
  return async eventName => {
    const { events } = await client.events.list({ connectionId, eventName, limit: 1 })
    const text = events[0]?.dataText ?? newestDataText(items, eventName)
    return text === null ? null : formatJson(text)
  }
}
