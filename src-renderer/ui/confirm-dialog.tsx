import { modals } from '@mantine/modals'
import type { ReactNode } from 'react'
import { useReturnFocus } from './focus.ts'

/**
 * Opens a dialog with buttons of its own, with the same care for the focus as `confirmDialog`.
 *
 * @returns takes the question back, as closing it does.
 */
export function openDialog(question: Parameters<typeof modals.open>[0]): () => void {
  const id = modals.open({ ...question, children: <Words>{question.children}</Words> })
  return () => modals.close(id)
}

/** Asks before something is lost; afterwards the focus is where it was, which Mantine sees to only the first time. */
export function confirmDialog(question: {
  readonly title: string
  readonly children: ReactNode
  /** What the red button says. */
  readonly confirm: string
  readonly onConfirm: () => void
}): void {
  const { children, confirm, ...rest } = question
  modals.openConfirmModal({
    ...rest,
    children: <Words>{children}</Words>,
    labels: { confirm, cancel: 'Cancel' },
    confirmProps: { color: 'red', variant: 'filled' },
  })
}

function Words({ children }: { readonly children?: ReactNode }) {
  useReturnFocus()
  return children
}
