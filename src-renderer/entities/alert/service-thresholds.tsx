import { useQuery } from '@tanstack/react-query'
import { ServiceWatch, type ServiceWatchChange } from '#shared/model/alert.ts'
import { api, client } from '../../client/client.ts'
import { queries } from '../../client/query-client.ts'
import { formatBytes } from '../../ui/format.ts'
import { QueryState } from '../../ui/query-state.tsx'
import { useCommand } from '../../ui/use-command.ts'
import { Threshold, type ThresholdRows } from './threshold.tsx'

const { shape } = ServiceWatch

const daysSuffix = (days: number) => (days === 1 ? ' day' : ' days')

const rows: ThresholdRows<ServiceWatch, ServiceWatchChange> = {
  runsFailing: ({ runsFailing: { enabled: isOn, count } }, save) => ({
    label: 'Runs of a workflow failed in an hour',
    isOn,
    switchTo: enabled => save({ runsFailing: { enabled } }),
    limit: {
      schema: shape.runsFailing.shape.count,
      value: count,
      suffix: count === 1 ? ' run' : ' runs',
      save: next => save({ runsFailing: { count: next } }),
    },
  }),
  runsStuck: ({ runsStuck: { enabled: isOn, minutes } }, save) => ({
    label: 'A run is due and has not begun for',
    isOn,
    switchTo: enabled => save({ runsStuck: { enabled } }),
    limit: {
      schema: shape.runsStuck.shape.minutes,
      value: minutes,
      suffix: ' min',
      save: next => save({ runsStuck: { minutes: next } }),
    },
  }),
  disk: ({ disk: { enabled: isOn, freeBytes } }, save) => ({
    label: `The disk has less free than ${freeBytes === null ? '5 %, at least 1 GiB' : formatBytes(freeBytes)}`,
    isOn,
    switchTo: enabled => save({ disk: { enabled } }),
  }),
  backup: ({ backup: { enabled: isOn, days } }, save) => ({
    label: 'The newest backup is older than',
    isOn,
    switchTo: enabled => save({ backup: { enabled } }),
    limit: {
      schema: shape.backup.shape.days,
      value: days,
      suffix: daysSuffix(days),
      save: next => save({ backup: { days: next } }),
    },
  }),
  certificate: ({ certificate: { enabled: isOn, days } }, save) => ({
    label: 'The certificate of the listener ends within',
    isOn,
    switchTo: enabled => save({ certificate: { enabled } }),
    limit: {
      schema: shape.certificate.shape.days,
      value: days,
      suffix: daysSuffix(days),
      save: next => save({ certificate: { days: next } }),
    },
  }),
  node: ({ node: { enabled: isOn } }, save) => ({
    label: 'A node was not heard of for a minute',
    isOn,
    switchTo: enabled => save({ node: { enabled } }),
  }),
}

/** When alerts of workflows and of the service as a whole open. Each change is saved at once. */
export function ServiceThresholds() {
  const query = useQuery(api.alerts.watch.queryOptions())
  const { mutateAsync } = useCommand(
    (change: ServiceWatchChange) => client.alerts.changeWatch(change),
    'The threshold was not saved',
    watch => queries.setQueryData(api.alerts.watch.queryKey(), watch),
  )
  const { data } = query
  if (data === undefined) return <QueryState query={query} failed="The thresholds could not be read" />
  return Object.entries(rows).map(([name, row]) => <Threshold key={name} {...row(data, mutateAsync)} />)
}
