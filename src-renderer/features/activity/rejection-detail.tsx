import { Button, SegmentedControl } from '@mantine/core'
import { skipToken, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { CircleCheck, CircleMinus, CircleX, Copy } from 'lucide-react'
import { Fragment, useState } from 'react'
import type { Attempt } from '#shared/model/attempt.ts'
import type { Diagnosis } from '#shared/model/diagnosis.ts'
import { keptAttempts } from '#shared/model/kept.ts'
import { schemes } from '#shared/model/sender/templates.ts'
import { api } from '../../client/client.ts'
import { useCurrentConnection } from '../../entities/connection/current-connection.tsx'
import { copySigningSecret } from '../../entities/connection/use-secret.ts'
import {
  bodySize,
  type Check,
  headerOf,
  rejectionChecks,
  timestampWords,
} from '../../entities/event/checks.ts'
import { explanations } from '../../entities/snippet/explanations.ts'
import { fixFor } from '../../entities/snippet/fixes.ts'
import { languageSnippets } from '../../entities/snippet/languages.ts'
import { Language } from '../../entities/snippet/snippet.ts'
import { JsonBlock } from '../../ui/code-block.tsx'
import { CodedText } from '../../ui/coded-text.tsx'
import { copyWithToast } from '../../ui/copy-with-toast.ts'
import { Fact } from '../../ui/fact.tsx'
import { HeaderTable } from '../../ui/http-message.tsx'
import { Note } from '../../ui/note.tsx'
import { optionsOf } from '../../ui/options-of.ts'
import { useShortcut } from '../../ui/shortcuts.tsx'
import { useLocalStorage } from '../../ui/use-local-storage.ts'
import { usePrinting } from '../../ui/use-printing.ts'
import classes from './detail.module.css'
import { DetailBar } from './detail-bar.tsx'
import { FixCard } from './fix-card.tsx'
import {
  commonStart,
  type RejectionStory,
  rejectionStory,
  senderMessage,
  visible,
} from './rejection-story.ts'
import { type Rejection, statusOf } from './rows.ts'
import { StoryButton } from './step-link.tsx'

const maxKeptBody = 8 * 1024

/** A refused request: what is wrong, how to fix the sender, and the request itself. */
export function RejectionDetail({ rejection }: { readonly rejection: Rejection }) {
  const { attemptId, code, message, at } = rejection
  const { connectionId, persistEvents, sender } = useCurrentConnection()
  const { data: attempt, isLoading } = useQuery(
    api.attempts.get.queryOptions({ input: attemptId === null ? skipToken : { connectionId, attemptId } }),
  )
  const [language, setLanguage] = useLocalStorage('code-language', Language, 'curl')
  // Opening it may have made the diagnosis.
  const diagnosis = attempt?.diagnosis ?? rejection.diagnosis
  const status = statusOf(code)
  const story = rejectionStory(code, message, diagnosis, attempt, sender.scheme)
  const age = attempt && timestampWords(attempt.at, attempt.headers, sender)
  // The fixes and the code are for senders of the default scheme.
  const isOfDefault = sender.scheme === 'custom-connection' && isDefaultMistake(diagnosis)
  const checks = rejectionChecks(code, persistEvents, age)

  function copy(): void {
    const rule = diagnosis === null || !isOfDefault ? null : explanations[diagnosis.code]
    const lines = diagnosis === null || !isOfDefault ? null : fixFor(diagnosis.code, language)
    const fix = lines && { language: languageSnippets[language].send.label, lines }
    const note = 'It contains no secret and nothing of the body.'
    void copyWithToast(
      senderMessage({ at, status, code }, story, rule, fix),
      'Message',
      note,
      'Copied for the sender',
    )
  }
  useShortcut({ keys: 'c', label: 'Copy for the sender', group: 'Activity' }, copy)
  const agent = attempt && headerOf(attempt.headers, 'user-agent')

  return (
    <section className={classes.detail} aria-label="Rejected attempt">
      <DetailBar
        status={status}
        title={code}
        at={at}
        beside={agent === undefined ? undefined : `from ${agent}`}
      >
        <Button variant="subtle" leftSection={<Copy />} onClick={copy}>
          Copy for the sender
        </Button>
        <StoryButton id={attemptId} />
      </DetailBar>
      <div className={classes.section}>
        <div className={classes.diagnosis}>
          <h3>{story.title}</h3>
          <p className="t2" style={{ marginTop: 2 }}>
            <CodedText text={story.explanation} />
          </p>
          {diagnosis?.difference === undefined ? (
            <Comparison story={story} />
          ) : (
            <Difference {...diagnosis.difference} />
          )}
          {diagnosis?.code === 'key_empty' && (
            <Button size="xs" mt={10} leftSection={<Copy />} onClick={() => copySigningSecret(connectionId)}>
              Copy secret
            </Button>
          )}
          {status === 401 && isOfDefault && (
            <FixCard code={diagnosis?.code ?? null} language={language} onLanguage={setLanguage} />
          )}
          <SchemeLink attemptId={attemptId} status={status} diagnosis={diagnosis} />
          <p className="sm t3" style={{ marginTop: 10 }}>
            Only you see this. The sender received <code>{status}</code> and “{message}”
          </p>
        </div>
      </div>
      {checks.length > 0 && (
        <div className={classes.section}>
          <h3 className="h3">Checks</h3>
          <Checks checks={checks} />
        </div>
      )}
      <Request attempt={attempt} bytes={rejection.bytes} isPending={isLoading} />
    </section>
  )
}

function isDefaultMistake(diagnosis: Diagnosis | null): boolean {
  return (
    diagnosis?.scheme === undefined &&
    diagnosis?.recognized === undefined &&
    diagnosis?.code !== 'other_header'
  )
}

/** Leads to the scheme that would accept the request, where that is a way out. */
function SchemeLink(props: {
  readonly attemptId: string | null
  readonly status: number
  readonly diagnosis: Diagnosis | null
}) {
  const { attemptId, status, diagnosis } = props
  const { connectionId, sender } = useCurrentConnection()
  const isDefault = sender.scheme === 'custom-connection'
  const isSeconds = isDefault && diagnosis?.code === 'timestamp_in_seconds'
  const recognized = diagnosis?.recognized
  const isWayOut = isSeconds || recognized !== undefined || diagnosis?.change !== undefined || !isDefault
  if (status !== 401 || !isWayOut) return null
  const start = isSeconds ? 'seconds' : recognized
  return (
    <p className="sm" style={{ marginTop: 10 }}>
      Cannot change the sender?{' '}
      <Link
        className="link"
        to="/connections/$connectionId/sender"
        params={{ connectionId }}
        search={{ attempt: attemptId ?? undefined, start }}
      >
        {isSeconds
          ? 'Accept seconds from it'
          : recognized === undefined
            ? 'Change how this sender signs'
            : `Accept what ${schemes[recognized].title} signs`}
      </Link>
    </p>
  )
}

/** Maximum number of characters shown of a text. */
const longestShown = 200

function Comparison({ story: { was, must } }: { readonly story: RejectionStory }) {
  if (must === null) return null
  // Marks what is missing in front of the signed text.
  const added =
    was !== null && was !== '' && must.endsWith(was) ? must.slice(0, must.length - was.length) : ''
  return (
    <dl className={classes.compared}>
      {was !== null && (
        <>
          <dt>Was</dt>
          <dd>{was.slice(0, longestShown)}</dd>
        </>
      )}
      <dt>Must be</dt>
      <dd>
        {added !== '' && <mark>{added}</mark>}
        {must.slice(added.length, added.length + longestShown)}
      </dd>
    </dl>
  )
}

/** Shows two texts and marks them from where they differ. */
function Difference({ signed, sent }: { readonly signed: string; readonly sent: string }) {
  const same = commonStart(signed, sent)
  const rows = [
    ['Signed', signed],
    ['Sent', sent],
  ] as const
  return (
    <dl className={classes.compared}>
      {rows.map(([name, text]) => (
        <Fragment key={name}>
          <Fact name={name}>
            {visible(text.slice(0, same))}
            <mark>{visible(text.slice(same)) || 'ends here'}</mark>
          </Fact>
        </Fragment>
      ))}
    </dl>
  )
}

const icons = { passed: CircleCheck, failed: CircleX, 'not reached': CircleMinus } as const

function Checks({ checks }: { readonly checks: readonly Check[] }) {
  return (
    <ol className={classes.checks}>
      {checks.map(({ name, state, detail }) => {
        const Icon = icons[state]
        return (
          <li key={name} className="row nowrap" data-state={state}>
            <Icon />
            <span>{name}</span>
            <span className="sr">{state}</span>
            {detail !== undefined && <span className="t3 num">{detail}</span>}
          </li>
        )
      })}
    </ol>
  )
}

function Request(props: {
  readonly attempt: Attempt | undefined
  readonly bytes: number
  readonly isPending: boolean
}) {
  const { attempt, bytes, isPending } = props
  const [part, setPart] = useState('headers')
  const isPrinting = usePrinting()
  if (attempt === undefined)
    return (
      <div className={classes.section}>
        {!isPending && (
          <Note>
            This request is no longer stored. Only the newest {keptAttempts.most} refused requests are kept,
            for at most {keptAttempts.days} days.
          </Note>
        )}
      </div>
    )
  const { headers, bodyText } = attempt
  const { size, absence } = bodySize(bytes, headers)
  // All other methods are refused with this code, and are not recorded.
  const method = attempt.code === 'method_not_allowed' ? null : 'POST'
  return (
    <div className={classes.section}>
      <div className={classes.request}>
        <h3 className="h3">Request</h3>
        <span className="t3 sm num">{[method, size].filter(Boolean).join(' · ')}</span>
        <span className="push" />
        <SegmentedControl
          aria-label="Part"
          value={part}
          onChange={setPart}
          data={optionsOf({ headers: 'Headers', body: 'Body' })}
        />
      </div>
      {(part === 'headers' || isPrinting) && (
        <HeaderTable headers={headers} label="Header fields of the request" />
      )}
      {part !== 'headers' || isPrinting ? (
        bodyText === '' ? (
          <p className="sm t3">{absence}</p>
        ) : (
          <>
            <JsonBlock text={bodyText} label="Body of the request" wrap copyText={bodyText} />
            {bytes > maxKeptBody && <p className="sm t3">Only the first 8 KiB are kept.</p>}
          </>
        )
      ) : null}
    </div>
  )
}
