import { useQuery } from '@tanstack/react-query'
import { ServiceWatch, type ServiceWatchChange } from '#shared/model/alert.ts'
import { api, client } from '../../client/client.ts'
import { queries } from '../../client/query-client.ts'
import { formatBytes } from '../../ui/format.ts'
import { QueryState } from '../../ui/query-state.tsx'
import { useCommand } from '../../ui/use-command.ts'
import { Threshold } from './threshold.tsx'

const { runsFailing, runsStuck, backup, certificate } = ServiceWatch.shape

/** When alerts of workflows and of the service as a whole open. Each change is saved at once. */
export function ServiceThresholds() {
  const query = useQuery(api.alerts.watch.queryOptions())
  const save = useCommand(
    (change: ServiceWatchChange) => client.alerts.changeWatch(change),
    'The threshold was not saved',
    watch => queries.setQueryData(api.alerts.watch.queryKey(), watch),
  )
  const { data } = query
  if (data === undefined) return <QueryState query={query} failed="The thresholds could not be read" />
  const { freeBytes } = data.disk
  return (
    <>
      <Threshold
        label="Runs of a workflow failed in an hour"
        isOn={data.runsFailing.enabled}
        switchTo={enabled => save.mutate({ runsFailing: { enabled } })}
        limit={{
          schema: runsFailing.shape.count,
          value: data.runsFailing.count,
          suffix: ' runs',
          save: count => save.mutateAsync({ runsFailing: { count } }),
        }}
      />
      <Threshold
        label="A run is due and has not begun for"
        isOn={data.runsStuck.enabled}
        switchTo={enabled => save.mutate({ runsStuck: { enabled } })}
        limit={{
          schema: runsStuck.shape.minutes,
          value: data.runsStuck.minutes,
          suffix: ' min',
          save: minutes => save.mutateAsync({ runsStuck: { minutes } }),
        }}
      />
      <Threshold
        label={`The disk has less free than ${freeBytes === null ? '5 %, at least 1 GiB' : formatBytes(freeBytes)}`}
        isOn={data.disk.enabled}
        switchTo={enabled => save.mutate({ disk: { enabled } })}
      />
      <Threshold
        label="The newest backup is older than"
        isOn={data.backup.enabled}
        switchTo={enabled => save.mutate({ backup: { enabled } })}
        limit={{
          schema: backup.shape.days,
          value: data.backup.days,
          suffix: data.backup.days === 1 ? ' day' : ' days',
          save: days => save.mutateAsync({ backup: { days } }),
        }}
      />
      <Threshold
        label="The certificate of the listener ends within"
        isOn={data.certificate.enabled}
        switchTo={enabled => save.mutate({ certificate: { enabled } })}
        limit={{
          schema: certificate.shape.days,
          value: data.certificate.days,
          suffix: data.certificate.days === 1 ? ' day' : ' days',
          save: days => save.mutateAsync({ certificate: { days } }),
        }}
      />
      <Threshold
        label="A node was not heard of for a minute"
        isOn={data.node.enabled}
        switchTo={enabled => save.mutate({ node: { enabled } })}
      />
    </>
  )
}
