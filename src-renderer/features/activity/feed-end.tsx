import { Button } from '@mantine/core'
import { problemOf } from '../../client/problem.ts'
import { Late } from '../../ui/late.tsx'
import { useCurrentConnection } from '../connections/current-connection.tsx'
import { useUpdateConnection } from '../connections/use-update-connection.ts'
import classes from './activity.module.css'
import type { useStoredEvents } from './use-stored-events.ts'

/** What there is to say at the end of the feed: that older events come, could not be read, or are not kept. */
export function FeedEnd({ stored }: { readonly stored: ReturnType<typeof useStoredEvents> }) {
  const { connectionId, persistEvents } = useCurrentConnection()
  const update = useUpdateConnection()
  const { error, isLoading, retry } = stored
  if (error !== null)
    return (
      <div className={classes.line} role="alert">
        <span className="grow">Older events could not be read. {problemOf(error).message}</span>
        <Button size="xs" onClick={retry}>
          Try again
        </Button>
      </div>
    )
  if (isLoading)
    return (
      <Late ms={500}>
        <div className={classes.line}>Reading older events…</div>
      </Late>
    )
  if (persistEvents) return null
  return (
    <div className={classes.line}>
      <span className="grow">Events are kept in memory only, and gone on restart.</span>
      <Button
        size="xs"
        loading={update.isPending}
        onClick={() => update.mutate({ connectionId, persistEvents: true })}
      >
        Log inbound events
      </Button>
    </div>
  )
}
