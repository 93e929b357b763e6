import { createSafeContext } from '@mantine/core'
import { type ReactNode, useCallback, useRef } from 'react'
import { useShortcut } from './shortcuts.tsx'
import { toastDone, toastProblem, toastUndo, undoMs } from './toasts.tsx'

type Undoable = {
  /** The toast's title: “Action “Create a refund” deleted”. */
  readonly done: string
  /** The title after undoing: “Action “Create a refund” is back”. */
  readonly undone: string
  readonly undo: () => Promise<unknown>
  /** The id of the changed thing. A later step of the same thing replaces this step and its toast. */
  readonly of?: string
  /** Whether ⌘Z undoes it too, as it does by default. */
  readonly hasKeys?: boolean
  /** Milliseconds for which it can be undone; ten seconds by default. */
  readonly forMs?: number
}

type Step = {
  readonly of: string | undefined
  readonly run: () => void
  readonly close: () => void
  readonly hasKeys: boolean
  /** Milliseconds since 1970. */
  readonly until: number
}

/** `useUndo` returns a function that shows what was done and offers to undo it. */
export const [UndoContext, useUndo] = createSafeContext<(step: Undoable) => void>('There is no UndoProvider.')

/** Keeps the steps that can be undone, each as long as its toast stays; ⌘Z undoes the newest. */
export function UndoProvider({ children }: { readonly children: ReactNode }) {
  const steps = useRef<Step[]>([])

  const offer = useCallback((step: Undoable) => {
    if (step.of !== undefined) {
      for (const before of steps.current) if (before.of === step.of) before.close()
      steps.current = steps.current.filter(before => before.of !== step.of)
    }
    let isUsed = false
    const run = () => {
      // The button outlives its toast for a moment and can be pressed twice.
      if (isUsed) return
      isUsed = true
      steps.current = steps.current.filter(entry => entry !== entryOfStep)
      close()
      step.undo().then(
        () => toastDone(step.undone),
        error => toastProblem('Undo failed', error, () => offer(step)),
      )
    }
    const forMs = step.forMs ?? undoMs
    const { hasKeys = true } = step
    const close = toastUndo(step.done, run, { forMs, hasKeys })
    const entryOfStep = { of: step.of, run, close, hasKeys, until: Date.now() + forMs }
    steps.current.push(entryOfStep)
  }, [])

  useShortcut({ keys: 'mod+z', label: 'Undo the last change', group: 'Everywhere' }, () => {
    steps.current = steps.current.filter(({ until }) => until > Date.now())
    steps.current.findLast(({ hasKeys }) => hasKeys)?.run()
  })
  return <UndoContext value={offer}>{children}</UndoContext>
}
