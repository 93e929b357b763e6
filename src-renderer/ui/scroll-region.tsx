import type { ReactNode } from 'react'

/** A part that scrolls by itself and has nothing to focus, so that the arrow keys reach all of it. */
export function ScrollRegion(props: {
  readonly label: string
  readonly className?: string | undefined
  readonly children: ReactNode
}) {
  const { label, className, children } = props
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable element must be reachable by keyboard
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is of a form
    <div role="group" aria-label={label} className={className} tabIndex={0}>
      {children}
    </div>
  )
}
