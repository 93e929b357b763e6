import { Fragment } from 'react'
import type { Step } from '#shared/model/workflow.ts'
import { AddStep } from './add-step.tsx'
import { useBuilder } from './builder-context.ts'
import classes from './builder.module.css'
import { DropTarget } from './drag.tsx'
import { StepCard } from './step-card.tsx'
import { type Path, pathKey } from './steps.ts'
import { TriggerCard } from './trigger-card.tsx'

/** The trigger and the steps of a workflow, one below the other. */
export function Flow() {
  const { draft } = useBuilder()
  return (
    <div className={classes.flow} data-scroll-room>
      <TriggerCard />
      <StepList steps={draft.steps} list={['steps']} />
    </div>
  )
}

/** The steps of a workflow, of a case or of a loop. */
export function StepList({ steps, list }: { readonly steps: readonly Step[]; readonly list: Path }) {
  const { selected } = useBuilder()
  const isOutermost = list.length === 1
  const own = pathKey(list)
  // In a branch or loop the button appears where it is needed, so that the flow stays calm.
  const isNear =
    selected !== null && (pathKey(selected) === pathKey(list.slice(0, 2)) || pathKey(selected).startsWith(`${own}.`))
  return (
    <>
      <ol className={classes.list}>
        {steps.map((step, index) => (
          <Fragment key={pathKey([...list, index])}>
            <li>
              {(isOutermost || index > 0) && (
                <DropTarget slot={{ list, index }}>
                  <AddStep slot={{ list, index }} look="gap" />
                </DropTarget>
              )}
              <StepCard step={step} path={[...list, index]} />
            </li>
          </Fragment>
        ))}
      </ol>
      <DropTarget slot={{ list, index: steps.length }} isLast>
        {(isOutermost || steps.length === 0 || isNear) && (
          <AddStep slot={{ list, index: steps.length }} look={isOutermost ? 'end' : 'inside'} />
        )}
      </DropTarget>
    </>
  )
}
