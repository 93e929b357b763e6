import { Button, Collapse } from '@mantine/core'
import { ChevronRight } from 'lucide-react'
import { type ReactNode, useId, useRef, useState } from 'react'
import { flushSync } from 'react-dom'
import classes from './disclosure.module.css'

/** A button that shows and hides fields that are rarely changed. Opening it scrolls them into view. */
export function Disclosure(props: {
  readonly label: string
  /** The contents of the hidden fields, in short. */
  readonly summary?: ReactNode
  /** Whether the fields are shown whatever the button says, such as for an error in them. */
  readonly isForced?: boolean
  readonly children: ReactNode
}) {
  const { label, summary, isForced = false, children } = props
  const [isOpen, setIsOpen] = useState(false)
  const id = useId()
  const part = useRef<HTMLDivElement>(null)
  const expanded = isOpen || isForced
  function toggle(): void {
    flushSync(() => setIsOpen(!expanded))
    if (!expanded) part.current?.scrollIntoView({ block: 'nearest' })
  }
  return (
    <div ref={part} className={classes.part}>
      <Button
        variant="subtle"
        size="xs"
        className={classes.button}
        aria-expanded={expanded}
        aria-controls={id}
        leftSection={<ChevronRight data-open={expanded || undefined} />}
        onClick={toggle}
      >
        {label}
        {!expanded && summary !== undefined && <span className={`${classes.summary} cut`}>{summary}</span>}
      </Button>
      <Collapse expanded={expanded} id={id} transitionDuration={0}>
        <div className={classes.fields}>{children}</div>
      </Collapse>
    </div>
  )
}
