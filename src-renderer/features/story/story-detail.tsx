import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { CallRecord } from '#shared/model/call.ts'
import type { StepAttempt } from '#shared/model/run.ts'
import type { Workflow } from '#shared/model/workflow.ts'
import { api } from '../../client/client.ts'
import { RunExchange } from '../../entities/run/run-exchange.tsx'
import { changeSince } from '../../entities/run/run-labels.ts'
import { attemptOf } from '../../entities/run/timeline.ts'
import { Variable } from '../../ui/badges.tsx'
import { JsonBlock } from '../../ui/code-block.tsx'
import { CodedText } from '../../ui/coded-text.tsx'
import { Fact } from '../../ui/fact.tsx'
import { formatBytes, formatExact, formatMoment } from '../../ui/format.ts'
import { formatJson } from '../../ui/format-json.ts'
import { HeaderTable } from '../../ui/http-message.tsx'
import { BackButton } from '../../ui/master-detail.tsx'
import { TimingBar } from '../../ui/timing-bar.tsx'
import { RunPart } from './run-part.tsx'
import classes from './story.module.css'
import type { Story, StoryRow } from './story-rows.ts'
import { tookWords } from './story-text.ts'
import { valueOrigins } from './value-origins.ts'

/** The chosen row in full. */
export function StoryDetail(props: {
  readonly story: Story
  readonly row: StoryRow
  /** Null for a deleted one, undefined until it is read. */
  readonly workflow: Workflow | null | undefined
  readonly now: number
}) {
  const { story, row, workflow, now } = props
  const took = tookWords(row, now)
  return (
    <section className={classes.detail} aria-label={row.title} data-scroll-room>
      <div className={classes.bar}>
        <BackButton />
        <h2 className="h3 cut">{row.title}</h2>
        {row.from !== null && (
          <time
            className="t3 sm num cut"
            dateTime={new Date(row.from).toISOString()}
            title={formatExact(row.from)}
          >
            {formatMoment(row.from)}
          </time>
        )}
        <span className="push" />
        {took !== null && <span className="sm num nowrap">{took}</span>}
      </div>
      {(row.kind === 'request' || row.kind === 'check') && <RequestPart story={story} row={row} />}
      {(row.kind === 'run' || row.kind === 'part') && (
        <>
          {row.of.details !== null && workflow !== undefined && (
            <RunPart
              key={row.of.run.runId}
              run={row.of.details}
              rows={row.of.rows ?? []}
              workflow={workflow}
              now={now}
              isShown
            />
          )}
          {row.kind === 'part' && <AttemptPart key={row.id} row={row} workflow={workflow ?? null} />}
        </>
      )}
    </section>
  )
}

function RequestPart({ story: { item, event }, row }: { readonly story: Story; readonly row: StoryRow }) {
  if (row.kind === 'check')
    return (
      <p className={`sm t2 ${classes.section}`}>
        {row.detail ??
          (row.status === 'succeeded' ? 'Passed.' : row.status === 'failed' ? 'Failed.' : 'Not checked.')}
      </p>
    )
  if (item === null) return null
  const { connectionId } = item
  const isRejected = item.type === 'event.rejected'
  const id = isRejected ? item.attemptId : item.eventId
  return (
    <>
      <dl className={`${classes.section} ${classes.facts}`}>
        {id !== null && (
          <Fact name={isRejected ? 'Attempt ID' : 'Event ID'}>
            <code>{id}</code>
          </Fact>
        )}
        <Fact name="Body">
          <span className="num">{formatBytes(item.bytes)}</span>
        </Fact>
        {isRejected && (
          <Fact name="Refused">
            {item.message} <code className="xs t3">{item.code}</code>
          </Fact>
        )}
        {isRejected && item.diagnosis !== null && (
          <Fact name="Why">
            <CodedText text={item.diagnosis.message} />
          </Fact>
        )}
        {connectionId !== null && id !== null && (
          <Fact name="More">
            <Link
              className="link"
              to="/connections/$connectionId/activity"
              params={{ connectionId }}
              search={{ item: id }}
            >
              Show it in activity
            </Link>
          </Fact>
        )}
      </dl>
      {event !== null && (
        <div className={classes.section}>
          <h3>Payload</h3>
          <JsonBlock text={formatJson(event.dataText)} label="Payload" copyText={event.dataText} wrap />
        </div>
      )}
      {event !== null && event.headers.length > 0 && (
        <div className={classes.section}>
          <h3>Headers</h3>
          <HeaderTable headers={event.headers} label="Header fields" />
        </div>
      )}
      {event === null && !isRejected && (
        <p className={`sm t3 ${classes.section}`}>The body of the event is no longer kept.</p>
      )}
    </>
  )
}

function AttemptPart(props: {
  readonly row: StoryRow & { readonly kind: 'part' }
  readonly workflow: Workflow | null
}) {
  const { row, workflow } = props
  const { details } = row.of
  const attempt = attemptOf(row.row)
  if (details === null) return null
  const taken = details.steps.find(step => attempt !== null && step.attempts.includes(attempt))
  return (
    <>
      {attempt !== null && <Times attempt={attempt} />}
      {attempt !== null && (
        <RunExchange
          attempt={attempt}
          isGone={details.payload === null}
          isPrivate={taken?.private === true}
          isStacked
        />
      )}
      <Origins row={row} workflow={workflow} path={taken?.path ?? null} />
      {attempt !== null && taken?.private !== true && <CallHeaders attempt={attempt} />}
    </>
  )
}

/** Returns the record of an attempt's call; undefined without one, or if it is no longer kept. */
function useCall({ callId }: StepAttempt): CallRecord | undefined {
  return useQuery(
    api.calls.get.queryOptions({
      input: { callId: callId ?? '' },
      enabled: callId !== null,
      staleTime: Number.POSITIVE_INFINITY,
      retry: false,
    }),
  ).data
}

/** The times of a call, if it is still kept. */
function Times({ attempt }: { readonly attempt: StepAttempt }) {
  const call = useCall(attempt)
  if (call === undefined) return null
  return (
    <div className={classes.section}>
      <TimingBar timings={call.timings} />
      {call.response !== null && <p className="sm t3 num">{formatBytes(call.response.bytes)}</p>}
    </div>
  )
}

/** The header fields of a call, if they are still kept. */
function CallHeaders({ attempt }: { readonly attempt: StepAttempt }) {
  const call = useCall(attempt)
  if (call?.request == null) return null
  const { request, response } = call
  return (
    <div className={classes.section}>
      <h3>Headers sent</h3>
      <HeaderTable headers={Object.entries(request.headers)} label="Header fields of the request" />
      {response !== null && (
        <>
          <h3>Headers of the answer</h3>
          <HeaderTable headers={Object.entries(response.headers)} label="Header fields of the response" />
        </>
      )}
    </div>
  )
}

/** Says where the values of a step come from. Not known once the event is not kept, or the steps have changed. */
function Origins(props: {
  readonly row: StoryRow & { readonly kind: 'part' }
  readonly workflow: Workflow | null
  readonly path: string | null
}) {
  const { row, workflow, path } = props
  const { details, rows } = row.of
  if (details === null || details.payload === null || changeSince(details, workflow) !== null) return null
  const stepRow = rows?.find(one => one.kind === 'step' && one.id === path)
  const step = stepRow?.kind === 'step' ? stepRow.step : null
  if (step === null) return null
  const origins = valueOrigins(step, path !== step.key)
  if (origins.length === 0) return null
  return (
    <div className={classes.section}>
      <h3>Where its values come from</h3>
      <table className={classes.origins} aria-label="Where its values come from">
        <thead>
          <tr>
            <th scope="col">Value</th>
            <th scope="col">Template</th>
            <th scope="col">From</th>
          </tr>
        </thead>
        <tbody>
          {origins.map(({ name, template, from }) => (
            <tr key={name}>
              <th scope="row" className="mono">
                {name}
              </th>
              <td>
                <Template text={template} />
              </td>
              <td className="t2">{from}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

/** A template; one that is a variable alone as such. */
function Template({ text }: { readonly text: string }) {
  const name = /^\{\{([^{}]+)\}\}$/.exec(text)?.[1]
  return name === undefined ? <code>{text}</code> : <Variable name={name.trim()} />
}
