import {
  CircleCheck,
  CircleDashed,
  CircleEllipsis,
  CircleMinus,
  CircleX,
  Clock,
  LoaderCircle,
  type LucideIcon,
} from 'lucide-react'
import { type Status, statusLabels } from './run-labels.ts'

const shapes: Readonly<Record<Status, readonly [icon: LucideIcon, color: string]>> = {
  queued: [CircleEllipsis, 't3'],
  running: [LoaderCircle, 'acc'],
  waiting: [Clock, 'warn'],
  succeeded: [CircleCheck, 'ok'],
  failed: [CircleX, 'bad'],
  cancelled: [CircleMinus, 't3'],
  skipped: [CircleMinus, 't3'],
  ahead: [CircleDashed, 't3'],
}

/** The class of the colour of a status in words. */
export const statusColor = (status: Status): string =>
  status === 'succeeded' ? 't2' : (shapes[status][1] ?? 't2')

/** Shows the status of a run or a step as a shape. The word is for screen readers, unless it is visible beside it. */
export function StatusIcon(props: { readonly status: Status; readonly isNamed?: boolean }) {
  const { status, isNamed = false } = props
  const [Icon, color] = shapes[status]
  return (
    <>
      <Icon size={16} className={color} aria-hidden="true" />
      {!isNamed && <span className="sr">{statusLabels[status]}</span>}
    </>
  )
}
