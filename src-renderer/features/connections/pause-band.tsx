import { Button } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Clock } from 'lucide-react'
import { api } from '../../client/client.ts'
import { queries } from '../../client/query-client.ts'
import { useCurrentConnection } from '../../entities/connection/current-connection.tsx'
import { ClockTime, Countdown } from '../../ui/badges.tsx'
import { toastDone, toastProblem } from '../../ui/toasts.tsx'
import { WriteButton } from '../../ui/write-button.tsx'
import classes from './overview-tab.module.css'
import { usePausedUntil } from './use-pause.ts'

/** Says until when a connection takes no calls, and ends that. Shows nothing for one that is not paused. */
export function PauseBand() {
  const { connectionId } = useCurrentConnection()
  const pausedUntil = usePausedUntil()
  const resume = useMutation(
    api.connections.resume.mutationOptions({
      onSuccess(saved) {
        queries.setQueryData(api.connections.get.queryKey({ input: { connectionId } }), saved)
        toastDone('The pause has ended', 'Calls and runs that wait go on.')
      },
      onError: error => toastProblem('The pause was not ended', error),
    }),
  )
  if (pausedUntil === null) return null
  return (
    <section className={classes.pause} aria-labelledby="pause">
      <Clock />
      <div className="grow">
        <h2 className="h3" id="pause">
          Calls wait until <ClockTime at={pausedUntil} />, <Countdown to={Date.parse(pausedUntil)} /> from now
        </h2>
        <p className="sm t2">
          The API asked for that with <code>Retry-After</code>. Runs wait and lose no attempt. Events still
          come in.
        </p>
      </div>
      <Button renderRoot={props => <Link to="/runs" search={{ status: 'waiting' }} {...props} />}>
        Show waiting runs
      </Button>
      <WriteButton loading={resume.isPending} onClick={() => resume.mutate({ connectionId })}>
        End the pause
      </WriteButton>
    </section>
  )
}

/** Says what becomes of the calls of a connection that is paused. */
export function PausedCalls() {
  return (
    <section aria-labelledby="paused-calls">
      <h2 className="h3" id="paused-calls">
        What a paused connection does
      </h2>
      <dl className={classes.paused}>
        <dt>Workflows</dt>
        <dd>wait until then, without using an attempt</dd>
        <dt>Tests</dt>
        <dd>
          wait up to 2 s, then <code>rate_limited</code>, nothing sent
        </dd>
        <dt>Assistants</dt>
        <dd>the same, with the seconds to wait</dd>
      </dl>
    </section>
  )
}
