import { NativeSelect, NumberInput, SegmentedControl, TextInput } from '@mantine/core'
import { useId, useState } from 'react'
import type { Step } from '#shared/workflows/steps/kinds.ts'
import { FailurePolicy, StepKey } from '#shared/workflows/steps/step-kind.ts'
import { maxWaitSeconds } from '#shared/workflows/steps/wait.ts'
import { type Path, pathKey } from '../../../entities/workflow/step-paths.ts'
import { durationText } from '../../../entities/workflow/words.ts'
import { Disclosure } from '../../../ui/disclosure.tsx'
import { optionsOf } from '../../../ui/options-of.ts'
import { ActionFields } from './action-fields.tsx'
import classes from './builder.module.css'
import { type FieldsOf, useBuilder } from './builder-context.ts'
import { FieldProblems, TemplateRow } from './card-parts.tsx'
import { HttpFields } from './http-fields.tsx'
import { problemsIn } from './problems.ts'
import { keysOf, renameStep } from './steps.ts'

/** The fields of the selected step that say what it does. Null for a branch, whose conditions are in its lanes. */
export function StepFields({ step, path }: { readonly step: Step; readonly path: Path }) {
  const { setStep } = useBuilder()
  const key = pathKey(path)
  switch (step.type) {
    case 'action':
      return <ActionFields step={step} path={path} />
    case 'http':
      return <HttpFields step={step} path={path} />
    case 'branch':
      return null
    case 'each':
      return (
        <TemplateRow
          label="Items"
          path={[...path, 'items']}
          step={path}
          value={step.items}
          placeholder="{{lines}}"
          onChange={items => setStep(path, { ...step, items }, `${key}.items`)}
        />
      )
    case 'wait':
      return <WaitFields step={step} path={path} />
    case 'notify':
      return (
        <TemplateRow
          label="Message"
          path={[...path, 'message']}
          step={path}
          value={step.message}
          onChange={message => setStep(path, { ...step, message }, `${key}.message`)}
        />
      )
    case 'stop':
      return (
        <>
          <div className={classes.templateRow}>
            <span className={classes.label}>Outcome</span>
            <SegmentedControl
              size="xs"
              aria-label="Outcome"
              value={step.outcome}
              data={optionsOf({ succeeded: 'Succeeded', failed: 'Failed' })}
              onChange={outcome => setStep(path, { ...step, outcome })}
            />
          </div>
          <TemplateRow
            label="Message"
            path={[...path, 'message']}
            step={path}
            value={step.message ?? ''}
            onChange={message => {
              const { message: _, ...rest } = step
              setStep(path, message === '' ? rest : { ...rest, message }, `${key}.message`)
            }}
          />
        </>
      )
  }
}

function WaitFields({ step, path }: FieldsOf<'wait'>) {
  const { setStep } = useBuilder()
  const { key, onFailure, seconds, until } = step
  const common = { key, type: 'wait' as const, ...(onFailure !== undefined && { onFailure }) }
  return (
    <>
      <div className={classes.templateRow}>
        <span className={classes.label}>Wait</span>
        <SegmentedControl
          size="xs"
          aria-label="Wait"
          value={until === undefined ? 'for' : 'until'}
          data={optionsOf({ for: 'For a duration', until: 'Until a date and time' })}
          onChange={kind =>
            setStep(path, { ...common, ...(kind === 'until' ? { until: '' } : { seconds: 60 }) })
          }
        />
      </div>
      {until === undefined ? (
        <div className={classes.templateRow} data-field={pathKey([...path, 'seconds'])}>
          <span className={classes.label}>Seconds</span>
          <NumberInput
            size="sm"
            aria-label="Seconds"
            min={1}
            max={maxWaitSeconds}
            allowDecimal={false}
            value={seconds ?? ''}
            onChange={typed =>
              typeof typed === 'number' &&
              setStep(path, { ...common, seconds: typed }, `${pathKey(path)}.seconds`)
            }
          />
          <span className="sm t3">{durationText(seconds ?? 0)}</span>
        </div>
      ) : (
        <TemplateRow
          label="Until"
          path={[...path, 'until']}
          step={path}
          value={until}
          placeholder="{{due_at}}"
          onChange={next => setStep(path, { ...common, until: next }, `${pathKey(path)}.until`)}
        />
      )}
      <FieldProblems path={[...path, 'seconds']} />
    </>
  )
}

const policies: Readonly<Record<FailurePolicy, string>> = {
  retry: 'Retry for an hour, then fail',
  continue: 'Retry, then continue with the next step',
  stop: 'Fail the run at once',
}

/** The fields of every step that are rarely changed: its key, and what happens when it fails. */
export function AdvancedFields({ step, path }: { readonly step: Step; readonly path: Path }) {
  const { draft, edit, setStep, problems } = useBuilder()
  const id = useId()
  const [typed, setTyped] = useState<string | null>(null)
  const shown = typed ?? step.key
  const isTaken = shown !== step.key && keysOf(draft.steps).includes(shown)
  const problem = isTaken
    ? `Another step has the key ${shown}.`
    : StepKey.safeParse(shown).error?.issues[0]?.message
  const hasProblem = ['key', 'onFailure'].some(part => problemsIn(problems, [...path, part]).length > 0)
  function rename(): void {
    if (typed !== null && problem === undefined) edit({ steps: renameStep(draft.steps, path, typed) })
    setTyped(null)
  }
  return (
    <Disclosure
      label="Advanced"
      summary={
        <>
          <code>{step.key}</code>
          {step.type !== 'stop' && ` · ${policies[step.onFailure ?? 'retry']}`}
        </>
      }
      isForced={problem !== undefined || hasProblem}
    >
      <div className={classes.common}>
        <TextInput
          label="Key"
          size="sm"
          classNames={{ input: 'mono' }}
          value={shown}
          error={problem}
          description={
            problem === undefined ? (
              <>
                Later steps read <code>{`{{steps.${step.key}}}`}</code>
              </>
            ) : undefined
          }
          inputWrapperOrder={['label', 'input', 'description', 'error']}
          onChange={event => setTyped(event.currentTarget.value)}
          onBlur={rename}
          onKeyDown={event => event.key === 'Enter' && rename()}
        />
        {step.type !== 'stop' && (
          <NativeSelect
            id={id}
            label="If it fails"
            size="sm"
            value={step.onFailure ?? 'retry'}
            data={FailurePolicy.options.map(value => ({ value, label: policies[value] }))}
            onChange={event => {
              const { onFailure: _, ...rest } = step
              const onFailure = FailurePolicy.parse(event.currentTarget.value)
              setStep(path, onFailure === 'retry' ? rest : { ...rest, onFailure })
            }}
          />
        )}
      </div>
    </Disclosure>
  )
}
