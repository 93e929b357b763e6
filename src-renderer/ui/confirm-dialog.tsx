import { Button } from '@mantine/core'
import { modals } from '@mantine/modals'
import type { ReactNode } from 'react'
import classes from './dialog.module.css'
import { useReturnFocus } from './focus.ts'
import { WriteButton } from './write-button.tsx'

/** Opens a dialog with its own buttons. Closing it restores the focus. @returns a function that closes it. */
export function openDialog(question: Parameters<typeof modals.open>[0]): () => void {
  const id = modals.open({ ...question, children: <Content>{question.children}</Content> })
  return () => modals.close(id)
}

/** Asks before something is lost. Closing restores the focus, which Mantine does only the first time. */
export function confirmDialog(question: {
  readonly title: string
  readonly children: ReactNode
  /** The label of the red button. */
  readonly confirm: string
  readonly onConfirm: () => void
  /** “Cancel” if omitted. */
  readonly cancel?: string
  /** Called after it was closed, also after `onConfirm`. */
  readonly onClose?: () => void
}): void {
  const { title, children, confirm, cancel = 'Cancel', onConfirm, onClose } = question
  const close = openDialog({
    title,
    ...(onClose && { onClose }),
    children: (
      <div className={classes.form}>
        <div>{children}</div>
        <div className={classes.foot}>
          {/* A dialog would give the focus to its Close button. */}
          <Button data-autofocus onClick={() => close()}>
            {cancel}
          </Button>
          <WriteButton
            color="red"
            variant="filled"
            onClick={() => {
              onConfirm()
              close()
            }}
          >
            {confirm}
          </WriteButton>
        </div>
      </div>
    ),
  })
}

function Content({ children }: { readonly children?: ReactNode }) {
  useReturnFocus()
  return children
}
