import { skipToken, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { memo } from 'react'
import type { Sender } from '#shared/model/sender/sender.ts'
import { api } from '../../../client/client.ts'
import { useCurrentConnection } from '../../../entities/connection/current-connection.tsx'
import { Method, StatusCode, Unknown } from '../../../ui/badges.tsx'
import { CodeBlock } from '../../../ui/code-block.tsx'
import { CodedText } from '../../../ui/coded-text.tsx'
import { cssVariables } from '../../../ui/css-variables.ts'
import { EmptyState } from '../../../ui/empty-state.tsx'
import { FollowButton, FollowedList, ListLine, type useFollowedList } from '../../../ui/followed-list.tsx'
import { formatClock, formatCount, formatExact } from '../../../ui/format.ts'
import type { Token } from '../../../ui/highlight.ts'
import { jsonLines } from '../../../ui/json-lines.ts'
import { KeyButton } from '../../../ui/keys.tsx'
import { BackButton } from '../../../ui/master-detail.tsx'
import { problemOf } from '../../../ui/problem.ts'
import classes from './activation.module.css'
import {
  type Arrival,
  answerWords,
  arrivalWords,
  challengesOf,
  isEvent,
  isQuestion,
  methodOf,
  questionRequest,
  shortTitle,
  statusOf,
} from './activation-words.ts'
import { maskedPath, ownHeaders } from './try-request.tsx'
import type { Arrivals } from './use-activation.ts'

const keyOf = ({ id }: Arrival) => id

type Event = Extract<Arrival, { type: 'event.accepted' }>

/** The requests that arrived, newest first, and the one that is chosen. */
export function ActivationAttempts(props: {
  readonly arrivals: Arrivals
  readonly list: ReturnType<typeof useFollowedList>
  readonly shown: Arrival | undefined
  /** The event that can become more; null before one came. */
  readonly next: { readonly event: Event; readonly define: () => void; readonly start: () => void } | null
}) {
  const { arrivals, list, shown, next } = props
  const { sender } = useCurrentConnection()
  const { items, newer, isKnown, end, error, refetch } = arrivals
  return (
    <section className={classes.attempts} aria-label="What arrived">
      <div className={classes.list} style={cssVariables({ '--rows': String(Math.max(items.length, 1)) })}>
        <FollowedList
          state={list}
          filters={
            <>
              <div className={classes.bar}>
                <BackButton />
                <h2 className="h3 nowrap">What arrived</h2>
                {isKnown && items.length > 0 && (
                  <span className="sm t3 num">
                    {end === null ? `newest ${items.length}` : formatCount(items.length, 'attempt')}
                  </span>
                )}
                <span className="push" />
                <FollowButton state={list} />
              </div>
              {items.length > 0 && (
                <div className={`sm t2 ${classes.head}`} aria-hidden="true">
                  <span>Time</span>
                  <span>Request</span>
                  <span>What it was</span>
                  <span>Answer</span>
                </div>
              )}
            </>
          }
          items={items}
          getKey={keyOf}
          newer={newer}
          isKnown={isKnown}
          query={arrivals}
          failed="What arrived could not be read"
          label="Requests that arrived, newest first"
          onEndReached={arrivals.loadOlder}
          renderRow={item => <AttemptRow item={item} sender={sender} />}
          none={
            <EmptyState title="Nothing has arrived yet">
              Each request to the inbound URL shows here, also a refused one, with what was wrong.
            </EmptyState>
          }
          end={
            error !== null && items.length > 0 ? (
              <ListLine isAlert action="Try again" onAction={refetch}>
                The newest could not be read. {problemOf(error).message}
              </ListLine>
            ) : null
          }
        />
      </div>
      {shown !== undefined && (
        <div className={classes.detail}>
          <Detail key={shown.id} item={shown} />
          {next !== null && (
            <>
              <p className="sm t2">Next: define the event type, or start a workflow from it.</p>
              <div className="row">
                <KeyButton keys="d" onClick={next.define}>
                  Define event type
                </KeyButton>
                <KeyButton keys="w" onClick={next.start}>
                  Start a workflow
                </KeyButton>
              </div>
            </>
          )}
        </div>
      )}
    </section>
  )
}

const AttemptRow = memo(function AttemptRow({
  item,
  sender,
}: {
  readonly item: Arrival
  readonly sender: Sender
}) {
  const { words, name, wrong } = arrivalWords(item, sender)
  const method = methodOf(item, sender)
  return (
    <div className={classes.row}>
      <time className="num cut" dateTime={item.at} title={formatExact(item.at)}>
        {formatClock(item.at, Date.now())}
      </time>
      <span>{method === null ? <Unknown /> : <Method method={method} />}</span>
      <span className="cut">
        {words}
        {name !== undefined && <code>{name}</code>}
        {wrong !== undefined && <span className="bad">{wrong}</span>}
      </span>
      <span>
        <StatusCode status={statusOf(item, sender)} />
      </span>
    </div>
  )
})

/** The request and its answer, as far as they are kept, and what was wrong. */
function Detail({ item }: { readonly item: Arrival }) {
  const { connectionId, sender } = useCurrentConnection()
  const attemptId = item.type === 'event.rejected' && !isQuestion(item) ? item.attemptId : null
  const eventId = item.type !== 'event.rejected' && !isQuestion(item) ? item.eventId : null
  const attempt = useQuery(
    api.attempts.get.queryOptions({ input: attemptId === null ? skipToken : { connectionId, attemptId } }),
  )
  const event = useQuery(
    api.events.get.queryOptions({ input: eventId === null ? skipToken : { connectionId, eventId } }),
  )
  const request = attempt.data ?? event.data
  const outcome = item.type === 'event.rejected' ? 'refused' : isQuestion(item) ? 'answered' : 'accepted'
  return (
    <>
      <p className="sm t3">
        <span className="num">{formatClock(item.at, Date.now())}</span>, {outcome}
      </p>
      <CodeBlock
        wrap
        label="The request and its answer"
        lines={[...requestLines(item, sender, request), ...answerLines(item, sender)]}
      />
      <Sentence item={item} />
      <p className="sm">
        <Link
          className="link"
          to="/connections/$connectionId/activity"
          params={{ connectionId }}
          search={{ item: item.id }}
        >
          Show in activity
        </Link>
      </p>
    </>
  )
}

/** Characters of a body, and of a header field, that are shown. */
const longestBody = 800
const longestField = 120

type Kept = { readonly headers: readonly (readonly [string, string])[]; readonly bodyText: string }

function requestLines(item: Arrival, sender: Sender, kept: Kept | undefined): Token[][] {
  const [challenge] = challengesOf(sender)
  if (isQuestion(item) && challenge !== undefined) return questionRequest(challenge, maskedPath).map(plain)
  const method = methodOf(item, sender)
  const first = plain([method, maskedPath].filter(part => part !== null).join(' '))
  if (kept === undefined) return [first]
  const fields = ownHeaders(kept.headers.map(([name, value]) => [name, value])).map(([name, value]) =>
    plain(`${name.toLowerCase()}: ${shortened(value, longestField)}`),
  )
  const body = kept.bodyText === '' ? [] : jsonLines(shortened(kept.bodyText, longestBody))
  return [first, ...fields, ...body]
}

function answerLines(item: Arrival, sender: Sender): Token[][] {
  const [challenge] = challengesOf(sender)
  const status = statusOf(item, sender)
  if (item.type === 'event.rejected') return [plain(`← ${status} ${item.code}`)]
  if (isQuestion(item) && challenge !== undefined) return [plain(`← ${answerWords(challenge)}`)]
  return [plain(`← ${status}`)]
}

const plain = (text: string): Token[] => [{ text, kind: 'key' }]
const shortened = (text: string, most: number) => (text.length > most ? `${text.slice(0, most)}…` : text)

/** Says what was wrong with a request, or what follows from a right one. */
function Sentence({ item }: { readonly item: Arrival }) {
  const { sender } = useCurrentConnection()
  if (item.type === 'event.rejected')
    return (
      <p className="sm t2">
        <CodedText text={item.diagnosis?.message ?? item.message} />
        {isQuestion(item) && ' Only you see this: the answer tells nothing about the right one.'}
      </p>
    )
  if (isQuestion(item))
    return (
      <p className="sm t2">
        Later questions are answered too, as long as the sender stays {shortTitle(sender)}.
      </p>
    )
  return isEvent(item) && item.previousSecret ? (
    <p className="sm warn">Its proof was made with an old secret.</p>
  ) : null
}
