import { TextInput } from '@mantine/core'
import type { Step } from '#shared/workflows/steps/kinds.ts'
import { type Path, pathKey } from '../../../entities/workflow/step-paths.ts'
import type { RenderList } from '../../../entities/workflow/steps/step-view.ts'
import { AddStep } from './add-step.tsx'
import classes from './builder.module.css'
import { useBuilder } from './builder-context.ts'
import { DropTarget } from './drag.tsx'
import { StepCard } from './step-card.tsx'
import { TriggerCard } from './trigger-card.tsx'

/** The trigger and the steps of a workflow, one below the other. */
export function Flow({ isNew }: { readonly isNew: boolean }) {
  const { draft, edit, problems } = useBuilder()
  const problem = problems.find(({ path }) => path === 'name')?.message
  return (
    <div className={classes.flow} data-scroll-room>
      {isNew && (
        <TextInput
          className={classes.name}
          label="Name"
          size="sm"
          data-name-field
          data-field="name"
          placeholder="Paid order: reserve and notify"
          value={draft.name}
          error={problem}
          onChange={event => edit({ name: event.currentTarget.value }, 'name')}
        />
      )}
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
    selected !== null &&
    (pathKey(selected) === pathKey(list.slice(0, 2)) || pathKey(selected).startsWith(`${own}.`))
  return (
    <>
      <ol className={classes.list}>
        {steps.map((step, index) => (
          <li key={pathKey([...list, index])}>
            {(isOutermost || index > 0) && (
              <DropTarget slot={{ list, index }}>
                <AddStep slot={{ list, index }} look="gap" />
              </DropTarget>
            )}
            <StepCard step={step} path={[...list, index]} renderList={renderList} />
          </li>
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

/** Given to the cards, which show lists of steps themselves. */
const renderList: RenderList = (steps, list) => <StepList steps={steps} list={list} />
