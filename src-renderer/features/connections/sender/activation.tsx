import { Button } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import { Copy } from 'lucide-react'
import { schemes } from '#shared/model/sender/templates.ts'
import { api, client } from '../../../client/client.ts'
import { queries } from '../../../client/query-client.ts'
import { useCurrentConnection } from '../../../entities/connection/current-connection.tsx'
import { useCredentials } from '../../../entities/connection/use-secret.ts'
import { formatTime } from '../../../ui/format.ts'
import { Pill, type Tone } from '../../../ui/pill.tsx'
import { problemOf } from '../../../ui/problem.ts'
import { toastProblem } from '../../../ui/toasts.tsx'
import classes from './sender.module.css'

const states = {
  not_needed: { tone: 'mute', label: 'Not needed' },
  waiting: { tone: 'acc', label: 'Waiting' },
  answered: { tone: 'ok', label: 'Answered' },
  verified: { tone: 'ok', label: 'Verified' },
} as const satisfies Record<string, { tone: Tone; label: string }>

/** How far the saved sender is with the questions that it asks before it sends, and the values to enter there. */
export function Activation() {
  const { connectionId, sender } = useCurrentConnection()
  const { url, verifyToken } = useCredentials(connectionId)
  const { title, challenges = [] } = schemes[sender.scheme]
  const key = api.connections.senderActivation.queryKey({ input: { connectionId } })
  const { data, error } = useQuery({
    ...api.connections.senderActivation.queryOptions({ input: { connectionId } }),
    enabled: challenges.length > 0,
    refetchInterval: ({ state }) => (state.data?.state === 'verified' ? false : 2000),
  })
  const reset = useMutation({
    mutationFn: () => client.connections.resetSenderActivation({ connectionId, reset: true }),
    onSuccess: after => queries.setQueryData(key, after),
    onError: problem => toastProblem('The activation was not reset', problem),
  })
  if (challenges.length === 0) return null
  const hasToken = challenges.some(({ token }) => token !== undefined)
  return (
    <section className={classes.limit} aria-labelledby="activation">
      <div className={classes.between}>
        <h3 id="activation">Switch it on at {title}</h3>
        <span role="status">
          {data !== undefined && <Pill tone={states[data.state].tone}>{states[data.state].label}</Pill>}
        </span>
      </div>
      {error !== null && <p className="sm bad">{problemOf(error).message}</p>}
      {data !== undefined && (
        <p className="sm t2">
          {data.at !== null && `Answered at ${formatTime(data.at)}. `}
          {data.detail}
        </p>
      )}
      {data?.openUrl !== undefined && (
        <p className="sm">
          <a className="link" href={data.openUrl} target="_blank" rel="noreferrer">
            Confirm it at {title}
          </a>
        </p>
      )}
      <div className={classes.buttons}>
        <Button size="xs" leftSection={<Copy size={12} />} onClick={url.copy}>
          Copy URL
        </Button>
        {hasToken && (
          <Button size="xs" leftSection={<Copy size={12} />} onClick={verifyToken.copy}>
            Copy verify token
          </Button>
        )}
        {data !== undefined && data.at !== null && (
          <Button size="xs" variant="subtle" loading={reset.isPending} onClick={() => reset.mutate()}>
            Let it ask again
          </Button>
        )}
      </div>
    </section>
  )
}
