import { Button, Menu } from '@mantine/core'
import { ClipboardPaste, Plus } from 'lucide-react'
import { stepTypes } from '#shared/workflows/steps/kinds.ts'
import { isSamePath } from '../../../entities/workflow/step-paths.ts'
import { viewOf } from '../../../entities/workflow/steps/views.ts'
import { Keys } from '../../../ui/keys.tsx'
import classes from './builder.module.css'
import { useBuilder } from './builder-context.ts'
import { hasRoom, newStep, type Slot } from './steps.ts'

/**
 * A button that inserts a step, with the menu of its types.
 *
 * @param props.look `end`: below the last step; `inside`: at the end of a branch or loop; `gap`: between two steps.
 */
export function AddStep({ slot, look }: { readonly slot: Slot; readonly look: 'end' | 'inside' | 'gap' }) {
  const { draft, adding, setAdding, insert, pasteInto } = useBuilder()
  const isOpen = adding !== null && adding.index === slot.index && isSamePath(adding.list, slot.list)
  const isFull = !hasRoom(draft.steps, slot)
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
        {stepTypes.map(type => {
          const { icon: Icon, name, purpose } = viewOf({ type })
          return (
            <Menu.Item
              key={type}
              leftSection={<Icon size={16} />}
              onClick={() => insert(slot, newStep(type, draft.steps))}
            >
              <span className="w5">{name}</span>
              <span className={`${classes.purpose} sm`}>{purpose}</span>
            </Menu.Item>
          )
        })}
        <Menu.Divider />
        <Menu.Item leftSection={<ClipboardPaste size={16} />} onClick={() => void pasteInto(slot)}>
          <span className="w5">Paste step</span>
          <span className={`${classes.purpose} sm`}>The JSON of a step, for example from an import</span>
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  )
}
