import { Button, Table } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Pencil, Plus, Trash2, TriangleAlert } from 'lucide-react'
import { useRef, useState } from 'react'
import type { EnvironmentVariable } from '#shared/model/environment-variable.ts'
import { api, client } from '../../client/client.ts'
import { queries } from '../../client/query-client.ts'
import { SetVariableDialog } from '../../entities/environment/set-variable-dialog.tsx'
import { useHasSeveralNodes } from '../../entities/node/use-nodes.ts'
import { confirmDialog } from '../../ui/confirm-dialog.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { useFocusAfterRemoval } from '../../ui/focus.ts'
import { formatCount } from '../../ui/format.ts'
import { IconButton } from '../../ui/icon-button.tsx'
import { KeyButton } from '../../ui/keys.tsx'
import { problemOf } from '../../ui/problem.ts'
import { QueryState } from '../../ui/query-state.tsx'
import { FormRow, PageContent, Section } from '../../ui/section.tsx'
import { useShortcut } from '../../ui/shortcuts.tsx'
import { TagsField } from '../../ui/tags-field.tsx'
import { toastDone } from '../../ui/toasts.tsx'
import { useCommand, useFormCommand } from '../../ui/use-command.ts'

/** The variable whose value is being set; null for a new one. */
type Editing = { readonly name: string | null }

/** The variables behind `{{NAME}}` in headers and the actions that use them; values are never shown. */
export function EnvironmentSection() {
  const query = useQuery(api.environment.list.queryOptions())
  const variables = query.data
  const [editing, setEditing] = useState<Editing | null>(null)
  const add = () => setEditing({ name: null })
  useShortcut({ keys: 'mod+e', label: 'Add a variable', group: 'Settings' }, add)
  const addButton = useRef<HTMLButtonElement>(null)
  // A removed variable that is still used stays in the table, without its button.
  const ownCount = variables?.filter(({ sources }) => sources.includes('settings')).length ?? 0
  useFocusAfterRemoval(ownCount, () => addButton.current?.focus())
  return (
    <PageContent>
      <Section
        title="Environment variables"
        intro={
          <>
            Filled into the headers of actions and HTTP steps in place of <code>{'{{NAME}}'}</code>. Stored
            encrypted, never shown again.
          </>
        }
        action={
          <KeyButton icon={Plus} keys="mod+e" ref={addButton} onClick={add}>
            Add variable
          </KeyButton>
        }
      >
        {variables === undefined ? (
          <QueryState query={query} failed="The variables could not be read" />
        ) : variables.length === 0 ? (
          <EmptyState title="No variables yet">
            Save an API key here, then write <code className="inline-code">{'{{NAME}}'}</code> in an action’s
            header. Its value is sent only in that header, and is in no log.
          </EmptyState>
        ) : (
          <Table layout="fixed" fz={13} verticalSpacing={8}>
            <Table.Thead>
              <Table.Tr>
                <Table.Th>Name</Table.Th>
                <Table.Th w={{ base: 100, xs: 140 }}>Value</Table.Th>
                <Table.Th visibleFrom="sm">Used by</Table.Th>
                <Table.Th w={110} visibleFrom="xs">
                  Set in
                </Table.Th>
                <Table.Th w={76}>
                  <span className="sr">Manage</span>
                </Table.Th>
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {variables.map(variable => (
                <VariableRow
                  key={variable.name}
                  variable={variable}
                  onEdit={() => setEditing({ name: variable.name })}
                />
              ))}
            </Table.Tbody>
          </Table>
        )}
      </Section>
      <ProcessVariables />
      {editing !== null && (
        <SetVariableDialog
          name={editing.name}
          onClose={() => setEditing(null)}
          onSet={name =>
            toastDone(`Variable “${name}” is set`, 'Its value is encrypted and not shown again.')
          }
        />
      )}
    </PageContent>
  )
}

/** Made variables are changed where a connection signs in with them. */
const madeWords = { basic: 'User and password', oauth2: 'OAuth 2 token' } as const

function VariableRow(props: { readonly variable: EnvironmentVariable; readonly onEdit: () => void }) {
  const { onEdit } = props
  const { name, sources, kind, usedBy, neededBy = [] } = props.variable
  const { workflows = 0, webhooks = 0, model = false } = props.variable
  const isOwn = sources.includes('settings')
  const isSet = sources.length > 0
  const remove = useCommand(client.environment.remove, `Variable “${name}” was not removed`, async () => {
    await queries.invalidateQueries({ queryKey: api.environment.key() })
    toastDone(`Variable “${name}” removed`)
  })
  const uses = usedBy.reduce((sum, { actions }) => sum + actions, 0)
  const others = [
    ...neededBy,
    ...(workflows > 0 ? [formatCount(workflows, 'workflow')] : []),
    ...(webhooks > 0 ? [formatCount(webhooks, 'webhook')] : []),
    ...(model ? ['the model of conversations'] : []),
  ]
  const effects = [
    uses === 0 ? '' : `${formatCount(uses, 'action')} cannot be called without it. `,
    workflows === 0 ? '' : `${formatCount(workflows, 'workflow')} cannot run without it. `,
    webhooks === 0 ? '' : `${formatCount(webhooks, 'webhook')} cannot be signed without it. `,
    model ? 'The model server of conversations may refuse requests without it. ' : '',
  ]
  const confirmRemoval = () =>
    confirmDialog({
      title: `Remove ${name}?`,
      children: `${effects.join('')}The service keeps no other copy of its value.`,
      confirm: 'Remove variable',
      onConfirm: () => remove.mutate({ name }),
    })
  return (
    <Table.Tr>
      <Table.Td className="mono w5 cut">{name}</Table.Td>
      <Table.Td>
        {kind !== 'value' ? (
          <span className="t2">{madeWords[kind]}</span>
        ) : isSet ? (
          <span className="t3 mono">
            <span aria-hidden="true">••••••••••••</span>
            <span className="sr">Hidden</span>
          </span>
        ) : (
          <Button size="xs" onClick={onEdit}>
            Set value
          </Button>
        )}
      </Table.Td>
      <Table.Td className="cut" visibleFrom="sm">
        {usedBy.length + others.length === 0 && <span className="t3">Nothing yet</span>}
        {usedBy.map(({ connectionId, connectionName, actions, auth }, index) => (
          <span key={connectionId}>
            {index > 0 && ', '}
            {auth ? 'sign-in' : formatCount(actions, 'action')} <span className="t3">· {connectionName}</span>
          </span>
        ))}
        {others.map((text, index) => (index + usedBy.length > 0 ? `, ${text}` : text))}
      </Table.Td>
      <Table.Td visibleFrom="xs">
        {isOwn && <span className="t2">Settings</span>}
        {!isOwn && isSet && <span className="t2">Process</span>}
        {!isSet && (
          <span className="warn row" style={{ gap: 5 }}>
            <TriangleAlert />
            Not set
          </span>
        )}
      </Table.Td>
      <Table.Td>
        <span className="row" style={{ justifyContent: 'flex-end', gap: 2 }}>
          {isOwn && kind === 'value' && (
            <IconButton icon={Pencil} label={`Replace ${name}`} size="xs" onClick={onEdit} />
          )}
          {isOwn && <IconButton icon={Trash2} label={`Remove ${name}`} size="xs" onClick={confirmRemoval} />}
          {!isOwn && isSet && <span className="t3 sm">Read-only</span>}
        </span>
      </Table.Td>
    </Table.Tr>
  )
}

/** The variables of the service's process that headers may use. */
function ProcessVariables() {
  const { data } = useQuery(api.settings.get.queryOptions())
  const isOneOfSeveral = useHasSeveralNodes()
  const update = useFormCommand(client.settings.update, 'The patterns were not saved', async () => {
    await queries.invalidateQueries({ queryKey: api.settings.key() })
    await queries.invalidateQueries({ queryKey: api.environment.key() })
  })
  const [issue] = update.error === null ? [] : problemOf(update.error).issues
  return (
    <Section
      title="Variables of the process"
      intro={`Headers may also use variables that the service was started with, if their names match one of these patterns.${isOneOfSeveral ? ' Start all nodes with the same: a call uses those of the node that makes it, and this page shows those of the one that has answered.' : ''}`}
    >
      <FormRow
        label="Allowed names"
        help={
          <>
            <code>*</code> matches any characters. Names that begin with <code>CUSTOM_CONNECTION_</code> are
            never used. Without a pattern, no process variable is used.
          </>
        }
      >
        <TagsField
          aria-label="Allowed names of process variables"
          maw={420}
          value={data?.environmentPatterns ?? []}
          disabled={data === undefined}
          onChange={environmentPatterns => update.mutate({ environmentPatterns })}
          error={issue?.message}
          placeholder="SHOP_*"
        />
      </FormRow>
    </Section>
  )
}
