import { Button } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { Gauge } from 'lucide-react'
import { useCurrentConnection } from '../../../entities/connection/current-connection.tsx'
import { formatClock } from '../../../ui/format.ts'
import classes from '../sender/sender.module.css'
import { usePause } from '../use-pause.ts'
import { rateLimitWords } from './rate-limit-draft.ts'

/** Shows how many calls a connection may send, and until when it sends none, and leads to the page that limits them. */
export function RateLimitCard() {
  const { connectionId, rateLimit } = useCurrentConnection()
  const pause = usePause()
  return (
    <section className={classes.card} aria-labelledby="rate-limit-card">
      <span className={classes.tile}>
        <Gauge />
      </span>
      <div className="grow">
        <h3 id="rate-limit-card">Rate limit</h3>
        <p className="sm t2">
          {rateLimit === null ? 'No limit' : rateLimitWords(rateLimit)}
          {pause !== null && ` · paused until ${formatClock(pause.until, pause.now)}`}
        </p>
      </div>
      <Button
        renderRoot={props => (
          <Link to="/connections/$connectionId/sign-in" params={{ connectionId }} {...props} />
        )}
      >
        Change
      </Button>
    </section>
  )
}
