import { Gauge } from 'lucide-react'
import { useCurrentConnection } from '../../../entities/connection/current-connection.tsx'
import { ClockTime } from '../../../ui/badges.tsx'
import { PageCard } from '../page-card.tsx'
import { usePausedUntil } from '../use-pause.ts'
import { rateLimitWords } from './rate-limit-draft.ts'

/** Shows how many calls a connection may send, and until when it sends none, and leads to the page that limits them. */
export function RateLimitCard() {
  const { rateLimit } = useCurrentConnection()
  const pausedUntil = usePausedUntil()
  return (
    <PageCard id="rate-limit-card" icon={Gauge} title="Rate limit" page="/connections/$connectionId/sign-in">
      <p className="sm t2">
        {rateLimit === null ? 'No limit' : rateLimitWords(rateLimit)}
        {pausedUntil !== null && (
          <>
            {' '}
            · paused until <ClockTime at={pausedUntil} />
          </>
        )}
      </p>
    </PageCard>
  )
}
