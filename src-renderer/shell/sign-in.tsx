import { Button, PasswordInput } from '@mantine/core'
import { type FormEvent, useState } from 'react'
import { signIn } from '../client/session.ts'
import { Logo } from '../ui/logo.tsx'
import { toastProblem } from '../ui/toasts.tsx'
import classes from './shell.module.css'

/** Why the token is asked for. */
export type SignInReason = 'first visit' | 'wrong token' | 'session over'

/** Asks a browser that the service does not know for the admin token. */
export function SignIn(props: { readonly reason: SignInReason; readonly onSignedIn: () => void }) {
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
      toastProblem('Signing in did not work', error)
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
            Your session has ended, or this service was updated. Sign in again, and the dashboard goes on
            where you were.
          </p>
        )}
        <p className="sm t2">
          This service asks for its admin token. It is in the file <code>admin-token</code> in the data
          folder, or where <code>--admin-token</code> names it.
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
