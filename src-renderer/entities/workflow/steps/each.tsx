import { Repeat } from 'lucide-react'
import { z } from 'zod'
import type { EachStep } from '#shared/workflows/steps/each.ts'
import type { Step } from '#shared/workflows/steps/kinds.ts'
import { formatCount } from '../../../ui/format.ts'
import { TemplateRow } from './field-parts.tsx'
import { plain, type StepView, useStepEditing } from './step-view.ts'
import classes from './steps.module.css'
import { TemplateText } from './template-text.tsx'

/** The output of a loop: how many items it has. */
export const LoopOutput = z.object({ items: z.number() })

export const each: StepView<EachStep<Step>> = {
  ...plain,
  name: 'For each',
  purpose: 'Runs its steps once for each item of a list',
  icon: Repeat,
  key: 'each',
  blank: key => ({ key, type: 'each', items: '', steps: [] }),
  title: () => each.name,
  outcome(_step, { output }) {
    const { data } = LoopOutput.safeParse(output)
    return data === undefined ? null : formatCount(data.items, 'item')
  },
  Summary: ({ step: { items } }) => (items === '' ? 'Choose a list' : <TemplateText text={`in ${items}`} />),
  Fields: ({ step, path }) => {
    const { setStep } = useStepEditing()
    return (
      <TemplateRow
        label="Items"
        path={[...path, 'items']}
        step={path}
        value={step.items}
        placeholder="{{lines}}"
        onChange={(items, field) => setStep(path, { ...step, items }, field)}
      />
    )
  },
  Inside: ({ step, path, renderList }) => (
    <div className={classes.lane}>{renderList(step.steps, [...path, 'steps'])}</div>
  ),
}
