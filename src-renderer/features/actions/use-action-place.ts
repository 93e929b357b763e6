import { useNavigate, useSearch } from '@tanstack/react-router'
import { useCurrentConnection } from '../../entities/connection/current-connection.tsx'

export type Panel = 'definition' | 'test' | 'assistant' | 'history'

const from = '/connections/$connectionId/actions'

/** Returns what the address says is open, and the functions that open something else. */
export function useActionPlace() {
  const { connectionId } = useCurrentConnection()
  const navigate = useNavigate()
  const search = useSearch({ from })
  const { panel = 'definition', action = null, filter = '' } = search
  const go = (change: Partial<typeof search>, options: { ignoreBlocker?: boolean; replace?: boolean } = {}) =>
    void navigate({ to: from, params: { connectionId }, search: { ...search, ...change }, ...options })

  return {
    /** The id of the open action, `new`, or null for none. */
    actionId: action,
    panel,
    filter,
    /** The initial name of a new action. */
    newName: search.name ?? '',
    open: (actionId: string, to: Panel = panel) => go({ action: actionId, panel: to, name: undefined }),
    openNew: () => go({ action: 'new', panel: undefined, name: undefined }),
    /** Leaves without asking about unsaved changes. */
    goTo: (actionId: string | null, to?: Panel) =>
      go({ action: actionId ?? undefined, panel: to, name: undefined }, { ignoreBlocker: true }),
    close: () => go({ action: undefined, panel: undefined, name: undefined }),
    // These two keep unsaved changes, so nothing is asked.
    setPanel: (next: Panel) => go({ panel: next }, { ignoreBlocker: true, replace: true }),
    setFilter: (next: string) =>
      go({ filter: next === '' ? undefined : next }, { ignoreBlocker: true, replace: true }),
  }
}
