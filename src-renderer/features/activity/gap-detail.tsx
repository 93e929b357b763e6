import { Button } from '@mantine/core'
import { EmptyState } from '../../ui/empty-state.tsx'
import { formatCount } from '../../ui/format.ts'
import { useCurrentConnection } from '../connections/current-connection.tsx'
import { storedEventsCache } from './use-stored-events.ts'

/** Says that this page missed items, and offers to reload those that are stored. */
export function GapDetail({ count }: { readonly count: number }) {
  const { connectionId } = useCurrentConnection()
  const { readAgain } = storedEventsCache(connectionId)
  return (
    <EmptyState
      title={`${formatCount(count, 'item')} missed`}
      actions={<Button onClick={() => void readAgain()}>Reload stored events</Button>}
    >
      They arrived faster than this page could read. Stored events can be loaded again; other items cannot.
    </EmptyState>
  )
}
