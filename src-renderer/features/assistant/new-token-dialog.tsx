import { Switch, TextInput } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { type CreatedClientToken, NewClientToken } from '#shared/model/assistant.ts'
import type { ToolListing } from '#shared/model/tool.ts'
import { api, client } from '../../client/client.ts'
import { queries } from '../../client/query-client.ts'
import { useConnectionChoice } from '../../entities/connection/use-connections.ts'
import { ToolListingChoice } from '../../entities/tool/tool-listing-choice.tsx'
import { useWorkspace } from '../../entities/workspace/current-workspace.tsx'
import { CodeBlock } from '../../ui/code-block.tsx'
import { copyWithToast } from '../../ui/copy-with-toast.ts'
import classes from '../../ui/dialog.module.css'
import { useStoredFields } from '../../ui/draft/use-stored-fields.tsx'
import { useReturnFocus } from '../../ui/focus.ts'
import { FormDialog } from '../../ui/form-dialog.tsx'
import { Note } from '../../ui/note.tsx'
import { fieldErrors } from '../../ui/problem.ts'
import { SearchSelect } from '../../ui/search-select.tsx'
import { toastUnlessInvalid } from '../../ui/toasts.tsx'

/** Makes a token for an MCP client and shows it once. */
export function NewTokenDialog(props: {
  readonly name: string
  readonly connectionId: string | null
  readonly onCreated: (created: CreatedClientToken) => void
  readonly onClose: () => void
}) {
  // Here, for the first of the two dialogs.
  useReturnFocus()
  const { onCreated, onClose } = props
  const [created, setCreated] = useState<CreatedClientToken | null>(null)
  if (created !== null) return <TokenShown created={created} onClose={onClose} />
  return (
    <TokenForm
      {...props}
      onCreated={token => {
        setCreated(token)
        onCreated(token)
      }}
    />
  )
}

type Wanted = {
  readonly name: string
  readonly connectionId: string | null
  readonly readOnly: boolean
  readonly askFirst: boolean
  readonly tools: ToolListing
}
const fields = {
  ...{ name: 'name', connectionId: 'connection', readOnly: 'reading only' },
  ...{ askFirst: 'asking first', tools: 'tools' },
}

function TokenForm(props: Parameters<typeof NewTokenDialog>[0]) {
  const { onCreated, onClose } = props
  const { workspace } = useWorkspace()
  const { values, change, note } = useStoredFields<Wanted>(`new-token/${workspace?.workspaceId}`, fields, {
    ...{ name: props.name, connectionId: props.connectionId },
    ...{ readOnly: false, askFirst: true, tools: 'all' },
  })
  const { name, connectionId, readOnly, askFirst, tools } = values
  const { rows, onTyped } = useConnectionChoice(connectionId)
  const [found, setFound] = useState<Readonly<Record<string, string>>>({})
  const workspaceId = workspace?.workspaceId ?? null
  const wanted = { name, workspaceId, connectionId, readOnly, askFirst, tools }
  const create = useMutation({
    mutationFn: () => client.assistant.createToken(wanted),
    // The result contains the token, so it must not stay in the cache.
    gcTime: 0,
    async onSuccess(token) {
      onCreated(token)
      await queries.invalidateQueries({ queryKey: api.assistant.key() })
    },
    onError: error => toastUnlessInvalid('The token was not created', error),
  })
  const problems: Readonly<Record<string, string>> = { ...found, ...fieldErrors(create.error) }
  function submit(): void {
    const issues = NewClientToken.safeParse(wanted).error?.issues ?? []
    setFound(Object.fromEntries(issues.map(({ path, message }) => [path.join('.'), message])))
    if (issues.length === 0) create.mutate()
  }
  return (
    <FormDialog
      title="New client token"
      size={480}
      submitLabel="Create token"
      isBusy={create.isPending}
      onSubmit={submit}
      onClose={onClose}
    >
      {note}
      <TextInput
        label="Name"
        description={problems.name ? undefined : 'The client that will use it, such as VS Code on my laptop.'}
        data-autofocus
        value={name}
        onChange={event => change({ name: event.currentTarget.value })}
        error={problems.name}
      />
      <SearchSelect
        label="Tools from"
        value={connectionId ?? ''}
        onTyped={onTyped}
        onChange={id => change({ connectionId: id === null || id === '' ? null : id })}
        data={[
          { value: '', label: `All connections of ${workspace?.name ?? 'the workspace'}` },
          ...rows.map(row => ({ value: row.connectionId, label: row.name })),
        ]}
        error={problems.connectionId}
      />
      <ToolListingChoice
        label="Tools of the client"
        listing={tools}
        connectionId={connectionId}
        onChange={next => change({ tools: next })}
      />
      <Switch
        classNames={{ label: classes.choice ?? '' }}
        label="Read-only"
        description="Allows only GET actions. All other calls are refused."
        checked={readOnly}
        onChange={event => change({ readOnly: event.currentTarget.checked })}
      />
      <Switch
        classNames={{ label: classes.choice ?? '' }}
        label="Ask before calls that change data"
        description="They wait up to five minutes for someone to allow them in this dashboard."
        checked={askFirst && !readOnly}
        disabled={readOnly}
        onChange={event => change({ askFirst: event.currentTarget.checked })}
      />
    </FormDialog>
  )
}

function TokenShown(props: { readonly created: CreatedClientToken; readonly onClose: () => void }) {
  const { created, onClose } = props
  const { token, name } = created
  return (
    <FormDialog
      title={`Token “${name}”`}
      size={520}
      submitLabel="Copy token"
      cancelLabel="Done"
      onSubmit={() => void copyWithToast(token, 'Token', 'It is a credential.')}
      onClose={onClose}
    >
      <CodeBlock label="Token" lines={[[{ text: token, kind: 'str' }]]} wrap />
      <Note>
        This token is shown only once, and the service keeps no copy. Until you leave this page, the copied
        configuration contains it.
      </Note>
    </FormDialog>
  )
}
