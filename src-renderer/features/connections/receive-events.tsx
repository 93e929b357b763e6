import { TextInput } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useNavigate, useRouterState } from '@tanstack/react-router'
import { Copy, Eye, EyeOff, RefreshCw } from 'lucide-react'
import { type ReactNode, useEffect, useEffectEvent, useState } from 'react'
import type { Credentials } from '#shared/model/connection.ts'
import { api, client } from '../../client/client.ts'
import { FormDialog } from '../../ui/form-dialog.tsx'
import { formatMinute } from '../../ui/format.ts'
import { IconButton } from '../../ui/icon-button.tsx'
import { Note } from '../../ui/note.tsx'
import { toastDone, toastProblem } from '../../ui/toasts.tsx'
import { useNow } from '../../ui/use-now.ts'
import { useCurrentConnection } from './current-connection.tsx'
import classes from './overview-tab.module.css'
import { RotateSecretDialog } from './rotate-secret-dialog.tsx'
import { maskedInboundUrl, maskedSecret, type Secret, useInboundBase, useSecret } from './use-secret.ts'

/** What an external system needs to send events: the inbound URL and the signing secret. */
export function ReceiveEvents() {
  const connection = useCurrentConnection()
  const { connectionId, previousSecretExpiresAt } = connection
  const queries = useQueryClient()
  const base = useInboundBase(connection.workspaceId)
  const read = () => client.connections.credentials({ connectionId })
  const url = useSecret('Inbound URL', () => read().then(({ inboundUrl }) => inboundUrl))
  const secret = useSecret('Signing secret', () => read().then(({ signingSecret }) => signingSecret))
  const now = useNow(10_000)
  const [dialog, setDialog] = useState<'rotate' | 'regenerate' | null>(null)
  const close = () => setDialog(null)

  const arriving = useRevealOnArrival()
  const revealBoth = useEffectEvent(() => {
    url.reveal()
    secret.reveal()
  })
  useEffect(() => {
    if (arriving) revealBoth()
  }, [arriving])

  function onRotated({ signingSecret }: Credentials) {
    secret.show(signingSecret)
    void queries.invalidateQueries({ queryKey: api.connections.key() })
  }
  function onRegenerated({ inboundUrl }: Credentials) {
    url.show(inboundUrl)
    toastDone('New inbound URL made', 'The old one answers 404.')
  }

  return (
    <section className={classes.group} aria-labelledby="receive-events">
      <h2 className="h3" id="receive-events">
        Receive events
      </h2>
      <SecretField
        label="Inbound URL"
        noun="inbound URL"
        masked={base === null ? '' : maskedInboundUrl(base)}
        secret={url}
      >
        <IconButton
          size="xs"
          icon={RefreshCw}
          label="Make a new inbound URL"
          onClick={() => setDialog('regenerate')}
        />
      </SecretField>
      <SecretField
        label="Signing secret"
        noun="signing secret"
        masked={maskedSecret}
        secret={secret}
        description={
          <>
            The key is the <strong className="t2">whole string</strong>,{' '}
            <code className="inline-code">whsec_</code> included, as UTF-8. Svix and Standard Webhooks
            libraries decode it first: here that signs wrongly.
          </>
        }
      >
        <IconButton
          size="xs"
          icon={RefreshCw}
          label="Rotate signing secret"
          onClick={() => setDialog('rotate')}
        />
      </SecretField>
      {previousSecretExpiresAt !== null && Date.parse(previousSecretExpiresAt) > now && (
        <Note>
          A secret from before a rotation is accepted until {formatMinute(previousSecretExpiresAt)}. Events
          signed with it are marked in the activity.
        </Note>
      )}
      {dialog === 'rotate' && (
        <RotateSecretDialog connection={connection} onClose={close} onRotated={onRotated} />
      )}
      {dialog === 'regenerate' && (
        <RegenerateTokenDialog connectionId={connectionId} onClose={close} onRegenerated={onRegenerated} />
      )}
    </section>
  )
}

/** A credential behind dots, with what shows it, copies it, and makes another. */
function SecretField(props: {
  readonly label: string
  /** The label within a sentence: “inbound URL”. */
  readonly noun: string
  readonly masked: string
  readonly secret: Secret
  readonly description?: ReactNode
  /** One more icon button, at the end. */
  readonly children: ReactNode
}) {
  const { label, noun, masked, secret, description, children } = props
  const isShown = secret.value !== null
  return (
    <TextInput
      label={label}
      classNames={{ input: classes.machine ?? '' }}
      readOnly
      spellCheck={false}
      value={secret.value ?? masked}
      onFocus={event => isShown && event.currentTarget.select()}
      description={description}
      rightSectionWidth={92}
      rightSection={
        <span className={classes.icons}>
          <IconButton
            size="xs"
            icon={isShown ? EyeOff : Eye}
            label={`${isShown ? 'Hide' : 'Reveal'} ${noun}`}
            onClick={isShown ? secret.hide : secret.reveal}
          />
          <IconButton size="xs" icon={Copy} label={`Copy ${noun}`} onClick={secret.copy} />
          {children}
        </span>
      }
    />
  )
}

declare module '@tanstack/react-router' {
  interface HistoryState {
    /** The connection was made just now: its credentials are shown. */
    revealCredentials?: boolean
  }
}

/** Whether this page was opened to show its credentials; going back to it, or reloading, does not show them. */
function useRevealOnArrival(): boolean {
  const asked = useRouterState({ select: ({ location }) => location.state.revealCredentials === true })
  const [isAsked] = useState(asked)
  const navigate = useNavigate()
  useEffect(() => {
    if (asked) void navigate({ to: '.', replace: true, state: {} })
  }, [asked, navigate])
  return isAsked
}

/** Says that the old inbound URL stops at once, then makes a new one. */
function RegenerateTokenDialog(props: {
  readonly connectionId: string
  readonly onClose: () => void
  readonly onRegenerated: (credentials: Credentials) => void
}) {
  const { connectionId, onClose, onRegenerated } = props
  const [working, setWorking] = useState(false)

  async function regenerate() {
    setWorking(true)
    try {
      // Not by way of a mutation: those are remembered, and the answer carries the credentials.
      onRegenerated(await client.connections.regenerateToken({ connectionId }))
      onClose()
    } catch (error) {
      toastProblem('The inbound URL was not changed', error)
      setWorking(false)
    }
  }

  return (
    <FormDialog
      title="Make a new inbound URL"
      size={480}
      submitLabel="Stop the old URL and make a new one"
      isDangerous
      enterSubmits={false}
      isBusy={working}
      onSubmit={() => void regenerate()}
      onClose={onClose}
    >
      <div className="col" style={{ gap: 8 }}>
        <p>
          A new token is made and becomes part of the URL. The old URL stops at once, without a grace period:
          whoever sends to it gets 404 until they have the new one.
        </p>
        <p className="t2">The signing secret stays as it is, and so do actions and events.</p>
      </div>
    </FormDialog>
  )
}
