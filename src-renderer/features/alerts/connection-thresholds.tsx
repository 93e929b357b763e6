import { NumberInput, Switch } from '@mantine/core'
import { type ConnectionWatch, mostClockSeconds, mostSilentHours } from '#shared/model/alert.ts'
import { formatCount } from '../../ui/format.ts'
import classes from './alerts.module.css'
import { useChangeWatch, useWatch } from './use-watch.ts'

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
        number={{
          value: silent.hours,
          most: mostSilentHours,
          suffix: ' h',
          save: hours => save.mutate({ silent: { hours } }),
        }}
      />
      <p className="sm t3">{suggestion(silent)}</p>
      <Threshold
        label="Refused, of at least 5 in an hour"
        isOn={refused.enabled}
        switchTo={enabled => save.mutate({ refused: { enabled } })}
        number={{
          value: refused.percent,
          suffix: ' %',
          save: percent => save.mutate({ refused: { percent } }),
        }}
      />
      <Threshold
        label="Calls fail, at least 3 in an hour"
        isOn={callsFailing.enabled}
        switchTo={enabled => save.mutate({ callsFailing: { enabled } })}
        number={{
          value: callsFailing.percent,
          suffix: ' %',
          save: percent => save.mutate({ callsFailing: { percent } }),
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
        number={{
          value: clock.seconds,
          most: mostClockSeconds,
          suffix: ' s',
          save: seconds => save.mutate({ clock: { seconds } }),
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

function Threshold(props: {
  readonly label: string
  readonly isOn: boolean
  readonly switchTo: (isOn: boolean) => void
  readonly number?: {
    readonly value: number
    readonly most?: number
    readonly suffix: string
    readonly save: (value: number) => void
  }
}) {
  const { label, isOn, switchTo, number } = props
  return (
    <div className={classes.threshold}>
      <Switch label={label} checked={isOn} onChange={event => switchTo(event.currentTarget.checked)} />
      {number !== undefined && (
        <NumberInput
          key={number.value}
          aria-label={`${label}, limit`}
          min={1}
          max={number.most ?? 100}
          allowDecimal={false}
          suffix={number.suffix}
          defaultValue={number.value}
          onBlur={event => {
            const value = Number.parseInt(event.currentTarget.value, 10)
            if (value >= 1 && value <= (number.most ?? 100) && value !== number.value) number.save(value)
          }}
        />
      )}
    </div>
  )
}
