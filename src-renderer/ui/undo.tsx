import { createContext, type ReactNode, use, useCallback, useRef } from 'react'
import { useShortcut } from './shortcuts.tsx'
import { toastDone, toastProblem, toastUndo, undoMs } from './toasts.tsx'

type Undoable = {
  /** What was done: “Action “Create a refund” deleted”. */
  readonly done: string
  /** What it is called when it is back: “Action “Create a refund” is back”. */
  readonly undone: string
  readonly undo: () => Promise<unknown>
  /** Identifies what was changed: the next step of the same thing replaces this one, toast included. */
  readonly of?: string
  /** Milliseconds for which it can be undone; ten seconds unless given. */
  readonly forMs?: number
}

type Step = {
  readonly of: string | undefined
  readonly run: () => void
  readonly close: () => void
  /** Milliseconds since 1970. */
  readonly until: number
}

const UndoContext = createContext<((step: Undoable) => void) | null>(null)

/** Remembers the last steps that can be undone, each for as long as its toast stays; ⌘Z undoes the newest. */
export function UndoProvider({ children }: { readonly children: ReactNode }) {
  const steps = useRef<Step[]>([])

  const offer = useCallback((step: Undoable) => {
    if (step.of !== undefined) {
      for (const before of steps.current) if (before.of === step.of) before.close()
      steps.current = steps.current.filter(before => before.of !== step.of)
    }
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
          toastProblem('It could not be undone', error, [{ label: 'Try again', run: () => offer(step) }]),
      )
    }
    const forMs = step.forMs ?? undoMs
    const close = toastUndo(step.done, run, forMs)
    const entryOfStep = { of: step.of, run, close, until: Date.now() + forMs }
    steps.current.push(entryOfStep)
  }, [])

  useShortcut({ keys: 'mod+z', label: 'Undo the last change', group: 'Everywhere' }, () => {
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
