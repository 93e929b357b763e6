import { Link } from '@tanstack/react-router'
import { api, client } from '../../client/client.ts'
import { queries } from '../../client/query-client.ts'
import { formatCount } from '../../ui/format.ts'
import { BackButton } from '../../ui/master-detail.tsx'
import { Pill } from '../../ui/pill.tsx'
import { useShortcut } from '../../ui/shortcuts.tsx'
import { toastDone } from '../../ui/toasts.tsx'
import { useCommand } from '../../ui/use-command.ts'
import { WriteButton } from '../../ui/write-button.tsx'
import { AlertCard, useMute } from './alert-card.tsx'
import classes from './alerts.module.css'
import { ClockScale } from './clock-scale.tsx'
import { ConnectionThresholds } from './connection-thresholds.tsx'
import { PayloadDifferences } from './payload-differences.tsx'
import { spokenTime } from './signed-time.ts'
import { readWatchAgain, useChangeWatch, useWatch } from './use-watch.ts'
import type { WatchedRow } from './watch-columns.tsx'

/** A connection: its alerts, what is measured, and when alerts open. */
export function ConnectionDetail({ row }: { readonly row: WatchedRow }) {
  const { connectionId, name, alerts, persistEvents } = row
  const { data } = useWatch(connectionId)
  const change = useChangeWatch(connectionId)
  const muted = data?.payload.mutedEvents ?? []
  const sample = useCommand(
    (eventName: string) => replaceSample(connectionId, eventName),
    'The sample was not replaced',
    async () => {
      await queries.invalidateQueries({ queryKey: api.eventTypes.key() })
      await readWatchAgain(connectionId)
      toastDone('Sample replaced')
    },
  )
  const differing = data?.now.payloads?.filter(({ fields }) => fields.length > 0) ?? []
  const [first] = differing
  const canReplace = persistEvents && first !== undefined
  useShortcut(
    { keys: 's', label: 'Make it the sample', group: 'Alerts' },
    () => first && sample.mutate(first.eventName),
    canReplace,
  )
  const open = alerts.filter(({ muted }) => !muted)
  const { mute } = useMute(open[0]?.alertId ?? '')
  useShortcut({ keys: 'm', label: 'Mute for 1 hour', group: 'Alerts' }, () => mute.mutate(1), open.length > 0)
  return (
    <section className={classes.detail} aria-label="Connection">
      <div className="row">
        <BackButton />
        <h2 className="h3 cut">{name}</h2>
        {alerts.length > 0 && <Pill tone="bad">{formatCount(alerts.length, 'alert')}</Pill>}
        <Link className="push nowrap" to="/connections/$connectionId/activity" params={{ connectionId }}>
          Show events
        </Link>
      </div>
      {alerts.map(alert => (
        <AlertCard key={alert.alertId} alert={alert} />
      ))}
      {differing.map(of => (
        <PayloadDifferences
          key={of.eventName}
          of={of}
          makeSample={persistEvents ? sample.mutate : null}
          muteEvent={eventName =>
            change.mutate({
              payload: { mutedEvents: [...muted, eventName] },
            })
          }
        />
      ))}
      {muted.map(eventName => (
        <div key={eventName} className="row">
          <span className="mono cut">{eventName}</span>
          <span className="sm t3 nowrap">not compared</span>
          <WriteButton
            className="push"
            variant="subtle"
            onClick={() =>
              change.mutate({ payload: { mutedEvents: muted.filter(one => one !== eventName) } })
            }
          >
            Compare again
          </WriteButton>
        </div>
      ))}
      {data !== undefined && data.now.clock !== null && (
        <section aria-label="Sender’s clock">
          <h3 className="h3">{clockWords(data.now.clock.medianMs)}</h3>
          <ClockScale medianMs={data.now.clock.medianMs} seconds={data.clock.seconds} />
          <p className="sm t3">Requests that are over 5 minutes off are refused.</p>
        </section>
      )}
      <ConnectionThresholds connectionId={connectionId} />
    </section>
  )
}

function clockWords(medianMs: number): string {
  if (Math.abs(medianMs) < 1000) return 'Its clock is right'
  return `Its clock is ${spokenTime(Math.abs(medianMs))} ${medianMs < 0 ? 'behind' : 'ahead'}`
}

/** Makes the payload of the newest event of a name its sample. */
async function replaceSample(connectionId: string, eventName: string): Promise<void> {
  const [types, { events }] = await Promise.all([
    client.eventTypes.list({ connectionId }),
    client.events.list({ connectionId, eventName, limit: 1 }),
  ])
  const [event] = events
  const type = types.find(one => one.eventName === eventName)
  if (event === undefined || type === undefined) throw new Error('No event of this name is stored any more.')
  const { eventTypeId, updatedAt } = type
  await client.eventTypes.update({
    ...{ connectionId, eventTypeId, sampleText: event.dataText, ifUpdatedAt: updatedAt },
  })
}
