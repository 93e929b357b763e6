import { modals } from '@mantine/modals'
import type { ReactNode } from 'react'
import { useReturnFocus } from './focus.ts'

type Question = Parameters<typeof modals.openConfirmModal>[0]

/**
 * Opens a dialog with buttons of its own, with the same care for the focus as `confirmDialog`.
 *
 * @returns takes the question back, as closing it does.
 */
export function openDialog(question: Parameters<typeof modals.open>[0]): () => void {
  const id = modals.open({ ...question, children: <Words>{question.children}</Words> })
  return () => modals.close(id)
}

/**
 * Asks before something is lost; afterwards the focus is where it was, which Mantine sees to only the first time.
 *
 * @returns takes the question back, as closing it does.
 */
export function confirmDialog(question: Question): () => void {
  const id = modals.openConfirmModal({ ...question, children: <Words>{question.children}</Words> })
  return () => modals.close(id)
}

function Words({ children }: { readonly children?: ReactNode }) {
  useReturnFocus()
  return children
}
