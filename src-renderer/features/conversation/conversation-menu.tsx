import { ActionIcon, Menu, TextInput } from '@mantine/core'
import { Braces, Ellipsis, FileText, SquarePen } from 'lucide-react'
import { useState } from 'react'
import { client } from '../../client/client.ts'
import { confirmDialog } from '../../ui/confirm-dialog.tsx'
import { FormDialog } from '../../ui/form-dialog.tsx'
import { DeleteItem } from '../../ui/more-menu.tsx'
import { fieldErrors } from '../../ui/problem.ts'
import { useFormCommand } from '../../ui/use-command.ts'
import { titleOf } from './conversation-title.ts'
import { exportConversation, useDeleteConversation } from './use-conversation-commands.ts'

type Named = { readonly conversationId: string; readonly title: string }

/** The menu of the open conversation: rename, export, delete. */
export function ConversationMenu({ conversation }: { readonly conversation: Named }) {
  const { conversationId } = conversation
  const [isRenaming, setIsRenaming] = useState(false)
  const remove = useDeleteConversation()
  const label = 'More: rename, export, delete'
  return (
    <>
      <Menu position="bottom-end" width={220}>
        <Menu.Target>
          <ActionIcon aria-label={label} title={label}>
            <Ellipsis />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item leftSection={<SquarePen />} onClick={() => setIsRenaming(true)}>
            Rename
          </Menu.Item>
          <Menu.Divider />
          <Menu.Item
            leftSection={<FileText />}
            onClick={() => void exportConversation(conversationId, 'markdown')}
          >
            Export as Markdown
          </Menu.Item>
          <Menu.Item leftSection={<Braces />} onClick={() => void exportConversation(conversationId, 'json')}>
            Export as JSON
          </Menu.Item>
          <DeleteItem
            onClick={() =>
              confirmDialog({
                title: `Delete ${titleOf(conversation)}?`,
                children:
                  'Its messages are deleted, and an answer in progress stops. The calls stay in the activity of their connections. This cannot be undone.',
                confirm: 'Delete conversation',
                onConfirm: () => remove.mutate({ conversationId }),
              })
            }
          />
        </Menu.Dropdown>
      </Menu>
      {isRenaming && <RenameDialog conversation={conversation} onClose={() => setIsRenaming(false)} />}
    </>
  )
}

function RenameDialog(props: { readonly conversation: Named; readonly onClose: () => void }) {
  const { conversation, onClose } = props
  const { conversationId } = conversation
  const [title, setTitle] = useState(conversation.title)
  const rename = useFormCommand(client.conversations.update, 'The conversation was not renamed', onClose)
  return (
    <FormDialog
      title="Rename conversation"
      submitLabel="Rename"
      isBusy={rename.isPending}
      onSubmit={() => rename.mutate({ conversationId, title })}
      onClose={onClose}
    >
      <TextInput
        label="Title"
        value={title}
        onChange={event => {
          setTitle(event.currentTarget.value)
          rename.reset()
        }}
        error={fieldErrors(rename.error).title}
        data-autofocus
      />
    </FormDialog>
  )
}
