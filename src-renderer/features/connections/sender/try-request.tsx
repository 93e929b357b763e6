import { Button, Menu } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { ChevronDown, CircleCheck, CircleMinus, CircleX } from 'lucide-react'
import { type Ref, type RefObject, useId } from 'react'
import type { Attempt } from '#shared/model/attempt.ts'
import type { Diagnosis } from '#shared/model/diagnosis.ts'
import type { SenderTrial } from '#shared/model/sender/sender-trial.ts'
import { schemeNames, schemes } from '#shared/model/sender/templates.ts'
import type { VerificationStep } from '#shared/model/sender/verification.ts'
import { api } from '../../../client/client.ts'
import { useCurrentConnection } from '../../../entities/connection/current-connection.tsx'
import { rejectionTitle } from '../../../entities/snippet/explanations.ts'
import { CodedText } from '../../../ui/coded-text.tsx'
import { Problem } from '../../../ui/field-problem.tsx'
import { capitalized, formatCount, formatNumber, formatTime } from '../../../ui/format.ts'
import { Keys } from '../../../ui/keys.tsx'
import { BackButton } from '../../../ui/master-detail.tsx'
import { Note } from '../../../ui/note.tsx'
import { Pill } from '../../../ui/pill.tsx'
import { fieldErrors, problemOf } from '../../../ui/problem.ts'
import { RequestField } from './request-field.tsx'
import classes from './sender.module.css'
import { changedFields, type SenderDraft } from './sender-draft.ts'
import { SignedTextWords } from './signed-text-words.tsx'
import { failures, foundIn, stepNames, wayOutOf } from './trial-labels.ts'

/** A captured request as the text field shows it. */
export function textOf({ headers, bodyText }: Pick<Attempt, 'headers' | 'bodyText'>): string {
  const lines = ownHeaders(headers).map(([name, value]) => `${name}: ${value}`)
  return [`POST ${maskedPath}`, ...lines, '', bodyText].join('\n')
}

/** The path of an inbound URL with its token masked. */
export const maskedPath = '/api/connect/••••••••/events'

/** Returns the header fields that a sender may sign, or name its events in. */
export const ownHeaders = (headers: Attempt['headers']) => headers.filter(([name]) => !ofTransport.test(name))

/** Header fields that no sender signs or names its events in. */
const ofTransport =
  /^(?:host|connection|content-length|accept.*|user-agent|sec-.*|x-forwarded-.*|forwarded|via)$/i

/** A request to try the scheme with, and each step of its verification. */
export function TryRequest(props: {
  readonly draft: SenderDraft
  readonly text: string
  readonly onText: (text: string) => void
  readonly onAttempt: (attempt: Attempt) => void
  readonly trial: SenderTrial | undefined
  readonly error: unknown
  readonly onEdit: (edit: Partial<SenderDraft>) => void
  readonly fieldRef: RefObject<HTMLTextAreaElement | null>
  /** The first step that fails. */
  readonly failedRef: Ref<HTMLLIElement>
}) {
  const { draft, text, onText, onAttempt, trial, error, onEdit, fieldRef, failedRef } = props
  const failed = trial?.steps.find(({ state }) => state === 'failed')
  const issue = error === null || error === undefined ? undefined : Object.values(fieldErrors(error))[0]
  const id = useId()
  return (
    <section className={classes.pane} aria-labelledby="try-request">
      <div className={classes.bar}>
        <BackButton />
        <h2 className="h3 nowrap" id="try-request">
          Try one real request
        </h2>
        <span role="status">
          {trial !== undefined &&
            (trial.ok ? (
              <Pill tone="ok">{trial.challenge === null ? 'Verified' : 'Answered'}</Pill>
            ) : (
              <Pill tone="bad">{failed === undefined ? 'Refused' : failures[failed.step]}</Pill>
            ))}
        </span>
        <span className="push" />
        <LastRefused onChoose={onAttempt} />
      </div>
      <div className={classes.try}>
        <RequestField draft={draft} text={text} onText={onText} fieldRef={fieldRef} describedBy={id} />
        <div id={id} className="sm t2">
          {issue !== undefined && text.trim() !== '' ? (
            <Problem message={issue} />
          ) : (
            'Paste headers and body, or a curl command. It is not kept.'
          )}
        </div>
      </div>
      {issue === undefined && error !== null && error !== undefined && (
        <div className={classes.try}>
          <Note tone="bad">The request was not verified: {problemOf(error).message}</Note>
        </div>
      )}
      {trial === undefined ? (
        <p className={`sm t3 ${classes.empty}`}>
          The checks of the request appear here, each with what it finds, before you save.
        </p>
      ) : (
        <>
          {trial.steps.length > 0 && (
            <ol className={classes.steps} aria-label="Steps of the verification">
              {trial.steps.map(step => (
                <StepRow
                  key={step.step}
                  step={step}
                  stepRef={step === failed ? failedRef : undefined}
                  diagnosis={step === failed ? trial.diagnosis : null}
                  draft={draft}
                  onEdit={onEdit}
                />
              ))}
            </ol>
          )}
          {trial.ok && trial.challenge !== null && <Answered body={trial.challenge} />}
          {!trial.ok && failed === undefined && (
            <div className={classes.try}>
              <Note tone="bad">
                {trial.message} {trial.diagnosis?.message}
              </Note>
            </div>
          )}
          {trial.ok && <Refused trial={trial} />}
        </>
      )}
    </section>
  )
}

/** The refused requests to choose from. */
function LastRefused({ onChoose }: { readonly onChoose: (attempt: Attempt) => void }) {
  const { connectionId } = useCurrentConnection()
  const { data, refetch } = useQuery(api.attempts.list.queryOptions({ input: { connectionId } }))
  const attempts = data?.attempts.slice(0, 12) ?? []
  return (
    // A diagnosis may have been made since.
    <Menu position="bottom-end" onOpen={() => void refetch()}>
      <Menu.Target>
        <Button size="xs" rightSection={<ChevronDown size={12} />} disabled={attempts.length === 0}>
          Last refused
        </Button>
      </Menu.Target>
      <Menu.Dropdown className={classes.refused}>
        {attempts.map(attempt => (
          <Menu.Item
            key={attempt.attemptId}
            rightSection={<span className="xs t3 num">{formatTime(attempt.at)}</span>}
            onClick={() => onChoose(attempt)}
          >
            {rejectionTitle(attempt.code, attempt.diagnosis?.code ?? null)}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  )
}

const icons = {
  passed: CircleCheck,
  failed: CircleX,
  not_used: CircleMinus,
  not_reached: CircleMinus,
} as const

const stateWords = {
  passed: 'passed',
  failed: 'failed',
  not_used: 'not used',
  not_reached: 'not reached',
} as const

function StepRow(props: {
  readonly step: VerificationStep
  readonly stepRef: Ref<HTMLLIElement> | undefined
  readonly diagnosis: Diagnosis | null
  readonly draft: SenderDraft
  readonly onEdit: (edit: Partial<SenderDraft>) => void
}) {
  const { step, stepRef, diagnosis, draft, onEdit } = props
  const Icon = icons[step.state]
  const found = foundIn(step)
  return (
    <li ref={stepRef} tabIndex={step.state === 'failed' ? -1 : undefined} data-state={step.state}>
      <Icon />
      <span className={classes.stepName}>{stepNames[step.step]}</span>
      <span className="sr">{stateWords[step.state]}</span>
      <span className={classes.found}>
        <CodedText text={found} />
      </span>
      {diagnosis !== null && <Mistake diagnosis={diagnosis} draft={draft} onEdit={onEdit} />}
    </li>
  )
}

/** Why a step fails, and what would verify. */
function Mistake(props: {
  readonly diagnosis: Diagnosis
  readonly draft: SenderDraft
  readonly onEdit: (edit: Partial<SenderDraft>) => void
}) {
  const { diagnosis, draft, onEdit } = props
  const { change, recognized, message } = diagnosis
  const { title, button } = wayOutOf(diagnosis, draft.signed)
  const scheme = schemeNames.find(name => name === recognized)
  return (
    <div className={classes.mistake}>
      <h3>{title}</h3>
      <p className="sm">
        {change?.signed === undefined ? (
          <CodedText text={message} />
        ) : (
          <>
            The signature is right for{' '}
            <span className={classes.words}>
              <SignedTextWords text={change.signed} />
            </span>
          </>
        )}
      </p>
      {change !== undefined && button !== null && (
        <Button
          size="xs"
          rightSection={<Keys keys="enter" />}
          onClick={() => onEdit(changedFields(draft, change))}
        >
          {button}
        </Button>
      )}
      {scheme !== undefined && (
        <Button size="xs" rightSection={<Keys keys="enter" />} onClick={() => onEdit({ scheme })}>
          Choose {schemes[scheme].title}
        </Button>
      )}
    </div>
  )
}

/** Says how a question of the sender is answered. */
function Answered({ body }: { readonly body: string }) {
  return (
    <div className={classes.try}>
      <Note tone="ok">
        {body === '' ? (
          'It is a question of the sender, which is answered without a body.'
        ) : (
          <>
            It is a question of the sender, which is answered with <code>{body}</code>
          </>
        )}
      </Note>
    </div>
  )
}

/** Shows what the scheme would have done with the requests that were refused. */
function Refused({ trial: { refused } }: { readonly trial: SenderTrial }) {
  if (refused === null || refused.total === 0) return null
  const { total, accepted, eventNames } = refused
  const all = total === 1 ? 'the one request' : `the ${formatCount(total, 'request')}`
  const which = accepted === total ? all : `${formatNumber(accepted)} of ${all}`
  const [only] = eventNames
  return (
    <div className={classes.try}>
      <Note tone={accepted === 0 ? 'warn' : 'ok'}>
        {accepted === 0 ? (
          `${capitalized(all)} refused in the last 24 hours would still have been refused.`
        ) : (
          <>
            With this, {which} refused in the last 24 hours would have been accepted
            {eventNames.length === 1 && only !== undefined ? (
              <>
                , {accepted === 1 ? '' : 'all '}as <code>{only}</code>.
              </>
            ) : (
              '.'
            )}
          </>
        )}
      </Note>
    </div>
  )
}
