import { CircleX } from 'lucide-react'
import type { ReactNode } from 'react'
import classes from './dialogs.module.css'

/** What is wrong with a field, in place of its help. */
export function FieldError({ children }: { readonly children: ReactNode }) {
  return (
    <span className={classes.error}>
      <CircleX size={14} aria-hidden="true" />
      <span>{children}</span>
    </span>
  )
}
