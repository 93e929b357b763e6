import { Loader } from '@mantine/core'
import { CircleCheck, CircleDashed, CircleMinus, CircleX, type LucideIcon } from 'lucide-react'
import classes from './cases.module.css'

type Mark = { readonly label: string; readonly icon: LucideIcon; readonly tone: 'ok' | 'bad' | 't3' }

const marks = {
  passed: { label: 'Passed', icon: CircleCheck, tone: 'ok' },
  failed: { label: 'Not passed', icon: CircleX, tone: 'bad' },
  old: { label: 'Old', icon: CircleMinus, tone: 't3' },
  waiting: { label: 'Not run yet', icon: CircleDashed, tone: 't3' },
  unknown: { label: 'Not kept', icon: CircleDashed, tone: 't3' },
} as const satisfies Readonly<Record<string, Mark>>

/** The icon of an outcome, with its word for screen readers. */
export function CaseMark(props: { readonly state: keyof typeof marks | 'running' }) {
  const { state } = props
  if (state === 'running')
    return (
      <span className={classes.mark} title="Running">
        <Loader size={14} aria-hidden="true" />
        <span className="sr">Running</span>
      </span>
    )
  const { label, icon: Icon, tone } = marks[state]
  return (
    <span className={`${classes.mark} ${tone}`} title={label}>
      <Icon />
      <span className="sr">{label}</span>
    </span>
  )
}
