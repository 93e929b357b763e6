import { useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { Copy } from 'lucide-react'
import { useCallback, useRef } from 'react'
import { isSeen, type NodeList, type ServiceNode } from '#shared/model/nodes.ts'
import { api, client } from '../../client/client.ts'
import { queries } from '../../client/query-client.ts'
import { fateOfRuns, nameOf, newestOf, readyNodes, versionsOf } from '../../entities/node/node-labels.ts'
import { useNodes } from '../../entities/node/use-nodes.ts'
import { Unknown } from '../../ui/badges.tsx'
import { copyWithToast } from '../../ui/copy-with-toast.ts'
import { Delayed } from '../../ui/delayed.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { Figure, Figures } from '../../ui/figures.tsx'
import { useFocusAfterRemoval } from '../../ui/focus.ts'
import { formatClock, formatCount, formatMs, formatNumber, formatTime } from '../../ui/format.ts'
import { useRowKeys } from '../../ui/keyboard-list.ts'
import { KeyButton } from '../../ui/keys.tsx'
import { ListTable, type ListTableHandle, ListTableSkeleton } from '../../ui/list-table.tsx'
import { Note } from '../../ui/note.tsx'
import { QueryState } from '../../ui/query-state.tsx'
import { PageContent, Section } from '../../ui/section.tsx'
import { useShortcut } from '../../ui/shortcuts.tsx'
import { useCommand } from '../../ui/use-command.ts'
import { useDerivedNow, useNow } from '../../ui/use-now.ts'
import { WriteButton } from '../../ui/write-button.tsx'
import { NodeFacts } from './node-facts.tsx'
import { formatRate, type NodeRow, nodeColumns, nodeRows } from './node-rows.tsx'
import classes from './nodes-section.module.css'

const group = 'Nodes'
const readEveryMs = 5000
/** Milliseconds after which an answer is not shown as the present. */
const staleAfterMs = 15_000

/** Whether nodes were read too long ago. @param readAt milliseconds since 1970; 0 for never. */
const useIsStale = (readAt: number) => useDerivedNow(now => readAt > 0 && now - readAt > staleAfterMs)

/** The services on this database: whether each is there, is up to date and keeps pace. */
export function NodesSection() {
  const query = useNodes(readEveryMs)
  const { data: list, dataUpdatedAt } = query
  const isStale = useIsStale(dataUpdatedAt)
  // Rows say for how many seconds a node was not seen.
  const ageMs = useDerivedNow(now => Math.max(0, Math.floor((now - dataUpdatedAt) / 1000)) * 1000)
  const service = useQuery(api.service.get.queryOptions())
  return (
    <PageContent>
      <Section
        title="Nodes"
        intro="Services on one database. Any of them accepts events, and goes on with another’s runs."
      >
        {service.data?.database === null ? (
          <EmptyState title="This service keeps its data in a folder">
            Nodes are services that share a PostgreSQL database.
          </EmptyState>
        ) : list === undefined ? (
          <QueryState
            query={service.data === undefined ? service : query}
            failed="The nodes could not be read"
            waiting={
              <Delayed>
                <ListTableSkeleton label="Loading nodes" columns={nodeColumns} />
              </Delayed>
            }
          />
        ) : (
          <Nodes list={list} rows={nodeRows(list, ageMs, isStale)} isStale={isStale} />
        )}
      </Section>
    </PageContent>
  )
}

function Nodes(props: {
  readonly list: NodeList
  readonly rows: readonly NodeRow[]
  readonly isStale: boolean
}) {
  const { list, rows, isStale } = props
  const { node: wanted } = useSearch({ from: '/settings/$section' })
  const navigate = useNavigate()
  const select = useCallback(
    (node: string) => void navigate({ to: '.', search: { node }, replace: true }),
    [navigate],
  )
  const table = useRef<ListTableHandle>(null)
  const at = Math.max(
    0,
    rows.findIndex(({ nodeId }) => nodeId === wanted),
  )
  const selected = rows[at]
  useFocusAfterRemoval(rows.length, () => table.current?.focus())
  // If the focus is elsewhere, it returns to the selected row.
  useRowKeys({ group, noun: 'node', count: rows.length, at }, next =>
    table.current?.focusRow(table.current.hasFocus() ? next : at),
  )
  const lost = list.filter(({ state }) => state === 'lost')
  return (
    <div className={classes.nodes} data-stale={isStale || undefined}>
      <AllNodes list={list} />
      {lost.length > 0 && <LostNodes lost={lost} />}
      <ListTable
        ref={table}
        label={group}
        columns={nodeColumns}
        rows={rows}
        idOf={({ nodeId }) => nodeId}
        selectedId={selected?.nodeId ?? null}
        onSelect={select}
        isWindowed={false}
      />
      {selected !== undefined && <NodeFacts row={selected} newest={newestOf(list)} />}
      {rows.length === 1 && (
        <Note>
          This is the only node. Start the service on another machine with the same database, key and admin
          token: it appears here.
        </Note>
      )}
    </div>
  )
}

/** Returns the sum of a figure over all nodes; null if one of them does not tell it. */
function sumOf(nodes: readonly ServiceNode[], figure: (node: ServiceNode) => number | null): number | null {
  const known = nodes.flatMap(node => figure(node) ?? [])
  return known.length < nodes.length ? null : known.reduce((sum, one) => sum + one, 0)
}

/** Shows what the nodes do together. */
function AllNodes({ list: nodes }: { readonly list: NodeList }) {
  const newest = newestOf(nodes)
  const there = nodes.filter(isSeen)
  const behind = there.filter(node => node.configVersion < newest).length
  const holding = nodes.filter(node => !isSeen(node) && node.heldRuns > 0)
  const held = holding.reduce((sum, { heldRuns }) => sum + heldRuns, 0)
  const events = sumOf(there, ({ eventsPerSecond }) => eventsPerSecond)
  const runs = sumOf(there, node => node.runsUnderWay)
  const [slowest] = there
    .flatMap(node => (node.databaseMs === null ? [] : { name: nameOf(node), ms: node.databaseMs }))
    .sort((one, other) => other.ms - one.ms)
  return (
    <Figures label="All nodes">
      <Figure caption="Events a second" value={events === null ? <Unknown /> : formatRate(events)}>
        {readyNodes(nodes)} ready
      </Figure>
      <Figure caption="Runs under way" value={runs === null ? <Unknown /> : formatNumber(runs)}>
        {held > 0 && (
          <span className="warn">
            {formatNumber(held)} more still held by {holding.map(nameOf).join(', ')}
          </span>
        )}
      </Figure>
      <Figure caption="Configuration" value={`Version ${newest}`}>
        {behind === 0 ? 'Applied by all' : <span className="warn">{formatCount(behind, 'node')} behind</span>}
      </Figure>
      <Figure caption="Database" value={slowest === undefined ? <Unknown /> : formatMs(slowest.ms)}>
        {slowest !== undefined && nodes.length > 1 && `slowest: ${slowest.name}`}
      </Figure>
    </Figures>
  )
}

/** Says what became of the runs of nodes that ended without notice, which may be taken off the list. */
function LostNodes({ lost }: { readonly lost: readonly ServiceNode[] }) {
  const now = useNow()
  const [first] = lost
  const forget = useCommand(
    () => Promise.all(lost.map(({ nodeId }) => client.service.forgetNode({ nodeId }))),
    lost.length === 1 ? 'The node was not forgotten' : 'The nodes were not forgotten',
    () => queries.invalidateQueries({ queryKey: api.service.nodes.key() }),
  )
  if (first === undefined) return null
  return (
    <Note tone="bad">
      <div className={classes.lost}>
        <p>
          <strong>
            {lost.length === 1
              ? `${nameOf(first)} was last seen at ${formatClock(first.seenAt, now)}.`
              : `${formatNumber(lost.length)} nodes are lost: ${lost.map(nameOf).join(', ')}.`}
          </strong>{' '}
          {fateOfRuns(lost)}
        </p>
        <WriteButton size="xs" loading={forget.isPending} onClick={() => forget.mutate()}>
          {lost.length === 1 ? 'Forget node' : 'Forget nodes'}
        </WriteButton>
      </div>
    </Note>
  )
}

/** Says how old what is shown is, and copies it. */
export function NodesActions() {
  const { data: list, dataUpdatedAt } = useNodes()
  const isStale = useIsStale(dataUpdatedAt)
  const copy = () => void copyWithToast(JSON.stringify(list, null, 2), 'Nodes')
  useShortcut({ keys: 'c', label: 'Copy as JSON', group }, copy, list !== undefined)
  if (list === undefined) return null
  return (
    <>
      <span className={isStale ? 'sm warn nowrap' : `sm t3 nowrap ${classes.reports}`} role="status">
        {isStale ? `Last heard ${formatTime(dataUpdatedAt)}` : 'Each reports every second'}
      </span>
      <KeyButton icon={Copy} keys="c" onClick={copy}>
        Copy as JSON
      </KeyButton>
    </>
  )
}

/** The versions that run: “3 on 0.1.1, 1 on 0.1.0”. */
export function NodesVersions() {
  const nodes = useNodes().data ?? []
  return versionsOf(nodes.filter(isSeen))
    .map(([version, count]) => `${formatNumber(count)} on ${version ?? 'an older version'}`)
    .join(', ')
}
