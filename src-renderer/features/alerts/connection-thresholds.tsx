import {
  type ConnectionWatch,
  type ConnectionWatchChange,
  ConnectionThresholds as Thresholds,
} from '#shared/model/alert.ts'
import { Threshold, type ThresholdRows } from '../../entities/alert/threshold.tsx'
import { formatCount } from '../../ui/format.ts'
import { useChangeWatch, useWatch } from './use-watch.ts'

const { shape } = Thresholds

const rows: ThresholdRows<ConnectionWatch, ConnectionWatchChange> = {
  silent: ({ silent }, save) => ({
    label: 'Silent for more than',
    isOn: silent.enabled,
    switchTo: enabled => save({ silent: { enabled } }),
    limit: {
      schema: shape.silent.shape.hours,
      value: silent.hours,
      suffix: ' h',
      save: hours => save({ silent: { hours } }),
    },
    help:
      silent.suggestedHours === null
        ? 'There are not enough events yet to suggest a time.'
        : `The last 14 days suggest ${formatCount(silent.suggestedHours, 'hour')}.`,
  }),
  refused: ({ refused }, save) => ({
    label: 'Refused, of at least 5 in an hour',
    isOn: refused.enabled,
    switchTo: enabled => save({ refused: { enabled } }),
    limit: {
      schema: shape.refused.shape.percent,
      value: refused.percent,
      suffix: ' %',
      save: percent => save({ refused: { percent } }),
    },
  }),
  callsFailing: ({ callsFailing }, save) => ({
    label: 'Calls fail, at least 3 in an hour',
    isOn: callsFailing.enabled,
    switchTo: enabled => save({ callsFailing: { enabled } }),
    limit: {
      schema: shape.callsFailing.shape.percent,
      value: callsFailing.percent,
      suffix: ' %',
      save: percent => save({ callsFailing: { percent } }),
    },
  }),
  payload: ({ payload }, save) => ({
    label: 'A payload differs from its sample',
    isOn: payload.enabled,
    switchTo: enabled => save({ payload: { enabled } }),
  }),
  clock: ({ clock }, save) => ({
    label: 'Clock off by more than',
    isOn: clock.enabled,
    switchTo: enabled => save({ clock: { enabled } }),
    limit: {
      schema: shape.clock.unwrap().shape.seconds,
      value: clock.seconds,
      suffix: ' s',
      save: seconds => save({ clock: { seconds } }),
    },
  }),
  secretGrace: ({ secretGrace }, save) => ({
    label: 'A replaced secret is still used',
    isOn: secretGrace.enabled,
    switchTo: enabled => save({ secretGrace: { enabled } }),
  }),
}

/** When alerts of a connection open. Each change is saved at once. */
export function ConnectionThresholds({ connectionId }: { readonly connectionId: string }) {
  const { data } = useWatch(connectionId)
  const { mutateAsync } = useChangeWatch(connectionId)
  if (data === undefined) return null
  return (
    <section aria-label="Alert when">
      <h3 className="h3">Alert when</h3>
      {Object.entries(rows).map(([name, row]) => (
        <Threshold key={name} {...row(data, mutateAsync)} />
      ))}
    </section>
  )
}
