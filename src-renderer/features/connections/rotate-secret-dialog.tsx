import { Radio } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import type { Credentials, GraceHours } from '#shared/model/connection.ts'
import { client } from '../../client/client.ts'
import type { OpenConnection } from '../../entities/connection/current-connection.tsx'
import classes from '../../ui/dialog.module.css'
import { FormDialog } from '../../ui/form-dialog.tsx'
import { formatMinute } from '../../ui/format.ts'
import { Note } from '../../ui/note.tsx'
import { toastDone, toastProblem } from '../../ui/toasts.tsx'
import { graceHoursOf, gracePeriods } from './grace-periods.ts'

/** Asks how long the old signing secret stays valid, then rotates it. */
export default function RotateSecretDialog(props: {
  readonly connection: Pick<OpenConnection, 'connectionId' | 'previousSecretExpiresAt'>
  readonly onClose: () => void
  readonly onRotated: (credentials: Credentials) => void
}) {
  const { connection, onClose, onRotated } = props
  const { connectionId, previousSecretExpiresAt } = connection
  const [graceHours, setGraceHours] = useState<GraceHours>(24)
  const rotate = useMutation({
    mutationFn: () => client.connections.rotateSecret({ connectionId, graceHours }),
    // The result contains the credentials, so it must not stay in the cache.
    gcTime: 0,
    onSuccess(credentials) {
      onRotated(credentials)
      onClose()
      const period = gracePeriods.find(({ hours }) => hours === graceHours)
      toastDone(
        'Signing secret rotated',
        graceHours === 0
          ? 'The old one is no longer accepted.'
          : `The old one is accepted for ${period?.label} more.`,
      )
    },
    onError: error => toastProblem('The signing secret was not rotated', error),
  })

  return (
    <FormDialog
      title="Rotate the signing secret"
      size={480}
      submitLabel="Rotate secret"
      isDangerous={graceHours === 0}
      enterSubmits={false}
      isBusy={rotate.isPending}
      onSubmit={() => rotate.mutate()}
      onClose={onClose}
    >
      <div className="stack">
        <p>
          The service creates a new secret and signs action calls with it immediately. Your system will reject
          action calls until it has the new secret. Events signed with the old secret are accepted for as long
          as you choose.
        </p>
        {previousSecretExpiresAt !== null && (
          <Note tone="warn">
            Old secrets are still accepted, the newest of them until {formatMinute(previousSecretExpiresAt)}.
            “Not at all” makes all of them invalid now.
          </Note>
        )}
      </div>
      <Radio.Group
        label="Accept the old secret for"
        value={String(graceHours)}
        onChange={value => setGraceHours(graceHoursOf(value) ?? graceHours)}
      >
        <div className={classes.choices}>
          {gracePeriods.map(({ hours, label, help }) => (
            <Radio
              key={hours}
              classNames={{ label: classes.choice ?? '' }}
              value={String(hours)}
              label={label}
              description={help}
              size="xs"
            />
          ))}
        </div>
      </Radio.Group>
    </FormDialog>
  )
}
