import { SegmentedControl } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { RotateCw } from 'lucide-react'
import { useState } from 'react'
import type { CallRecord } from '#shared/model/call.ts'
import type { Check } from '#shared/model/receiver-check.ts'
import { adviceWords, checkWords, reasonText, verifyChange } from '#shared/receiver-check/words.ts'
import { api } from '../../client/client.ts'
import { useCurrentConnection } from '../../entities/connection/current-connection.tsx'
import { JsonBlock } from '../../ui/code-block.tsx'
import { HeaderTable } from '../../ui/http-message.tsx'
import { BackButton } from '../../ui/master-detail.tsx'
import { optionsOf } from '../../ui/options-of.ts'
import { WriteButton } from '../../ui/write-button.tsx'
import { Change } from './change.tsx'
import { Got, VerdictIcon, verdictWords } from './check-list.tsx'
import classes from './receiver-check.module.css'

/** One check: what is wrong, what to change, and the call itself. */
export function CheckDetail(props: {
  readonly check: Check
  readonly checks: readonly Check[]
  readonly isPending: boolean
  readonly onFire: () => void
}) {
  const { check, checks, isPending, onFire } = props
  const { id, verdict, advice, callId } = check
  const { title, hint } = checkWords[id]
  const { connectionId } = useCurrentConnection()
  return (
    <section className={classes.detail} aria-label={hint === '' ? title : `${title}: ${hint}`}>
      <div className={classes.bar}>
        <BackButton />
        <VerdictIcon verdict={verdict} />
        <h2 className="h3 cut">{title}</h2>
        <span className="sm t3 num nowrap">
          {checks.indexOf(check) + 1} of {checks.length}
        </span>
        <span className="push" />
        <WriteButton icon={RotateCw} keys="r" disabled={isPending} onClick={onFire}>
          Fire this
        </WriteButton>
      </div>
      <div className={classes.section}>
        <Finding check={check} />
      </div>
      {advice !== null && (
        <div className={classes.section}>
          <Change advice={advice} others={checks.filter(one => one !== check)} />
        </div>
      )}
      {advice === null && check.reason === 'accepted' && (
        <div className={classes.section}>
          <div className={classes.sent}>
            <h3 className="h3">What to change</h3>
          </div>
          <p className="t2">
            {verifyChange}{' '}
            <Link className="link" to="/connections/$connectionId" params={{ connectionId }}>
              The Overview shows a whole receiver
            </Link>
            .
          </p>
        </div>
      )}
      {callId !== null && <Exchange key={callId} callId={callId} />}
    </section>
  )
}

/** Says what is wrong, and what was expected. */
function Finding({ check }: { readonly check: Check }) {
  const { id, expected, verdict, reason, advice } = check
  const words = advice === null ? null : adviceWords[advice.code]
  const { label, tone } = verdictWords[verdict]
  const why = reason === null ? '' : reasonText(reason)
  return (
    <div className={classes.finding} data-tone={tone}>
      <h3>{words?.title ?? label}</h3>
      {(words !== null || why !== '') && <p className="t2">{words?.text ?? why}</p>}
      {verdict !== 'skipped' && (
        <dl className={classes.compared}>
          <div>
            <dt>Expected</dt>
            <dd>
              <span className={classes.got}>{checkWords[id].expected}</span>{' '}
              <span className="sm t2">{expected}</span>
            </dd>
          </div>
          <div>
            <dt>Got</dt>
            <dd>
              {check.status !== null && <Got check={check} />} <span className="sm t2">{gotWord(check)}</span>
            </dd>
          </div>
        </dl>
      )}
    </div>
  )
}

/** Returns in a word how the receiver answered. */
function gotWord({ status, tookMs }: Check): string {
  if (status === null) return tookMs === null ? 'nothing was sent' : 'no answer'
  if (status >= 500) return 'failed'
  if (status >= 400) return 'refused'
  if (status >= 300) return 'redirected'
  return status >= 200 ? 'accepted' : ''
}

const views = { headers: 'Headers', body: 'Body', answer: 'Answer' } as const

/** The request of a check as it was sent, and its answer. */
function Exchange({ callId }: { readonly callId: string }) {
  const [view, setView] = useState<keyof typeof views>('headers')
  const { data: call, isPending } = useQuery(
    api.calls.get.queryOptions({
      input: { callId },
      staleTime: Number.POSITIVE_INFINITY,
    }),
  )
  return (
    <div className={classes.section}>
      <div className={classes.sent}>
        <h3 className="h3">Sent</h3>
        <span className="push" />
        <SegmentedControl
          size="xs"
          aria-label="Part"
          value={view}
          onChange={setView}
          data={optionsOf(views)}
        />
      </div>
      {call === undefined ? (
        !isPending && <p className="sm t3">The call is no longer stored.</p>
      ) : (
        <Part call={call} view={view} />
      )}
    </div>
  )
}

function Part({ call, view }: { readonly call: CallRecord; readonly view: keyof typeof views }) {
  const { request, response, error } = call
  if (view === 'answer')
    return response === null ? (
      <p className="sm t2">{error?.message ?? 'There was no answer.'}</p>
    ) : (
      <Text text={response.body} label="Answer" />
    )
  if (request === null) return <p className="sm t3">No request was sent.</p>
  if (view === 'body') return <Text text={request.body} label="Body of the request" />
  return <HeaderTable headers={Object.entries(request.headers)} label="Header fields of the request" />
}

/** A body to the letter: its spaces may be what is checked. */
function Text({ text, label }: { readonly text: string; readonly label: string }) {
  return text === '' ? <p className="sm t3">Empty.</p> : <JsonBlock text={text} label={label} wrap />
}
