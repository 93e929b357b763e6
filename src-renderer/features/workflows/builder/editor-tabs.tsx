import { SegmentedControl, Tabs } from '@mantine/core'
import { Redo2, Undo2 } from 'lucide-react'
import { formatNumber } from '../../../ui/format.ts'
import { IconButton } from '../../../ui/icon-button.tsx'
import { optionsOf } from '../../../ui/options-of.ts'
import classes from './builder.module.css'
import type { EditorTab } from './tabs.ts'

export type EditorLook = 'form' | 'json'

type EditorTabsProps = {
  readonly tab: EditorTab
  readonly onTab: (tab: EditorTab) => void
  readonly isNew: boolean
  /** How many runs it has; null while unknown. */
  readonly runs: number | null
  readonly look: EditorLook
  readonly onLook: (look: EditorLook) => void
  /** Whether the JSON cannot be read, and so not be shown as a form. */
  readonly isBroken: boolean
  readonly undo: (() => void) | null
  readonly redo: (() => void) | null
}

/** The tabs of the editor, with undo, redo and the choice of form or JSON. */
export function EditorTabs(props: EditorTabsProps) {
  const { tab, onTab, isNew, runs, look, onLook, isBroken, undo, redo } = props
  return (
    <div className={classes.tabs}>
      <Tabs value={tab} onChange={next => onTab(next === 'runs' || next === 'settings' ? next : 'builder')}>
        <Tabs.List>
          <Tabs.Tab value="builder">Builder</Tabs.Tab>
          {!isNew && (
            <Tabs.Tab
              value="runs"
              rightSection={
                runs === null ? undefined : <span className="xs t3 num">{formatNumber(runs)}</span>
              }
            >
              Runs
            </Tabs.Tab>
          )}
          <Tabs.Tab value="settings">Settings</Tabs.Tab>
        </Tabs.List>
      </Tabs>
      {tab === 'builder' && (
        <span className={classes.tabTools}>
          <IconButton icon={Undo2} size="xs" label="Undo" isOff={undo === null} onClick={() => undo?.()} />
          <IconButton icon={Redo2} size="xs" label="Redo" isOff={redo === null} onClick={() => redo?.()} />
          <SegmentedControl
            size="xs"
            aria-label="Edit as"
            disabled={isBroken}
            value={look}
            data={optionsOf({ form: 'Form', json: 'JSON' })}
            onChange={onLook}
          />
        </span>
      )}
    </div>
  )
}
