import { ChevronDown, ChevronRight } from 'lucide-react'
import { type ReactNode, useId } from 'react'
import classes from './call.module.css'

/** An event of a conversation in one line, which opens to its details. */
export function Line(props: {
  /** Identifies it in the list of open ones. */
  readonly id: string
  readonly label: string
  readonly head: ReactNode
  /** The outcome, at the end of the line. */
  readonly end: ReactNode
  readonly isOpen: boolean
  readonly onToggle: (id: string) => void
  /** The details, which are made only if it is open. */
  readonly children: () => ReactNode
}) {
  const { id, label, head, end, isOpen, onToggle, children } = props
  const bodyId = useId()
  const Chevron = isOpen ? ChevronDown : ChevronRight
  return (
    <article className={classes.call} aria-label={label}>
      <button
        type="button"
        className={classes.head}
        aria-expanded={isOpen}
        aria-controls={isOpen ? bodyId : undefined}
        data-call={id}
        onClick={() => onToggle(id)}
      >
        <Chevron size={12} />
        {head}
        <span className={classes.end}>{end}</span>
      </button>
      {isOpen && (
        <div id={bodyId} className={classes.body}>
          {children()}
        </div>
      )}
    </article>
  )
}

/** Says that something runs. */
export function Running({ children }: { readonly children: ReactNode }) {
  return (
    <span className="row sm t3">
      <i className={classes.spinner} aria-hidden="true" />
      {children}
    </span>
  )
}
