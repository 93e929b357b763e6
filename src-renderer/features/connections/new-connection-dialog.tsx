import { Switch, TextInput } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { NewConnection } from '#shared/model/connection.ts'
import { api, client } from '../../client/client.ts'
import { fieldErrors } from '../../client/problem.ts'
import classes from '../../ui/dialog.module.css'
import { useIsMounted } from '../../ui/focus.ts'
import { FormDialog } from '../../ui/form-dialog.tsx'
import { useShortcut } from '../../ui/shortcuts.tsx'
import { toastDone, toastUnlessInvalid } from '../../ui/toasts.tsx'
import { useWorkspace } from '../workspaces/current-workspace.tsx'

/** Asks what a new connection is called; then opens it with its credentials in sight. */
export function NewConnectionDialog({ onClose }: { readonly onClose: () => void }) {
  const isMounted = useIsMounted()
  const { workspace } = useWorkspace()
  const queries = useQueryClient()
  const navigate = useNavigate()
  const [name, setName] = useState('')
  const [baseUrl, setBaseUrl] = useState('')
  const [persistEvents, setPersistEvents] = useState(true)
  const [errors, setErrors] = useState<Readonly<Record<string, string>>>({})
  const [saving, setSaving] = useState(false)

  async function submit() {
    if (saving) return
    const wanted = { name, baseUrl: baseUrl.trim() === '' ? null : baseUrl, persistEvents }
    const judged = NewConnection.safeParse(wanted)
    if (!judged.success)
      return setErrors(
        Object.fromEntries(judged.error.issues.map(({ path, message }) => [path.join('.'), message])),
      )
    setSaving(true)
    try {
      // Not by way of a mutation: those are remembered, and the answer carries the credentials.
      const { connectionId } = await client.connections.create({
        ...wanted,
        ...(workspace === null ? {} : { workspaceId: workspace.workspaceId }),
      })
      await queries.invalidateQueries({ queryKey: api.connections.key() })
      const created = `Connection “${judged.data.name}” created`
      if (!isMounted()) return toastDone(created, 'It takes events now.')
      onClose()
      toastDone(created, 'It takes events now. Its URL and secret are shown for 30 s.')
      void navigate({
        to: '/connections/$connectionId',
        params: { connectionId },
        state: { revealCredentials: true },
      })
    } catch (error) {
      setErrors(fieldErrors(error))
      toastUnlessInvalid('The connection was not created', error)
      setSaving(false)
    }
  }
  useShortcut({ keys: 'mod+enter', label: 'Create', group: 'Dialog' }, () => void submit())

  return (
    <FormDialog
      title="New connection"
      size={480}
      submitLabel="Create"
      keys="mod+enter"
      isBusy={saving}
      onSubmit={() => void submit()}
      onClose={onClose}
      foot={<span className="sm t3 grow">URL and secret are made for you.</span>}
    >
      <TextInput
        label="Name"
        description={errors.name ? undefined : 'What your team calls the system, such as Acme Orders ERP.'}
        data-autofocus
        value={name}
        onChange={event => setName(event.currentTarget.value)}
        error={errors.name}
      />
      <TextInput
        label="Base URL"
        classNames={{ input: 'mono' }}
        description={
          errors.baseUrl
            ? undefined
            : 'Every action’s path is appended to it. Leave empty if you only receive events.'
        }
        placeholder="https://api.example.com"
        value={baseUrl}
        onChange={event => setBaseUrl(event.currentTarget.value)}
        error={errors.baseUrl}
        spellCheck={false}
      />
      <Switch
        classNames={{ label: classes.choice ?? '' }}
        label="Log inbound events"
        description="Keeps a copy of each event, so that you can search and replay it."
        checked={persistEvents}
        onChange={event => setPersistEvents(event.currentTarget.checked)}
      />
    </FormDialog>
  )
}
