import { Play, SlidersHorizontal } from 'lucide-react'
import type { Workflow } from '#shared/model/workflow.ts'
import { focusIfWanted } from '../../../ui/focus.ts'
import { deleteEntry, MoreMenu } from '../../../ui/more-menu.tsx'
import { Top, TopSwitch } from '../../../ui/page.tsx'
import { WriteButton } from '../../../ui/write-button.tsx'
import { useWorkflowEntries } from '../use-update-workflow.ts'
import classes from './builder.module.css'
import { workflowCrumbs } from './crumbs.tsx'

type EditorTopProps = {
  /** Null for a new workflow. */
  readonly saved: Workflow | null
  readonly name: string
  readonly isSaved: boolean
  readonly isEnabled: boolean
  readonly onToggle: () => void
  readonly runLabel: string
  readonly isBusy: boolean
  readonly onRun: () => void
  /** Whether the shortcut runs a test, and not something of the shown tab. */
  readonly hasKeys: boolean
  readonly onSettings: () => void
  readonly onDelete: () => void
}

/** The title of the editor, with the switch, the test button and the menu of less frequent actions. */
export function EditorTop(props: EditorTopProps) {
  const {
    saved,
    name,
    isSaved,
    isEnabled,
    onToggle,
    runLabel,
    isBusy,
    onRun,
    hasKeys,
    onSettings,
    onDelete,
  } = props
  const workflowEntries = useWorkflowEntries()
  return (
    <Top
      ruled={false}
      crumbs={workflowCrumbs}
      title={name.trim() === '' ? 'New workflow' : name}
      actions={
        <>
          {isSaved && <span className={`${classes.saved} sm t3`}>Saved</span>}
          <TopSwitch label="Enabled" isOn={isEnabled} onChange={onToggle} />
          <WriteButton
            ref={focusIfWanted}
            variant="filled"
            icon={Play}
            keys={hasKeys && 'mod+enter'}
            loading={isBusy}
            onClick={onRun}
          >
            {runLabel}
          </WriteButton>
          {saved !== null && (
            <MoreMenu
              name={saved.name}
              width={220}
              entries={[
                { icon: SlidersHorizontal, label: 'Settings', also: 'workflow', run: onSettings },
                ...workflowEntries(saved),
                deleteEntry(onDelete),
              ]}
            />
          )}
        </>
      }
    />
  )
}
