import { ArrowDownLeft, ArrowUpRight, Bell, CircleX, type LucideIcon, TriangleAlert } from 'lucide-react'
import type { ListedOccurrence } from '#shared/model/activity.ts'
import { runLabel } from '../../entities/run/run-labels.ts'
import { rejectionTitle } from '../../entities/snippet/explanations.ts'
import { notificationRow } from '../activity/rows.ts'
import type { Entry } from './entry.tsx'
import { excerptLabel } from './excerpt-labels.ts'

type Labels = Pick<Entry, 'group' | 'text' | 'mono'> & {
  readonly icon: LucideIcon
  /** The item in the address of its connection's activity. */
  readonly itemId: string
  /** The run that it comes from; null if there is none. */
  readonly runId: string | null
  readonly fact: string | null
}

/** Returns the words of something that happened, and what opens. */
export function labelsOf(item: ListedOccurrence): Labels {
  switch (item.type) {
    case 'event.accepted':
    case 'event.repeated':
    case 'event.replayed':
      return {
        itemId: item.eventId,
        runId: null,
        group: 'Received events',
        icon: ArrowDownLeft,
        text: item.eventName,
        mono: true,
        fact: item.excerpt === undefined ? item.subject : excerptLabel(item.excerpt, item.eventName),
      }
    case 'event.rejected':
      return {
        itemId: item.attemptId ?? item.id,
        runId: null,
        group: 'Activity',
        icon: CircleX,
        text: rejectionTitle(item.code, item.diagnosis?.code ?? null),
        fact: 'Rejected',
      }
    case 'call.finished':
      return {
        itemId: item.callId,
        runId: item.step?.runId ?? null,
        group: 'Activity',
        icon: ArrowUpRight,
        text: item.toolName,
        mono: true,
        fact: item.status === null ? item.code : String(item.status),
      }
    case 'call.refused':
      return {
        itemId: item.refusalId,
        runId: null,
        group: 'Activity',
        icon: CircleX,
        text: item.toolName,
        mono: true,
        fact: item.code,
      }
    case 'alert.opened':
    case 'alert.closed':
      return {
        itemId: item.id,
        runId: null,
        group: 'Activity',
        icon: TriangleAlert,
        text: item.message,
        fact: item.type === 'alert.opened' ? 'Alert' : 'Alert over',
      }
    case 'workflow.notified':
      return {
        itemId: item.id,
        runId: item.runId,
        group: 'Activity',
        icon: Bell,
        text: notificationRow(item).title,
        fact: 'Message of a workflow',
      }
    case 'run.failed': {
      const why = runLabel({ status: 'failed', error: { code: item.code, message: '' } })
      return {
        itemId: item.id,
        runId: item.runId,
        group: 'Activity',
        icon: CircleX,
        text: item.workflowName,
        fact: [why, item.subject ?? item.event.eventName].join(' · '),
      }
    }
  }
}
