import { Button, PasswordInput } from '@mantine/core'
import { useWindowEvent } from '@mantine/hooks'
import { modals } from '@mantine/modals'
import { type FormEvent, type ReactNode, useEffect, useState } from 'react'
import { isDesktop } from '../client/client.ts'
import { LiveProvider } from '../client/live-provider.tsx'
import { queries } from '../client/query-client.ts'
import {
  sessionState,
  signedOutEvent,
  signIn,
  takeTokenFromAddress,
  tokenInAddress,
} from '../client/session.ts'
import { hasSessionKey, sessionKeyName } from '../client/session-key.ts'
import { ErrorState } from '../ui/empty-state.tsx'
import { Logo } from '../ui/logo.tsx'
import { problemOf } from '../ui/problem.ts'
import { toastProblem } from '../ui/toasts.tsx'
import classes from './shell.module.css'

type State =
  | { readonly kind: 'asking' | 'in' }
  | { readonly kind: 'out'; readonly reason: SignInReason }
  | { readonly kind: 'failed'; readonly error: unknown }

/** Milliseconds between two attempts to open the dashboard. */
const tryAgainMs = 2000

// Runs before the router reads the address, which must not keep the token.
const firstToken = isDesktop ? null : takeTokenFromAddress()

/** Whether the live stream opens while the service is asked for the session, instead of one round trip later. */
const opensAhead = firstToken === null && hasSessionKey()

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

/** Asks for the admin token until the service knows this browser. The desktop app's window needs none. */
export function SessionGate({ children }: { readonly children: ReactNode }) {
  const [state, setState] = useState<State>({ kind: 'asking' })
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
  useWindowEvent(signedOutEvent, () => {
    modals.closeAll()
    setState(before => (before.kind === 'in' ? { kind: 'out', reason: 'session over' } : before))
  })
  useWindowEvent('storage', ({ key, newValue }) => {
    // Another tab has signed in.
    if (isDesktop || state.kind !== 'out' || key !== sessionKeyName || newValue === null) return
    sessionState().then(
      session => session === 'in' && setState({ kind: 'in' }),
      () => {},
    )
  })
  useEffect(() => {
    // Nothing on the page asks for the data again at this point.
    if (state.kind === 'out') queries.clear()
  }, [state])
  if (state.kind === 'asking' && !opensAhead) return null
  if (state.kind === 'failed') {
    const isReached = problemOf(state.error).code !== 'service_unreachable'
    const title = isReached ? 'The dashboard cannot be opened now' : 'The service could not be reached'
    return <ErrorState title={title} error={state.error} actions={<Trying />} />
  }
  if (state.kind === 'out')
    return <SignIn reason={state.reason} onSignedIn={() => setState({ kind: 'in' })} />
  return <LiveProvider>{state.kind === 'in' && children}</LiveProvider>
}

const Trying = () => <span className="sm t2">Trying again…</span>

type SignInReason = 'first visit' | 'wrong token' | 'session over'

/** The form for the admin token. */
function SignIn(props: { readonly reason: SignInReason; readonly onSignedIn: () => void }) {
  const [token, setToken] = useState('')
  const [refused, setRefused] = useState(props.reason === 'wrong token')
  const [sending, setSending] = useState(false)

  async function submit(event: FormEvent) {
    event.preventDefault()
    setSending(true)
    try {
      if (await signIn(token.trim())) props.onSignedIn()
      else setRefused(true)
    } catch (error) {
      toastProblem('Sign-in failed', error)
    } finally {
      setSending(false)
    }
  }

  return (
    <main className={classes.page}>
      <form className={classes.card} onSubmit={event => void submit(event)}>
        <Logo size={32} />
        <h1 className="h2">{props.reason === 'session over' ? 'You are signed out' : 'Custom Connection'}</h1>
        {props.reason === 'session over' && (
          <p className="sm t2">
            Your session has ended, or this service was updated. Sign in again to continue where you were.
          </p>
        )}
        <p className="sm t2">
          Sign in with the admin token. It is in the file <code>admin-token</code> in the data folder, or was
          set with <code>--admin-token</code> or <code>CUSTOM_CONNECTION_ADMIN_TOKEN</code>.
        </p>
        <PasswordInput
          label="Admin token"
          autoComplete="current-password"
          autoFocus
          value={token}
          onChange={event => {
            setToken(event.currentTarget.value)
            setRefused(false)
          }}
          error={refused ? 'This is not the admin token of this service.' : undefined}
        />
        <Button type="submit" variant="filled" size="md" loading={sending} disabled={token.trim() === ''}>
          Open the dashboard
        </Button>
      </form>
    </main>
  )
}
