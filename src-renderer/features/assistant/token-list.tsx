import { Button } from '@mantine/core'
import { Plus, Trash2 } from 'lucide-react'
import { useRef } from 'react'
import type { ClientToken } from '#shared/model/assistant.ts'
import { useConnectionsById } from '../../entities/connection/use-connections.ts'
import { RelativeTime, Unknown } from '../../ui/badges.tsx'
import { confirmDialog } from '../../ui/confirm-dialog.tsx'
import { useFocusAfterRemoval } from '../../ui/focus.ts'
import { IconButton } from '../../ui/icon-button.tsx'
import table from '../../ui/list-table.module.css'
import { TableHead } from '../../ui/list-table.tsx'
import { QueryState } from '../../ui/query-state.tsx'
import { WriteSwitch } from '../../ui/write-button.tsx'
import classes from './assistant.module.css'
import { StepHead } from './step-head.tsx'
import { useClientTokens, useRevokeToken, useUpdateToken } from './use-client-tokens.ts'

const columns = [
  { head: 'Name' },
  { head: 'Last used', width: 130 },
  { head: 'Read-only', width: 92 },
  { head: 'Ask first', width: 92 },
  { head: 'Revoke', width: 44, isHeadHidden: true },
]

/** The tokens of MCP clients: what each may do, when it was used, and how to revoke it. */
export function TokenList(props: {
  readonly onNew: () => void
  /** The token whose permissions are shown beside. */
  readonly chosenId: string | null
  readonly onChoose: (tokenId: string) => void
}) {
  const { onNew, chosenId, onChoose } = props
  const query = useClientTokens()
  const tokens = query.data
  const newButton = useRef<HTMLButtonElement>(null)
  useFocusAfterRemoval(tokens?.length ?? 0, () => newButton.current?.focus())
  return (
    <section className={classes.section} aria-label="Client tokens">
      <StepHead
        number={1}
        title="Create access"
        isDone={tokens !== undefined && tokens.length > 0}
        note={<span className="sm t3">a token for each client</span>}
      >
        <Button ref={newButton} size="xs" leftSection={<Plus />} onClick={onNew}>
          New token
        </Button>
      </StepHead>
      {tokens === undefined ? (
        <QueryState query={query} failed="The tokens could not be read" />
      ) : tokens.length === 0 ? (
        <p className={`sm t2 ${classes.none}`}>
          No tokens yet. Give each client its own, so that you can narrow and revoke it. The admin token works
          too, but it may do everything.
        </p>
      ) : (
        <table className={`${table.table} ${classes.tokens}`}>
          <caption className="sr">Client tokens</caption>
          <TableHead columns={columns} />
          <tbody>
            {tokens.map(token => (
              <TokenRow
                key={token.tokenId}
                token={token}
                isChosen={token.tokenId === chosenId}
                onChoose={() => onChoose(token.tokenId)}
              />
            ))}
          </tbody>
        </table>
      )}
    </section>
  )
}

function TokenRow(props: {
  readonly token: ClientToken
  readonly isChosen: boolean
  readonly onChoose: () => void
}) {
  const { token, isChosen, onChoose } = props
  const { tokenId, name, connectionId, readOnly, askFirst, tools, lastUsedAt } = token
  const connectionOf = useConnectionsById([connectionId])
  const update = useUpdateToken()
  const revoke = useRevokeToken()
  const connection = connectionOf?.(connectionId)
  const confirmRevocation = () =>
    confirmDialog({
      title: `Revoke “${name}”?`,
      children: 'Its client is refused at once. This cannot be undone: the client needs a new token.',
      confirm: 'Revoke token',
      onConfirm: () => revoke.mutate(token),
    })
  return (
    <tr className={table.row}>
      <td data-head="Name">
        <div className="col">
          <button
            type="button"
            className={`cut w5 ${classes.tokenName}`}
            aria-label={`${name}: show what it may call`}
            aria-pressed={isChosen}
            onClick={onChoose}
          >
            {name}
          </button>
          <span className="xs t3 cut">
            {connectionId === null
              ? 'All connections'
              : (connection?.name ?? (connectionOf !== null ? 'Deleted connection' : <Unknown />))}
            {tools === 'on demand' && ' · finds tools when needed'}
          </span>
        </div>
      </td>
      <td data-head="Last used" className="t2">
        {lastUsedAt === null ? <span className="t3">never</span> : <RelativeTime at={lastUsedAt} />}
      </td>
      <td data-head="Read-only" data-card="half">
        <WriteSwitch
          aria-label={`${name}: read-only`}
          checked={readOnly}
          onChange={event => update({ tokenId, readOnly: event.currentTarget.checked })}
        />
      </td>
      <td data-head="Ask first" data-card="half">
        <WriteSwitch
          aria-label={`${name}: ask before calls that change data`}
          checked={askFirst && !readOnly}
          disabled={readOnly}
          onChange={event => update({ tokenId, askFirst: event.currentTarget.checked })}
        />
      </td>
      <td data-head="Revoke" data-card="side">
        <IconButton size="xs" icon={Trash2} label={`Revoke ${name}`} onClick={confirmRevocation} />
      </td>
    </tr>
  )
}
