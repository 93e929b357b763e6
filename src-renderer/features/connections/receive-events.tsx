import { TextInput } from '@mantine/core'
import { Link, useNavigate, useRouterState } from '@tanstack/react-router'
import { Copy, Eye, EyeOff, RefreshCw } from 'lucide-react'
import { type ReactNode, type Ref, useEffect, useEffectEvent, useState } from 'react'
import type { Credentials } from '#shared/model/connection.ts'
import { schemes } from '#shared/model/sender/templates.ts'
import { api, client } from '../../client/client.ts'
import { queries } from '../../client/query-client.ts'
import { useCurrentConnection } from '../../entities/connection/current-connection.tsx'
import {
  maskedInboundUrl,
  maskedSecret,
  type Secret,
  type useCredentials,
  useInboundBase,
} from '../../entities/connection/use-secret.ts'
import { useReachesOneNode } from '../../entities/node/use-nodes.ts'
import { confirmDialog } from '../../ui/confirm-dialog.tsx'
import { focusIfWanted } from '../../ui/focus.ts'
import { formatMinute } from '../../ui/format.ts'
import { IconButton } from '../../ui/icon-button.tsx'
import { Note } from '../../ui/note.tsx'
import { toastDone, toastProblem } from '../../ui/toasts.tsx'
import { useNow } from '../../ui/use-now.ts'
import classes from './overview-tab.module.css'
import RotateSecretDialog from './rotate-secret-dialog.tsx'
import { SenderCard } from './sender/sender-card.tsx'

type Props = {
  readonly credentials: ReturnType<typeof useCredentials>
  /** Whether something else may be about to replace this, which then gets the focus that was wanted. */
  readonly isTentative?: boolean
}

/** The inbound URL and the signing secret that an external system needs to send events. */
export function ReceiveEvents(props: Props) {
  return (
    <section className={classes.group} aria-labelledby="receive-events">
      <h2 className="h3" id="receive-events">
        Receive events
      </h2>
      <InboundCredentials {...props} />
    </section>
  )
}

/** The fields of the inbound URL and the signing secret, which can be shown, copied and replaced. */
export function InboundCredentials({ credentials, isTentative = false }: Props) {
  const { url, secret } = credentials
  const connection = useCurrentConnection()
  const { connectionId, previousSecretExpiresAt } = connection
  const { hasOwnSecret } = schemes[connection.sender.scheme]
  const base = useInboundBase(connection.workspaceId)
  const reachesOneNode = useReachesOneNode(base)
  const now = useNow(10_000)
  const [isRotating, setIsRotating] = useState(false)

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
  const regenerate = () =>
    confirmDialog({
      title: 'Make a new inbound URL',
      confirm: 'Stop the old URL and make a new one',
      children: (
        <div className="col" style={{ gap: 8 }}>
          <p>
            The new URL gets a new token. The old URL stops at once, without a grace period: senders get 404
            until they have the new one.
          </p>
          <p className="t2">The signing secret, the actions and the events do not change.</p>
        </div>
      ),
      // Not a mutation, because those are cached and the result contains the credentials.
      onConfirm: () =>
        client.connections.regenerateToken({ connectionId }).then(
          ({ inboundUrl }) => {
            url.show(inboundUrl)
            toastDone('New inbound URL made', 'The old one is answered with 404.')
          },
          error => toastProblem('The inbound URL was not changed', error),
        ),
    })

  return (
    <div className={classes.group}>
      <SecretField
        masked={base === null ? '' : maskedInboundUrl(base)}
        secret={url}
        copyRef={isTentative ? undefined : focusIfWanted}
        replace={{ label: 'Make a new inbound URL', act: regenerate }}
      />
      {reachesOneNode && (
        <Note tone="warn">
          This is the address of one node.{' '}
          <Link className="link" to="/settings/$section" params={{ section: 'public-url' }}>
            Set the URL of your load balancer
          </Link>{' '}
          before senders use it.
        </Note>
      )}
      <SecretField
        masked={maskedSecret}
        secret={secret}
        replace={{ label: 'Rotate signing secret', act: () => setIsRotating(true) }}
        description={
          hasOwnSecret ? 'Signs the calls to your system. The sender has a secret of its own.' : undefined
        }
      />
      <SenderCard />
      {previousSecretExpiresAt !== null && Date.parse(previousSecretExpiresAt) > now && (
        <Note>
          An old secret is accepted until {formatMinute(previousSecretExpiresAt)}. Events signed with it are
          marked in the activity.
        </Note>
      )}
      {isRotating && (
        <RotateSecretDialog
          connection={connection}
          onClose={() => setIsRotating(false)}
          onRotated={onRotated}
        />
      )}
    </div>
  )
}

/** A masked credential with buttons that show and copy it, and replace it. */
export function SecretField(props: {
  readonly masked: string
  readonly secret: Secret
  readonly description?: ReactNode
  /** For the button that copies it. */
  readonly copyRef?: Ref<HTMLButtonElement> | undefined
  readonly replace?: { readonly label: string; readonly act: () => void }
}) {
  const { masked, secret, description, copyRef, replace } = props
  const { name, noun, value } = secret
  const isShown = value !== null
  return (
    <TextInput
      label={name}
      classNames={{ input: classes.machine ?? '' }}
      readOnly
      spellCheck={false}
      value={value ?? masked}
      onFocus={event => isShown && event.currentTarget.select()}
      description={description}
      rightSectionWidth={replace === undefined ? 64 : 92}
      rightSection={
        <span className={classes.icons}>
          <IconButton
            size="xs"
            icon={isShown ? EyeOff : Eye}
            label={`${isShown ? 'Hide' : 'Reveal'} ${noun}`}
            onClick={isShown ? secret.hide : secret.reveal}
          />
          <IconButton ref={copyRef} size="xs" icon={Copy} label={`Copy ${noun}`} onClick={secret.copy} />
          {replace !== undefined && (
            <IconButton size="xs" icon={RefreshCw} label={replace.label} onClick={replace.act} />
          )}
        </span>
      }
    />
  )
}

declare module '@tanstack/react-router' {
  interface HistoryState {
    /** Whether to show the credentials of a connection that was just created. */
    revealCredentials?: boolean
  }
}

/** Returns whether this page was opened to show the credentials. Going back to it or reloading does not show them again. */
function useRevealOnArrival(): boolean {
  const asked = useRouterState({ select: ({ location }) => location.state.revealCredentials === true })
  const [isAsked] = useState(asked)
  const navigate = useNavigate()
  useEffect(() => {
    if (asked) void navigate({ to: '.', replace: true, state: {} })
  }, [asked, navigate])
  return isAsked
}
