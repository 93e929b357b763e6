import { itemIdOf } from '../../entities/occurrence/use-occurrences.ts'
import { useSearchState } from '../../ui/search-state.ts'
import type { Show } from './kinds.ts'

/** Returns the filters and the open row from the address, and functions that change them. */
export function useActivityPlace() {
  const [state, change] = useSearchState('/connections/$connectionId/activity')
  const { item = null, show, text = '', eventName, find = false } = state
  return {
    /** Id of the open item; null for none. */
    item: item && itemIdOf(item),
    show,
    text,
    eventName,
    /** Whether a search or a name leaves items out. */
    isNarrowed: text !== '' || eventName !== undefined,
    /** Whether to focus the search field. */
    find,
    open: (key: string) => change({ item: key }),
    close: () => change({ item: undefined }),
    /** Goes back to the list of a narrow window to search it. */
    closeToFind: () => change({ item: undefined, find: true }),
    found: () => change({ find: undefined }),
    setShow: (next: Show | undefined) => change({ show: next }),
    setText: (next: string) => change({ text: next }),
    setEventName: (next: string | undefined) => change({ eventName: next }),
    clear: () => change({ show: undefined, text: undefined, eventName: undefined }),
  }
}
