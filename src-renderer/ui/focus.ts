import { useDidUpdate } from '@mantine/hooks'
import { type FocusEvent, useCallback, useEffect, useRef, useState } from 'react'

/**
 * Where the focus was: an element and what it stands in, innermost first, less what every screen stands in: on
 * another screen there is nothing near to it. Empty where nothing had it.
 */
type FocusPath = readonly Element[]

function focusPath(element: Element | null): FocusPath {
  const place: Element[] = []
  for (let at = element; at !== null && !at.matches('main, body'); at = at.parentElement) place.push(at)
  return place
}

const reachable = 'a, button, input, textarea, [tabindex], [contenteditable]'

/** Gives the focus, where nothing has it, to what had it or, if that is gone, to what stands nearest to its place. */
function restoreFocus(place: FocusPath): void {
  if (document.activeElement !== null && document.activeElement !== document.body) return
  const around = place.filter(element => element.isConnected)
  if (around[0] === place[0] && place[0] instanceof HTMLElement) place[0].focus({ preventScroll: true })
  if (document.activeElement === place[0]) return
  for (const part of around) {
    const next = [...part.querySelectorAll<HTMLElement>(reachable)].find(
      element => element.tabIndex >= 0 && !element.matches(':disabled') && element.checkVisibility(),
    )
    if (next !== undefined) {
      next.focus({ preventScroll: true })
      return
    }
  }
}

/** What had the focus; of an item of a menu, which closes, the button that opened the menu. */
function focused(): Element | null {
  const menu = document.activeElement?.closest('[role="menu"]')
  return menu ? document.getElementById(menu.getAttribute('aria-labelledby') ?? '') : document.activeElement
}

/**
 * For a dialog that is there only while it is open: once it is gone, the focus is again where it was, unless
 * it has gone elsewhere meanwhile. Mantine gives it back only where the dialog itself stays.
 */
export function useReturnFocus(): void {
  const [before] = useState(() => focusPath(focused()))
  useEffect(() => () => restoreFocus(before), [before])
}

/**
 * For a part of a screen that goes when something in it is pressed: if it has the focus then, the focus goes
 * back to where it came from.
 *
 * @param isBusy what is pressed cannot be pressed again meanwhile, and loses the focus.
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
      // Who came by keyboard goes on by it, also from where nothing had the focus.
      const start = target.matches(':focus-visible') ? [...document.querySelectorAll('main')] : []
      before.current = from === null ? start : focusPath(from)
    },
    onBlur({ currentTarget, target, relatedTarget }: FocusEvent) {
      const to = relatedTarget instanceof Element ? relatedTarget : null
      if (!currentTarget.contains(to) && !target.matches(':disabled')) before.current = null
    },
  }
}

/**
 * Gives the focus a place when a row that had it is removed.
 *
 * @param count of the rows.
 * @param focus leads to what the rows stand in.
 */
export function useFocusAfterRemoval(count: number, focus: () => void): void {
  const before = useRef(count)
  useEffect(() => {
    if (count < before.current && document.activeElement === document.body) focus()
    before.current = count
  })
}

/**
 * Whether the calling component is still there: what answers late takes nobody away from where they went
 * meanwhile.
 */
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

/** A `ref` that takes the focus to an element as it comes into sight. */
export const focusOnMount = (element: HTMLElement | null) => element?.focus()
