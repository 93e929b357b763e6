import { type ReactNode, useEffect, useState } from 'react'

/** Shows its children after a delay, so that short waits do not flicker. */
export function Delayed(props: {
  readonly ms?: number
  /** Shown until then. */
  readonly before?: ReactNode
  readonly children: ReactNode
}) {
  const { ms = 150, before = null, children } = props
  const [isElapsed, setIsElapsed] = useState(false)
  useEffect(() => {
    const timer = setTimeout(() => setIsElapsed(true), ms)
    return () => clearTimeout(timer)
  }, [ms])
  return isElapsed ? children : before
}

/** Rows that stand for those that are being read. */
export function SkeletonRows(props: {
  readonly count: number
  readonly className: string | undefined
  readonly children: ReactNode
}) {
  const { count, className, children } = props
  return (
    <Delayed>
      <div aria-busy="true">
        {Array.from({ length: count }, (_, row) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: all are the same
          <div key={row} className={className}>
            {children}
          </div>
        ))}
      </div>
    </Delayed>
  )
}
