import { NativeSelect, Switch, TextInput } from '@mantine/core'
import { useId, useState } from 'react'
import type { Step } from '#shared/workflows/steps/kinds.ts'
import { FailurePolicy, StepKey } from '#shared/workflows/steps/step-kind.ts'
import type { Path } from '../../../entities/workflow/step-paths.ts'
import { problemsIn } from '../../../entities/workflow/steps/step-view.ts'
import classes from '../../../entities/workflow/steps/steps.module.css'
import { viewOf } from '../../../entities/workflow/steps/views.ts'
import { Disclosure } from '../../../ui/disclosure.tsx'
import { isSaving } from '../../../ui/match-keys.ts'
import { useBuilder } from './builder-context.ts'
import { keysOf, renameStep } from './steps.ts'

const policies: Readonly<Record<FailurePolicy, string>> = {
  retry: 'Retry for an hour, then fail',
  continue: 'Retry, then continue with the next step',
  stop: 'Fail the run at once',
}

/** The fields of every step that are rarely changed: its key, what happens when it fails, whether it is private. */
export function AdvancedFields({ step, path }: { readonly step: Step; readonly path: Path }) {
  const { draft, edit, setStep, problems } = useBuilder()
  const { mayFail } = viewOf(step)
  const id = useId()
  const [typed, setTyped] = useState<string | null>(null)
  const shown = typed ?? step.key
  const isTaken = shown !== step.key && keysOf(draft.steps).includes(shown)
  const problem = isTaken
    ? `Another step has the key ${shown}.`
    : StepKey.safeParse(shown).error?.issues[0]?.message
  const hasProblem = ['key', 'onFailure', 'private'].some(
    part => problemsIn(problems, [...path, part]).length > 0,
  )
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
          {mayFail && ` · ${policies[step.onFailure ?? 'retry']}`}
          {step.private && ' · Private'}
        </>
      }
      isForced={problem !== undefined || hasProblem}
    >
      <div className={classes.pair}>
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
          onKeyDown={event => (event.key === 'Enter' || isSaving(event)) && rename()}
        />
        {mayFail && (
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
      <Switch
        size="sm"
        mt="sm"
        label="Private"
        description="Keeps neither input nor output. Its output is masked wherever the run shows it."
        checked={step.private === true}
        onChange={event => {
          const { private: _, ...rest } = step
          setStep(path, event.currentTarget.checked ? { ...rest, private: true } : rest)
        }}
      />
    </Disclosure>
  )
}
