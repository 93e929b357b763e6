import { Button } from '@mantine/core'
import type { ReactNode } from 'react'
import { useTransientFocus } from '../focus.ts'
import { KeyButton } from '../keys.tsx'
import { Dot } from '../pill.tsx'
import { useWriting } from '../read-only.ts'
import { useShortcut } from '../shortcuts.tsx'
import classes from './save-bar.module.css'

/**
 * The bar below a form with changes: saves or discards them.
 *
 * @param props.what “Unsaved: port 8787 → 8790”, or the number of fields.
 */
export function SaveBar(props: {
  readonly what: ReactNode
  readonly note?: ReactNode
  readonly saveLabel?: string | undefined
  readonly saving: boolean
  /** Whether to save is unusual: its button is not the primary one. */
  readonly isRisky?: boolean
  /** Whether to save makes something less safe: its button is red. */
  readonly isDanger?: boolean
  readonly onSave: () => void
  readonly onDiscard: () => void
}) {
  const {
    what,
    note,
    saveLabel = 'Save',
    saving,
    isRisky = false,
    isDanger = false,
    onSave,
    onDiscard,
  } = props
  useShortcut({ keys: 'mod+s', label: saveLabel, group: 'This screen' }, onSave, !saving)
  const transient = useTransientFocus(saving)
  const writing = useWriting()
  return (
    <div className={classes.bar} role="status" data-save-bar {...transient}>
      <Dot tone="warn" />
      <span className={classes.text}>
        <span className="w5 cut">{what}</span>
        {note !== undefined && <span className="t3 cut">{note}</span>}
      </span>
      <Button variant="subtle" size="md" onClick={onDiscard} disabled={saving}>
        Discard
      </Button>
      <KeyButton
        variant={isRisky ? 'default' : 'filled'}
        {...(isDanger && { color: 'red' })}
        size="md"
        keys="mod+s"
        onClick={onSave}
        loading={saving}
        {...writing}
      >
        {saveLabel}
      </KeyButton>
    </div>
  )
}
