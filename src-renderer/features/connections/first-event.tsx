import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Check, Clock, Copy, Globe, type LucideIcon, Send, ShieldCheck } from 'lucide-react'
import type { ReactNode } from 'react'
import type { ConnectionStatistics } from '#shared/model/statistics.ts'
import { api, client } from '../../client/client.ts'
import { useLiveState } from '../../client/live-provider.tsx'
import { lastOutcome } from '../../entities/connection/connection-status.ts'
import { useCurrentConnection } from '../../entities/connection/current-connection.tsx'
import { type useCredentials, useInboundBase } from '../../entities/connection/use-secret.ts'
import { useUpdateConnection } from '../../entities/connection/use-update-connection.ts'
import { rejectionTitle } from '../../entities/snippet/explanations.ts'
import { languageSnippets } from '../../entities/snippet/languages.ts'
import { useOverlays } from '../../overlays.tsx'
import { Countdown, StatusCode } from '../../ui/badges.tsx'
import { copyWithToast } from '../../ui/copy-with-toast.ts'
import { formatTime } from '../../ui/format.ts'
import { KeyButton } from '../../ui/keys.tsx'
import { Dot } from '../../ui/pill.tsx'
import { WriteLink } from '../../ui/write-button.tsx'
import classes from './first-event.module.css'
import { InboundCredentials } from './receive-events.tsx'
import { sampleEvents } from './sample-event.ts'

/** Shows what to do until the first event arrives, and whether it is awaited. @param props.since when that began. */
export function AwaitFirstEvent(props: {
  readonly since: number
  readonly statistics: ConnectionStatistics | undefined
  readonly credentials: ReturnType<typeof useCredentials>
  readonly onFinish: () => void
}) {
  const { since, statistics, credentials, onFinish } = props
  const { connectionId, sender } = useCurrentConnection()
  const { open } = useOverlays()
  const { data: eventTypes = [] } = useQuery(api.eventTypes.list.queryOptions({ input: { connectionId } }))
  const refusal = lastOutcome(statistics)
  const copiedAt = bothCopiedAt(credentials)
  const hasReached = refusal !== null
  function copyCurl(): void {
    const text = client.connections
      .credentials({ connectionId })
      .then(({ inboundUrl }) =>
        languageSnippets.curl.send.render({ url: inboundUrl, ...sampleEvents(eventTypes)[0] }),
      )
    const note = 'It reads the secret from CC_SIGNING_SECRET. The inbound URL in it is a credential.'
    void copyWithToast(text, 'curl command', note)
  }
  return (
    <ol className={classes.steps} aria-label="The first event">
      <Step number={1} isDone={copiedAt !== null || hasReached} isCurrent title="Take the URL and the secret">
        <p className="sm t2">
          {copiedAt !== null && `Copied ${formatTime(copiedAt)}. `}Both are credentials.
        </p>
        <InboundCredentials credentials={credentials} />
      </Step>
      <Step number={2} isDone={hasReached} isCurrent={copiedAt !== null} title="Send one event">
        <p className="t2">
          From your system, with the code or the prompt. Or send one from here to see how it looks.
        </p>
        <div className="row">
          <KeyButton icon={Send} keys="t" onClick={() => open({ kind: 'send-event' })}>
            Send test event
          </KeyButton>
          {sender.scheme === 'custom-connection' && (
            <Button variant="subtle" leftSection={<Copy />} onClick={copyCurl}>
              Copy curl
            </Button>
          )}
        </div>
      </Step>
      <Step number={3} isDone={false} isCurrent={hasReached} title="See it arrive">
        <Listening since={since} refusal={refusal} />
        <Hints />
        <div>
          <Button variant="subtle" className={classes.skip} onClick={onFinish}>
            Show the overview
          </Button>
        </div>
      </Step>
    </ol>
  )
}

/** Returns when the second of the two credentials was copied; null before. */
export function bothCopiedAt({ url, secret }: ReturnType<typeof useCredentials>): number | null {
  return url.copiedAt === null || secret.copiedAt === null ? null : Math.max(url.copiedAt, secret.copiedAt)
}

/** A step with its number, or a check mark once it is done. */
export function Step(props: {
  readonly number: number
  readonly isDone: boolean
  readonly isCurrent?: boolean
  readonly title: ReactNode
  /** Beside the title. */
  readonly end?: ReactNode
  readonly children?: ReactNode
}) {
  const { number, isDone, isCurrent = false, title, end, children } = props
  return (
    <li
      className={classes.step}
      data-done={isDone || undefined}
      data-current={(isCurrent && !isDone) || undefined}
    >
      <span className={classes.mark}>
        {isDone ? <Check size={14} aria-label="Done" /> : <span className="num">{number}</span>}
      </span>
      <div className={classes.stepBody}>
        <div className="row">
          <h2 className="h2">{title}</h2>
          {end !== undefined && <span className="push sm t3 num">{end}</span>}
        </div>
        {children}
      </div>
    </li>
  )
}

type Refusal = ReturnType<typeof lastOutcome>

/** Says whether an event can arrive, how long it has been awaited, and what was refused meanwhile. */
function Listening({ since, refusal }: { readonly since: number; readonly refusal: Refusal }) {
  const { connectionId, enabled } = useCurrentConnection()
  const update = useUpdateConnection()
  const { data: service } = useQuery(api.service.get.queryOptions())
  const isLost = useLiveState() === 'lost'
  const isListening = enabled && !isLost && service?.listener.url !== null
  return (
    <div className={classes.listening} data-off={!isListening || undefined}>
      <span className={classes.timer}>
        <Countdown to={since} />
      </span>
      <div className="grow" role="status">
        {isLost ? (
          <p className="w5">Not up to date: the service does not answer</p>
        ) : !enabled ? (
          <p className="w5">
            The connection is disabled: it answers 403.{' '}
            <WriteLink onClick={() => update.mutate({ connectionId, enabled: true })}>Enable it</WriteLink>
          </p>
        ) : service?.listener.url === null ? (
          <p className="w5">
            The listener is not running.{' '}
            <Link className="link" to="/settings/$section" params={{ section: 'listener' }}>
              Show the listener
            </Link>
          </p>
        ) : (
          <p className="w5">Listening for the first event</p>
        )}
        {refusal?.kind === 'rejected' ? (
          <p className={`row sm t2 ${classes.refusal}`}>
            <StatusCode status={refusal.status} />
            <span>
              {rejectionTitle(refusal.code, refusal.diagnosis)} · {formatTime(refusal.at)}.{' '}
              <Link
                className="link"
                to="/connections/$connectionId/activity"
                params={{ connectionId }}
                search={{ show: 'rejected', item: refusal.attemptId ?? undefined }}
              >
                See the fix
              </Link>
            </span>
          </p>
        ) : (
          <p className="sm t2">Nothing has reached this URL yet, not even a wrong request.</p>
        )}
      </div>
      <Dot tone={isListening ? 'ok' : 'mute'} live={isListening} />
    </div>
  )
}

/** Shows what to look at if nothing comes. */
function Hints() {
  const { workspaceId } = useCurrentConnection()
  const base = useInboundBase(workspaceId)
  const host = base === null ? null : new URL(base).hostname
  const isOwn = host !== null && /^(?:127\.|localhost$|\[::1\]$)/.test(host)
  return (
    <div>
      <h3 className="h3">Nothing comes?</h3>
      <dl className={classes.hints}>
        <Hint icon={Globe} name="Address">
          {isOwn ? (
            <>
              <code>{host}</code> answers this computer only.{' '}
              <Link className="link" to="/settings/$section" params={{ section: 'public-url' }}>
                Open a tunnel
              </Link>
            </>
          ) : (
            <>
              Your system must reach <code>{host}</code>.{' '}
              <Link className="link" to="/settings/$section" params={{ section: 'public-url' }}>
                Check it
              </Link>
            </>
          )}
        </Hint>
        <Hint icon={ShieldCheck} name="Refused requests">
          A wrong signature shows here too, with its cause and the fix.
        </Hint>
        <Hint icon={Clock} name="Sender’s clock">
          May be off by 5 minutes at most.
        </Hint>
      </dl>
    </div>
  )
}

function Hint(props: { readonly icon: LucideIcon; readonly name: string; readonly children: ReactNode }) {
  const { icon: Icon, name, children } = props
  return (
    <div className={classes.hint}>
      <Icon size={14} className="t3" aria-hidden="true" />
      <dt className="t2">{name}</dt>
      <dd>{children}</dd>
    </div>
  )
}
