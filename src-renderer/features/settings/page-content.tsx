import type { ReactNode } from 'react'
import classes from './settings-page.module.css'

/** The scrolling part of a settings page, above its save bar. */
export function PageContent({ children }: { readonly children: ReactNode }) {
  return (
    <div className={classes.content} data-scroll-room>
      {children}
    </div>
  )
}
