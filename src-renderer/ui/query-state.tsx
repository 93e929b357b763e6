import type { ReactNode } from 'react'
import { ErrorState } from './empty-state.tsx'

/** The state of a read: a result of `useQuery`. */
export type Reading = { readonly error: unknown; readonly refetch: () => unknown }

/** Takes the place of what is not known yet: `waiting`, or why it could not be read and a button that tries again. */
export function QueryState(props: {
  readonly query: Reading
  /** The title of an error: “The tokens could not be read”. */
  readonly failed: string
  readonly waiting?: ReactNode
}) {
  const { query, failed, waiting = null } = props
  const { error, refetch } = query
  if (error === null) return waiting
  return <ErrorState title={failed} error={error} onRetry={() => void refetch()} />
}
