import { type ReactNode, useEffect, useState } from 'react'

/** Shows its children after a while: what takes less than that is not worth a flicker (design: Loading). */
export function Delayed(props: {
  readonly ms?: number
  /** What is shown until then. */
  readonly before?: ReactNode
  readonly children: ReactNode
}) {
  const { ms = 150, before = null, children } = props
  const [isElapsed, setIsDue] = useState(false)
  useEffect(() => {
    const timer = setTimeout(() => setIsDue(true), ms)
    return () => clearTimeout(timer)
  }, [ms])
  return isElapsed ? children : before
}
