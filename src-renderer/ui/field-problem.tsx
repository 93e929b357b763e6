import { CircleX, TriangleAlert } from 'lucide-react'
import type { ReactNode } from 'react'
import classes from './field-problem.module.css'

/** Says what is wrong with a field. The field refers to the id in aria-describedby. */
export function Problem({ message, id }: { readonly message: string; readonly id?: string }) {
  return (
    <span id={id} className={classes.problem}>
      <CircleX />
      {message}
    </span>
  )
}

export function Warning({ children }: { readonly children: ReactNode }) {
  return (
    <p className={classes.warning}>
      <TriangleAlert />
      {children}
    </p>
  )
}
