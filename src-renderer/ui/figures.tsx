import type { ReactNode } from 'react'
import classes from './figures.module.css'

/** Four figures side by side. */
export function Figures({ label, children }: { readonly label: string; readonly children: ReactNode }) {
  return (
    <section className={classes.figures} aria-label={label}>
      {children}
    </section>
  )
}

/** One of them, with a caption above it and a remark below. */
export function Figure(props: {
  readonly caption: string
  readonly value: ReactNode
  readonly children?: ReactNode
}) {
  return (
    <div className={classes.figure}>
      <span className="xs t3 w5">{props.caption}</span>
      <span className={classes.value}>{props.value}</span>
      <span className={`sm t3 ${classes.remark}`}>{props.children}</span>
    </div>
  )
}
