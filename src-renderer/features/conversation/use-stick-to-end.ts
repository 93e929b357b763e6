import { type RefObject, useCallback, useEffect, useRef, useState } from 'react'

/** Within this many pixels of the end, a reader follows what is written. */
const nearEnd = 24

/**
 * Keeps the end of a growing text in view while the reader is there, and never scrolls otherwise.
 *
 * @param scroller the element that scrolls.
 * @param content the element in it that grows.
 * @param key scrolls to the end when it changes.
 */
export function useStickToEnd(
  scroller: RefObject<HTMLElement | null>,
  content: RefObject<HTMLElement | null>,
  key: string | null,
) {
  const sticks = useRef(true)
  const [isAtEnd, setIsAtEnd] = useState(true)

  const scrollToEnd = useCallback(() => {
    const element = scroller.current
    sticks.current = true
    if (element !== null) element.scrollTop = element.scrollHeight
  }, [scroller])

  // biome-ignore lint/correctness/useExhaustiveDependencies: a new key starts again from the end
  useEffect(() => {
    const element = scroller.current
    if (element === null || content.current === null) return
    const isNear = () => element.scrollHeight - element.scrollTop - element.clientHeight <= nearEnd
    const onScroll = () => {
      sticks.current = isNear()
      setIsAtEnd(sticks.current)
    }
    const onResize = () => {
      if (sticks.current) scrollToEnd()
      setIsAtEnd(isNear())
    }
    scrollToEnd()
    element.addEventListener('scroll', onScroll, { passive: true })
    const observer = new ResizeObserver(onResize)
    observer.observe(content.current)
    observer.observe(element)
    return () => {
      element.removeEventListener('scroll', onScroll)
      observer.disconnect()
    }
  }, [scroller, content, scrollToEnd, key])

  const stay = useCallback(() => {
    sticks.current = false
  }, [])
  return {
    isAtEnd,
    scrollToEnd,
    /** Keeps the present place although what is shown will grow, as when the reader opens a call. */
    stay,
  }
}
