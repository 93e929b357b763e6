import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { z } from 'zod'
import { dayMs } from '#shared/durations.ts'
import type { EventNote } from '#shared/model/inbound-event.ts'
import { api } from '../../client/client.ts'
import { useCurrentConnection } from '../../entities/connection/current-connection.tsx'
import { headerOf } from '../../entities/event/checks.ts'
import { Fact } from '../../ui/fact.tsx'
import { formatCount, formatDate, formatNumber } from '../../ui/format.ts'
import classes from './detail.module.css'
import { EventRuns } from './event-runs.tsx'
import { isStored, type ShownEvent } from './shown-event.ts'

/** More about an event: its id, type, sender, and how long it is kept. */
export function EventFacts({ shown }: { readonly shown: ShownEvent }) {
  const { item, event } = shown
  const { connectionId, retention, ignoreRepeats } = useCurrentConnection()
  const { eventId, eventName, receivedAt, headers, replayOf, duplicateOf } = event
  const isIgnored = item.type === 'event.repeated'
  const redelivery = isIgnored ? item.redelivery : undefined
  const { data: eventTypes } = useQuery(api.eventTypes.list.queryOptions({ input: { connectionId } }))
  const type = eventTypes?.find(one => one.eventName === eventName)
  const agent = headerOf(headers, 'user-agent')
  const params = { connectionId }
  return (
    <dl className={classes.facts}>
      <Fact name="Event ID">
        <code>{eventId}</code>
      </Fact>
      {eventTypes !== undefined && (
        <Fact name="Event type">
          {type === undefined ? <span className="warn">Not declared · </span> : 'Declared as '}
          <Link
            className="link"
            to="/connections/$connectionId/events"
            params={params}
            search={
              type === undefined ? { eventType: 'new', name: eventName } : { eventType: type.eventTypeId }
            }
          >
            {type === undefined ? 'Declare it' : (type.label ?? type.eventName)}
          </Link>
        </Fact>
      )}
      <EventRuns eventId={eventId} eventName={eventName} />
      {agent !== undefined && <Fact name="Sender">{agent}</Fact>}
      {replayOf !== null && (
        <Fact name="Replay of">
          <Link
            className="link mono"
            to="/connections/$connectionId/activity"
            params={params}
            search={before => ({ ...before, item: replayOf })}
          >
            {replayOf}
          </Link>
        </Fact>
      )}
      {duplicateOf !== null && (
        <Fact name="Duplicate of">
          <Link className="link mono" to="/workflows/runs" search={{ run: duplicateOf }}>
            {duplicateOf}
          </Link>
          <span className="t3"> · The run has the same key, so its workflow was not started again.</span>
        </Fact>
      )}
      {event.repeat && !isIgnored && (
        <Fact name="Repeat">The same timestamp and signature arrived within the last 10 minutes.</Fact>
      )}
      {redelivery !== undefined && (
        <Fact name="Redelivery of">
          <Link
            className="link mono"
            to="/connections/$connectionId/activity"
            params={params}
            search={before => ({ ...before, item: redelivery.of })}
          >
            {redelivery.of}
          </Link>
          <span className="t3">
            {' '}
            ·{' '}
            {redelivery.runs === 0
              ? 'None of its runs had failed, so nothing was started again.'
              : `It started ${formatCount(redelivery.runs, 'run')} of that event again.`}
          </span>
        </Fact>
      )}
      {isIgnored && redelivery === undefined && (
        <Fact name="Repeat">
          An exact repeat: answered 200 and ignored
          {ignoreRepeats && ', because Ignore exact repeats is on'}.
        </Fact>
      )}
      {event.oldSecret && (
        <Fact name="Secret">
          <span className="warn">Signed with an old secret.</span> The sender needs the new one before the
          grace period ends.
        </Fact>
      )}
      {isStored(shown) ? (
        <Fact name="Kept until">
          <span className="num">{formatDate(Date.parse(receivedAt) + retention.maxDays * dayMs)}</span>
          <span className="t3 num">
            {' '}
            · {formatNumber(retention.maxDays)} days, or after{' '}
            {formatCount(retention.maxEvents, 'newer event')}
          </span>
        </Fact>
      ) : (
        <Fact name="Kept">In memory until newer activity replaces it or the service restarts.</Fact>
      )}
      {event.notes.map(note => (
        <Fact key={note} name="Note">
          {noteWords[note]}
        </Fact>
      ))}
    </dl>
  )
}

const noteWords: Readonly<Record<z.infer<typeof EventNote>, string>> = {
  extra_fields: 'It has fields besides event and data. Workflows do not see them; Raw shows them.',
  duplicate_keys: 'An object has the same key twice. The last value is used.',
  reserved_keys:
    'data has a field eventName or connectionId. The trigger has the service’s own value instead.',
}
