import { Button, Skeleton } from '@mantine/core'
import { Download, Plus } from 'lucide-react'
import { useRef } from 'react'
import { useOverlays } from '../../shell/overlays.tsx'
import { EmptyState, ErrorState } from '../../ui/empty-state.tsx'
import { Keys } from '../../ui/keys.tsx'
import { Late } from '../../ui/late.tsx'
import { Body, Foot } from '../../ui/page.tsx'
import { Panes } from '../../ui/panes.tsx'
import { useShortcut } from '../../ui/shortcuts.tsx'
import { useNarrow } from '../../ui/use-narrow.ts'
import type { VirtualListHandle } from '../../ui/virtual-list.tsx'
import { useCurrentConnection } from '../connections/current-connection.tsx'
import { ActionEditor } from './action-editor.tsx'
import { ActionList } from './action-list.tsx'
import classes from './actions.module.css'
import { ActionsFoot } from './actions-foot.tsx'
import { ActionsTable } from './actions-table.tsx'
import { FollowCalls } from './follow-calls.tsx'
import { selectActions, stepFrom } from './select-actions.ts'
import { useActionCommands } from './use-action-commands.ts'
import { useActionPlace } from './use-action-place.ts'
import { useActions, useLastTests } from './use-actions.ts'

const group = 'Actions'

/** The actions of a connection: a table, or a list beside the one that is open. */
export function ActionsTab() {
  const { connectionId } = useCurrentConnection()
  const { rows, error, isPending, refetch } = useActions(connectionId)
  const lastTests = useLastTests(connectionId)
  const commands = useActionCommands(connectionId)
  const place = useActionPlace()
  const overlays = useOverlays()
  const list = useRef<VirtualListHandle>(null)
  const isNarrow = useNarrow()

  const isOpen = place.actionId !== null
  const open = rows.find(({ actionId }) => actionId === place.actionId) ?? null
  const shown = selectActions(rows, place.filter, 'all')
  const openImport = () => overlays.open({ kind: 'import', request: { connectionId } })
  function step(by: number): void {
    const next = stepFrom(shown, place.actionId, by)
    if (next !== null && next.actionId !== place.actionId) place.open(next.actionId)
    if (!isNarrow) list.current?.focus()
  }
  useShortcut({ keys: 'n', label: 'New action', group }, place.openNew)
  useShortcut({ keys: 'i', label: 'Import into this connection', group }, openImport)
  useShortcut({ keys: 'arrowdown', label: 'Next action', group }, () => step(1), { enabled: isOpen })
  useShortcut({ keys: 'arrowup', label: 'Previous action', group }, () => step(-1), { enabled: isOpen })
  useShortcut(
    { keys: 'e', label: 'Enable or disable', group },
    () => open !== null && commands.toggle(open),
    { enabled: open !== null },
  )

  return (
    <>
      <FollowCalls connectionId={connectionId} />
      <Body scrolls={false}>
        {error !== null && rows.length === 0 ? (
          <ErrorState
            title="The actions could not be read"
            error={error}
            actions={<Button onClick={refetch}>Try again</Button>}
          />
        ) : isPending ? (
          <Late>
            <Loading />
          </Late>
        ) : isOpen ? (
          <Panes
            name="actions"
            lead="editor"
            panes={[
              {
                id: 'list',
                size: 332,
                min: 240,
                content: <ActionList rows={shown} commands={commands} ref={list} />,
              },
              {
                id: 'editor',
                content: <ActionEditor key={place.actionId} action={open} all={rows} commands={commands} />,
              },
            ]}
          />
        ) : rows.length === 0 ? (
          <EmptyState
            title="No actions yet"
            actions={
              <>
                <Button
                  variant="filled"
                  leftSection={<Plus size={14} aria-hidden="true" />}
                  rightSection={<Keys keys="n" />}
                  onClick={place.openNew}
                >
                  New action
                </Button>
                <Button
                  leftSection={<Download size={14} aria-hidden="true" />}
                  rightSection={<Keys keys="i" />}
                  onClick={openImport}
                >
                  Import
                </Button>
              </>
            }
          >
            An action is an endpoint of the external system that the assistant may call as a tool. Describe
            one here, or import them from a document, an OpenAPI description or a curl command.
          </EmptyState>
        ) : (
          <ActionsTable rows={rows} lastTests={lastTests} commands={commands} onImport={openImport} />
        )}
      </Body>
      {isPending ? <Foot hints={[]} /> : <ActionsFoot rows={rows} connectionId={connectionId} />}
    </>
  )
}

function Loading() {
  return (
    <div aria-busy="true" role="status" aria-label="Reading the actions">
      {['a', 'b', 'c', 'd', 'e'].map(key => (
        <div key={key} className={`${classes.columns} ${classes.row}`}>
          <Skeleton height={18} width={50} />
          <Skeleton height={10} width="60%" />
          <Skeleton height={10} width="70%" />
          <Skeleton height={10} width="50%" />
          <Skeleton height={10} width={90} />
          <Skeleton height={16} width={28} radius={8} ml="auto" />
        </div>
      ))}
    </div>
  )
}
