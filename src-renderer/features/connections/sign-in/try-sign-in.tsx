import { Button } from '@mantine/core'
import { CircleCheck, CircleMinus, CircleX, KeyRound, RefreshCw } from 'lucide-react'
import { type Ref, useRef } from 'react'
import type { EnvironmentVariable, VariableTrial } from '#shared/model/environment-variable.ts'
import { CodedText } from '../../../ui/coded-text.tsx'
import { Keys } from '../../../ui/keys.tsx'
import { BackButton } from '../../../ui/master-detail.tsx'
import { Note } from '../../../ui/note.tsx'
import { Pill } from '../../../ui/pill.tsx'
import classes from '../sender/sender.module.css'
import { carriedText, type SignInDraft } from './sign-in-draft.ts'
import { type Check, checksOf, lifeOf, remedyOf } from './sign-in-trial.ts'

const icons = { passed: CircleCheck, failed: CircleX, not_reached: CircleMinus } as const
const stateWords = { passed: 'passed', failed: 'failed', not_reached: 'not reached' } as const

/** Tries a sign-in before it is saved, and shows each check. */
export function TrySignIn(props: {
  readonly draft: SignInDraft
  readonly variables: readonly EnvironmentVariable[]
  readonly baseUrl: string | null
  readonly trial: VariableTrial | undefined
  readonly isTrying: boolean
  readonly onTry: () => void
  /** Tries with the client's secret sent in the other way. */
  readonly onOtherWay: () => void
  readonly onSet: (name: string) => void
  readonly failedRef: Ref<HTMLLIElement>
}) {
  const { draft, variables, baseUrl, trial, isTrying, onTry, onOtherWay, onSet, failedRef } = props
  const checks = checksOf(draft, variables, trial)
  const failed = checks.find(({ state }) => state === 'failed')
  const carried = carriedText(draft)
  const remedy = trial === undefined ? null : remedyOf(trial, draft)
  const isToken = draft.kind === 'oauth2'
  const tryButton = useRef<HTMLButtonElement>(null)
  return (
    <section className={classes.pane} aria-labelledby="try-sign-in">
      <div className={classes.bar}>
        <BackButton />
        <h2 className="h3 nowrap" id="try-sign-in">
          Try sign-in
        </h2>
        <span role="status">
          {trial !== undefined &&
            (trial.ok && trial.expiresInSeconds !== null ? (
              <Pill tone="ok">Token for {lifeOf(trial.expiresInSeconds)}</Pill>
            ) : trial.ok ? null : (
              <Pill tone="bad">No token</Pill>
            ))}
        </span>
        <span className="push" />
        {isToken && (
          <Button
            ref={tryButton}
            size="xs"
            leftSection={<RefreshCw />}
            rightSection={trial === undefined && <Keys keys="mod+enter" />}
            loading={isTrying}
            onClick={onTry}
          >
            {trial === undefined ? 'Try sign-in' : 'Try again'}
          </Button>
        )}
      </div>
      {draft.kind === 'none' ? (
        <p className={`sm t3 ${classes.empty}`}>There is nothing to try: calls carry only the signature.</p>
      ) : (
        <>
          {checks.length > 0 && (
            <ol className={classes.steps} aria-label="Checks of the sign-in">
              {checks.map(check => (
                <CheckRow
                  key={check.name + check.found}
                  check={check}
                  checkRef={check === failed ? failedRef : undefined}
                />
              ))}
            </ol>
          )}
          {remedy !== null && (
            <div className={classes.try}>
              <div className={classes.mistake}>
                <h3>{remedy.title}</h3>
                <p className="sm">
                  <CodedText text={remedy.text} />
                </p>
                {remedy.triesOtherWay && (
                  <span className="row">
                    <Button
                      size="xs"
                      onClick={() => {
                        // This button goes away.
                        tryButton.current?.focus()
                        onOtherWay()
                      }}
                    >
                      Try {draft.clientAuth === 'basic' ? 'in the body' : 'as a Basic header'}
                    </Button>
                    {draft.secretVariable !== null && (
                      <Button
                        size="xs"
                        leftSection={<KeyRound />}
                        onClick={() => onSet(draft.secretVariable ?? '')}
                      >
                        Set {draft.secretVariable}
                      </Button>
                    )}
                  </span>
                )}
              </div>
              <p className="sm t2">
                Until there is a token, calls fail with <code className="inline-code">token_unavailable</code>{' '}
                and nothing is sent.
              </p>
            </div>
          )}
          <UnsetVariables checks={checks} onSet={onSet} />
          {carried !== null && remedy === null && (
            <div className={classes.try}>
              <span className={classes.label}>What each call then carries</span>
              <pre className={classes.fixedText}>
                {carried}
                {isToken &&
                  '\n# one token for all callers, kept in memory\n# dropped after a 401, the call is not repeated'}
              </pre>
            </div>
          )}
          {trial?.ok === true && isToken && (
            <div className={classes.try}>
              <Note tone="ok">
                No call went to {baseUrl === null ? 'the API' : <code>{new URL(baseUrl).host}</code>}. The
                token is neither shown nor stored.
              </Note>
            </div>
          )}
        </>
      )}
    </section>
  )
}

function CheckRow(props: { readonly check: Check; readonly checkRef: Ref<HTMLLIElement> | undefined }) {
  const { name, state, found } = props.check
  const Icon = icons[state]
  return (
    <li ref={props.checkRef} tabIndex={state === 'failed' ? -1 : undefined} data-state={state}>
      <Icon />
      <span className={classes.stepName}>{name}</span>
      <span className="sr">{stateWords[state]}</span>
      <span className={classes.found}>
        <CodedText text={found} />
      </span>
    </li>
  )
}

function UnsetVariables(props: {
  readonly checks: readonly Check[]
  readonly onSet: (name: string) => void
}) {
  const unset = props.checks
    .filter(({ name, state }) => name === 'Variable' && state === 'failed')
    .map(({ found }) => found.split('`')[1] ?? '')
  if (unset.length === 0) return null
  return (
    <div className={classes.try}>
      {unset.map(name => (
        <Button key={name} size="xs" leftSection={<KeyRound />} onClick={() => props.onSet(name)}>
          Set {name}
        </Button>
      ))}
    </div>
  )
}
