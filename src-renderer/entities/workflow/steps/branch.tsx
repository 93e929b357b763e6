import { Button } from '@mantine/core'
import { GitBranch, Plus, X } from 'lucide-react'
import { z } from 'zod'
import type { BranchStep } from '#shared/workflows/steps/branch.ts'
import type { Step } from '#shared/workflows/steps/kinds.ts'
import { IconButton } from '../../../ui/icon-button.tsx'
import { branchLabel, conditionText } from '../condition-labels.ts'
import { ConditionFields, newComparison } from './condition-fields.tsx'
import { type FieldsOf, type InsideProps, plain, type StepView, useStepEditing } from './step-view.ts'
import classes from './steps.module.css'
import { TemplateText } from './template-text.tsx'

/** The output of a branch: the index of the case that it took; null for none. */
export const BranchOutput = z.object({ case: z.number().nullable() })

export const branch: StepView<BranchStep<Step>> = {
  ...plain,
  name: 'Branch',
  purpose: 'Runs the first case whose condition is true',
  icon: GitBranch,
  key: 'branch',
  blank: key => ({ key, type: 'branch', cases: [{ when: newComparison(), steps: [] }], otherwise: [] }),
  title: () => branch.name,
  outcome(step, { input, output }) {
    const { data } = BranchOutput.safeParse(output)
    return data === undefined ? null : branchLabel(input, data.case, step?.cases.length === 1)
  },
  Summary: () => 'first condition that is true',
  Fields: null,
  Inside,
}

/** The cases of a branch with their steps, and what happens otherwise. */
function Inside(props: FieldsOf<BranchStep<Step>> & InsideProps) {
  const { step, path, isEdited, renderList } = props
  const { setStep } = useStepEditing()
  const { cases } = step
  return (
    <>
      {cases.map(({ when, steps }, index) => {
        const here = [...path, 'cases', index]
        const label = index === 0 ? 'If' : 'Else if'
        return (
          // biome-ignore lint/suspicious/noArrayIndexKey: a case is known by its place, and its fields follow their values
          <section key={index} className={classes.lane} aria-label={`${label}: ${conditionText(when)}`}>
            <div
              className={classes.laneHead}
              data-edited={isEdited || undefined}
              data-fields={isEdited || undefined}
            >
              <span className={classes.laneLabel}>{label}</span>
              {isEdited ? (
                <ConditionFields
                  condition={when}
                  path={[...here, 'when']}
                  step={path}
                  onChange={(next, field) =>
                    setStep(path, { ...step, cases: cases.with(index, { when: next, steps }) }, field)
                  }
                />
              ) : (
                <span className="cut">
                  <TemplateText text={conditionText(when)} />
                </span>
              )}
              {isEdited && cases.length > 1 && (
                <IconButton
                  icon={X}
                  size="xs"
                  label={`Remove case ${index + 1}`}
                  onClick={() => setStep(path, { ...step, cases: cases.toSpliced(index, 1) })}
                />
              )}
            </div>
            {renderList(steps, [...here, 'steps'])}
          </section>
        )
      })}
      {isEdited && (
        <div className={classes.lane}>
          <Button
            size="xs"
            variant="subtle"
            leftSection={<Plus />}
            onClick={() =>
              setStep(path, { ...step, cases: [...cases, { when: newComparison(), steps: [] }] })
            }
          >
            Add a case
          </Button>
        </div>
      )}
      <section className={classes.lane} aria-label="Otherwise">
        <div className={classes.laneHead}>
          <span className={classes.laneLabel}>Otherwise</span>
        </div>
        {renderList(step.otherwise, [...path, 'otherwise'])}
      </section>
    </>
  )
}
