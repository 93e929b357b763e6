import { createContext, type ReactNode, use, useCallback, useRef } from 'react'
import { useShortcut } from './shortcuts.tsx'
import { toastDone, toastProblem, toastUndo, undoMs } from './toasts.tsx'

type Undoable = {
  /** What was done: “Action “Create a refund” deleted”. */
  readonly done: string
  /** What it is called when it is back: “Action “Create a refund” is back”. */
  readonly undone: string
  readonly undo: () => Promise<unknown>
}

const UndoContext = createContext<((step: Undoable) => void) | null>(null)

/** Remembers the last steps that can be undone, each for as long as its toast stays; ⌘Z undoes the newest. */
export function UndoProvider({ children }: { readonly children: ReactNode }) {
  const steps = useRef<{ readonly run: () => void; readonly until: number }[]>([])

  const offer = useCallback((step: Undoable) => {
    let isUsed = false
    const run = () => {
      // The button is there a moment longer than its message, for a second press.
      if (isUsed) return
      isUsed = true
      steps.current = steps.current.filter(entry => entry !== entryOfStep)
      close()
      step.undo().then(
        () => toastDone(step.undone),
        error =>
          toastProblem('It could not be brought back', error, [
            { label: 'Try again', run: () => offer(step) },
          ]),
      )
    }
    const close = toastUndo(step.done, run)
    const entryOfStep = { run, until: Date.now() + undoMs }
    steps.current.push(entryOfStep)
  }, [])

  useShortcut({ keys: 'mod+z', label: 'Undo the last deletion', group: 'Everywhere' }, () => {
    steps.current = steps.current.filter(({ until }) => until > Date.now())
    steps.current.pop()?.run()
  })
  return <UndoContext value={offer}>{children}</UndoContext>
}

/** Says what was done and offers to undo it. */
export function useUndo(): (step: Undoable) => void {
  const offer = use(UndoContext)
  if (offer === null) throw new Error('This stands outside the UndoProvider.')
  return offer
}
