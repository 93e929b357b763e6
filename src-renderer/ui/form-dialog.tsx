import { Button, Modal } from '@mantine/core'
import type { FormEvent, ReactNode } from 'react'
import classes from './dialog.module.css'
import { useReturnFocus } from './focus.ts'
import { KeyButton } from './keys.tsx'
import { useWriting } from './read-only.ts'
import { useShortcut } from './shortcuts.tsx'

/** Lets the first field have the focus, unless another one asks for it: a dialog would give it to its Close button. */
function markFirstField(form: HTMLFormElement | null): void {
  if (form === null || form.querySelector('[data-autofocus]') !== null) return
  const fields = [...form.querySelectorAll<HTMLElement>('input, select, textarea, button')]
  const first = fields.find(field => !field.matches(':disabled, [type="radio"]:not(:checked)'))
  first?.setAttribute('data-autofocus', '')
}

/** A dialog with fields or text, then Cancel and the button that submits it. */
export function FormDialog(props: {
  readonly title: string
  readonly size?: number
  readonly submitLabel: string
  /** The shortcut that submits. */
  readonly keys?: string
  readonly cancelLabel?: string
  readonly isDangerous?: boolean
  readonly isDisabled?: boolean
  readonly isBusy?: boolean
  /** False where Enter in a field must not submit. */
  readonly enterSubmits?: boolean
  /** Shown before the buttons. */
  readonly foot?: ReactNode
  readonly children: ReactNode
  readonly onSubmit: () => void
  readonly onClose: () => void
}) {
  useReturnFocus()
  const writing = useWriting()
  const { keys, enterSubmits = true, isDisabled = false, isBusy = false, onSubmit, onClose } = props
  const submit = () => !isDisabled && !isBusy && onSubmit()
  useShortcut({ keys: keys ?? '', label: props.submitLabel, group: 'Dialog' }, submit, keys !== undefined)
  function onFormSubmit(event: FormEvent): void {
    event.preventDefault()
    if (enterSubmits) submit()
  }
  return (
    <Modal opened onClose={onClose} title={props.title} size={props.size}>
      <form ref={markFirstField} className={classes.form} onSubmit={onFormSubmit} noValidate>
        {props.children}
        <div className={classes.foot}>
          {props.foot}
          <Button variant="subtle" size="md" onClick={onClose}>
            {props.cancelLabel ?? 'Cancel'}
          </Button>
          <KeyButton
            type={enterSubmits ? 'submit' : 'button'}
            variant="filled"
            color={props.isDangerous === true ? 'red' : undefined}
            size="md"
            disabled={isDisabled}
            loading={isBusy}
            keys={keys}
            onClick={enterSubmits ? undefined : onSubmit}
            {...writing}
          >
            {props.submitLabel}
          </KeyButton>
        </div>
      </form>
    </Modal>
  )
}
