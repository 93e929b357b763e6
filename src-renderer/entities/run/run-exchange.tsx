import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Copy } from 'lucide-react'
import type { ReactNode } from 'react'
import type { CallRecord, SentRequest } from '#shared/model/call.ts'
import type { StepAttempt } from '#shared/model/run.ts'
import { api } from '../../client/client.ts'
import { StatusCode } from '../../ui/badges.tsx'
import { JsonBlock } from '../../ui/code-block.tsx'
import { copyWithToast } from '../../ui/copy-with-toast.ts'
import { formatJson } from '../../ui/format-json.ts'
import { IconButton } from '../../ui/icon-button.tsx'
import { callNotes } from '../action/call-notes.ts'
import classes from './run-exchange.module.css'
import { errorLabel } from './run-labels.ts'

type ExchangeProps = {
  readonly attempt: StepAttempt
  /** Whether inputs and outputs were deleted when the run ended. */
  readonly isGone: boolean
  readonly isPrivate: boolean
  /** Whether the response is below the request. */
  readonly isStacked?: boolean
}

/** Shows the request and the response of the chosen attempt: those of its call if kept, else those of the run. */
export function RunExchange({ attempt, isGone, isPrivate, isStacked }: ExchangeProps) {
  const { callId } = attempt
  const { data: call, isPending } = useQuery(
    api.calls.get.queryOptions({
      input: { callId: callId ?? '' },
      enabled: callId !== null,
      staleTime: Number.POSITIVE_INFINITY,
      retry: false,
    }),
  )
  if (callId !== null && isPending) return <div className={classes.exchange} aria-busy="true" />
  return (
    <div className={classes.exchange} data-stacked={isStacked || undefined}>
      {isPrivate || call === undefined || call.request === null ? (
        <OfRun attempt={attempt} isGone={isGone} isPrivate={isPrivate} call={call ?? null} />
      ) : (
        <OfCall attempt={attempt} call={call} request={call.request} />
      )}
    </div>
  )
}

function OfCall(props: {
  readonly attempt: StepAttempt
  readonly call: CallRecord
  readonly request: SentRequest
}) {
  const { attempt, call, request } = props
  const { response, error } = call
  return (
    <>
      <Part title="Sent" beside={`attempt ${attempt.attempt}`} text={request.body}>
        <p className="mono xs t3 cut" title={request.url}>
          {request.method} {request.url}
        </p>
        {request.body !== '' && <Json text={request.body} label="Sent" />}
        <Notes call={call} />
        <Absent attempt={attempt} />
      </Part>
      <Part
        title="Answer"
        beside={
          <StatusCode status={response?.status ?? null} text={response === null ? error?.code : null} />
        }
        text={response?.body ?? ''}
      >
        <ActivityLink call={call} />
        {response === null ? (
          <p className="sm t2">{error?.message}</p>
        ) : response.body === '' ? (
          <p className="sm t3">The response has no body.</p>
        ) : (
          <Json text={response.body} label="Answer" />
        )}
        {call.shortened && <p className="sm t3">Shortened to the first 64 KiB.</p>}
      </Part>
    </>
  )
}

function Notes({ call }: { readonly call: CallRecord }) {
  return callNotes(call).map(note => (
    <p key={note} className="sm t3">
      {note}
    </p>
  ))
}

function ActivityLink({ call: { connectionId, callId } }: { readonly call: CallRecord }) {
  if (connectionId === null) return null
  return (
    <p className="xs">
      <Link
        className="link"
        to="/connections/$connectionId/activity"
        params={{ connectionId }}
        search={{ item: callId }}
      >
        Show the call in activity
      </Link>
    </p>
  )
}

/** Shows what the run kept of an attempt without a call, or of a call whose contents are not kept. */
function OfRun({ attempt, isGone, isPrivate, call }: ExchangeProps & { readonly call: CallRecord | null }) {
  const { attempt: number, input, output, error, callId } = attempt
  const [sent, answer] = [textOf(input), textOf(output)]
  return (
    <>
      <Part title={callId === null ? 'Input' : 'Sent'} beside={`attempt ${number}`} text={sent}>
        {sent === '' ? (
          <Nothing attempt={attempt} isGone={isGone} isPrivate={isPrivate} />
        ) : (
          <Json text={sent} label="Input" />
        )}
        <Absent attempt={attempt} />
      </Part>
      <Part
        title={callId === null ? 'Output' : 'Answer'}
        beside={error === null ? null : <StatusCode status={null} text={errorLabel(error.code)} />}
        text={answer}
      >
        {call !== null && <ActivityLink call={call} />}
        {error !== null && <p className="sm t2">{error.message}</p>}
        {answer !== '' ? (
          <Json text={answer} label="Output" />
        ) : (
          error === null && <Nothing attempt={attempt} isGone={isGone} isPrivate={isPrivate} />
        )}
        {callId !== null && call === null && <p className="sm t3">The call itself is no longer kept.</p>}
      </Part>
    </>
  )
}

const textOf = (value: unknown): string => (value == null ? '' : JSON.stringify(value, null, 2))

function Nothing({ attempt, isGone, isPrivate }: ExchangeProps) {
  const words = isPrivate
    ? 'Private: not kept.'
    : attempt.shortened
      ? 'Longer than 256 KiB, so it was not kept.'
      : attempt.endedAt === null
        ? 'Not yet.'
        : isGone
          ? 'Deleted, because the connection does not store its events.'
          : 'None.'
  return <p className="sm t3">{words}</p>
}

/** Names the variables that had no value. */
function Absent({ attempt: { absent } }: { readonly attempt: StepAttempt }) {
  if (absent.length === 0) return null
  return (
    <p className="sm warn">
      Without a value: <code>{absent.map(name => `{{${name}}}`).join(', ')}</code>
    </p>
  )
}

function Json({ text, label }: { readonly text: string; readonly label: string }) {
  return <JsonBlock text={formatJson(text)} label={label} wrap />
}

function Part(props: {
  readonly title: string
  readonly beside: ReactNode
  /** The text that the button copies; empty for none. */
  readonly text: string
  readonly children: ReactNode
}) {
  const { title, beside, text, children } = props
  return (
    <section aria-label={title}>
      <div className={classes.part}>
        <h3>{title}</h3>
        <span className="sm t3 num">{beside}</span>
        <span className="push" />
        {text !== '' && (
          <IconButton
            size="xs"
            icon={Copy}
            label={`Copy the ${title.toLowerCase()}`}
            onClick={() => void copyWithToast(text, title)}
          />
        )}
      </div>
      {children}
    </section>
  )
}
