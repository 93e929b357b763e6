import { Button } from '@mantine/core'
import { Plus, X } from 'lucide-react'
import type { BranchStep } from '#shared/workflows/steps/branch.ts'
import type { Step } from '#shared/workflows/steps/kinds.ts'
import type { Path } from '../../../entities/workflow/step-paths.ts'
import { conditionText } from '../../../entities/workflow/words.ts'
import { IconButton } from '../../../ui/icon-button.tsx'
import classes from './builder.module.css'
import { type RenderList, useBuilder } from './builder-context.ts'
import { ConditionFields, newComparison } from './condition-fields.tsx'
import { TemplateText } from './template-text.tsx'

/** The cases of a branch with their steps, and what happens otherwise. */
export function BranchLanes(props: {
  readonly step: BranchStep<Step>
  readonly path: Path
  /** Whether the conditions are shown as fields. */
  readonly isEdited: boolean
  readonly renderList: RenderList
}) {
  const { step, path, isEdited, renderList } = props
  const { setStep } = useBuilder()
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
