import type { Alert } from '#shared/model/alert.ts'
import { api, client } from '../../client/client.ts'
import { queries } from '../../client/query-client.ts'
import { ClockTime } from '../../ui/badges.tsx'
import { Fact } from '../../ui/fact.tsx'
import { toastDone } from '../../ui/toasts.tsx'
import { useCommand } from '../../ui/use-command.ts'
import { WriteButton } from '../../ui/write-button.tsx'
import { titles } from './alert-labels.ts'
import classes from './alerts.module.css'

/** Mutes an alert, or no longer mutes it. */
export function useMute(alertId: string) {
  const show = async (done: string) => {
    await queries.invalidateQueries({ queryKey: api.alerts.list.key() })
    toastDone(done)
  }
  const mute = useCommand(
    (hours: number | null) => client.alerts.mute({ alertId, hours }),
    'The alert was not muted',
    () => show('Alert muted'),
  )
  const unmute = useCommand(
    () => client.alerts.unmute({ alertId }),
    'The alert is still muted',
    () => show('Alert no longer muted'),
  )
  return { mute, unmute }
}

/** One alert: its message, its times, and the buttons that mute it. */
export function AlertCard({ alert }: { readonly alert: Alert }) {
  const { alertId, kind, state, message, openedAt, closedAt, muted, mutedUntil } = alert
  const { mute, unmute } = useMute(alertId)
  return (
    <section className={classes.card} aria-label={titles[kind]}>
      <h3 className="h3">{titles[kind]}</h3>
      <p>{message}</p>
      <dl className="facts sm">
        <Fact name="Opened">
          <ClockTime at={openedAt} />
        </Fact>
        {closedAt !== null && (
          <Fact name="Closed">
            <ClockTime at={closedAt} />
          </Fact>
        )}
        {muted && (
          <Fact name="Muted">
            {mutedUntil === null ? (
              'Until it closes'
            ) : (
              <>
                Until <ClockTime at={mutedUntil} />
              </>
            )}
          </Fact>
        )}
      </dl>
      {state === 'open' && (
        <div className={classes.buttons}>
          {muted ? (
            <WriteButton loading={unmute.isPending} onClick={() => unmute.mutate()}>
              Unmute
            </WriteButton>
          ) : (
            <>
              <WriteButton loading={mute.isPending} onClick={() => mute.mutate(1)}>
                Mute for 1 hour
              </WriteButton>
              <WriteButton variant="subtle" loading={mute.isPending} onClick={() => mute.mutate(null)}>
                Mute until it closes
              </WriteButton>
            </>
          )}
        </div>
      )}
    </section>
  )
}
