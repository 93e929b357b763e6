import { useBlocker } from '@tanstack/react-router'
import { ask } from './ask.tsx'

/**
 * Asks before what was typed and not saved is lost, by leaving the screen or by closing the window.
 *
 * @param what is unsaved, for the question: “the action Create a refund”.
 */
export function useUnsavedGuard(isDirty: boolean, what: string): void {
  useBlocker({
    disabled: !isDirty,
    enableBeforeUnload: isDirty,
    shouldBlockFn: () =>
      new Promise<boolean>(resolve => {
        ask({
          title: 'Leave without saving?',
          children: `What you changed in ${what} is not saved.`,
          labels: { confirm: 'Discard changes', cancel: 'Keep editing' },
          confirmProps: { color: 'red', variant: 'filled' },
          cancelProps: { 'data-autofocus': true },
          onConfirm: () => resolve(false),
          // However the question is closed; after a confirmation it is answered already.
          onClose: () => resolve(true),
        })
      }),
  })
}
