import { Button } from '@mantine/core'
import type { ReactNode } from 'react'
import { useTransientFocus } from './focus.ts'
import { Keys } from './keys.tsx'
import { Dot } from './pill.tsx'
import classes from './save-bar.module.css'
import { useShortcut } from './shortcuts.tsx'

/**
 * Below a form with changes: what is unsaved, and the two ways out.
 *
 * @param props.what “Unsaved: port 8787 → 8790”, or how many fields.
 */
export function SaveBar(props: {
  readonly what: ReactNode
  readonly note?: ReactNode
  readonly saveLabel?: string
  readonly saving: boolean
  readonly onSave: () => void
  readonly onDiscard: () => void
}) {
  const { what, note, saveLabel = 'Save', saving, onSave, onDiscard } = props
  useShortcut({ keys: 'mod+s', label: saveLabel, group: 'This screen' }, onSave, { enabled: !saving })
  const passing = useTransientFocus(saving)
  return (
    <div className={classes.bar} role="status" data-save-bar {...passing}>
      <Dot tone="warn" />
      <span className="w5 cut">{what}</span>
      {note !== undefined && <span className="t3 cut">{note}</span>}
      <span className="push" />
      <Button variant="subtle" size="md" onClick={onDiscard} disabled={saving}>
        Discard
      </Button>
      <Button
        variant="filled"
        size="md"
        onClick={onSave}
        loading={saving}
        rightSection={<Keys keys="mod+s" />}
      >
        {saveLabel}
      </Button>
    </div>
  )
}
