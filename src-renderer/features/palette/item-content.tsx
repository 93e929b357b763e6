import { useNavigate } from '@tanstack/react-router'
import type { ListedOccurrence } from '#shared/model/activity.ts'
import { formatMinute } from '../../ui/format.ts'
import type { Entry } from './entry.tsx'
import { labelsOf } from './item-labels.ts'

export type Content = Pick<Entry, 'group' | 'icon' | 'text' | 'mono' | 'detail' | 'run'>

/**
 * Returns a function that shows something that happened as an entry; null if no screen shows it.
 *
 * @param names those of the connections, by their ids.
 */
export function useItemContent(names: ReadonlyMap<string, string>) {
  const navigate = useNavigate()

  /** Returns a function that shows an item; null if no screen does. */
  function opener(found: ListedOccurrence, item: string, run: string | null): (() => void) | null {
    const { connectionId } = found
    const to = '/connections/$connectionId/activity'
    if (connectionId !== null) return () => void navigate({ to, params: { connectionId }, search: { item } })
    if (run !== null) return () => void navigate({ to: '/workflows/runs', search: { run } })
    return () => void navigate({ to: '/activity', search: { item } })
  }

  return (found: ListedOccurrence): Content | null => {
    const { fact, itemId, runId, icon: Icon, ...content } = labelsOf(found)
    const open = opener(found, itemId, runId)
    if (open === null) return null
    const detail = [names.get(found.connectionId ?? ''), fact, formatMinute(found.at)]
    return {
      ...content,
      icon: <Icon size={16} />,
      detail: detail.filter(Boolean).join(' · '),
      run: open,
    }
  }
}
