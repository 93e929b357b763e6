import { useSearchState } from '../../ui/search-state.ts'

export type Panel = 'definition' | 'test' | 'cases' | 'assistant' | 'history'

/** Returns what the address says is open, and the functions that open something else. */
export function useActionPlace() {
  const [search, change] = useSearchState('/connections/$connectionId/actions')
  const { panel = 'definition', action = null, filter = '' } = search
  const caseId = search.case ?? null
  const go = (next: Parameters<typeof change>[0], ignoreBlocker = false) =>
    change({ name: undefined, case: undefined, ...next }, { replace: false, ignoreBlocker })
  return {
    /** The id of the open action, `new`, or null for none. */
    actionId: action,
    panel,
    /** The id of the open case; null for none. */
    caseId,
    filter,
    /** The initial name of a new action. */
    newName: search.name ?? '',
    open: (actionId: string, to: Panel = panel) => go({ action: actionId, panel: to }),
    openNew: () => go({ action: 'new', panel: undefined }),
    /** Leaves without asking about unsaved changes. */
    goTo: (actionId: string | null, to?: Panel) => go({ action: actionId ?? undefined, panel: to }, true),
    close: () => go({ action: undefined, panel: undefined }),
    /** Opens a case of an action, which may be another one. */
    openCase: (actionId: string, id: string) => go({ action: actionId, panel: 'cases', case: id }),
    // These keep unsaved changes, so nothing is asked.
    setPanel: (next: Panel) => change({ panel: next }, { ignoreBlocker: true }),
    setCase: (id: string | null) => change({ case: id ?? undefined }, { ignoreBlocker: true }),
    setFilter: (next: string) => change({ filter: next }, { ignoreBlocker: true }),
  }
}
