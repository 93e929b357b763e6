import { Switch, TextInput } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { NewConnection } from '#shared/model/connection.ts'
import { api, client } from '../../client/client.ts'
import { queries } from '../../client/query-client.ts'
import { useWorkspace } from '../../entities/workspace/current-workspace.tsx'
import classes from '../../ui/dialog.module.css'
import { useStoredFields } from '../../ui/draft/use-stored-fields.tsx'
import { useIsMounted, wantNext } from '../../ui/focus.ts'
import { FormDialog } from '../../ui/form-dialog.tsx'
import { fieldErrors } from '../../ui/problem.ts'
import { toastDone, toastUnlessInvalid } from '../../ui/toasts.tsx'

const blank = { name: '', baseUrl: '', persistEvents: true }
const fields = { name: 'name', baseUrl: 'base URL', persistEvents: 'log of events' }

/** Asks for the name of a new connection, creates it, and opens it with its credentials shown. */
export default function NewConnectionDialog({ onClose }: { readonly onClose: () => void }) {
  const isMounted = useIsMounted()
  const { workspace } = useWorkspace()
  const navigate = useNavigate()
  const { values, change, note } = useStoredFields(`new-connection/${workspace?.workspaceId}`, fields, blank)
  const { name, baseUrl, persistEvents } = values
  const wanted = { name, baseUrl: baseUrl.trim() === '' ? null : baseUrl, persistEvents }
  const [found, setFound] = useState<Readonly<Record<string, string>>>({})
  const create = useMutation({
    mutationFn: () =>
      client.connections.create({ ...wanted, ...(workspace && { workspaceId: workspace.workspaceId }) }),
    // The result contains the credentials, so it must not stay in the cache.
    gcTime: 0,
    async onSuccess({ connectionId, name }) {
      await queries.invalidateQueries({ queryKey: api.connections.key() })
      const created = `Connection “${name}” created`
      if (!isMounted()) return toastDone(created, 'It accepts events now.')
      wantNext()
      onClose()
      toastDone(created, 'It accepts events now. Its URL and secret are shown for 30 s.')
      void navigate({
        to: '/connections/$connectionId',
        params: { connectionId },
        state: { revealCredentials: true },
      })
    },
    onError: error => toastUnlessInvalid('The connection was not created', error),
  })
  const problems: Readonly<Record<string, string>> = { ...found, ...fieldErrors(create.error) }
  function submit(): void {
    const issues = NewConnection.safeParse(wanted).error?.issues ?? []
    setFound(Object.fromEntries(issues.map(({ path, message }) => [path.join('.'), message])))
    if (issues.length === 0) create.mutate()
  }

  return (
    <FormDialog
      title="New connection"
      size={480}
      submitLabel="Create"
      keys="mod+enter"
      isBusy={create.isPending}
      onSubmit={submit}
      onClose={onClose}
      foot={<span className="sm t3 grow">URL and secret are made for you.</span>}
    >
      {note}
      <TextInput
        label="Name"
        description={problems.name ? undefined : 'What your team calls the system, such as Acme Orders ERP.'}
        data-autofocus
        value={name}
        onChange={event => change({ name: event.currentTarget.value })}
        error={problems.name}
      />
      <TextInput
        label="Base URL"
        classNames={{ input: 'mono' }}
        description={
          problems.baseUrl
            ? undefined
            : 'Every action’s path is appended to it. Leave empty if you only receive events.'
        }
        placeholder="https://api.example.com"
        value={baseUrl}
        onChange={event => change({ baseUrl: event.currentTarget.value })}
        error={problems.baseUrl}
        spellCheck={false}
      />
      <Switch
        classNames={{ label: classes.choice ?? '' }}
        label="Log inbound events"
        description="Keeps a copy of each event, so that you can search and replay it."
        checked={persistEvents}
        onChange={event => change({ persistEvents: event.currentTarget.checked })}
      />
    </FormDialog>
  )
}
