import { Play } from 'lucide-react'
import type { Workflow } from '#shared/model/workflow.ts'
import { KeyButton } from '../../../ui/keys.tsx'
import { Top, TopSwitch } from '../../../ui/page.tsx'
import classes from './builder.module.css'
import { workflowCrumbs } from './crumbs.tsx'
import { EditorMenu } from './editor-menu.tsx'

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
  readonly onSettings: () => void
  readonly onDelete: () => void
}

/** The title of the editor, with the switch, the test button and the menu. */
export function EditorTop(props: EditorTopProps) {
  const { saved, name, isSaved, isEnabled, onToggle, runLabel, isBusy, onRun, onSettings, onDelete } = props
  return (
    <Top
      ruled={false}
      crumbs={workflowCrumbs}
      title={name.trim() === '' ? 'New workflow' : name}
      actions={
        <>
          {isSaved && <span className={`${classes.saved} sm t3`}>Saved</span>}
          <TopSwitch label="Enabled" isOn={isEnabled} onChange={onToggle} />
          <KeyButton variant="filled" icon={Play} keys="mod+enter" loading={isBusy} onClick={onRun}>
            {runLabel}
          </KeyButton>
          {saved !== null && <EditorMenu saved={saved} onSettings={onSettings} onDelete={onDelete} />}
        </>
      }
    />
  )
}
