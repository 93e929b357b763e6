import { type ReactNode, useId } from 'react'
import classes from './section.module.css'

/** A part of a settings page: what it is about, and its rows. */
export function Section(props: {
  readonly title: string
  readonly intro?: ReactNode
  readonly action?: ReactNode
  readonly children: ReactNode
}) {
  const id = useId()
  return (
    <section className={classes.section} aria-labelledby={id}>
      <div className={classes.head}>
        <div className="grow">
          <h2 id={id} className="h2">
            {props.title}
          </h2>
          {props.intro !== undefined && <p className="t2">{props.intro}</p>}
        </div>
        {props.action}
      </div>
      {props.children}
    </section>
  )
}

/** A row: its name on the left, its field and what to know on the right. */
export function FormRow(props: {
  readonly label: string
  /** The id of the field it names. */
  readonly field?: string
  readonly below?: ReactNode
  readonly help?: ReactNode
  readonly children: ReactNode
}) {
  return (
    <div className={classes.row}>
      <div className={classes.label}>
        {props.field === undefined ? (
          <span className="w5">{props.label}</span>
        ) : (
          <label className="w5" htmlFor={props.field}>
            {props.label}
          </label>
        )}
        {props.below !== undefined && <div className="sm t3">{props.below}</div>}
      </div>
      <div className="col" style={{ gap: 4 }}>
        {props.children}
        {props.help !== undefined && <p className="sm t3">{props.help}</p>}
      </div>
    </div>
  )
}
