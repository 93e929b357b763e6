import { useCallback, useEffect, useRef } from 'react'

/**
 * Whether the calling component is still there: what answers late takes nobody away from where they went
 * meanwhile.
 */
export function useIsHere(): () => boolean {
  const isHere = useRef(false)
  useEffect(() => {
    isHere.current = true
    return () => {
      isHere.current = false
    }
  }, [])
  return useCallback(() => isHere.current, [])
}
