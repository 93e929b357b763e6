import { Button, PasswordInput } from '@mantine/core'
import { type FormEvent, type SyntheticEvent, useId, useState } from 'react'
import { createPortal } from 'react-dom'
import { signIn } from '../client/session.ts'
import { Logo } from '../ui/logo.tsx'
import { Note } from '../ui/note.tsx'
import { problemOf } from '../ui/problem.ts'
import classes from './shell.module.css'

export type SignInReason = 'first visit' | 'wrong token' | 'session over' | 'signed out'

/**
 * The form for the admin token. It covers the page, also its dialogs and messages: what is beneath cannot be read,
 * focused or pressed, and has the focus again afterwards.
 */
export function SignIn(props: { readonly reason: SignInReason; readonly onSignedIn: () => void }) {
  const { reason } = props
  const [token, setToken] = useState('')
  const [refused, setRefused] = useState(reason === 'wrong token')
  const [failure, setFailure] = useState<unknown>(null)
  const [sending, setSending] = useState(false)
  const titleId = useId()
  const isOver = reason === 'session over' || reason === 'signed out'

  async function submit(event: FormEvent) {
    event.preventDefault()
    setSending(true)
    setFailure(null)
    try {
      if (await signIn(token.trim())) props.onSignedIn()
      else setRefused(true)
    } catch (error) {
      setFailure(error)
    } finally {
      setSending(false)
    }
  }

  return createPortal(
    <dialog ref={cover} className={classes.cover} closedby="none" aria-labelledby={titleId} {...ownEvents}>
      <main className={classes.page}>
        <form className={classes.card} onSubmit={event => void submit(event)}>
          <Logo size={32} />
          <h1 id={titleId} className="h2">
            {isOver ? 'You are signed out' : 'Custom Connection'}
          </h1>
          {reason === 'session over' && (
            <p className="sm t2">
              Your session has ended, or this service was updated. Sign in again to continue where you were.
            </p>
          )}
          <p className="sm t2">
            Sign in with the admin token. It is in the file <code>admin-token</code> in the data folder, or
            was set with <code>--admin-token</code> or <code>CUSTOM_CONNECTION_ADMIN_TOKEN</code>.
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
          {failure !== null && <Failure error={failure} />}
          <Button type="submit" variant="filled" size="md" loading={sending} disabled={token.trim() === ''}>
            Open the dashboard
          </Button>
        </form>
      </main>
    </dialog>,
    document.body,
  )
}

function Failure({ error }: { readonly error: unknown }) {
  const { code, message } = problemOf(error)
  return (
    <Note tone="bad">
      <p className="w5">Sign-in failed</p>
      <p className="sm">{message}</p>
      <code className="t3 xs">{code}</code>
    </Note>
  )
}

/** A `ref` that shows the dialog over everything. Closing it returns the focus to where it was. */
function cover(dialog: HTMLDialogElement | null) {
  if (dialog === null) return
  const beneath = [...document.body.children].filter(element => element !== dialog)
  const { title, activeElement: focused } = document
  dialog.showModal()
  dialog.dataset.cover = ''
  for (const element of beneath) element.toggleAttribute('inert', true)
  document.title = coveredTitle
  return () => {
    delete dialog.dataset.cover
    for (const element of beneath) element.removeAttribute('inert')
    // Otherwise a screen was opened meanwhile.
    if (document.title === coveredTitle) document.title = title
    dialog.close()
    if (!(focused instanceof HTMLElement) || !focused.isConnected) return
    // Chromium has returned the focus, but not the caret of a field, which then takes no key.
    focused.blur()
    focused.focus({ preventScroll: true })
  }
}
/** Names no record. */
const coveredTitle = 'Custom Connection'

const stop = (event: SyntheticEvent) => event.stopPropagation()

/** A press or a key is none outside of a popover beneath, which would close, and none of its shortcuts. */
const ownEvents = {
  onKeyDown: stop,
  onKeyUp: stop,
  onPointerDown: stop,
  onMouseDown: stop,
  onTouchStart: stop,
  onClick: stop,
}

/** Whether the page beneath would take this key, at the window and before the form. */
function isTakenBeneath({ key, ctrlKey, metaKey, altKey, target }: KeyboardEvent, dialog: Element): boolean {
  return (
    key === 'Escape' || ctrlKey || metaKey || altKey || !(target instanceof Node && dialog.contains(target))
  )
}

function shield(event: Event): void {
  const dialog = document.querySelector('[data-cover]')
  if (dialog === null || (event instanceof KeyboardEvent && !isTakenBeneath(event, dialog))) return
  // The browser would open a file that is dropped.
  if (event instanceof DragEvent) event.preventDefault()
  event.stopImmediatePropagation()
}

// Before those of the page, which are added when it is mounted.
for (const type of ['keydown', 'paste', 'dragenter', 'dragover', 'dragleave', 'drop'])
  window.addEventListener(type, shield, true)
