import { useQueryClient } from '@tanstack/react-query'
import { RefreshCw } from 'lucide-react'
import { useEffect, useEffectEvent, useState } from 'react'
import type { Credentials } from '#shared/model/connection.ts'
import { api, client } from '../../client/client.ts'
import { formatMinute } from '../../ui/format.ts'
import { IconButton } from '../../ui/icon-button.tsx'
import { Note } from '../../ui/note.tsx'
import { toastDone } from '../../ui/toasts.tsx'
import { useNow } from '../../ui/use-now.ts'
import { useCurrentConnection } from './current-connection.tsx'
import { maskedInboundUrl, maskedSecret } from './masked-inbound-url.ts'
import classes from './overview-tab.module.css'
import { RegenerateTokenDialog } from './regenerate-token-dialog.tsx'
import { RotateSecretDialog } from './rotate-secret-dialog.tsx'
import { SecretField } from './secret-field.tsx'
import { useInboundBase } from './use-inbound-base.ts'
import { useRevealOnArrival } from './use-reveal-on-arrival.ts'
import { useSecret } from './use-secret.ts'

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
