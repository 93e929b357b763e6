import { useNavigate } from '@tanstack/react-router'
import { useMemo, useState } from 'react'
import { useLiveState } from '../../../client/live-provider.tsx'
import { useCurrentConnection } from '../../../entities/connection/current-connection.tsx'
import { useCredentials } from '../../../entities/connection/use-secret.ts'
import { copyWithToast } from '../../../ui/copy-with-toast.ts'
import { EmptyState } from '../../../ui/empty-state.tsx'
import { useFollowedList } from '../../../ui/followed-list.tsx'
import { formatTime } from '../../../ui/format.ts'
import { MasterDetail } from '../../../ui/master-detail.tsx'
import { Body, Foot, type Hints } from '../../../ui/page.tsx'
import { QueryState } from '../../../ui/query-state.tsx'
import { useShortcut } from '../../../ui/shortcuts.tsx'
import { useNarrow } from '../../../ui/use-narrow.ts'
import { ActivationAttempts } from './activation-attempts.tsx'
import { ActivationSteps } from './activation-steps.tsx'
import { challengesOf, isEvent, shortTitle } from './activation-words.ts'
import { firstEventSince, useActivation, useArrivals } from './use-activation.ts'

const group = 'Switch it on'

/** Shows how to switch a sender on that first asks whether its events are wanted, and every request that arrives. */
export function ActivationPage() {
  const { connectionId, sender } = useCurrentConnection()
  const navigate = useNavigate()
  const toSender = () => void navigate({ to: '/connections/$connectionId/sender', params: { connectionId } })
  const isAsked = challengesOf(sender).length > 0
  const isNarrow = useNarrow()
  const [pane, setPane] = useState<'steps' | 'attempts'>('steps')
  const [chosen, setChosen] = useState<string | null>(null)
  const activation = useActivation(connectionId, isAsked)
  const arrivals = useArrivals(connectionId)
  const { items, follow, refetch } = arrivals
  const list = useFollowedList({
    group,
    noun: 'attempt',
    follow: {
      ...follow,
      follow() {
        follow.follow()
        setChosen(null)
        refetch()
      },
    },
    isLive: useLiveState() === 'live',
    keys: useMemo(() => items.map(({ id }) => id), [items]),
    openKey: chosen,
    open: setChosen,
    close: toSender,
    closeLabel: 'Back to the sender',
  })
  const isEscapeFree = isNarrow ? pane === 'steps' : chosen === null
  useShortcut({ keys: 'escape', label: 'Back to the sender', group }, toSender, isEscapeFree)

  const credentials = useCredentials(connectionId)
  const [copiedAt, setCopiedAt] = useState<number | null>(null)
  const hasToken = challengesOf(sender).some(({ token }) => token !== undefined)
  const what = hasToken ? 'URL and verify token' : 'URL'
  function copy(): void {
    const text = credentials
      .read()
      .then(({ inboundUrl, verifyToken = '' }) => (hasToken ? `${inboundUrl}\n${verifyToken}` : inboundUrl))
    void copyWithToast(text, what, 'It contains credentials.').then(isDone => {
      if (isDone) setCopiedAt(Date.now())
    })
  }
  useShortcut({ keys: 'c', label: `Copy the ${what}`, group }, copy, isAsked)

  const { data } = activation
  // Without a question, every event counts.
  const since = data?.state === 'not_needed' ? '' : (data?.at ?? null)
  const first = since === null ? null : firstEventSince(arrivals, since)
  const shown = items.find(({ id }) => id === chosen) ?? items[0]
  const isVerified = data?.state === 'verified'
  /** The event that becomes an event type or starts a workflow. */
  const event = !isVerified ? undefined : shown !== undefined && isEvent(shown) ? shown : items.find(isEvent)
  const define = () =>
    void navigate({
      to: '/connections/$connectionId/events',
      params: { connectionId },
      search: { eventType: 'new', name: event?.eventName },
    })
  const start = () => {
    const { eventName, eventId } = event ?? {}
    void navigate({ to: '/workflows/new', search: { connectionId, eventName, eventId } })
  }
  useShortcut({ keys: 'd', label: 'Define the event type', group }, define, event !== undefined)
  useShortcut({ keys: 'w', label: 'Start a workflow', group }, start, event !== undefined)

  const name = shortTitle(sender)
  const verifiedAt = first?.at ?? data?.verifiedAt ?? null
  return (
    <>
      <Body scrolls={false}>
        <MasterDetail
          name="activation"
          lead={pane}
          home="steps"
          back={{ label: 'Back to the steps', group, go: () => setPane('steps') }}
          panes={[
            {
              id: 'steps',
              content: !isAsked ? (
                <EmptyState title="Nothing to switch on">
                  {name} asks nothing before it sends. Enter the inbound URL there.
                </EmptyState>
              ) : data === undefined ? (
                <QueryState query={activation} failed="The state of the activation could not be read" />
              ) : (
                <ActivationSteps
                  activation={data}
                  arrivals={arrivals}
                  first={first}
                  verifiedAt={verifiedAt}
                  credentials={credentials}
                  copiedAt={copiedAt}
                  onShowAttempts={isNarrow ? () => setPane('attempts') : null}
                />
              ),
            },
            {
              id: 'attempts',
              size: 504,
              min: 360,
              content: (
                <ActivationAttempts
                  arrivals={arrivals}
                  list={{ ...list, selectedKey: shown?.id ?? null }}
                  shown={shown}
                  next={event === undefined ? null : { event, define, start }}
                />
              ),
            },
          ]}
        />
      </Body>
      <Foot hints={{ ...(isAsked && { c: `copy ${what}` }), ...hints }}>
        {isVerified && verifiedAt !== null
          ? `Verified ${formatTime(verifiedAt)}`
          : isAsked && `Answers are set up for ${name} only`}
      </Foot>
    </>
  )
}

const hints: Hints = { f: 'follow', updown: 'attempt', escape: 'back to the sender' }
