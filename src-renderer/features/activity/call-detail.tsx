import { Button, SegmentedControl } from '@mantine/core'
import { skipToken, useQuery } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { FlaskConical } from 'lucide-react'
import { useState } from 'react'
import { callErrors } from '#shared/errors/call.ts'
import type { CallRecord } from '#shared/model/call.ts'
import { keptItems } from '#shared/model/kept.ts'
import { api } from '../../client/client.ts'
import { callNotes } from '../../entities/action/call-notes.ts'
import { statusReason } from '../../entities/action/status-reason.ts'
import { sourceWords } from '../../entities/occurrence/source-words.ts'
import { Method } from '../../ui/badges.tsx'
import { Fact } from '../../ui/fact.tsx'
import { formatBytes, formatMs, formatNumber } from '../../ui/format.ts'
import { HeaderTable, RequestView } from '../../ui/http-message.tsx'
import { JsonTree } from '../../ui/json-tree.tsx'
import { Note } from '../../ui/note.tsx'
import { optionsOf } from '../../ui/options-of.ts'
import { ScrollRegion } from '../../ui/scroll-region.tsx'
import { TimingBar } from '../../ui/timing-bar.tsx'
import { usePrinting } from '../../ui/use-printing.ts'
import classes from './detail.module.css'
import { DetailBar } from './detail-bar.tsx'
import type { Call } from './rows.ts'
import { StepLink } from './step-link.tsx'

/** A call of an action: its result, and its request and response if they are still kept. */
export function CallDetail({ call }: { readonly call: Call }) {
  const { actionId, toolName, method, status, code, totalMs, source, client, step, at, ok, connectionId } =
    call
  const navigate = useNavigate()
  const { data: actions } = useQuery(
    api.actions.list.queryOptions({ input: connectionId === null ? skipToken : { connectionId } }),
  )
  const action = actions?.find(one => one.actionId === actionId)
  const { data: record, isPending } = useQuery(
    api.calls.get.queryOptions({ input: { callId: call.callId }, staleTime: Number.POSITIVE_INFINITY }),
  )
  const error = record?.error ?? null
  const message = error?.message ?? Object.entries(callErrors).find(([name]) => name === code)?.[1]
  const testPanel = {
    to: '/connections/$connectionId/actions',
    params: { connectionId: connectionId ?? '' },
    search: { action: action?.actionId, panel: 'test' },
  } as const
  return (
    <section className={classes.detail} aria-label={toolName}>
      <DetailBar status={status} code={code} title={toolName} at={at}>
        {action !== undefined && (
          <Button leftSection={<FlaskConical />} onClick={() => void navigate(testPanel)}>
            Open test
          </Button>
        )}
      </DetailBar>
      {!ok && (
        <div className={classes.section}>
          <Note tone="warn">
            {message ?? answered(status)}
            {code !== null && <code className="t3 xs"> {code}</code>}
          </Note>
        </div>
      )}
      <dl className={classes.facts}>
        <Fact name="Action">
          {action === undefined ? (
            <span className="t3">
              {actionId === null ? withoutAction(source) : actions === undefined ? '' : 'No longer there'}
            </span>
          ) : (
            <Link className="link" {...testPanel}>
              {action.name}
            </Link>
          )}
        </Fact>
        <Fact name="Method">
          <Method method={method} />
        </Fact>
        <Fact name="Took">
          <span className="num">{formatMs(totalMs)}</span>
        </Fact>
        <Fact name="Called by">
          {sourceWords[source]}
          {client !== null &&
            ` · ${client.name ?? 'without a name'}, ${client.tokenName ?? 'no client token'}, as ${client.tool}`}
          {step !== null && (
            <>
              {' · '}
              <StepLink {...step} id={call.callId} />
            </>
          )}
        </Fact>
      </dl>
      {record !== undefined ? (
        <Exchange key={record.callId} call={record} />
      ) : (
        !isPending && (
          <div className={classes.section}>
            <Note>
              The request and response are no longer stored. A connection keeps those of its newest{' '}
              {formatNumber(keptItems.most)} calls for {keptItems.days} days.
            </Note>
          </div>
        )
      )}
    </section>
  )
}

function withoutAction(source: Call['source']): string {
  return source === 'conversation' ? 'None: a form of a conversation' : 'None: an HTTP request of a workflow'
}

/** “The other side answered 404, Not Found.” */
function answered(status: number | null): string {
  const reason = status === null ? null : statusReason(status)
  const isRedirect = status !== null && status >= 300 && status < 400
  return `The other side answered ${status}${reason === null ? '' : `, ${reason}`}.${isRedirect ? ' Redirects are not followed.' : ''}`
}

function Exchange({ call }: { readonly call: CallRecord }) {
  const { response, timings } = call
  const notes = callNotes(call)
  const [part, setPart] = useState<Part>(response === null ? 'request' : 'response')
  const isPrinting = usePrinting()
  const all: readonly Part[] = response === null ? ['request'] : ['request', 'response', 'headers']
  const shown = isPrinting ? all : [part]
  return (
    <>
      {notes.length > 0 && (
        <div className={classes.section}>
          <Note>
            {notes.map(note => (
              <div key={note}>{note}</div>
            ))}
          </Note>
        </div>
      )}
      <div className={classes.section}>
        <TimingBar timings={timings} />
      </div>
      <div className={`row ${classes.views}`}>
        <SegmentedControl
          aria-label="Part"
          value={part}
          onChange={setPart}
          data={optionsOf(partLabels).map(one => ({
            ...one,
            disabled: response === null && one.value !== 'request',
          }))}
        />
        {response !== null && <span className="t3 sm num">{formatBytes(response.bytes)}</span>}
      </div>
      {shown.map(one => (
        <div key={one} className={classes.view}>
          {isPrinting && <h3 className="h3">{partLabels[one]}</h3>}
          <ExchangePart call={call} part={one} />
          {call.shortened && <p className="sm t3">Shortened to the first 64 KiB.</p>}
        </div>
      ))}
    </>
  )
}

type Part = 'response' | 'request' | 'headers'
const partLabels: Readonly<Record<Part, string>> = {
  response: 'Response',
  request: 'Request',
  headers: 'Response headers',
}

function ExchangePart({ call, part }: { readonly call: CallRecord; readonly part: Part }) {
  const { request, response } = call
  if (part === 'response' && response !== null)
    return response.body === '' ? (
      <p className="sm t3">The response has no body.</p>
    ) : (
      <JsonTree text={response.body} label="Response" maxHeight={100_000} />
    )
  if (part === 'headers' && response !== null)
    return (
      <ScrollRegion className={classes.scrolls} label="Header fields that scroll">
        <HeaderTable headers={Object.entries(response.headers)} label="Header fields of the response" />
      </ScrollRegion>
    )
  if (request === null)
    return (
      <p className="sm t3">
        {call.error === null
          ? 'Not stored, because the connection of its event does not store events.'
          : 'No request was made, or it is not stored.'}
      </p>
    )
  return (
    <ScrollRegion className={classes.scrolls} label="Request that scrolls">
      <RequestView request={request} />
    </ScrollRegion>
  )
}
