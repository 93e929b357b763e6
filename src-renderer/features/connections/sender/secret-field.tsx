import { SegmentedControl, TextInput } from '@mantine/core'
import { Eye, EyeOff, Pencil, X } from 'lucide-react'
import { useState } from 'react'
import { secretOfProof } from '#shared/model/sender/sender-secret.ts'
import { isPreset, schemes } from '#shared/model/sender/templates.ts'
import { useCurrentConnection } from '../../../entities/connection/current-connection.tsx'
import { useCredentials } from '../../../entities/connection/use-secret.ts'
import { formatMinute } from '../../../ui/format.ts'
import { IconButton } from '../../../ui/icon-button.tsx'
import { graceHoursOf, gracePeriods } from '../grace-periods.ts'
import classes from './sender.module.css'
import type { SenderDraft } from './sender-draft.ts'

const labels = { secret: 'Signing secret', token: 'Token', password: 'Password' } as const

const masked = '•'.repeat(18)

/** The secret that the sender signs with: shows the one that is set, and takes a new one. */
export function SecretField(props: {
  readonly draft: SenderDraft
  readonly problem: string | undefined
  readonly onEdit: (edit: Partial<SenderDraft>) => void
}) {
  const { draft, problem, onEdit } = props
  const connection = useCurrentConnection()
  const { connectionId, hasSenderSecret, oldSenderSecretsExpireAt, warnings = [] } = connection
  const { senderSecret } = useCredentials(connectionId)
  const [isReplacing, setIsReplacing] = useState(false)
  const [isTypedShown, setIsTypedShown] = useState(false)
  const { hasOwnSecret, secret: about } = schemes[draft.scheme]
  const kind = secretOfProof(draft.verify, draft.jwtAlgorithm)
  // The facts of a preset say it.
  const description = isPreset(draft.scheme) ? undefined : about
  if (kind === null) return null
  const label = labels[kind]
  if (!hasOwnSecret)
    return (
      <p className="sm t2">
        <strong>Signing secret.</strong> {about} Svix and Standard Webhooks libraries decode it first; for a
        sender that uses one, choose Standard Webhooks.
      </p>
    )
  const isShown = senderSecret.value !== null
  const [expiry] = oldSenderSecretsExpireAt
  const unfit =
    draft.scheme === connection.sender.scheme
      ? warnings.find(({ path }) => path === 'sender')?.message
      : undefined
  if (hasSenderSecret && !isReplacing && draft.secret === '')
    return (
      <TextInput
        label={label}
        readOnly
        spellCheck={false}
        classNames={{ input: classes.machine ?? '' }}
        value={senderSecret.value ?? masked}
        error={unfit}
        description={
          expiry === undefined ? description : `The secret before is accepted until ${formatMinute(expiry)}.`
        }
        rightSectionWidth={64}
        rightSection={
          <span className={classes.icons}>
            <IconButton
              size="xs"
              icon={isShown ? EyeOff : Eye}
              label={`${isShown ? 'Hide' : 'Reveal'} ${label.toLowerCase()}`}
              onClick={isShown ? senderSecret.hide : senderSecret.reveal}
            />
            <IconButton
              size="xs"
              icon={Pencil}
              label={`Replace ${label.toLowerCase()}`}
              onClick={() => setIsReplacing(true)}
            />
          </span>
        }
      />
    )
  return (
    <div className={classes.field}>
      {draft.verify === 'basic' && (
        <TextInput
          label="User name"
          autoComplete="off"
          spellCheck={false}
          classNames={{ input: classes.machine ?? '' }}
          value={draft.user}
          onChange={event => onEdit({ user: event.currentTarget.value })}
        />
      )}
      <TextInput
        label={label}
        type={isTypedShown ? 'text' : 'password'}
        autoComplete="new-password"
        spellCheck={false}
        data-autofocus={isReplacing || undefined}
        autoFocus={isReplacing}
        classNames={{ input: classes.machine ?? '' }}
        value={draft.secret}
        onChange={event => onEdit({ secret: event.currentTarget.value })}
        error={problem}
        description={problem === undefined ? description : undefined}
        rightSectionWidth={hasSenderSecret ? 64 : 36}
        rightSection={
          <span className={classes.icons}>
            <IconButton
              size="xs"
              icon={isTypedShown ? EyeOff : Eye}
              label={`${isTypedShown ? 'Hide' : 'Show'} what you typed`}
              onClick={() => setIsTypedShown(!isTypedShown)}
            />
            {hasSenderSecret && (
              <IconButton
                size="xs"
                icon={X}
                label="Keep the secret that is set"
                onClick={() => {
                  setIsReplacing(false)
                  setIsTypedShown(false)
                  onEdit({ secret: '' })
                }}
              />
            )}
          </span>
        }
      />
      {hasSenderSecret && (
        <>
          <span className="sm t2" id="sender-grace">
            Accept the secret before for
          </span>
          <SegmentedControl
            aria-labelledby="sender-grace"
            value={String(draft.graceHours)}
            onChange={value => onEdit({ graceHours: graceHoursOf(value) ?? draft.graceHours })}
            data={gracePeriods.map(({ hours, label }) => ({ value: String(hours), label }))}
          />
        </>
      )}
    </div>
  )
}
