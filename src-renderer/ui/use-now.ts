import { useEffect, useState } from 'react'

/** Returns the current time in milliseconds since 1970, updated at an interval, for relative times. */
export function useNow(everyMs = 1000): number {
  const [now, setNow] = useState(Date.now)
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), everyMs)
    return () => clearInterval(timer)
  }, [everyMs])
  return now
}
