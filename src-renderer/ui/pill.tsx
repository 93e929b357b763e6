import type { ReactNode } from 'react'
import classes from './pill.module.css'

export type Tone = 'ok' | 'warn' | 'bad' | 'mute' | 'off' | 'acc'

/** A state in words, with a dot of its colour. */
export function Pill({ tone, children }: { readonly tone: Tone; readonly children: ReactNode }) {
  return (
    <span className={classes.pill} data-tone={tone}>
      <Dot tone={tone} />
      {children}
    </span>
  )
}

/** @param live adds a ring: the state is in progress now. */
export function Dot({ tone, live = false }: { readonly tone: Tone; readonly live?: boolean }) {
  return <span className={classes.dot} data-tone={tone} data-live={live || undefined} aria-hidden="true" />
}
