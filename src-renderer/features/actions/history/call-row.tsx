import { useQuery } from '@tanstack/react-query'
import type { ListedOccurrence } from '#shared/model/activity.ts'
import { type TestRecord, testOf } from '#shared/model/call.ts'
import { api } from '../../../client/client.ts'
import { exactArguments } from '../../../client/exact-arguments.ts'
import { statusReason } from '../../../entities/action/status-reason.ts'
import { sourceWords } from '../../../entities/occurrence/source-words.ts'
import { StatusCode, Unknown } from '../../../ui/badges.tsx'
import { Delayed } from '../../../ui/delayed.tsx'
import { formatExact, formatMs } from '../../../ui/format.ts'
import classes from './history.module.css'

export type HistoryCall = Extract<ListedOccurrence, { type: 'call.finished' }>

/** How many characters of an argument, and how many arguments, a row shows. */
const longest = 80
const mostChips = 4

/** A call in two lines: its outcome, time and moment, then its arguments and where it came from. */
export function CallRow(props: {
  readonly call: HistoryCall
  /** Its record if it is one of the newest; others are read once they stay in view. */
  readonly known: TestRecord | undefined
  readonly onOpen: () => void
}) {
  const { call, known, onOpen } = props
  const { at, status, code, totalMs, source, client, callId } = call
  return (
    // The list handles the keyboard: Enter opens a row like a click.
    // biome-ignore lint/a11y/noStaticElementInteractions: see above
    // biome-ignore lint/a11y/useKeyWithClickEvents: see above
    <div className={classes.call} onClick={onOpen}>
      <span className={classes.outcome}>
        <StatusCode status={status} text={status === null ? code : statusReason(status)} />
        <span className="num t2 nowrap">{totalMs > 0 ? formatMs(totalMs) : ''}</span>
      </span>
      <time className="num t3 nowrap" dateTime={at}>
        {formatExact(at)}
      </time>
      {known !== undefined ? (
        <Arguments test={known} />
      ) : (
        <Delayed before={<Unknown />}>
          <ReadArguments callId={callId} />
        </Delayed>
      )}
      <span className="t3 cut">{client?.name ?? sourceWords[source]}</span>
    </div>
  )
}

function ReadArguments({ callId }: { readonly callId: string }) {
  const { data, error } = useQuery(
    api.calls.get.queryOptions({ input: { callId }, staleTime: Number.POSITIVE_INFINITY }),
  )
  if (error !== null) return <NotKept />
  return data === undefined ? <Unknown /> : <Arguments test={testOf(data)} />
}

/** The arguments of a call as chips; those that do not fit are counted. */
function Arguments({ test }: { readonly test: TestRecord }) {
  const { response, request } = test.result
  const all = Object.entries(exactArguments(test))
  if (all.length === 0 && response === null && request === null) return <NotKept />
  const more = all.slice(mostChips)
  return (
    <span className={classes.chips}>
      {all.slice(0, mostChips).map(([name, value]) => {
        const text = textOf(value)
        return (
          <code key={name} className={classes.chip} title={`${name}: ${text.slice(0, 1000)}`}>
            <span className="t3">{name}</span> {text.slice(0, longest)}
            {text.length > longest && '…'}
          </code>
        )
      })}
      {more.length > 0 && (
        <span
          className="t3 num nowrap"
          title={more
            .map(([name]) => name)
            .join(', ')
            .slice(0, 1000)}
        >
          +{more.length}
        </span>
      )}
    </span>
  )
}

const NotKept = () => <span className="t3">Arguments not kept</span>

const textOf = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value))
