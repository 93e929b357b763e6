import { Link } from '@tanstack/react-router'
import { ShieldCheck } from 'lucide-react'
import { templatesOf } from '#shared/model/sender/sender.ts'
import { lacksPublicKey, secretKindOf } from '#shared/model/sender/sender-secret.ts'
import { schemes } from '#shared/model/sender/templates.ts'
import { useCurrentConnection } from '../../../entities/connection/current-connection.tsx'
import { PageCard } from '../page-card.tsx'
import { challengesOf, shortTitle } from './activation-words.ts'
import { useActivation } from './use-activation.ts'

/** Shows the scheme of a connection's sender, and leads to its page. */
export function SenderCard() {
  const { sender, hasSenderSecret, warnings = [] } = useCurrentConnection()
  const unfit = warnings.find(({ path }) => path === 'sender')?.message
  const { title, about, hasOwnSecret } = schemes[sender.scheme]
  const [{ verify, signatureHeader }] = templatesOf(sender)
  const header = sender.scheme === 'template' && signatureHeader !== '' ? signatureHeader : about
  const needsSecret = hasOwnSecret && secretKindOf(sender) !== null
  return (
    <PageCard
      id="sender-card"
      icon={ShieldCheck}
      title="How this sender signs"
      page="/connections/$connectionId/sender"
    >
      {lacksPublicKey(sender) ? (
        <p className="sm bad">{title} · no public key is set, so every event is refused</p>
      ) : needsSecret && !hasSenderSecret ? (
        <p className="sm bad">{title} · no secret is set, so every event is refused</p>
      ) : unfit !== undefined ? (
        <p className="sm bad">{unfit}</p>
      ) : verify === 'none' || verify === 'token' ? (
        <p className="sm bad">
          {title} · anyone who knows the URL{verify === 'token' && ' and the token'} can send
        </p>
      ) : (
        <p className="sm t2">
          {title} · {hasOwnSecret ? <code>{header}</code> : 'the whole secret is the key'}
        </p>
      )}
      <Awaited />
    </PageCard>
  )
}

/** Leads to the steps while a provider has not asked its question. */
function Awaited() {
  const { connectionId, sender } = useCurrentConnection()
  const { data } = useActivation(
    connectionId,
    challengesOf(sender).some(one => one.isOptional !== true),
  )
  if (data?.state !== 'waiting') return null
  return (
    <p className="sm t2">
      {shortTitle(sender)} has not asked yet.{' '}
      <Link className="link" to="/connections/$connectionId/sender/activation" params={{ connectionId }}>
        Open the steps
      </Link>
    </p>
  )
}
