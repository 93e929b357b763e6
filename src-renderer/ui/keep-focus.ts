import { useEffect } from 'react'
import { type FocusPath, focusPath, restoreFocus } from './focus.ts'

/**
 * Keeps the focus in the page: when the focused element is removed or disabled, the focus would fall to the body, and
 * Tab would begin at the top. Returns it to the element once it is enabled again, or else to the nearest one that is
 * left, or to `main`. A part of a screen that knows better moves it first.
 */
export function useKeptFocus(): void {
  useEffect(() => {
    /** The element that had the focus last, and its place. Null after a press elsewhere, which nobody needs undone. */
    let last: { readonly element: HTMLElement; readonly path: FocusPath } | null = null
    /** Whether the element was disabled while it had the focus. */
    let isBusy = false
    let timer: ReturnType<typeof setTimeout> | undefined

    function onFocus({ target }: FocusEvent): void {
      if (!(target instanceof HTMLElement) || target === document.body || isCover(target)) return
      last = { element: target, path: focusPath(target) }
      isBusy = false
    }
    function onPress({ target }: PointerEvent): void {
      if (!isCover(target)) last = null
    }
    function check(): void {
      if (last === null || document.activeElement !== document.body) return
      const { element, path } = last
      const isThere = element.isConnected && element.checkVisibility()
      if (!isThere) {
        restoreFocus(path)
        if (document.activeElement === document.body) document.querySelector('main')?.focus()
      } else if (isBusy && !element.matches(':disabled')) element.focus({ preventScroll: true })
    }
    const observer = new MutationObserver(() => {
      if (last === null) return
      // Browsers move the focus away only when they render next.
      if (last.element.matches(':disabled')) isBusy = true
      else if (document.activeElement !== document.body) return
      clearTimeout(timer)
      // After the effects of the screen that has changed.
      timer = setTimeout(check, 20)
    })
    observer.observe(document.body, {
      subtree: true,
      childList: true,
      attributeFilter: ['disabled', 'hidden', 'style'],
    })
    document.addEventListener('focusin', onFocus)
    document.addEventListener('pointerdown', onPress, true)
    return () => {
      observer.disconnect()
      clearTimeout(timer)
      document.removeEventListener('focusin', onFocus)
      document.removeEventListener('pointerdown', onPress, true)
    }
  }, [])
}

/** Whether an element is in the form that covers the page after a session. The page's focus is kept meanwhile. */
function isCover(target: EventTarget | null): boolean {
  return target instanceof Element && target.closest('[data-cover]') !== null
}
