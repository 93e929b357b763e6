import { TextInput } from '@mantine/core'
import { Braces, FileText, SquarePen } from 'lucide-react'
import { useState } from 'react'
import { client } from '../../client/client.ts'
import { confirmDialog } from '../../ui/confirm-dialog.tsx'
import { useStoredFields } from '../../ui/draft/use-stored-fields.tsx'
import { FormDialog } from '../../ui/form-dialog.tsx'
import { deleteEntry, MoreMenu } from '../../ui/more-menu.tsx'
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
  const askToDelete = () =>
    confirmDialog({
      title: `Delete ${titleOf(conversation)}?`,
      children:
        'Its messages are deleted, and an answer in progress stops. The calls stay in the activity of their connections. This cannot be undone.',
      confirm: 'Delete conversation',
      onConfirm: () => remove.mutate({ conversationId }),
    })
  return (
    <>
      <MoreMenu
        name={titleOf(conversation)}
        label="More: rename, export, delete"
        width={220}
        entries={[
          { icon: SquarePen, label: 'Rename', also: 'conversation title', run: () => setIsRenaming(true) },
          {
            ...{ icon: FileText, label: 'Export as Markdown', also: 'conversation', isRuled: true },
            run: () => void exportConversation(conversationId, 'markdown'),
          },
          {
            ...{ icon: Braces, label: 'Export as JSON', also: 'conversation' },
            run: () => void exportConversation(conversationId, 'json'),
          },
          deleteEntry(askToDelete),
        ]}
      />
      {isRenaming && <RenameDialog conversation={conversation} onClose={() => setIsRenaming(false)} />}
    </>
  )
}

const titleField = { title: 'title' }

function RenameDialog(props: { readonly conversation: Named; readonly onClose: () => void }) {
  const { conversation, onClose } = props
  const { conversationId } = conversation
  const initial = { title: conversation.title }
  const { values, change, note } = useStoredFields(
    `conversation-title/${conversationId}`,
    titleField,
    initial,
  )
  const { title } = values
  const rename = useFormCommand(client.conversations.update, 'The conversation was not renamed', onClose)
  return (
    <FormDialog
      title="Rename conversation"
      submitLabel="Rename"
      isBusy={rename.isPending}
      onSubmit={() => rename.mutate({ conversationId, title })}
      onClose={onClose}
    >
      {note}
      <TextInput
        label="Title"
        value={title}
        onChange={event => {
          change({ title: event.currentTarget.value })
          rename.reset()
        }}
        error={fieldErrors(rename.error).title}
        data-autofocus
      />
    </FormDialog>
  )
}
