import { modals } from '@mantine/modals'
import type { ReactNode } from 'react'
import { useReturnFocus } from './focus.ts'

const focusFirst = { 'data-autofocus': true }

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
  const { children, confirm, cancel = 'Cancel', ...rest } = question
  modals.openConfirmModal({
    ...rest,
    children: <Content>{children}</Content>,
    labels: { confirm, cancel },
    // A dialog would give the focus to its Close button.
    cancelProps: focusFirst,
    confirmProps: { color: 'red', variant: 'filled' },
  })
}

function Content({ children }: { readonly children?: ReactNode }) {
  useReturnFocus()
  return children
}
