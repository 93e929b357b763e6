import { Gauge } from 'lucide-react'
import { useCurrentConnection } from '../../../entities/connection/current-connection.tsx'
import { formatClock } from '../../../ui/format.ts'
import { PageCard } from '../page-card.tsx'
import { usePause } from '../use-pause.ts'
import { rateLimitWords } from './rate-limit-draft.ts'

/** Shows how many calls a connection may send, and until when it sends none, and leads to the page that limits them. */
export function RateLimitCard() {
  const { rateLimit } = useCurrentConnection()
  const pause = usePause()
  return (
    <PageCard id="rate-limit-card" icon={Gauge} title="Rate limit" page="/connections/$connectionId/sign-in">
      <p className="sm t2">
        {rateLimit === null ? 'No limit' : rateLimitWords(rateLimit)}
        {pause !== null && ` · paused until ${formatClock(pause.until, pause.now)}`}
      </p>
    </PageCard>
  )
}
