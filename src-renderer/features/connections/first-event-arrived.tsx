import { SegmentedControl } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { ArrowDownLeft, CircleAlert, CircleCheck, Copy, Workflow, Zap } from 'lucide-react'
import { type ReactNode, useEffect, useEffectEvent, useMemo, useState } from 'react'
import { isObject, parseExact } from '#shared/json/exact-json.ts'
import { variablesOf } from '#shared/model/event-variables.ts'
import type { StoredEvent } from '#shared/model/inbound-event.ts'
import { resolve } from '#shared/workflows/scope.ts'
import { api } from '../../client/client.ts'
import { useCurrentConnection } from '../../entities/connection/current-connection.tsx'
import { eventTriggerRaised } from '../../entities/event/event-words.ts'
import { useOverlays } from '../../overlays.tsx'
import { StatusCode, Variable } from '../../ui/badges.tsx'
import { copyWithToast } from '../../ui/copy-with-toast.ts'
import { focusIfWanted, wantNext } from '../../ui/focus.ts'
import { formatBytes, formatCount, formatDuration, formatExact, formatTime } from '../../ui/format.ts'
import { HeaderTable } from '../../ui/http-message.tsx'
import { IconButton } from '../../ui/icon-button.tsx'
import { JsonTree } from '../../ui/json-tree.tsx'
import { KeyButton } from '../../ui/keys.tsx'
import { optionsOf } from '../../ui/options-of.ts'
import { QueryState } from '../../ui/query-state.tsx'
import { useShortcut } from '../../ui/shortcuts.tsx'
import classes from './first-event.module.css'
import { Step } from './first-event.tsx'

/** The first event of a connection, which has just arrived. @param props.copiedAt when its credentials were copied. */
export function FirstEventArrived(props: {
  readonly eventId: string
  readonly since: number
  readonly copiedAt: number | null
}) {
  const { eventId, since, copiedAt } = props
  useClosedSending()
  const query = useEvent(eventId)
  const event = query.data
  if (event === undefined)
    return <QueryState query={query} failed="The event has arrived, but it could not be read" />
  const waitedMs = Math.max(0, Date.parse(event.receivedAt) - since)
  return (
    <div className="stack" style={{ gap: 16 }}>
      <ol className={classes.steps} aria-label="The first event">
        <Step
          number={1}
          isDone
          title="Take the URL and the secret"
          end={copiedAt === null ? undefined : formatTime(copiedAt)}
        />
        <Step number={2} isDone title="Send one event" />
        <Step number={3} isDone title="See it arrive" end={`after ${formatDuration(waitedMs)}`} />
      </ol>
      <EventCard event={event} />
      <Outcome event={event} />
    </div>
  )
}

/** Closes the popover that sent the event, which would cover what to do next, and lets that have the focus. */
function useClosedSending(): void {
  const { current, close } = useOverlays()
  const finish = useEffectEvent(() => {
    if (current?.kind !== 'send-event') return
    wantNext()
    close()
  })
  useEffect(() => finish(), [])
}

/** Returns the event, stored or in memory. */
function useEvent(eventId: string) {
  const { connectionId } = useCurrentConnection()
  return useQuery(api.events.get.queryOptions({ input: { connectionId, eventId } }))
}

function EventCard({ event }: { readonly event: StoredEvent }) {
  const { eventName, bodyText, headers, inMemory, receivedAt } = event
  const [view, setView] = useState<'body' | 'headers'>('body')
  return (
    <section className={classes.event} aria-label={eventName}>
      <div className={`row ${classes.eventHead}`}>
        <ArrowDownLeft size={14} className="ok" aria-hidden="true" />
        <code className="w6 cut">{eventName}</code>
        <StatusCode status={200} />
        <time className="sm t3 num nowrap" dateTime={receivedAt} title={formatExact(receivedAt)}>
          {formatTime(receivedAt)}
        </time>
        <span className="push" />
        {inMemory !== true && (
          <SegmentedControl
            className={classes.views ?? ''}
            aria-label="View"
            value={view}
            onChange={setView}
            data={optionsOf({ body: 'Body', headers: `Headers ${headers.length}` })}
          />
        )}
        <IconButton
          size="xs"
          icon={Copy}
          label="Copy body"
          onClick={() => void copyWithToast(bodyText, 'Body')}
        />
      </div>
      <div className={classes.eventText}>
        {view === 'headers' ? (
          <HeaderTable headers={headers} label="Header fields" />
        ) : (
          <JsonTree text={bodyText} label="Body" maxHeight={400} />
        )}
      </div>
    </section>
  )
}

const utf8 = new TextEncoder()

/** Shows what was checked, and what the event started. */
function Outcome({ event }: { readonly event: StoredEvent }) {
  const { connectionId } = useCurrentConnection()
  const { eventId, declared, bodyText, oldSecret, inMemory } = event
  const { data: runs } = useQuery(api.runs.list.queryOptions({ input: { eventId, limit: 200 } }))
  const started = runs?.runs.length
  return (
    <ul className={classes.outcome}>
      <Checked isGood>{oldSecret ? 'Signature, with the old secret' : 'Signature'}</Checked>
      <Checked isGood>Time</Checked>
      <Checked isGood>Body, {formatBytes(utf8.encode(bodyText).length)}</Checked>
      <Checked isGood={inMemory !== true}>
        {inMemory === true ? 'Only in memory: inbound events are not logged' : 'Stored'}
      </Checked>
      {started !== undefined && (
        <Checked isGood={started > 0}>
          {started > 0
            ? `${eventTriggerRaised}: ${formatCount(started, 'workflow')} started`
            : `${eventTriggerRaised}, ${declared ? '' : 'not declared: '}nothing starts yet`}
        </Checked>
      )}
      <li>
        <Link
          className="link"
          to="/connections/$connectionId/activity"
          params={{ connectionId }}
          search={{ item: eventId }}
        >
          Show in activity
        </Link>
      </li>
    </ul>
  )
}

function Checked({ isGood, children }: { readonly isGood: boolean; readonly children: ReactNode }) {
  const Icon = isGood ? CircleCheck : CircleAlert
  return (
    <li>
      <Icon size={14} className={isGood ? 'ok' : 'warn'} aria-hidden="true" />
      <span>{children}</span>
    </li>
  )
}

/** Offers to make the first event an event type or the start of a workflow, and shows the variables that it gives. */
export function NextSteps(props: { readonly eventId: string; readonly onFinish: () => void }) {
  const { eventId, onFinish } = props
  const { connectionId } = useCurrentConnection()
  const navigate = useNavigate()
  const { data: event } = useEvent(eventId)
  const { data: types } = useQuery(api.eventTypes.list.queryOptions({ input: { connectionId } }))
  const eventName = event?.eventName ?? ''
  const declared = types?.find(type => type.eventName === eventName)
  const variables = useMemo(() => variablesIn(event?.dataText ?? '{}'), [event?.dataText])
  const define = () =>
    void navigate({
      to: '/connections/$connectionId/events',
      params: { connectionId },
      search:
        declared === undefined ? { eventType: 'new', name: eventName } : { eventType: declared.eventTypeId },
    })
  const start = () => void navigate({ to: '/workflows/new', search: { connectionId, eventName, eventId } })
  const group = 'First event'
  const label = declared === undefined ? 'Declare the event type' : 'Open the event type'
  useShortcut({ keys: 'd', label, group }, define, event !== undefined)
  useShortcut({ keys: 'escape', label: 'Show the overview', group }, onFinish)
  useShortcut({ keys: 'w', label: 'Start a workflow', group }, start, event !== undefined)
  if (event === undefined) return null
  return (
    <>
      <section aria-labelledby="next-steps">
        <h2 className="h2" id="next-steps">
          What it may become
        </h2>
        <ul className={classes.next}>
          <Next
            icon={<Zap size={16} />}
            title="An event type"
            text={
              <>
                <code>{eventName}</code>{' '}
                {declared === undefined
                  ? `with ${formatCount(variables.length, 'variable')} from this payload`
                  : 'is declared'}
              </>
            }
          >
            <KeyButton
              ref={focusIfWanted}
              variant={declared === undefined ? 'filled' : 'default'}
              keys="d"
              onClick={define}
            >
              {declared === undefined ? 'Declare' : 'Open'}
            </KeyButton>
          </Next>
          <Next
            icon={<Workflow size={16} />}
            title="The start of a workflow"
            text="Opens in the builder, with this event as its test."
          >
            <KeyButton keys="w" onClick={start}>
              Start
            </KeyButton>
          </Next>
        </ul>
      </section>
      {variables.length > 0 && <Variables variables={variables} />}
      <div>
        <KeyButton keys="escape" onClick={onFinish}>
          Show the overview
        </KeyButton>
      </div>
    </>
  )
}

function Next(props: {
  readonly icon: ReactNode
  readonly title: string
  readonly text: ReactNode
  readonly children: ReactNode
}) {
  return (
    <li className={classes.nextStep}>
      <span className={classes.nextIcon}>{props.icon}</span>
      <div className="grow">
        <p className="w5">{props.title}</p>
        <p className="sm t2">{props.text}</p>
      </div>
      {props.children}
    </li>
  )
}

type FoundVariable = { readonly path: string; readonly type: string; readonly example: string }

/** Returns the variables of an event's data, with a value of each. */
function variablesIn(dataText: string): FoundVariable[] {
  const data = parseExact(dataText)
  if (!isObject(data)) return []
  const scope = { payload: data, steps: new Map() }
  return variablesOf(data).map(path => {
    const value = resolve(path, scope)
    const example = JSON.stringify(value) ?? ''
    return { path, type: typeOf(value, example), example }
  })
}

function typeOf(value: unknown, json: string): string {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'list'
  // Numbers are kept with their digits, as objects of their own.
  return /^-?\d/.test(json) ? 'number' : typeof value
}

/** How many variables are shown at first. */
const shownVariables = 6

function Variables({ variables }: { readonly variables: readonly FoundVariable[] }) {
  const [showsAll, setShowsAll] = useState(false)
  const shown = showsAll ? variables : variables.slice(0, shownVariables)
  const more = variables.length - shown.length
  return (
    <section aria-labelledby="first-variables">
      <h3 className="h3" id="first-variables">
        Variables it would give
      </h3>
      <table className={classes.variables}>
        <thead>
          <tr>
            <th>Variable</th>
            <th>Type</th>
            <th>Example</th>
          </tr>
        </thead>
        <tbody>
          {shown.map(({ path, type, example }) => (
            <tr key={path}>
              <td className="cut">
                <Variable name={path} />
              </td>
              <td className="sm t2">{type}</td>
              <td className="cut">
                <code title={example.slice(0, 1000)}>{example.slice(0, 200)}</code>
              </td>
            </tr>
          ))}
          {more > 0 && (
            <tr>
              <td colSpan={3}>
                <button type="button" className="link sm" onClick={() => setShowsAll(true)}>
                  {more} more
                </button>
              </td>
            </tr>
          )}
        </tbody>
      </table>
    </section>
  )
}
