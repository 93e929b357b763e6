import { useNavigate } from '@tanstack/react-router'
import { ArrowDownLeft, ArrowUpRight, CircleX } from 'lucide-react'
import type { ListedOccurrence } from '#shared/model/activity.ts'
import { rejectionTitle } from '../../entities/snippet/explanations.ts'
import { formatMinute } from '../../ui/format.ts'
import type { Entry } from './entry.tsx'
import { excerptWords } from './excerpt-words.ts'

export type Content = Pick<Entry, 'group' | 'icon' | 'text' | 'mono' | 'detail' | 'run'>

/**
 * Returns a function that shows something that happened as an entry; null if no screen shows it.
 *
 * @param names those of the connections, by their ids.
 */
export function useItemContent(names: ReadonlyMap<string, string>) {
  const navigate = useNavigate()

  /** Returns a function that shows an item; null if no screen does. */
  function opener(found: ListedOccurrence, id: string): (() => void) | null {
    const { connectionId } = found
    const step = found.type === 'call.finished' ? found.step : null
    const to = '/connections/$connectionId/activity'
    if (connectionId !== null)
      return () => void navigate({ to, params: { connectionId }, search: { item: id } })
    if (step !== null) return () => void navigate({ to: '/workflows/runs', search: { run: step.runId } })
    // A request to an unknown URL.
    const section = 'listener'
    return found.type === 'event.rejected'
      ? () => void navigate({ to: '/settings/$section', params: { section } })
      : null
  }

  return (found: ListedOccurrence): Content | null => {
    const words = wordsOf(found)
    if (words === null) return null
    const { fact, itemId, ...content } = words
    const open = opener(found, itemId)
    if (open === null) return null
    const detail = [names.get(found.connectionId ?? ''), fact, formatMinute(found.at)]
    return { ...content, detail: detail.filter(Boolean).join(' · '), run: open }
  }
}

type Words = Pick<Entry, 'group' | 'icon' | 'text' | 'mono'> & {
  readonly itemId: string
  readonly fact: string | null
}

/** Returns the words of an item; null for one that has no id of its own. */
function wordsOf(item: ListedOccurrence): Words | null {
  switch (item.type) {
    case 'event.accepted':
    case 'event.repeated':
    case 'event.replayed':
      return {
        itemId: item.eventId,
        group: 'Received events',
        icon: <ArrowDownLeft size={16} />,
        text: item.eventName,
        mono: true,
        fact: item.excerpt === undefined ? item.subject : excerptWords(item.excerpt, item.eventName),
      }
    case 'event.rejected':
      return {
        itemId: item.attemptId ?? item.id,
        group: 'Activity',
        icon: <CircleX size={16} />,
        text: rejectionTitle(item.code, item.diagnosis?.code ?? null),
        fact: 'Rejected',
      }
    case 'call.finished':
      return {
        itemId: item.callId,
        group: 'Activity',
        icon: <ArrowUpRight size={16} />,
        text: item.toolName,
        mono: true,
        fact: item.status === null ? item.code : String(item.status),
      }
    case 'call.refused':
      return {
        itemId: item.refusalId,
        group: 'Activity',
        icon: <CircleX size={16} />,
        text: item.toolName,
        mono: true,
        fact: item.code,
      }
    default:
      return null
  }
}
