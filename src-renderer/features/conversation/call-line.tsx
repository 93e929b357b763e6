import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { CircleMinus, CircleX, Info } from 'lucide-react'
import { memo, type ReactNode } from 'react'
import { isExactNumber } from '#shared/json/exact-json.ts'
import type { ToolCallPart } from '#shared/model/conversation.ts'
import { api } from '../../client/client.ts'
import { exactArguments } from '../../client/exact-arguments.ts'
import { callNotes } from '../../entities/action/call-notes.ts'
import { foundLabel } from '../../entities/tool/listing-labels.ts'
import badges from '../../ui/badges.module.css'
import { Method, StatusCode } from '../../ui/badges.tsx'
import { cssVariables } from '../../ui/css-variables.ts'
import { Fact } from '../../ui/fact.tsx'
import { formatMs } from '../../ui/format.ts'
import { JsonTree } from '../../ui/json-tree.tsx'
import { TimingBar } from '../../ui/timing-bar.tsx'
import { ToolName } from '../../ui/tool-name.tsx'
import classes from './call.module.css'
import { decisionLabel, outcomeLabel, outcomeSentence, shortArguments } from './call-labels.ts'
import { Line, Running } from './line.tsx'

/** A call of a tool in one line, which opens to its arguments, request, result and timing. */
export const CallLine = memo(function CallLine(props: {
  readonly call: ToolCallPart
  /** Null if the connection is not known. */
  readonly connectionName: string | null
  readonly isOpen: boolean
  readonly onToggle: (toolCallId: string) => void
}) {
  const { call, connectionName, isOpen, onToggle } = props
  const { toolCallId, toolName, method, state, status, totalMs } = call
  const decision = decisionLabel(call, Date.now())
  const given = isOpen ? '' : shortArguments(exactArguments(call))
  return (
    <Line
      id={toolCallId}
      label={`Call of ${toolName}`}
      isOpen={isOpen}
      onToggle={onToggle}
      head={
        <>
          {method !== null && <Method method={method} />}
          <ToolName
            className={`w5 ${classes.name}`}
            name={call.name}
            title={[call.name, connectionName].filter(Boolean).join(' · ')}
          />
          {decision !== null && <span className="sm t3 cut">{decision}</span>}
          {given !== '' && <code className="t3 cut">{given}</code>}
        </>
      }
      end={
        <>
          {state === 'running' ? <Running>Calling…</Running> : <Outcome call={call} />}
          {status !== null && totalMs !== null && <span className="sm t3 num">{formatMs(totalMs)}</span>}
        </>
      }
    >
      {() => <CallDetails call={call} connectionName={connectionName} />}
    </Line>
  )
})

function Outcome({ call }: { readonly call: ToolCallPart }) {
  // A search for tools, or the definition of one.
  if (call.state === 'answered' && call.actionId === null)
    return call.name === 'find_tools' ? (
      <span className="sm t3 num">{foundLabel(call.resultText ?? '')}</span>
    ) : null
  const word = outcomeLabel(call)
  if (call.state === 'failed' || word === null) return <StatusCode status={call.status} text={word} />
  return (
    <span className={badges.status} data-tone="warn">
      {word}
    </span>
  )
}

function CallDetails(props: { readonly call: ToolCallPart; readonly connectionName: string | null }) {
  const { call, connectionName } = props
  const { callId, resultText, state } = call
  return (
    <Exchange
      given={exactArguments(call)}
      givenLabel="Arguments"
      tool={call.name}
      callId={callId}
      resultText={resultText}
      sentence={outcomeSentence(call, connectionName)}
      isFailed={state === 'failed'}
    />
  )
}

/** The request, the response and the duration of a call. */
export function Exchange(props: {
  readonly given: Readonly<Record<string, unknown>>
  readonly givenLabel: string
  /** The name that the model called. */
  readonly tool?: string
  /** The call in history; null if none was made. */
  readonly callId: string | null
  readonly resultText: string | null
  /** Says why it did not succeed; null if it did. */
  readonly sentence: string | null
  readonly isFailed: boolean
}) {
  const { given, givenLabel, tool, callId, resultText, sentence, isFailed } = props
  const { data: record } = useQuery(
    api.calls.get.queryOptions({
      input: { callId: callId ?? '' },
      enabled: callId !== null,
      staleTime: Number.POSITIVE_INFINITY,
      retry: false,
    }),
  )
  const Icon = isFailed ? CircleX : CircleMinus
  const timings = record?.timings
  const connectionId = record?.connectionId ?? null
  return (
    <>
      {sentence !== null && (
        <p className={classes.note}>
          <Icon size={14} className={isFailed ? 'bad' : 'warn'} />
          <span>{sentence}</span>
        </p>
      )}
      {record !== undefined &&
        callNotes(record).map(note => (
          <p key={note} className={classes.note}>
            <Info size={14} className="t3" />
            <span>{note}</span>
          </p>
        ))}
      <dl className={classes.facts}>
        {tool !== undefined && (
          <Fact name="Tool">
            <ToolName name={tool} hasCopy />
          </Fact>
        )}
        <Fact name={givenLabel}>
          <Arguments given={given} />
        </Fact>
        {record?.request != null && (
          <Fact name="Request">
            <code className="cut" style={{ display: 'block' }} title={record.request.url}>
              {connectionId === null ? record.request.url : pathOf(record.request.url)}
            </code>
          </Fact>
        )}
        {resultText !== null && (
          <>
            <dt>Result</dt>
            <dd className={classes.result}>
              <JsonTree text={resultText} label="Result" maxHeight={200} />
            </dd>
          </>
        )}
        {callId !== null && timings !== undefined && (
          <>
            <dt>Took</dt>
            <dd className={classes.took}>
              {timings.totalMs > 0 ? <TimingBar timings={timings} /> : <div />}
              {connectionId !== null && (
                <Link
                  className="link nowrap"
                  to="/connections/$connectionId/activity"
                  params={{ connectionId }}
                  search={{ item: callId }}
                >
                  Full answer
                </Link>
              )}
            </dd>
          </>
        )}
      </dl>
    </>
  )
}

/** Returns the address without its origin, which is that of the connection: “…/v2/orders?id=7”. */
function pathOf(url: string): string {
  if (!URL.canParse(url)) return url
  return `…${url.slice(new URL(url).origin.length)}`
}

const kinds: Readonly<Record<string, string>> = { string: 'str', number: 'num', boolean: 'lit' }

function Arguments({ given }: { readonly given: Readonly<Record<string, unknown>> }): ReactNode {
  const entries = Object.entries(given)
  if (entries.length === 0) return <span className="t3">None</span>
  return entries.map(([name, value]) => {
    const kind = isExactNumber(value) ? 'num' : (kinds[typeof value] ?? 'key')
    return (
      <div key={name} className={classes.argument}>
        <span className="t3">{name}:</span>{' '}
        <span data-kind={kind} style={cssVariables({ '--kind': `var(--cc-c-${kind})` })}>
          {JSON.stringify(value)}
        </span>
      </div>
    )
  })
}
