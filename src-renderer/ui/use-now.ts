import { useEffect, useState } from 'react'

/** The time now in milliseconds since 1970, told again every so many milliseconds, for relative times. */
export function useNow(everyMs = 1000): number {
  const [now, setNow] = useState(Date.now)
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), everyMs)
    return () => clearInterval(timer)
  }, [everyMs])
  return now
}
