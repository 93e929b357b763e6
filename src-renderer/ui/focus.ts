import { useDidUpdate } from '@mantine/hooks'
import {
  type FocusEvent,
  type RefCallback,
  type RefObject,
  useCallback,
  useEffect,
  useRef,
  useState,
} from 'react'
import { isTyping } from './match-keys.ts'

/**
 * The element that had the focus and its ancestors up to the screen, innermost first. Empty if nothing had the focus.
 */
export type FocusPath = readonly Element[]

export function focusPath(element: Element | null): FocusPath {
  const place: Element[] = []
  for (let at = element; at !== null && !at.matches('main, body'); at = at.parentElement) place.push(at)
  return place
}

const reachable = 'a, button, input, textarea, [tabindex], [contenteditable]'

/**
 * If nothing has the focus, returns it to its former element, or else to the nearest one that can have it, or else to the
 * screen. In a text field that was not chosen, the shortcuts of letters would be typed, so it comes after the other
 * elements around it.
 */
export function restoreFocus(place: FocusPath): void {
  if (document.activeElement !== null && document.activeElement !== document.body) return
  const around = place.filter(element => element.isConnected)
  if (around[0] === place[0] && place[0] instanceof HTMLElement) place[0].focus({ preventScroll: true })
  if (document.activeElement === place[0]) return
  for (const part of around) {
    const all = [...part.querySelectorAll<HTMLElement>(reachable)].filter(
      element => element.tabIndex >= 0 && !element.matches(':disabled') && element.checkVisibility(),
    )
    const next = all.find(element => !isTyping(element)) ?? all[0]
    if (next !== undefined) {
      next.focus({ preventScroll: true })
      return
    }
  }
  // The screen was left meanwhile.
  document.querySelector('main')?.focus({ preventScroll: true })
}

/** Returns the focused element; for an item of a menu, which will close, the button that opened the menu. */
function focused(): Element | null {
  const menu = document.activeElement?.closest('[role="menu"]')
  return menu ? document.getElementById(menu.getAttribute('aria-labelledby') ?? '') : document.activeElement
}

/**
 * Restores the focus when a dialog unmounts, unless something else has it by then. Mantine does so only for dialogs that
 * stay mounted.
 */
export function useReturnFocus(): void {
  const [before] = useState(() => focusPath(focused()))
  useEffect(() => () => restoreFocus(before), [before])
}

/**
 * Returns the focus to where it came from when a focused part of a screen unmounts, such as a bar whose button was
 * pressed.
 *
 * @param isBusy whether its buttons are disabled, which makes them lose the focus.
 * @returns props for the part's element.
 */
export function useTransientFocus(isBusy = false) {
  /** Null while the focus is elsewhere. */
  const before = useRef<FocusPath | null>(null)
  useEffect(
    () => () => {
      if (before.current !== null) restoreFocus(before.current)
    },
    [],
  )
  useDidUpdate(() => {
    if (!isBusy && before.current !== null) restoreFocus(before.current)
  }, [isBusy])
  return {
    onFocus({ currentTarget, target, relatedTarget }: FocusEvent) {
      const from = relatedTarget instanceof Element ? relatedTarget : null
      if (currentTarget.contains(from)) return
      // Keyboard users continue in the screen if nothing had the focus before.
      const start = target.matches(':focus-visible') ? [...document.querySelectorAll('main')] : []
      before.current = from === null ? start : focusPath(from)
    },
    onBlur({ currentTarget, target, relatedTarget }: FocusEvent) {
      const to = relatedTarget instanceof Element ? relatedTarget : null
      if (!currentTarget.contains(to) && !target.matches(':disabled')) before.current = null
    },
  }
}

/** Calls `focus` when the focused row is removed. @param count of the rows. */
export function useFocusAfterRemoval(count: number, focus: () => void): void {
  const before = useRef(count)
  useEffect(() => {
    if (count < before.current && document.activeElement === document.body) focus()
    before.current = count
  })
}

/**
 * Returns a `ref` for an element that another one will replace, such as a plain field until its editor is loaded. Sets
 * `hadFocus` when the element unmounts, so that its successor can take over the focus.
 */
export function useNotedFocus(hadFocus: RefObject<boolean>): RefCallback<HTMLElement> {
  return useCallback(
    element => () => {
      hadFocus.current = document.activeElement === element
    },
    [hadFocus],
  )
}

/** Returns whether the calling component is still mounted, so that a late answer does not navigate away. */
export function useIsMounted(): () => boolean {
  const isMounted = useRef(false)
  useEffect(() => {
    isMounted.current = true
    return () => {
      isMounted.current = false
    }
  }, [])
  return useCallback(() => isMounted.current, [])
}

let isNextWanted = false

/** Lets the next thing to do have the focus, on the screen that is about to show what was just created. */
export function wantNext(): void {
  isNextWanted = true
}

/** A `ref` for the next thing to do after a creation. */
export function focusIfWanted(element: HTMLElement | null): void {
  if (element === null || !isNextWanted) return
  isNextWanted = false
  element.focus()
  // A button may be disabled until the effects of its screen have run.
  requestAnimationFrame(() => element.focus())
}

/** A `ref` that focuses an element when it is mounted. */
export const focusOnMount = (element: HTMLElement | null) => element?.focus()

/**
 * Calls `act` once the pressed mouse button is released, or at once. For what a field shows when it is left: were it shown
 * during the press, it could move what is pressed away from under the pointer, and no click would come of it.
 */
export function afterPress(act: () => void): void {
  if (document.querySelector(':active') === null) act()
  // The click follows in the same task.
  else addEventListener('mouseup', () => setTimeout(act), { once: true, capture: true })
}
