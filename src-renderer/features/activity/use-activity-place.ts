import { useNavigate, useSearch } from '@tanstack/react-router'
import { useCurrentConnection } from '../../entities/connection/current-connection.tsx'
import { itemIdOf } from '../../entities/occurrence/use-occurrences.ts'
import type { Show } from './kinds.ts'

const from = '/connections/$connectionId/activity'

/** Returns the filters and the open row from the address, and functions that change them. */
export function useActivityPlace() {
  const { connectionId } = useCurrentConnection()
  const navigate = useNavigate({ from })
  const { item = null, show, text = '', eventName, find = false } = useSearch({ from })
  // Replaces the address, so that going through the list row by row leaves no history.
  const go = (change: { item?: string; show?: Show; text?: string; eventName?: string; find?: boolean }) =>
    void navigate({
      to: from,
      params: { connectionId },
      search: before => ({ ...before, ...change }),
      replace: true,
    })
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
    open: (key: string) => go({ item: key }),
    close: () => go({ item: undefined }),
    /** Goes back to the list of a narrow window to search it. */
    closeToFind: () => go({ item: undefined, find: true }),
    found: () => go({ find: undefined }),
    setShow: (next: Show | undefined) => go({ show: next }),
    setText: (next: string) => go({ text: next === '' ? undefined : next }),
    setEventName: (next: string | undefined) => go({ eventName: next }),
    clear: () => go({ show: undefined, text: undefined, eventName: undefined }),
  }
}
