import { useParams } from '@tanstack/react-router'
import { itemIdOf } from '../../entities/occurrence/use-occurrences.ts'
import { cleared, isNarrowed } from '../../ui/filters.ts'
import { useSearchState } from '../../ui/search-state.ts'
import { activityFilters } from './filters.ts'

const { show: _channel, ...narrowing } = activityFilters

/**
 * Returns the filters and the open row from the address, and functions that change them: on the page of all connections,
 * or on the tab of one.
 */
export function useActivityPlace() {
  const { connectionId } = useParams({ strict: false })
  const isOfOne = connectionId !== undefined
  const [state, change] = useSearchState(isOfOne ? '/connections/$connectionId/activity' : '/activity')
  const { item = null, text = '', find = false } = state
  return {
    ...state,
    connection: connectionId ?? state.connection,
    /** Whether only the activity of one connection can be shown here. */
    isOfOne,
    /** Id of the open item; null for none. */
    item: item && itemIdOf(item),
    /** Key of the open row; null for none. */
    openKey: state.group ?? (item && itemIdOf(item)),
    text,
    /** Whether filters besides the channel leave items out. */
    isNarrowed: isNarrowed(narrowing, state),
    /** Whether to focus the search field. */
    find,
    open: (key: string) =>
      change(key.startsWith('group~') ? { group: key, item: undefined } : { item: key, group: undefined }),
    close: () => change({ item: undefined, group: undefined }),
    /** Goes back to the list of a narrow window to search it. */
    closeToFind: () => change({ item: undefined, group: undefined, find: true }),
    found: () => change({ find: undefined }),
    set: change,
    clear: () => change({ ...cleared(activityFilters), group: undefined }),
  }
}
