import { TextInput } from '@mantine/core'
import { useNavigate } from '@tanstack/react-router'
import { api, client } from '../../client/client.ts'
import { queries } from '../../client/query-client.ts'
import { useWorkspace } from '../../entities/workspace/current-workspace.tsx'
import { useStoredFields } from '../../ui/draft/use-stored-fields.tsx'
import { useIsMounted, wantNext } from '../../ui/focus.ts'
import { FormDialog } from '../../ui/form-dialog.tsx'
import { fieldErrors } from '../../ui/problem.ts'
import { toastDone } from '../../ui/toasts.tsx'
import { useFormCommand } from '../../ui/use-command.ts'

/** Creates a workspace and opens it. */
export default function NewWorkspaceDialog({ onClose }: { readonly onClose: () => void }) {
  const isMounted = useIsMounted()
  const { values, change, note } = useStoredFields('new-workspace', { name: 'name' }, { name: '' })
  const { name } = values
  const { choose } = useWorkspace()
  const navigate = useNavigate()
  const create = useFormCommand(
    client.workspaces.create,
    'The workspace was not created',
    async workspace => {
      await queries.invalidateQueries({ queryKey: api.workspaces.key() })
      toastDone(`Workspace “${workspace.name}” created`)
      if (!isMounted()) return
      wantNext()
      choose(workspace.workspaceId)
      onClose()
      void navigate({ to: '/connections' })
    },
  )
  return (
    <FormDialog
      title="New workspace"
      submitLabel="Create workspace"
      isBusy={create.isPending}
      onSubmit={() => create.mutate({ name })}
      onClose={onClose}
    >
      {note}
      <TextInput
        label="Name"
        description="A workspace has its own connections and public URL."
        value={name}
        onChange={event => {
          change({ name: event.currentTarget.value })
          create.reset()
        }}
        error={fieldErrors(create.error).name}
        data-autofocus
      />
    </FormDialog>
  )
}
