import { useQuery } from '@tanstack/react-query'
import { BellOff } from 'lucide-react'
import { hourMs } from '#shared/durations.ts'
import { api, client } from '../../client/client.ts'
import { queries } from '../../client/query-client.ts'
import { toastDone } from '../../ui/toasts.tsx'
import { useCommand } from '../../ui/use-command.ts'
import { useDerivedNow } from '../../ui/use-now.ts'
import { WriteButton } from '../../ui/write-button.tsx'

/** Tells nobody of alerts for an hour, or ends that. */
export function QuietButton() {
  const { data } = useQuery(api.settings.get.queryOptions())
  const save = useCommand(
    (alertsQuietUntil: string | null) => client.settings.update({ alertsQuietUntil }),
    'It was not changed who is told of alerts',
    async ({ alertsQuietUntil }) => {
      await queries.invalidateQueries({ queryKey: api.settings.key() })
      toastDone(alertsQuietUntil === null ? 'Alerts are told again' : 'Nobody is told of alerts for an hour')
    },
  )
  const isQuiet = useDerivedNow(now => Date.parse(data?.alertsQuietUntil ?? '') > now)
  if (data === undefined) return null
  return (
    <WriteButton
      leftSection={<BellOff size={14} />}
      loading={save.isPending}
      onClick={() => save.mutate(isQuiet ? null : new Date(Date.now() + hourMs).toISOString())}
    >
      {isQuiet ? 'End quiet' : 'Quiet for 1 hour'}
    </WriteButton>
  )
}
