import { SegmentedControl, Tabs } from '@mantine/core'
import { useNavigate } from '@tanstack/react-router'
import { Redo2, Undo2 } from 'lucide-react'
import { formatNumber } from '../../../ui/format.ts'
import { IconButton } from '../../../ui/icon-button.tsx'
import { optionsOf } from '../../../ui/options-of.ts'
import classes from './builder.module.css'

export type EditorTab = 'builder' | 'settings'
export type EditorLook = 'form' | 'json'

type EditorTabsProps = {
  readonly tab: EditorTab
  readonly onTab: (tab: EditorTab) => void
  /** The id of the workflow whose runs a tab leads to; null for a new one. */
  readonly runsOf: string | null
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
  const { tab, onTab, runsOf, runs, look, onLook, isBroken, undo, redo } = props
  const navigate = useNavigate()
  return (
    <div className={classes.tabs}>
      <Tabs
        value={tab}
        onChange={next => {
          if (next === 'runs')
            void navigate({ to: '/workflows/runs', search: { workflow: runsOf ?? undefined } })
          else onTab(next === 'settings' ? 'settings' : 'builder')
        }}
      >
        <Tabs.List>
          <Tabs.Tab value="builder">Builder</Tabs.Tab>
          {runsOf !== null && (
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
