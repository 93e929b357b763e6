import { modals } from '@mantine/modals'
import type { ComponentProps } from 'react'
import { useReturnFocus } from './use-return-focus.ts'

type Question = Parameters<typeof modals.openConfirmModal>[0]

/**
 * Asks before something is lost; afterwards the focus is where it was, which Mantine sees to only the first time.
 *
 * @returns takes the question back, as closing it does.
 */
export function ask(question: Question): () => void {
  const id = modals.openConfirmModal({ ...question, children: <Words>{question.children}</Words> })
  return () => modals.close(id)
}

function Words({ children }: Pick<ComponentProps<'div'>, 'children'>) {
  useReturnFocus()
  return children
}
