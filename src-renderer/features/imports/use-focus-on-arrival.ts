import { type RefObject, useEffect, useRef } from 'react'

/** Takes the focus to a step when it comes into sight: what had it before is gone. */
export function useFocusOnArrival(): RefObject<HTMLElement | null> {
  const element = useRef<HTMLElement>(null)
  useEffect(() => element.current?.focus(), [])
  return element
}
