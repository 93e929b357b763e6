import { Button, Table, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Plus, Trash2 } from 'lucide-react'
import { type FormEvent, useRef } from 'react'
import type { Workspace } from '#shared/model/workspace.ts'
import { api, client } from '../../client/client.ts'
import { queries } from '../../client/query-client.ts'
import { useWorkspace } from '../../entities/workspace/current-workspace.tsx'
import { useOverlays } from '../../overlays.tsx'
import { Unknown } from '../../ui/badges.tsx'
import { confirmDialog } from '../../ui/confirm-dialog.tsx'
import { useStoredFields } from '../../ui/draft/use-stored-fields.tsx'
import { useFocusAfterRemoval, useTransientFocus } from '../../ui/focus.ts'
import { formatNumber } from '../../ui/format.ts'
import { IconButton } from '../../ui/icon-button.tsx'
import { fieldErrors } from '../../ui/problem.ts'
import { PageContent, Section } from '../../ui/section.tsx'
import { toastDone } from '../../ui/toasts.tsx'
import { useCommand, useFormCommand } from '../../ui/use-command.ts'
import { WriteButton } from '../../ui/write-button.tsx'

/** All workspaces, to rename, delete when empty, or add to. */
export function WorkspacesSection() {
  const { workspaces } = useWorkspace()
  const { open } = useOverlays()
  const addButton = useRef<HTMLButtonElement>(null)
  useFocusAfterRemoval(workspaces.length, () => addButton.current?.focus())
  return (
    <PageContent>
      <Section
        title="Workspaces"
        intro="Each has its own connections, workflows, agents and public URL."
        action={
          <Button ref={addButton} leftSection={<Plus />} onClick={() => open({ kind: 'new-workspace' })}>
            New workspace
          </Button>
        }
      >
        <Table layout="fixed" verticalSpacing={8}>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>Name</Table.Th>
              <Table.Th>Public URL</Table.Th>
              <Table.Th w={110} ta="right">
                Connections
              </Table.Th>
              <Table.Th w={60}>
                <span className="sr">Manage</span>
              </Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {workspaces.map(workspace => (
              <WorkspaceRow key={workspace.workspaceId} workspace={workspace} />
            ))}
          </Table.Tbody>
        </Table>
      </Section>
    </PageContent>
  )
}

const nameField = { typed: 'name' }

function WorkspaceRow({ workspace }: { readonly workspace: Workspace }) {
  const { workspaceId, name, publicBaseUrl } = workspace
  const { values, change, note } = useStoredFields(`workspace-name/${workspaceId}`, nameField, {
    typed: name,
  })
  const { typed } = values
  const figures = useQuery(api.connections.figures.queryOptions({ input: { workspaceId } }))
  const count = figures.data?.total
  const rename = useFormCommand(client.workspaces.update, 'The workspace was not renamed', async renamed => {
    await queries.invalidateQueries({ queryKey: api.workspaces.key() })
    change({ typed: renamed.name })
    toastDone(`Workspace renamed to “${renamed.name}”`)
  })
  const remove = useCommand(client.workspaces.remove, `Workspace “${name}” was not deleted`, async () => {
    await queries.invalidateQueries({ queryKey: api.workspaces.key() })
    toastDone(`Workspace “${name}” deleted`)
  })
  function submit(event: FormEvent) {
    event.preventDefault()
    if (!rename.isPending) rename.mutate({ workspaceId, name: typed })
  }
  const confirmDeletion = () =>
    confirmDialog({
      title: `Delete ${name}?`,
      children:
        'Its agents with their knowledge files, its conversations and its client tokens are deleted too. This cannot be undone.',
      confirm: 'Delete workspace',
      onConfirm: () => remove.mutate({ workspaceId }),
    })
  return (
    <Table.Tr>
      <Table.Td>
        {note}
        <form onSubmit={submit} className="row" style={{ alignItems: 'flex-start' }}>
          <TextInput
            aria-label={`Name of ${name}`}
            size="sm"
            className="grow"
            value={typed}
            error={fieldErrors(rename.error).name}
            onChange={event => {
              change({ typed: event.currentTarget.value })
              rename.reset()
            }}
          />
          {typed !== name && <RenameButton isRenaming={rename.isPending} />}
        </form>
      </Table.Td>
      <Table.Td className={publicBaseUrl === null ? 'cut t3' : 'cut mono'}>
        {publicBaseUrl ?? 'The listener’s address'}
      </Table.Td>
      <Table.Td ta="right" className="num">
        {count === undefined ? <Unknown /> : formatNumber(count)}
      </Table.Td>
      <Table.Td>
        {count === 0 && workspaceId !== 'default' && (
          <IconButton icon={Trash2} label={`Delete ${name}`} size="xs" onClick={confirmDeletion} />
        )}
      </Table.Td>
    </Table.Tr>
  )
}

/** Shown while the field holds another name. */
function RenameButton({ isRenaming }: { readonly isRenaming: boolean }) {
  const transient = useTransientFocus(isRenaming)
  return (
    <WriteButton type="submit" loading={isRenaming} {...transient}>
      Rename
    </WriteButton>
  )
}
