import { type ReactNode, useEffect, useState } from 'react'

/** Shows its children after a while: what takes less than that is not worth a flicker (design: Loading). */
export function Late({ ms = 150, children }: { readonly ms?: number; readonly children: ReactNode }) {
  const [isDue, setIsDue] = useState(false)
  useEffect(() => {
    const timer = setTimeout(() => setIsDue(true), ms)
    return () => clearTimeout(timer)
  }, [ms])
  return isDue ? children : null
}
