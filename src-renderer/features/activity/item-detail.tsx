import { useQuery } from '@tanstack/react-query'
import type { ReactElement, ReactNode } from 'react'
import type { ListedOccurrence } from '#shared/model/activity.ts'
import { api } from '../../client/client.ts'
import { CurrentConnection } from '../../entities/connection/current-connection.tsx'
import { ErrorState } from '../../ui/empty-state.tsx'
import { CallDetail } from './call-detail.tsx'
import { EventDetail } from './event-detail.tsx'
import { FailedRunDetail, NotificationDetail, PlainDetail } from './other-details.tsx'
import { RejectionDetail } from './rejection-detail.tsx'

/** The details of an item, by its kind. */
export function ItemDetail(props: {
  readonly item: ListedOccurrence
  /** Called before another event is raised from an event. */
  readonly onRaise: () => void
}): ReactElement {
  const { item, onRaise } = props
  switch (item.type) {
    case 'event.accepted':
    case 'event.repeated':
    case 'event.replayed':
      return (
        <OfConnection connectionId={item.connectionId}>
          <EventDetail item={item} onRaise={onRaise} />
        </OfConnection>
      )
    case 'event.rejected':
      return item.connectionId === null ? (
        <PlainDetail item={item} />
      ) : (
        <OfConnection connectionId={item.connectionId}>
          <RejectionDetail rejection={item} />
        </OfConnection>
      )
    case 'call.finished':
      return <CallDetail call={item} />
    case 'call.refused':
    case 'alert.opened':
    case 'alert.closed':
      return <PlainDetail item={item} />
    case 'workflow.notified':
      return <NotificationDetail notification={item} />
    case 'run.failed':
      return <FailedRunDetail run={item} />
  }
}

/** Provides the connection of an item to its details. */
function OfConnection(props: { readonly connectionId: string; readonly children: ReactNode }) {
  const { connectionId, children } = props
  const { data, error } = useQuery(api.connections.get.queryOptions({ input: { connectionId } }))
  if (data !== undefined) return <CurrentConnection value={data}>{children}</CurrentConnection>
  return error !== null && <ErrorState title="Its connection could not be read" error={error} />
}
