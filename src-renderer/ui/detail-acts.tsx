import type { ComponentProps, ReactNode } from 'react'
import classes from './pane.module.css'
import { usePhone } from './use-narrow.ts'

/** Shows what can be done with an open item at the end of its bar. A phone has `PhoneActs` instead. */
export function DetailActs({ children }: { readonly children: ReactNode }) {
  return usePhone() ? null : children
}

/** Shows the same on a phone, in a bar above the foot. It is a child of the pane that scrolls, whose other children come before it. */
export function PhoneActs(props: Omit<ComponentProps<'div'>, 'className'>) {
  return usePhone() && <div className={classes.acts} {...props} />
}
