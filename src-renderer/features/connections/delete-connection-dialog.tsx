import { Button, TextInput } from '@mantine/core'
import { useNavigate } from '@tanstack/react-router'
import { Upload } from 'lucide-react'
import { useState } from 'react'
import type { ConnectionSummary } from '#shared/model/connection.ts'
import { api, client } from '../../client/client.ts'
import { queries } from '../../client/query-client.ts'
import { exportConnection } from '../../entities/connection/use-update-connection.ts'
import classes from '../../ui/dialog.module.css'
import { FormDialog } from '../../ui/form-dialog.tsx'
import { formatCount } from '../../ui/format.ts'
import { useUndo } from '../../ui/undo.tsx'
import { useCommand } from '../../ui/use-command.ts'

/** The service can restore it for 30 seconds, and the button disappears before that. In milliseconds. */
const restorableMs = 29_000

/** Says what is deleted with a connection, and deletes it once its name is typed. Offers to undo it. */
export default function DeleteConnectionDialog(props: {
  readonly connection: Pick<ConnectionSummary, 'connectionId' | 'name' | 'actionCount' | 'eventTypeCount'>
  readonly onClose: () => void
}) {
  const { connection, onClose } = props
  const { connectionId, name, actionCount, eventTypeCount } = connection
  const [typed, setTyped] = useState('')
  const navigate = useNavigate()
  const offerUndo = useUndo()
  const remove = useCommand(
    () => client.connections.discard({ connectionId }),
    'The connection was not deleted',
    async () => {
      onClose()
      // Before its page refetches it.
      await navigate({ to: '/connections', ignoreBlocker: true })
      queries.removeQueries({ queryKey: api.connections.get.key({ input: { connectionId } }) })
      await queries.invalidateQueries({ queryKey: api.connections.list.key() })
      offerUndo({
        of: connectionId,
        done: `Connection “${name}” deleted`,
        undone: `Connection “${name}” is back`,
        forMs: restorableMs,
        async undo() {
          await client.connections.restore({ connectionId })
          await queries.invalidateQueries()
        },
      })
    },
  )
  return (
    <FormDialog
      title={`Delete ${name}?`}
      size={480}
      submitLabel="Delete connection"
      isDangerous
      isDisabled={typed.trim() !== name.trim()}
      isBusy={remove.isPending}
      onSubmit={() => remove.mutate()}
      onClose={onClose}
      foot={
        <Button
          variant="subtle"
          size="md"
          leftSection={<Upload />}
          style={{ marginRight: 'auto' }}
          onClick={() => void exportConnection(connection)}
        >
          Export as JSON
        </Button>
      }
    >
      <div className="stack">
        <p>Its inbound URL stops at once, and senders get 404. This deletes</p>
        <ul className={classes.list}>
          <li>{formatCount(actionCount, 'action')}, which assistants can no longer call</li>
          <li>{formatCount(eventTypeCount, 'event type')}</li>
          <li>every stored event and its activity</li>
        </ul>
        <p className="t2">
          You can undo this for 30 seconds. After that, only an export can restore its actions and event
          types.
        </p>
      </div>
      <TextInput
        label={
          <>
            Type <strong>{name}</strong> to confirm
          </>
        }
        aria-label={`Type ${name} to confirm`}
        data-autofocus
        autoComplete="off"
        spellCheck={false}
        value={typed}
        onChange={event => setTyped(event.currentTarget.value)}
      />
    </FormDialog>
  )
}
