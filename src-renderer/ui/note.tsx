import { CircleCheck, CircleX, Info, TriangleAlert } from 'lucide-react'
import type { ReactNode } from 'react'
import classes from './note.module.css'

const icons = { mute: Info, warn: TriangleAlert, bad: CircleX, ok: CircleCheck }

/** A short text in a tinted box. */
export function Note(props: { readonly tone?: keyof typeof icons; readonly children: ReactNode }) {
  const { tone = 'mute', children } = props
  const Icon = icons[tone]
  return (
    <div className={classes.note} data-tone={tone} role={tone === 'bad' ? 'alert' : undefined}>
      <Icon />
      <div className="grow">{children}</div>
    </div>
  )
}
