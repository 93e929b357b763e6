import { Button } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { TriangleAlert } from 'lucide-react'
import { useState } from 'react'
import type { SenderActivation } from '#shared/model/sender/sender-activation.ts'
import { lacksPublicKey, secretKindOf } from '#shared/model/sender/sender-secret.ts'
import { schemes } from '#shared/model/sender/templates.ts'
import { api, client } from '../../../client/client.ts'
import { queries } from '../../../client/query-client.ts'
import { useCurrentConnection } from '../../../entities/connection/current-connection.tsx'
import {
  maskedInboundUrl,
  type useCredentials,
  useInboundBase,
} from '../../../entities/connection/use-secret.ts'
import { rejectionTitle } from '../../../entities/snippet/explanations.ts'
import { ClockTime, Countdown } from '../../../ui/badges.tsx'
import { CodedText } from '../../../ui/coded-text.tsx'
import { formatCount, formatTime } from '../../../ui/format.ts'
import { Keys } from '../../../ui/keys.tsx'
import { Pill } from '../../../ui/pill.tsx'
import { toastProblem } from '../../../ui/toasts.tsx'
import { WriteButton } from '../../../ui/write-button.tsx'
import steps from '../first-event.module.css'
import { Step } from '../first-event.tsx'
import { SecretField } from '../receive-events.tsx'
import classes from './activation.module.css'
import { states } from './activation.tsx'
import {
  type Arrival,
  challengesOf,
  isRefusedQuestion,
  isSigning,
  questionName,
  questionWords,
  shortTitle,
} from './activation-words.ts'
import type { Arrivals, firstEventSince } from './use-activation.ts'

const broughtToken = { name: 'Verification token', noun: 'verification token' }
const maskedToken = '•'.repeat(18)

/** The three states of an activation, and the steps at the provider with the values to enter there. */
export function ActivationSteps(props: {
  readonly activation: SenderActivation
  readonly arrivals: Pick<Arrivals, 'items' | 'isKnown'>
  /** Null while it is not known. */
  readonly first: ReturnType<typeof firstEventSince>
  readonly verifiedAt: string | null
  readonly credentials: ReturnType<typeof useCredentials>
  /** When the URL was copied here; null before. */
  readonly copiedAt: number | null
  /** Null where the attempts are beside. */
  readonly onShowAttempts: (() => void) | null
}) {
  const { activation, arrivals, first, verifiedAt, credentials, copiedAt, onShowAttempts } = props
  const { connectionId, workspaceId, sender, hasSenderSecret } = useCurrentConnection()
  const { state, at, openUrl } = activation
  const { items } = arrivals
  const { url, verifyToken, senderSecret } = credentials
  const base = useInboundBase(workspaceId)
  const reset = useReset(connectionId)
  const name = shortTitle(sender)
  const { secret, urlPlace, subscription } = schemes[sender.scheme]
  const challenges = challengesOf(sender)
  const [challenge] = challenges
  const hasToken = challenges.some(({ token }) => token !== undefined)
  const keeps = challenges.find(one => one.keeps !== undefined)?.keeps?.as
  const isAnswered = at !== null
  const isVerified = state === 'verified'
  const hasReached = isAnswered || items.length > 0
  const hasFirst = first !== null || (isVerified && challenge?.isSigned !== true)
  const isPasted = hasReached || copiedAt !== null || url.copiedAt !== null
  const needsSecret = keeps === undefined && secretKindOf(sender) !== null
  const needsKey = lacksPublicKey(sender)
  const hasProof = needsSecret ? hasSenderSecret : !needsKey
  const asked = challenge === undefined ? null : questionName(challenge)
  const refused = items.find(item => item.type === 'event.rejected')
  const isStuck = refused !== undefined && refused === items[0] && !isVerified
  const list: readonly (Omit<Parameters<typeof Step>[0], 'number' | 'isCurrent'> | false)[] = [
    urlPlace !== undefined && {
      isDone: isPasted,
      title: `Open ${name}`,
      children: (
        <p className="t2">
          <CodedText text={urlPlace} />
        </p>
      ),
    },
    {
      isDone: isPasted,
      title: hasToken ? 'Paste URL and verify token' : 'Paste the URL',
      end: (
        <>
          <Keys keys="c" /> {hasToken ? 'copies both' : 'copies it'}
        </>
      ),
      children: (
        <div className="stack">
          <SecretField masked={base === null ? '' : maskedInboundUrl(base)} secret={url} />
          {hasToken && <SecretField masked={maskedToken} secret={verifyToken} />}
        </div>
      ),
    },
    (needsSecret || needsKey) && {
      isDone: hasProof,
      title: needsSecret ? 'Set the secret of the sender' : 'Set the public key of the sender',
      children: !hasProof && (
        <p className="t2">
          <CodedText text={secret} />{' '}
          <Link className="link" to="/connections/$connectionId/sender" params={{ connectionId }}>
            Enter it
          </Link>
        </p>
      ),
    },
    {
      isDone: isAnswered,
      title:
        asked === null ? (
          `${name} asks with a ${challenge?.method ?? 'POST'}`
        ) : (
          <>
            {name} asks with <code>{asked}</code>
          </>
        ),
      end: at !== null ? <ClockTime at={at} /> : state === 'waiting' ? 'waiting…' : undefined,
      children: (
        <>
          {challenge !== undefined && (
            <p className="t2">
              <CodedText text={questionWords(challenge, isSigning(sender))} />
            </p>
          )}
          {isStuck && !isAnswered && <Stuck refused={refused} />}
          {openUrl !== undefined && !isVerified && (
            <p>
              <a className="link" href={openUrl} target="_blank" rel="noreferrer">
                Confirm it at {name}
              </a>
            </p>
          )}
          {isAnswered && (
            <div>
              <WriteButton
                size="xs"
                variant="subtle"
                loading={reset.isPending}
                onClick={() => reset.mutate()}
              >
                Let it ask again
              </WriteButton>
            </div>
          )}
        </>
      ),
    },
    keeps === 'shown' &&
      isAnswered && {
        isDone: isVerified,
        title: `Enter the token that it brought at ${name}`,
        children: <SecretField masked={maskedToken} secret={{ ...senderSecret, ...broughtToken }} />,
      },
    subscription !== undefined && {
      // Nothing else tells that it is done.
      isDone: hasFirst,
      title: (
        <>
          Subscribe to <code>{subscription.to}</code>
        </>
      ),
      end: hasFirst ? 'done' : undefined,
      children: <p className="t2">{subscription.where}</p>,
    },
    {
      isDone: hasFirst,
      title: 'The first event',
      end: first === null ? undefined : <ClockTime at={first.at} />,
      children:
        first !== null ? (
          <p className="t2">
            <code className="inline-code">{first.eventName}</code>, its proof is right.
          </p>
        ) : (
          isAnswered && (
            <>
              <p className="t2">Let {name} send one, or press its test button.</p>
              {isStuck && <Stuck refused={refused} />}
            </>
          )
        ),
    },
  ]
  const shown = list.filter(one => one !== false)
  const current = shown.findIndex(({ isDone }) => !isDone)
  return (
    <section className={classes.steps} aria-labelledby="activation-title">
      <div className={classes.top}>
        <h2 className={classes.title} id="activation-title">
          {headings[state](name)}
        </h2>
        <span className="push" role="status">
          {state === 'waiting' ? (
            <Waiting />
          ) : (
            <Pill tone={states[state].tone}>
              {states[state].label} {timeOf(isVerified ? verifiedAt : at)}
            </Pill>
          )}
        </span>
        {onShowAttempts !== null && (
          <Button size="xs" onClick={onShowAttempts}>
            What arrived{items.length > 0 && ` · ${formatCount(items.length, 'attempt')}`}
          </Button>
        )}
      </div>
      <p className="t2">{sentences[state](name)}</p>
      <Bars name={name} state={state} answeredAt={at} verifiedAt={verifiedAt} />
      <ol className={steps.steps} aria-label={`Steps at ${name}`}>
        {shown.map((step, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: steps are never reordered
          <Step key={index} number={index + 1} isCurrent={index === current} {...step} />
        ))}
      </ol>
    </section>
  )
}

type State = SenderActivation['state']

const headings: Readonly<Record<State, (name: string) => string>> = {
  not_needed: name => `${name} may call this URL once`,
  waiting: name => `${name} will call this URL once`,
  answered: name => `${name}’s request is answered`,
  verified: name => `${name}’s events can come in`,
}

const sentences: Readonly<Record<State, (name: string) => string>> = {
  not_needed: () => 'It asks only before it sends some of its events; the others come in without it.',
  waiting: () => 'You can leave this page. The answer stays set up until you change the sender.',
  answered: name => `${name} has its answer. The first event will show that its proof is right.`,
  verified: () => 'A request with a right proof came. The setup is complete.',
}

const timeOf = (at: string | null) => at !== null && <ClockTime at={at} />

/** Shows how long this page has waited. */
function Waiting() {
  const [since] = useState(Date.now)
  return (
    <Pill tone="acc">
      Waiting <Countdown to={since} />
    </Pill>
  )
}

function Bars(props: {
  readonly name: string
  readonly state: State
  readonly answeredAt: string | null
  readonly verifiedAt: string | null
}) {
  const { name, state, answeredAt, verifiedAt } = props
  const bars = [
    { label: `Waiting for ${name}’s request`, at: null },
    { label: 'Answered', at: answeredAt },
    { label: 'Verified by an event', at: verifiedAt },
  ]
  const reached = state === 'verified' ? bars.length : state === 'answered' ? 1 : 0
  return (
    <ol className={classes.bars} aria-label="State">
      {bars.map(({ label, at }, index) => (
        <li
          key={label}
          data-done={index < reached || undefined}
          aria-current={index === reached ? 'step' : undefined}
        >
          {label}
          {at !== null && index <= reached && (
            <>
              , <ClockTime at={at} />
            </>
          )}
        </li>
      ))}
    </ol>
  )
}

/** Says why the newest request was refused. */
function Stuck({ refused }: { readonly refused: Extract<Arrival, { type: 'event.rejected' }> }) {
  const { at, code, diagnosis } = refused
  const isToken = diagnosis?.code === 'other_verify_token'
  return (
    <p className={`warn ${classes.stuck}`}>
      <TriangleAlert size={14} />
      <span>
        {isToken
          ? `A request at ${formatTime(at)} had a different verify token and got 401. Paste the token again.`
          : isRefusedQuestion(refused)
            ? `A request at ${formatTime(at)} brought another secret and got 401. Let it ask again if that is meant.`
            : `A request at ${formatTime(at)} was refused: ${rejectionTitle(code, diagnosis?.code ?? null)}.`}
      </span>
    </p>
  )
}

function useReset(connectionId: string) {
  return useMutation({
    mutationFn: () => client.connections.resetSenderActivation({ connectionId, reset: true }),
    onSuccess: async after => {
      queries.setQueryData(api.connections.senderActivation.queryKey({ input: { connectionId } }), after)
      // The secret of a handshake is forgotten, too.
      await queries.invalidateQueries({ queryKey: api.connections.get.queryKey({ input: { connectionId } }) })
    },
    onError: problem => toastProblem('The activation was not reset', problem),
  })
}
