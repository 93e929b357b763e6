import { useNavigate, useSearch } from '@tanstack/react-router'
import { useCallback } from 'react'
import { useCurrentConnection } from '../connections/current-connection.tsx'
import type { Show } from './select-entries.ts'

const from = '/connections/$connectionId/activity'

/** What of the activity is shown and which row is open, as the address says, and the ways to elsewhere. */
export function useActivityPlace() {
  const { connectionId } = useCurrentConnection()
  const navigate = useNavigate({ from })
  const { item = null, show, text = '', eventName, find = false } = useSearch({ from })
  const go = useCallback(
    (
      change: { item?: string; show?: Show; text?: string; eventName?: string; find?: boolean },
      replace: boolean,
    ) =>
      void navigate({
        to: from,
        params: { connectionId },
        search: before => ({ ...before, ...change }),
        replace,
      }),
    [navigate, connectionId],
  )
  return {
    /** Key of the open row; null for none. */
    item,
    show,
    text,
    eventName,
    /** Whether the search field is to take the focus. */
    find,
    // Going through the list row by row leaves no trail of pages to go back through.
    open: useCallback((key: string) => go({ item: key }, true), [go]),
    close: useCallback(() => go({ item: undefined }, true), [go]),
    /** Back to the list of a narrow window, to search it. */
    closeToFind: () => go({ item: undefined, find: true }, true),
    found: () => go({ find: undefined }, true),
    setShow: (next: Show | undefined) => go({ show: next }, true),
    setText: useCallback((next: string) => go({ text: next === '' ? undefined : next }, true), [go]),
    setEventName: (next: string | undefined) => go({ eventName: next }, true),
    clear: () => go({ show: undefined, text: undefined, eventName: undefined }, true),
  }
}
