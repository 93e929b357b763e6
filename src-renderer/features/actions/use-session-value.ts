import { skipToken, useQuery, useQueryClient } from '@tanstack/react-query'
import { useCallback } from 'react'

/** A value that outlasts its screen but not the page, such as what was typed into a form that is tried out. */
export function useSessionValue<T>(name: string, id: string): [T | undefined, (next: T) => void] {
  const queries = useQueryClient()
  const { data } = useQuery<T>({
    queryKey: ['session', name, id],
    queryFn: skipToken,
    gcTime: Number.POSITIVE_INFINITY,
  })
  const set = useCallback(
    (next: T) => void queries.setQueryData<T>(['session', name, id], () => next),
    [queries, name, id],
  )
  return [data, set]
}
