import { useCallback, useEffect, useState, useSyncExternalStore } from 'react'
import { minuteMs } from '#shared/durations.ts'

/**
 * Returns the current time in milliseconds since 1970. It renders its component at each interval: one that changes each
 * second belongs in a component of its own, or in `useDerivedNow`.
 */
export function useNow(everyMs = minuteMs): number {
  const [now, setNow] = useState(Date.now)
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), everyMs)
    return () => clearInterval(timer)
  }, [everyMs])
  return now
}

/** Returns what a function makes of the current time. It looks each second, and renders only when that has changed. */
export function useDerivedNow<Value extends string | number | boolean | null>(
  derive: (now: number) => Value,
  everyMs = 1000,
): Value {
  const subscribe = useCallback(
    (changed: () => void) => {
      const timer = setInterval(changed, everyMs)
      return () => clearInterval(timer)
    },
    [everyMs],
  )
  return useSyncExternalStore(subscribe, () => derive(Date.now()))
}
