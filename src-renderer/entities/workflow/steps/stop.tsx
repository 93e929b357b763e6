import { SegmentedControl } from '@mantine/core'
import { CircleStop } from 'lucide-react'
import type { StopStep } from '#shared/workflows/steps/stop.ts'
import { optionsOf } from '../../../ui/options-of.ts'
import { FieldRow, TemplateRow } from './field-parts.tsx'
import { type FieldsOf, messageOf, plain, type StepView, useStepEditing } from './step-view.ts'
import { TemplateText } from './template-text.tsx'

export const stop: StepView<StopStep> = {
  ...plain,
  name: 'Stop',
  purpose: 'Ends the run as succeeded or failed',
  icon: CircleStop,
  key: 'stop',
  blank: key => ({ key, type: 'stop', outcome: 'succeeded' }),
  title: () => stop.name,
  outcome: (step, { output }) => messageOf(output) ?? (step && `Ended the run as ${step.outcome}`),
  mayFail: false,
  Summary: ({ step: { outcome, message } }) => (
    <TemplateText text={message ? `as ${outcome}: ${message}` : `as ${outcome}`} />
  ),
  Fields,
}

function Fields({ step, path }: FieldsOf<StopStep>) {
  const { setStep } = useStepEditing()
  return (
    <>
      <FieldRow label="Outcome">
        <SegmentedControl
          size="xs"
          aria-label="Outcome"
          value={step.outcome}
          data={optionsOf({ succeeded: 'Succeeded', failed: 'Failed' })}
          onChange={outcome => setStep(path, { ...step, outcome })}
        />
      </FieldRow>
      <TemplateRow
        label="Message"
        path={[...path, 'message']}
        step={path}
        value={step.message ?? ''}
        onChange={(message, field) => {
          const { message: _, ...rest } = step
          setStep(path, message === '' ? rest : { ...rest, message }, field)
        }}
      />
    </>
  )
}
