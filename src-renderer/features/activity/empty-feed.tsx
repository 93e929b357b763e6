import { Button } from '@mantine/core'
import { Copy, Send } from 'lucide-react'
import { copyInboundUrl } from '../../entities/connection/use-secret.ts'
import { useOverlays } from '../../overlays.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { KeyButton } from '../../ui/keys.tsx'
import { NothingFoundYet, type OpenSearch } from '../../ui/search-older.tsx'
import { useActivityPlace } from './use-activity-place.ts'

export const searchedNoun = 'events and calls'

/** Says why there are no rows: nothing has happened, or nothing that the filters show. */
export function EmptyFeed({ search }: { readonly search: OpenSearch | null }) {
  const place = useActivityPlace()
  const { open } = useOverlays()
  const showAll = <Button onClick={place.clear}>Show everything</Button>
  if (search !== null)
    return (
      <NothingFoundYet
        search={search}
        noun={searchedNoun}
        group="Activity"
        actions={place.isNarrowed && showAll}
      />
    )
  if (place.since !== undefined || place.until !== undefined)
    return (
      <EmptyState
        title="Nothing in this period"
        actions={
          <Button onClick={() => place.set({ since: undefined, until: undefined })}>Show any time</Button>
        }
      >
        {place.text === '' ? 'Nothing that the filters show has happened then.' : 'Nothing in it matches.'}
      </EmptyState>
    )
  if (place.isNarrowed)
    return (
      <EmptyState title="Nothing matches" actions={showAll}>
        The search covers event names, bodies, statuses and codes.
      </EmptyState>
    )
  if (place.show === 'rejected')
    return (
      <EmptyState title="Nothing was rejected">
        Refused requests appear here, with the reason and how to fix the sender.
      </EmptyState>
    )
  if (place.show === 'outbound')
    return (
      <EmptyState title="No calls yet">
        Calls of {place.isOfOne ? 'this connection’s' : 'all'} actions appear here, including tests.
      </EmptyState>
    )
  const { isOfOne, connection = '' } = place
  if (!isOfOne)
    return (
      <EmptyState title="Nothing has happened yet">
        Events, calls and refused requests of all connections appear here as they happen.
      </EmptyState>
    )
  return (
    <EmptyState
      title="Nothing has happened yet"
      actions={
        <>
          <Button leftSection={<Copy />} onClick={() => copyInboundUrl(connection)}>
            Copy inbound URL
          </Button>
          <KeyButton icon={Send} keys="t" onClick={() => open({ kind: 'send-event' })}>
            Send test event
          </KeyButton>
        </>
      }
    >
      Events, calls and refused requests appear here as they happen.
    </EmptyState>
  )
}
