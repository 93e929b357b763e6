import { Button } from '@mantine/core'
import { skipToken, useQuery } from '@tanstack/react-query'
import type { ListedOccurrence, OccurrenceGroup } from '#shared/model/activity.ts'
import { api } from '../../client/client.ts'
import { formatClock, formatCount } from '../../ui/format.ts'
import { Keys } from '../../ui/keys.tsx'
import classes from './activity.module.css'
import { senderWords } from './group-senders.ts'
import { useActivityPlace } from './use-activity-place.ts'

/** Above the newest item of a group: how often that was, and the way to all of them. */
export function GroupBand(props: { readonly group: OccurrenceGroup; readonly newest: ListedOccurrence }) {
  const { group, newest } = props
  const place = useActivityPlace()
  const { count, firstAt, lastAt } = group
  const now = Date.now()
  return (
    <div className={classes.band}>
      <span className="sm t2 num cut">
        {count === 1
          ? `Once, at ${formatClock(lastAt, now)}`
          : `${formatCount(count, 'time')}, ${formatClock(firstAt, now)} – ${formatClock(lastAt, now)}. The newest:`}
      </span>
      <span className="push" />
      <Button size="xs" rightSection={<Keys keys="enter" />} onClick={() => place.set(allOf(group, newest))}>
        {count === 1 ? 'Show it in the list' : 'Show all of them'}
      </Button>
      {group.kind === 'event.rejected' && <Senders group={group} />}
    </div>
  )
}

/** Says who has sent the refused requests of a group, and which events. */
function Senders({ group: { connectionId, cause, count } }: { readonly group: OccurrenceGroup }) {
  const { data } = useQuery(
    api.attempts.list.queryOptions({ input: connectionId === null ? skipToken : { connectionId } }),
  )
  const words = senderWords(data?.attempts ?? [], cause, count)
  if (words.length === 0) return null
  const text = words.join(' · ')
  return (
    <p className={`sm t3 cut ${classes.senders}`} title={text}>
      {text}
    </p>
  )
}

/** Returns the address of all items of a group. @param newest the newest of them, if it is known. */
export function allOf(group: OccurrenceGroup, newest?: ListedOccurrence) {
  const { kind, connectionId } = group
  // The diagnosis may have been made after the group was read.
  const diagnosis = newest?.type === 'event.rejected' ? newest.diagnosis : null
  return {
    ...{ type: kind, cause: diagnosis?.code ?? group.cause, group: undefined, item: undefined },
    ...(connectionId !== null && { connection: connectionId }),
  }
}
