import { Button, Menu } from '@mantine/core'
import { Plus } from 'lucide-react'
import type { StepType } from '#shared/workflows/steps/kinds.ts'
import { isSamePath } from '../../../entities/workflow/step-paths.ts'
import { stepNames, stepPurposes, stepTypes } from '../../../entities/workflow/words.ts'
import { Keys } from '../../../ui/keys.tsx'
import classes from './builder.module.css'
import { useBuilder } from './builder-context.ts'
import { StepIcon } from './step-icon.tsx'
import { hasRoom, newStep, type Slot } from './steps.ts'

/**
 * A button that inserts a step, with the menu of its types.
 *
 * @param props.look `end`: below the last step; `inside`: at the end of a branch or loop; `gap`: between two steps.
 */
export function AddStep({ slot, look }: { readonly slot: Slot; readonly look: 'end' | 'inside' | 'gap' }) {
  const { draft, adding, setAdding, insert } = useBuilder()
  const isOpen = adding !== null && adding.index === slot.index && isSamePath(adding.list, slot.list)
  const isFull = !hasRoom(draft.steps, slot)
  const add = (type: StepType) => insert(slot, newStep(type, draft.steps))
  return (
    <Menu
      opened={isOpen}
      onChange={opened => setAdding(opened ? slot : null)}
      position="bottom-start"
      width={340}
      returnFocus
    >
      <Menu.Target>
        {look === 'gap' ? (
          <button
            type="button"
            className={classes.gapAdd}
            tabIndex={-1}
            aria-label="Add a step here"
            disabled={isFull}
          >
            <Plus size={12} />
          </button>
        ) : (
          <Button
            size={look === 'end' ? 'sm' : 'xs'}
            variant={look === 'end' ? 'default' : 'subtle'}
            leftSection={<Plus />}
            rightSection={look === 'end' ? <Keys keys="a" /> : undefined}
            disabled={isFull}
          >
            Add step
          </Button>
        )}
      </Menu.Target>
      <Menu.Dropdown>
        {stepTypes.map(type => (
          <Menu.Item key={type} leftSection={<StepIcon type={type} />} onClick={() => add(type)}>
            <span className="w5">{stepNames[type]}</span>
            <span className={`${classes.purpose} sm`}>{stepPurposes[type]}</span>
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  )
}
