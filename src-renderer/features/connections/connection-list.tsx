import { Button } from '@mantine/core'
import { Link, useNavigate } from '@tanstack/react-router'
import { Download, Plus } from 'lucide-react'
import { useCallback, useRef, useState } from 'react'
import { useOverlays } from '../../shell/overlays.tsx'
import { Delayed } from '../../ui/delayed.tsx'
import { EmptyState, ErrorState } from '../../ui/empty-state.tsx'
import { formatCount, formatNumber } from '../../ui/format.ts'
import { KeyButton } from '../../ui/keys.tsx'
import classes from '../../ui/list-page.module.css'
import { Body, Foot, type Hint, Top } from '../../ui/page.tsx'
import { useShortcut } from '../../ui/shortcuts.tsx'
import { ConnectionFilters, useConnectionSearch } from './connection-filters.tsx'
import type { ConnectionState } from './connection-status.ts'
import { ConnectionTable, type ConnectionTableHandle, ConnectionTableSkeleton } from './connection-table.tsx'
import { FirstRun } from './first-run.tsx'
import { type ConnectionRow, useConnections } from './use-connections.ts'
import { copyInboundUrl } from './use-secret.ts'
import { useSwitchConnection } from './use-update-connection.ts'

const group = 'Connections'

/** The connections of the workspace and their status, or the first steps if there is none. */
export function ConnectionList() {
  const { rows, error, isPending, refetch } = useConnections()
  const { open } = useOverlays()
  const newConnection = () => open({ kind: 'new-connection' })
  useShortcut({ keys: 'n', label: 'New connection', group }, newConnection)
  const failed = error !== null && rows.length === 0
  const isEmpty = !isPending && !failed && rows.length === 0
  return (
    <>
      <Top
        crumbs={[
          <Link key="settings" to="/settings/$section" params={{ section: 'listener' }}>
            Settings
          </Link>,
          <span key="integrations">Integrations</span>,
        ]}
        title="Custom API"
        actions={
          !isEmpty && (
            <>
              <KeyButton icon={Download} keys="i" onClick={() => open({ kind: 'import', request: {} })}>
                Import
              </KeyButton>
              <KeyButton variant="filled" icon={Plus} keys="n" onClick={newConnection}>
                New connection
              </KeyButton>
            </>
          )
        }
      />
      {isEmpty ? (
        <FirstRun />
      ) : failed ? (
        <Body>
          <ErrorState title="The connections cannot be shown" error={error} onRetry={refetch} />
        </Body>
      ) : (
        <Listed all={rows} isPending={isPending} />
      )}
    </>
  )
}

function Listed({ all, isPending }: { readonly all: readonly ConnectionRow[]; readonly isPending: boolean }) {
  const search = useConnectionSearch(all, isPending)
  const { rows } = search
  const navigate = useNavigate()
  const switchConnection = useSwitchConnection()
  const table = useRef<ConnectionTableHandle>(null)
  const [wanted, select] = useState<string | null>(null)
  // Nothing is selected at first, so that a key never acts on a row that the user did not choose.
  const index = rows.findIndex(({ connectionId }) => connectionId === wanted)
  const selected = rows[index]

  const onSelect = useCallback((connectionId: string) => select(connectionId), [])
  /** Selects the first row or the next one, or focuses the selected row if the focus is elsewhere. */
  function step(by: number) {
    const next = index === -1 ? 0 : table.current?.hasFocus() === true ? index + by : index
    const at = Math.max(0, Math.min(rows.length - 1, next))
    // Before the row gets the focus, because a held key repeats before a distant row is rendered.
    select(rows[at]?.connectionId ?? null)
    table.current?.focusRow(at)
  }
  function openRow(row: ConnectionRow | undefined) {
    if (row === undefined) return
    const { connectionId } = row
    void navigate({ to: '/connections/$connectionId', params: { connectionId } })
  }
  const some = { enabled: rows.length > 0 }
  const one = { enabled: selected !== undefined }
  useShortcut({ keys: 'arrowdown', label: 'Next connection', group }, () => step(1), some)
  useShortcut({ keys: 'arrowup', label: 'Previous connection', group }, () => step(-1), some)
  useShortcut({ keys: 'enter', label: 'Open it', group }, () => openRow(selected), one)
  useShortcut(
    { keys: 'e', label: 'Enable or disable it', group },
    () => selected && switchConnection(selected.connectionId, !selected.enabled),
    one,
  )
  useShortcut(
    { keys: 'mod+shift+c', label: 'Copy its inbound URL', group },
    () => selected && copyInboundUrl(selected.connectionId),
    one,
  )

  const counted = all.flatMap(({ statistics }) => statistics ?? [])
  const accepted = counted.reduce((sum, one) => sum + one.accepted, 0)
  return (
    <>
      <Body scrolls={false}>
        <section className={classes.intro}>
          <h2>Connections</h2>
          <p className="t2">Each connection accepts signed events and sends signed action calls.</p>
        </section>
        <ConnectionFilters
          search={search}
          isPending={isPending}
          table={table}
          onEnter={() => openRow(selected ?? rows[0])}
        />
        {isPending ? (
          <Delayed>
            <ConnectionTableSkeleton />
          </Delayed>
        ) : rows.length === 0 ? (
          <EmptyState
            title={
              counted.length < all.length && search.status !== undefined
                ? 'The status of the connections is not known'
                : noneTitle(search.filter, search.status)
            }
            actions={<Button onClick={search.clear}>Show all {formatNumber(all.length)}</Button>}
          >
            {search.filter === ''
              ? 'Connections appear here as requests arrive.'
              : 'The filter searches names, base URLs and the name of the last event.'}
          </EmptyState>
        ) : (
          <ConnectionTable
            ref={table}
            rows={rows}
            selectedId={selected?.connectionId ?? null}
            onSelect={onSelect}
          />
        )}
      </Body>
      <Foot hints={selected === undefined ? beforeSelection : forSelection}>
        {!isPending && (
          <span className="num">
            {formatCount(all.length, 'connection')}
            {counted.length === all.length && ` · ${formatCount(accepted, 'event')} in 24 hours`}
          </span>
        )}
      </Foot>
    </>
  )
}

const beforeSelection: readonly Hint[] = [
  { keys: 'updown', does: 'select' },
  { keys: '/', does: 'filter' },
  { keys: 'n', does: 'new connection' },
]
const forSelection: readonly Hint[] = [
  { keys: 'updown', does: 'select' },
  { keys: 'enter', does: 'open' },
  { keys: 'e', does: 'enable or disable' },
  { keys: 'mod+shift+c', does: 'copy inbound URL' },
]

function noneTitle(filter: string, status: ConnectionState | undefined): string {
  if (filter !== '') return `No connection matches “${filter}”`
  if (status === 'rejecting') return 'Nothing was rejected this hour'
  if (status === 'disabled') return 'No connection is disabled'
  if (status === 'silent') return 'Every connection has had an event'
  return 'No connection is receiving events'
}
