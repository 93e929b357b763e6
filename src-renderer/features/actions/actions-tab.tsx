import { Skeleton } from '@mantine/core'
import { useDidUpdate } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { Download, Plus } from 'lucide-react'
import { useEffect, useMemo, useRef } from 'react'
import type { LastTest } from '#shared/model/call.ts'
import { api } from '../../client/client.ts'
import { queries } from '../../client/query-client.ts'
import { useCurrentConnection } from '../../entities/connection/current-connection.tsx'
import { useConnectionStatistics } from '../../entities/connection/use-connections.ts'
import { useOverlays } from '../../overlays.tsx'
import { Delayed } from '../../ui/delayed.tsx'
import { EmptyState, ErrorState } from '../../ui/empty-state.tsx'
import { formatCount, formatNumber } from '../../ui/format.ts'
import { useRowKeys } from '../../ui/keyboard-list.ts'
import { KeyButton } from '../../ui/keys.tsx'
import { MasterDetail } from '../../ui/master-detail.tsx'
import { Body, Foot, type Hints } from '../../ui/page.tsx'
import { useShortcut } from '../../ui/shortcuts.tsx'
import { useNarrow } from '../../ui/use-narrow.ts'
import type { VirtualListHandle } from '../../ui/virtual-list.tsx'
import { ActionEditor } from './action-editor.tsx'
import { ActionList } from './action-list.tsx'
import classes from './actions.module.css'
import { ActionsTable } from './actions-table.tsx'
import { CasesBar } from './cases/cases-bar.tsx'
import { type Cases, useCases } from './cases/use-cases.ts'
import { type ActionRow, attentionOf, selectActions, unsetNames } from './select-actions.ts'
import { useActionCommands } from './use-action-commands.ts'
import { type Panel, useActionPlace } from './use-action-place.ts'

const group = 'Actions'

/** The actions of a connection: a table, or a list beside the open action. */
export function ActionsTab() {
  const { connectionId } = useCurrentConnection()
  const { rows, error, isPending, refetch } = useActions(connectionId)
  const lastTests = useLastTests(connectionId)
  const cases = useCases(connectionId)
  const commands = useActionCommands(connectionId)
  const place = useActionPlace()
  const overlays = useOverlays()
  const list = useRef<VirtualListHandle>(null)
  const isNarrow = useNarrow()

  const isOpen = place.actionId !== null
  const open = rows.find(({ actionId }) => actionId === place.actionId) ?? null
  const shown = selectActions(rows, place.filter, 'all')
  const openImport = () => overlays.open({ kind: 'import', request: { connectionId } })
  const at = shown.findIndex(({ actionId }) => actionId === place.actionId)
  // These keys are of the cases there.
  const isCases = isOpen && place.panel === 'cases'
  useRowKeys({ group, noun: 'action', count: shown.length, at, isOn: isOpen && !isCases }, row => {
    const next = shown[row]
    if (next !== undefined && row !== at) place.open(next.actionId)
    if (!isNarrow) list.current?.focus()
  })
  // The row of the table that had the focus is gone.
  useDidUpdate(() => {
    if (open !== null && !isNarrow) list.current?.focus()
  }, [isOpen])
  useShortcut({ keys: 'n', label: 'New action', group }, place.openNew, !isCases)
  useShortcut({ keys: 'i', label: 'Import into this connection', group }, openImport)
  const toggle = () => open !== null && commands.toggle(open)
  useShortcut({ keys: 'e', label: 'Enable or disable', group }, toggle, open !== null && !isCases)

  return (
    <>
      <FollowCalls connectionId={connectionId} />
      <Body scrolls={false}>
        {error !== null && rows.length === 0 ? (
          <ErrorState title="The actions could not be read" error={error} onRetry={refetch} />
        ) : isPending ? (
          <Delayed>
            <Loading />
          </Delayed>
        ) : isOpen ? (
          <MasterDetail
            name="actions"
            lead="editor"
            panes={[
              {
                id: 'list',
                size: 332,
                min: 240,
                content: (
                  <ActionList
                    rows={shown}
                    commands={commands}
                    list={list}
                    cases={isCases && cases.all.length > 0 ? cases : null}
                    all={rows}
                  />
                ),
              },
              {
                id: 'editor',
                content: (
                  <ActionEditor
                    key={place.actionId}
                    action={open}
                    all={rows}
                    commands={commands}
                    cases={cases}
                  />
                ),
              },
            ]}
          />
        ) : rows.length === 0 ? (
          <EmptyState
            title="No actions yet"
            actions={
              <>
                <KeyButton variant="filled" icon={Plus} keys="n" onClick={place.openNew}>
                  New action
                </KeyButton>
                <KeyButton icon={Download} keys="i" onClick={openImport}>
                  Import
                </KeyButton>
              </>
            }
          >
            An action is an endpoint of the external system that the assistant may call as a tool. Describe
            one here, or import them from a document, an OpenAPI description or a curl command.
          </EmptyState>
        ) : (
          <>
            <CasesBar cases={cases} actions={rows} isWide />
            <ActionsTable
              rows={rows}
              cases={cases}
              lastTests={lastTests}
              commands={commands}
              onImport={openImport}
            />
          </>
        )}
      </Body>
      {isPending ? (
        <Foot hints={{}} />
      ) : (
        <ActionsFoot rows={rows} cases={cases} connectionId={connectionId} />
      )}
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

const tableHints: Hints = {
  updown: 'select',
  enter: 'open',
  'mod+enter': 'open test',
  e: 'enable or disable',
  backspace: 'delete',
}
const step: Hints = { updown: 'previous, next action' }
const close: Hints = { escape: 'close editor' }
const panelHints: Readonly<Record<Panel, Hints>> = {
  definition: {
    ...step,
    'alt+arrowup alt+arrowdown': 'move parameter',
    'alt+j': 'schema as JSON',
    '{{': 'insert variable',
    ...close,
  },
  test: {
    ...step,
    'mod+enter': 'send',
    'alt+a alt+backspace': 'add to a list, remove',
    'mod+shift+m': 'map selected field',
    ...close,
  },
  cases: {
    updown: 'previous, next case',
    'mod+enter': 'run',
    a: 'run all',
    f8: 'next failure',
    ...close,
  },
  assistant: { ...step, e: 'enable or disable', ...close },
  history: { ...step, enter: 'open', ...close },
}
const creatingHints: Hints = { 'mod+s': 'create', ...close }

/** Shows the shortcuts and the number of actions. */
function ActionsFoot(props: {
  readonly rows: readonly ActionRow[]
  readonly cases: Cases
  readonly connectionId: string
}) {
  const { rows, cases, connectionId } = props
  const place = useActionPlace()
  const calls = useConnectionStatistics(connectionId)?.calls
  const enabled = rows.filter(({ isEnabled }) => isEnabled).length
  const count = formatCount(rows.length, 'action')
  const isTable = place.actionId === null
  const hints = isTable ? tableHints : place.actionId === 'new' ? creatingHints : panelHints[place.panel]
  return (
    <Foot hints={rows.length === 0 && isTable ? {} : hints}>
      {!isTable && place.panel === 'cases' && cases.all.length > 0
        ? `${formatCount(cases.all.length, 'case')} in ${formatCount(cases.actionCount, 'action')}`
        : isTable && calls !== undefined
          ? `${count} · ${formatCount(calls, 'call')} in 24 hours`
          : `${count} · ${formatNumber(enabled)} enabled`}
    </Foot>
  )
}

/** Refetches the tests whenever a call of the connection ends. */
function FollowCalls({ connectionId }: { readonly connectionId: string }) {
  const { data } = useQuery(
    api.activity.list.queryOptions({ input: { connectionId, kinds: 'call.finished', limit: 1 } }),
  )
  const newest = data?.items[0]?.id
  useEffect(() => {
    if (newest === undefined) return
    void queries.invalidateQueries({ queryKey: api.actions.lastTests.key() })
    void queries.invalidateQueries({ queryKey: api.actions.tests.key() })
  }, [newest])
  return null
}

const noActions: readonly never[] = []

/** Returns the actions of a connection in the order of creation, with what needs attention. */
function useActions(connectionId: string) {
  const actions = useQuery(api.actions.list.queryOptions({ input: { connectionId } }))
  const variables = useQuery(api.environment.list.queryOptions())
  const rows: readonly ActionRow[] = useMemo(() => {
    const unset = unsetNames(variables.data ?? noActions)
    return (actions.data ?? noActions).map(action => ({ ...action, attention: attentionOf(action, unset) }))
  }, [actions.data, variables.data])
  return {
    rows,
    error: actions.error,
    isPending: actions.isPending,
    refetch: () => void actions.refetch(),
  }
}

/** Returns the newest test of each action by its id, or null while unknown. */
function useLastTests(connectionId: string): ReadonlyMap<string, LastTest> | null {
  const { data } = useQuery(api.actions.lastTests.queryOptions({ input: { connectionId } }))
  return useMemo(
    () => (data === undefined ? null : new Map(data.tests.map(test => [test.actionId, test]))),
    [data],
  )
}
