import { useNavigate, useRouterState } from '@tanstack/react-router'
import { useEffect, useState } from 'react'

declare module '@tanstack/react-router' {
  interface HistoryState {
    /** The connection was made just now: its credentials are shown. */
    revealCredentials?: boolean
  }
}

/** Whether this page was opened to show its credentials; going back to it, or reloading, does not show them. */
export function useRevealOnArrival(): boolean {
  const asked = useRouterState({ select: ({ location }) => location.state.revealCredentials === true })
  const [isAsked] = useState(asked)
  const navigate = useNavigate()
  useEffect(() => {
    if (asked) void navigate({ to: '.', replace: true, state: {} })
  }, [asked, navigate])
  return isAsked
}
