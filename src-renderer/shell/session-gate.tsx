import { type ReactNode, useCallback, useEffect, useState } from 'react'
import { isDesktop } from '../client/client.ts'
import { LiveProvider } from '../client/live-provider.tsx'
import { isSignedIn, signIn, takeTokenFromAddress } from '../client/session.ts'
import { ErrorState } from '../ui/empty-state.tsx'
import { SignIn } from './sign-in.tsx'

type State =
  | { readonly kind: 'asking' | 'in' | 'out' | 'refused' }
  | { readonly kind: 'failed'; readonly error: unknown }

// Before the router reads the address, in which the token must not stay.
const firstToken = isDesktop ? null : takeTokenFromAddress()

async function enter(): Promise<State> {
  if (isDesktop) return { kind: 'in' }
  try {
    if (firstToken !== null && (await signIn(firstToken))) return { kind: 'in' }
    if (await isSignedIn()) return { kind: 'in' }
    return { kind: firstToken === null ? 'out' : 'refused' }
  } catch (error) {
    return { kind: 'failed', error }
  }
}

/** Lets the dashboard be seen by whoever the service knows; the desktop app's window is known. */
export function SessionGate({ children }: { readonly children: ReactNode }) {
  const [state, setState] = useState<State>({ kind: 'asking' })
  useEffect(() => {
    void enter().then(setState)
  }, [])
  const onSignedOut = useCallback(() => setState({ kind: 'out' }), [])
  if (state.kind === 'asking') return null
  if (state.kind === 'failed') return <ErrorState title="The service cannot be reached" error={state.error} />
  if (state.kind !== 'in')
    return <SignIn wasRefused={state.kind === 'refused'} onSignedIn={() => setState({ kind: 'in' })} />
  return <LiveProvider onSignedOut={onSignedOut}>{children}</LiveProvider>
}
