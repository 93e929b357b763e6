import { useQueryClient } from '@tanstack/react-query'
import { useCallback, useState } from 'react'

/**
 * A value that outlasts its screen but not the page, such as what was typed into a form that is tried out.
 * It is read when the caller comes up; two callers at a time do not see each other's changes.
 */
export function useSessionValue<T>(name: string, id: string): [T | undefined, (next: T) => void] {
  const queries = useQueryClient()
  const [value, setValue] = useState(() => queries.getQueryData<T>(['session', name, id]))
  const set = useCallback(
    (next: T) => {
      // A field that is typed into has to have its text at once, which the cache would bring a moment later.
      setValue(() => next)
      queries.setQueryDefaults(['session'], { gcTime: Number.POSITIVE_INFINITY })
      queries.setQueryData<T>(['session', name, id], () => next)
    },
    [queries, name, id],
  )
  return [value, set]
}
