import { modals } from '@mantine/modals'
import { useQueryClient } from '@tanstack/react-query'
import { type ReactNode, useEffect, useState } from 'react'
import { isDesktop } from '../client/client.ts'
import { LiveProvider } from '../client/live-provider.tsx'
import {
  onSignedOut,
  reloadForTokens,
  sessionState,
  signIn,
  takeTokenFromAddress,
} from '../client/session.ts'
import { onSessionKeyOfOtherTab } from '../client/session-key.ts'
import { ErrorState } from '../ui/empty-state.tsx'
import { SignIn, type SignInReason } from './sign-in.tsx'

type State =
  | { readonly kind: 'asking' | 'in' }
  | { readonly kind: 'out'; readonly reason: SignInReason }
  | { readonly kind: 'failed'; readonly error: unknown }

// Before the router reads the address, in which the token must not stay.
const firstToken = isDesktop ? null : takeTokenFromAddress()

async function enter(): Promise<State> {
  if (isDesktop) return { kind: 'in' }
  try {
    if (firstToken !== null && (await signIn(firstToken))) return { kind: 'in' }
    const state = await sessionState()
    if (state === 'in') return { kind: 'in' }
    if (firstToken !== null) return { kind: 'out', reason: 'wrong token' }
    return { kind: 'out', reason: state === 'ended' ? 'session over' : 'first visit' }
  } catch (error) {
    return { kind: 'failed', error }
  }
}

/** Whether the session that another tab began lets this one in, too. */
const resume = () =>
  sessionState().then(
    state => state === 'in',
    () => false,
  )

/**
 * Lets the dashboard be seen by whoever the service knows; the desktop app's window is known. When it knows the
 * page no longer, what was on it goes, and comes back at the same address after signing in.
 */
export function SessionGate({ children }: { readonly children: ReactNode }) {
  const [state, setState] = useState<State>({ kind: 'asking' })
  const queries = useQueryClient()
  useEffect(() => {
    void enter().then(setState)
    if (!isDesktop) return reloadForTokens()
  }, [])
  useEffect(
    () =>
      onSignedOut(() => {
        modals.closeAll()
        setState(before => (before.kind === 'in' ? { kind: 'out', reason: 'session over' } : before))
      }),
    [],
  )
  useEffect(() => {
    if (isDesktop || state.kind !== 'out') return
    return onSessionKeyOfOtherTab(() => void resume().then(isIn => isIn && setState({ kind: 'in' })))
  }, [state.kind])
  useEffect(() => {
    // Only now nothing on the page asks for it again.
    if (state.kind === 'out') queries.clear()
  }, [state, queries])
  if (state.kind === 'asking') return null
  if (state.kind === 'failed') return <ErrorState title="The service cannot be reached" error={state.error} />
  if (state.kind === 'out')
    return <SignIn reason={state.reason} onSignedIn={() => setState({ kind: 'in' })} />
  return <LiveProvider>{children}</LiveProvider>
}
