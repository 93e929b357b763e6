import {
  ArrowUpRight,
  Bell,
  CircleStop,
  Clock,
  GitBranch,
  Globe,
  type LucideIcon,
  Repeat,
} from 'lucide-react'
import type { StepType } from '#shared/workflows/steps/kinds.ts'

const icons: Readonly<Record<StepType, LucideIcon>> = {
  action: ArrowUpRight,
  http: Globe,
  branch: GitBranch,
  each: Repeat,
  wait: Clock,
  notify: Bell,
  stop: CircleStop,
}

/** The sign of a type of step. */
export function StepIcon({ type }: { readonly type: StepType }) {
  const Icon = icons[type]
  return <Icon size={16} />
}
