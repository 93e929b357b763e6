import { useBlocker } from '@tanstack/react-router'
import { useRef } from 'react'
import { ask } from './ask.tsx'

/** A question that is open: how it is answered, and how it is taken back. */
type Asked = { answer: (stays: boolean) => void; readonly close: () => void }

/**
 * Asks before what was typed and not saved is lost, by leaving the screen or by closing the window.
 *
 * @param what is unsaved, for the question: “the action Create a refund”.
 */
export function useUnsavedGuard(isDirty: boolean, what: string): void {
  const asked = useRef<Asked | null>(null)

  function question(answer: Asked['answer']): void {
    const close = ask({
      title: 'Leave without saving?',
      children: `What you changed in ${what} is not saved.`,
      labels: { confirm: 'Discard changes', cancel: 'Keep editing' },
      confirmProps: { color: 'red', variant: 'filled' },
      cancelProps: { 'data-autofocus': true },
      onConfirm: () => asked.current?.answer(false),
      // However the question is closed; after a confirmation it is answered already.
      onClose() {
        asked.current?.answer(true)
        asked.current = null
      },
    })
    asked.current = { answer, close }
  }

  useBlocker({
    disabled: !isDirty,
    enableBeforeUnload: isDirty,
    shouldBlockFn: ({ current, next }) =>
      new Promise<boolean>(resolve => {
        if (asked.current === null) return question(resolve)
        // Gone back or forward once more while it is asked: the one question is about that now. The way before
        // is never answered, since either answer would move the history once more.
        asked.current.answer = resolve
        if (placeKey(current) !== placeKey(next)) return
        resolve(false)
        asked.current.close()
      }),
  })
}

function placeKey({ pathname, search }: { readonly pathname: string; readonly search: unknown }): string {
  return JSON.stringify([pathname, search])
}
