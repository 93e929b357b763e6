import { useDidUpdate } from '@mantine/hooks'
import { type FocusEvent, useEffect, useRef } from 'react'
import { type FocusPlace, giveBackFocus, placeOf } from './give-back-focus.ts'

/**
 * For a part of a screen that goes when something in it is pressed: if it has the focus then, the focus goes
 * back to where it came from.
 *
 * @param isBusy what is pressed cannot be pressed again meanwhile, and loses the focus.
 * @returns props for the part's element.
 */
export function usePassingFocus(isBusy = false) {
  /** Null while the focus is elsewhere. */
  const before = useRef<FocusPlace | null>(null)
  useEffect(
    () => () => {
      if (before.current !== null) giveBackFocus(before.current)
    },
    [],
  )
  useDidUpdate(() => {
    if (!isBusy && before.current !== null) giveBackFocus(before.current)
  }, [isBusy])
  return {
    onFocus({ currentTarget, target, relatedTarget }: FocusEvent) {
      const from = relatedTarget instanceof Element ? relatedTarget : null
      if (currentTarget.contains(from)) return
      // Who came by keyboard goes on by it, also from where nothing had the focus.
      const start = target.matches(':focus-visible') ? [...document.querySelectorAll('main')] : []
      before.current = from === null ? start : placeOf(from)
    },
    onBlur({ currentTarget, target, relatedTarget }: FocusEvent) {
      const to = relatedTarget instanceof Element ? relatedTarget : null
      if (!currentTarget.contains(to) && !target.matches(':disabled')) before.current = null
    },
  }
}
