import { useWindowEvent } from '@mantine/hooks'
import { modals } from '@mantine/modals'
import { focusManager } from '@tanstack/react-query'
import { type ReactNode, useEffect, useState } from 'react'
import { isDesktop } from '../client/client.ts'
import { LiveProvider } from '../client/live-provider.tsx'
import { queries } from '../client/query-client.ts'
import {
  dataKnownEvent,
  notifySessionEnded,
  sessionEndedEvent,
  sessionState,
  signedOutEvent,
  signIn,
  takeTokenFromAddress,
  tokenInAddress,
} from '../client/session.ts'
import { hasSessionKey, sessionKeyName } from '../client/session-key.ts'
import { drafts } from '../ui/draft/drafts.ts'
import { ErrorState } from '../ui/empty-state.tsx'
import { problemOf } from '../ui/problem.ts'
import { SignIn, type SignInReason } from './sign-in.tsx'

type State =
  /** `other data`: nothing is shown until the page is loaded again. */
  | { readonly kind: 'asking' | 'in' | 'other data' }
  /** `keeps` is whether the page stays in memory beneath the form. */
  | { readonly kind: 'out'; readonly reason: SignInReason; readonly keeps: boolean }
  | { readonly kind: 'failed'; readonly error: unknown }

/** Milliseconds between two attempts to open the dashboard. */
const tryAgainMs = 2000

// Runs before the router reads the address, which must not keep the token.
const firstToken = isDesktop ? null : takeTokenFromAddress()

/** Whether the live stream opens while the service is asked for the session, instead of one round trip later. */
const opensAhead = firstToken === null && hasSessionKey()

const out = (reason: SignInReason, keeps = false): State => ({ kind: 'out', reason, keeps })

/** Returns the state after signing in. */
const signedIn = (before: State): State => (before.kind === 'other data' ? before : { kind: 'in' })

async function enter(): Promise<State> {
  if (isDesktop) return { kind: 'in' }
  try {
    if (firstToken !== null && (await signIn(firstToken))) return { kind: 'in' }
    const state = await sessionState()
    if (state === 'in') return { kind: 'in' }
    if (firstToken !== null) return out('wrong token')
    return out(state === 'ended' ? 'session over' : 'first visit')
  } catch (error) {
    return { kind: 'failed', error }
  }
}

/**
 * Asks for the admin token until the service knows this browser. At the end of a session, the page stays as it is beneath
 * the form, with all that was typed. The desktop app's window needs no token.
 */
export function SessionGate({ children }: { readonly children: ReactNode }) {
  const [state, setState] = useState<State>({ kind: 'asking' })
  const isOut = state.kind === 'out'
  const isShown = state.kind === 'in' || (isOut && state.keeps)
  useEffect(() => {
    void enter().then(setState)
  }, [])
  useEffect(() => {
    if (state.kind !== 'failed') return
    const timer = setTimeout(() => void enter().then(setState), tryAgainMs)
    return () => clearTimeout(timer)
  }, [state])
  useWindowEvent('hashchange', () => {
    if (!isDesktop && tokenInAddress() !== null) location.reload()
  })
  useWindowEvent(sessionEndedEvent, () => {
    setState(before => (before.kind === 'in' ? out('session over', true) : before))
  })
  useWindowEvent(dataKnownEvent, ({ detail }: CustomEvent<string>) => {
    if (!drafts.claim(detail)) return
    // The page beneath is of other data: nothing of it may be seen or saved.
    modals.closeAll()
    queries.clear()
    setState({ kind: 'other data' })
  })
  useEffect(() => {
    if (state.kind === 'other data') location.reload()
  }, [state.kind])
  useWindowEvent(signedOutEvent, () => {
    modals.closeAll()
    drafts.forgetAll(false)
    setState(out('signed out'))
  })
  useWindowEvent('storage', ({ key, newValue }) => {
    if (isDesktop || key !== sessionKeyName) return
    if (newValue === null) {
      // The user has signed out in another tab.
      drafts.forgetAll(true)
      return notifySessionEnded()
    }
    if (!isOut) return
    // Another tab has signed in.
    sessionState().then(
      session => session === 'in' && setState(signedIn),
      () => {},
    )
  })
  useEffect(() => {
    if (!isOut) return
    drafts.pause()
    // Nothing on the page asks for the data again at this point.
    if (!isShown) {
      queries.clear()
      return () => drafts.resume()
    }
    // Nothing is asked for in an interval that would be refused.
    focusManager.setFocused(false)
    return () => {
      focusManager.setFocused(undefined)
      drafts.resume()
      void queries.invalidateQueries()
    }
  }, [isOut, isShown])
  if (state.kind === 'other data' || (state.kind === 'asking' && !opensAhead)) return null
  if (state.kind === 'failed') {
    const isReached = problemOf(state.error).code !== 'service_unreachable'
    const title = isReached ? 'The dashboard cannot be opened now' : 'The service could not be reached'
    return <ErrorState title={title} error={state.error} actions={<Trying />} />
  }
  return (
    <>
      {(isShown || !isOut) && <LiveProvider isPaused={isOut}>{isShown && children}</LiveProvider>}
      {isOut && <SignIn reason={state.reason} onSignedIn={() => setState(signedIn)} />}
    </>
  )
}

const Trying = () => <span className="sm t2">Trying again…</span>
