import { Button } from '@mantine/core'
import type { ReactNode } from 'react'
import { useTransientFocus } from './focus.ts'
import { KeyButton } from './keys.tsx'
import { Dot } from './pill.tsx'
import classes from './save-bar.module.css'
import { useShortcut } from './shortcuts.tsx'

/**
 * The bar below a form with changes: saves or discards them.
 *
 * @param props.what “Unsaved: port 8787 → 8790”, or the number of fields.
 * @param props.elsewhere names the changes here whose fields were also saved elsewhere. Shown instead of the note.
 */
export function SaveBar(props: {
  readonly what: ReactNode
  readonly note?: ReactNode
  readonly elsewhere?: string | undefined
  readonly saveLabel?: string | undefined
  readonly saving: boolean
  readonly onSave: () => void
  readonly onDiscard: () => void
}) {
  const { what, note, elsewhere, saveLabel = 'Save', saving, onSave, onDiscard } = props
  useShortcut({ keys: 'mod+s', label: saveLabel, group: 'This screen' }, onSave, !saving)
  const transient = useTransientFocus(saving)
  return (
    <div className={classes.bar} role="status" data-save-bar {...transient}>
      <Dot tone="warn" />
      <span className={classes.text}>
        <span className="w5 cut">{what}</span>
        {elsewhere !== undefined && (
          <span className="warn">
            Also changed elsewhere: {elsewhere}. Save replaces that, Discard shows it.
          </span>
        )}
        {elsewhere === undefined && note !== undefined && <span className="t3 cut">{note}</span>}
      </span>
      <Button variant="subtle" size="md" onClick={onDiscard} disabled={saving}>
        Discard
      </Button>
      <KeyButton variant="filled" size="md" keys="mod+s" onClick={onSave} loading={saving}>
        {saveLabel}
      </KeyButton>
    </div>
  )
}
