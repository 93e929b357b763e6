import { Check } from 'lucide-react'
import type { ReactNode } from 'react'
import classes from './assistant.module.css'

/** The heading of one of the steps that connect a client. */
export function StepHead(props: {
  readonly number: number
  readonly title: string
  readonly isDone: boolean
  /** Beside the title. */
  readonly note?: ReactNode
  /** Buttons at the end. */
  readonly children?: ReactNode
}) {
  const { number, title, isDone, note, children } = props
  return (
    <div className={classes.sectionHead}>
      <span className={classes.step} data-done={isDone || undefined} aria-hidden="true">
        {isDone ? <Check size={12} strokeWidth={3} /> : number}
      </span>
      <h2 className="h3">
        <span className="sr">
          Step {number}
          {isDone && ', done'}:{' '}
        </span>
        {title}
      </h2>
      {note}
      <span className="push" />
      {children}
    </div>
  )
}
