import { useNavigate, useSearch } from '@tanstack/react-router'
import { useCurrentConnection } from '../connections/current-connection.tsx'

export type Panel = 'definition' | 'test' | 'assistant' | 'history'

const from = '/connections/$connectionId/actions'

/** What of the tab is open, as the address says, and the ways to elsewhere. */
export function useActionPlace() {
  const { connectionId } = useCurrentConnection()
  const navigate = useNavigate()
  const search = useSearch({ from })
  const { panel = 'definition', action = null, filter = '' } = search
  const go = (change: Partial<typeof search>, options: { ignoreBlocker?: boolean; replace?: boolean } = {}) =>
    void navigate({ to: from, params: { connectionId }, search: { ...search, ...change }, ...options })

  return {
    /** Id of the action that is open, `new`, or null for none. */
    actionId: action,
    panel,
    filter,
    /** What a new action is called at first. */
    newName: search.name ?? '',
    open: (actionId: string, to: Panel = panel) => go({ action: actionId, panel: to, name: undefined }),
    openNew: () => go({ action: 'new', panel: undefined, name: undefined }),
    /** Leaves without asking: the caller has nothing unsaved, or is rid of it. */
    goTo: (actionId: string | null, to?: Panel) =>
      go({ action: actionId ?? undefined, panel: to, name: undefined }, { ignoreBlocker: true }),
    close: () => go({ action: undefined, panel: undefined, name: undefined }),
    // Neither loses what is unsaved.
    setPanel: (next: Panel) => go({ panel: next }, { ignoreBlocker: true, replace: true }),
    setFilter: (next: string) =>
      go({ filter: next === '' ? undefined : next }, { ignoreBlocker: true, replace: true }),
  }
}
