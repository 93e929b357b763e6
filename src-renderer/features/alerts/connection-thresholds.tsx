import { type ConnectionWatch, ConnectionThresholds as Thresholds } from '#shared/model/alert.ts'
import { Threshold } from '../../entities/alert/threshold.tsx'
import { formatCount } from '../../ui/format.ts'
import { useChangeWatch, useWatch } from './use-watch.ts'

const { shape } = Thresholds

/** When alerts of a connection open. Each change is saved at once. */
export function ConnectionThresholds({ connectionId }: { readonly connectionId: string }) {
  const { data } = useWatch(connectionId)
  const save = useChangeWatch(connectionId)
  if (data === undefined) return null
  const { silent, refused, callsFailing, payload, clock, secretGrace } = data
  return (
    <section aria-label="Alert when">
      <h3 className="h3">Alert when</h3>
      <Threshold
        label="Silent for more than"
        isOn={silent.enabled}
        switchTo={enabled => save.mutate({ silent: { enabled } })}
        limit={{
          schema: shape.silent.shape.hours,
          value: silent.hours,
          suffix: ' h',
          save: hours => save.mutateAsync({ silent: { hours } }),
        }}
      />
      <p className="sm t3">{suggestion(silent)}</p>
      <Threshold
        label="Refused, of at least 5 in an hour"
        isOn={refused.enabled}
        switchTo={enabled => save.mutate({ refused: { enabled } })}
        limit={{
          schema: shape.refused.shape.percent,
          value: refused.percent,
          suffix: ' %',
          save: percent => save.mutateAsync({ refused: { percent } }),
        }}
      />
      <Threshold
        label="Calls fail, at least 3 in an hour"
        isOn={callsFailing.enabled}
        switchTo={enabled => save.mutate({ callsFailing: { enabled } })}
        limit={{
          schema: shape.callsFailing.shape.percent,
          value: callsFailing.percent,
          suffix: ' %',
          save: percent => save.mutateAsync({ callsFailing: { percent } }),
        }}
      />
      <Threshold
        label="A payload differs from its sample"
        isOn={payload.enabled}
        switchTo={enabled => save.mutate({ payload: { enabled } })}
      />
      <Threshold
        label="Clock off by more than"
        isOn={clock.enabled}
        switchTo={enabled => save.mutate({ clock: { enabled } })}
        limit={{
          schema: shape.clock.unwrap().shape.seconds,
          value: clock.seconds,
          suffix: ' s',
          save: seconds => save.mutateAsync({ clock: { seconds } }),
        }}
      />
      <Threshold
        label="A replaced secret is still used"
        isOn={secretGrace.enabled}
        switchTo={enabled => save.mutate({ secretGrace: { enabled } })}
      />
    </section>
  )
}

function suggestion({ suggestedHours }: ConnectionWatch['silent']): string {
  return suggestedHours === null
    ? 'There are not enough events yet to suggest a time.'
    : `The last 14 days suggest ${formatCount(suggestedHours, 'hour')}.`
}
