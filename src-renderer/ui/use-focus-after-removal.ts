import { useEffect, useRef } from 'react'

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
