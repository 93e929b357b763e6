import { Link } from '@tanstack/react-router'
import { isSeen, type NodeList, type ServiceNode } from '#shared/model/nodes.ts'
import {
  clockLabel,
  type Health,
  healthOf,
  isFarOff,
  nameOf,
  newestOf,
  sortNodes,
  versionsOf,
} from '../../entities/node/node-labels.ts'
import { Tag, Unknown } from '../../ui/badges.tsx'
import { formatClock, formatMs, formatNumber, formatTenths } from '../../ui/format.ts'
import table from '../../ui/list-table.module.css'
import type { ListColumn } from '../../ui/list-table.tsx'
import { Pill } from '../../ui/pill.tsx'
import classes from './nodes-section.module.css'

export type NodeRow = ServiceNode & {
  readonly health: Health
  /** Whether it has not the version that most nodes have. */
  readonly isOdd: boolean
  readonly isStale: boolean
  /** Milliseconds since 1970, by the database's clock. */
  readonly now: number
}

/** @param ageMs how long ago they were read. @param isStale whether that is too long. */
export function nodeRows(list: NodeList, ageMs: number, isStale: boolean): readonly NodeRow[] {
  const there = list.filter(isSeen)
  const common = versionsOf(there).find(([, count]) => count * 2 > there.length)
  const newest = newestOf(list)
  // What has passed since then is known only while they are read.
  const knownMs = isStale ? 0 : ageMs
  return sortNodes(list).map(node => ({
    ...node,
    health: healthOf(node, newest, knownMs),
    isOdd: isSeen(node) && node.version !== common?.[0],
    now: Date.parse(node.seenAt) + node.silentMs + knownMs,
    isStale,
  }))
}

type Cell = { readonly row: NodeRow }

export const nodeColumns: readonly ListColumn<NodeRow>[] = [
  { head: 'Node', cell: NameCell, skeleton: [null, null] },
  { head: 'Version', card: 'half', className: classes.version, cell: VersionCell, skeleton: [36] },
  { head: 'Health', card: 'side', width: 168, cell: HealthCell, skeleton: [84] },
  {
    head: 'Events/s',
    card: 'half',
    className: classes.events,
    isNumber: true,
    title: 'Events that it accepted a second, in the last seconds',
    cell: ({ row }) => <Current row={row} figure={row.eventsPerSecond} words={formatRate} />,
    skeleton: [24],
  },
  {
    head: 'Runs',
    card: 'half',
    width: 64,
    isNumber: true,
    title: 'Runs that it carries out now',
    cell: ({ row }) => <Current row={row} figure={row.runsUnderWay} words={formatNumber} />,
    skeleton: [24],
  },
  {
    head: 'Clock',
    card: 'half',
    className: classes.clock,
    isNumber: true,
    title: 'By how much its clock differs from that of the database',
    cell: ({ row }) => (
      <span className={isFarOff(row.clockOffsetMs) ? 'warn' : undefined}>
        <Current row={row} figure={row.clockOffsetMs} words={clockLabel} />
      </span>
    ),
    skeleton: [44],
  },
  {
    head: 'Database',
    card: 'half',
    className: classes.database,
    isNumber: true,
    title: 'How long the database took to answer its last heartbeat',
    cell: ({ row }) => <Current row={row} figure={row.databaseMs} words={formatMs} />,
    skeleton: [36],
  },
]

export const formatRate = (perSecond: number) =>
  perSecond === 0 || perSecond >= 10 ? formatNumber(Math.round(perSecond)) : formatTenths(perSecond)

/** A figure of the present. */
function Current(
  props: Cell & { readonly figure: number | null; readonly words: (figure: number) => string },
) {
  const { row, figure, words } = props
  if (!isSeen(row))
    return (
      <span className="t3" title="It is not seen">
        –
      </span>
    )
  return figure === null ? <Unknown /> : words(figure)
}

function NameCell({ row }: Cell) {
  return (
    <div className="col">
      <span className="row" style={{ gap: 6 }}>
        <Link
          to="/settings/$section"
          params={{ section: 'nodes' }}
          search={{ node: row.nodeId }}
          replace
          className={`${table.open} ${classes.name} cut`}
        >
          {nameOf(row)}
        </Link>
        {row.isThis && (
          <span
            className={table.above}
            title="It has answered this page. Behind a load balancer, another may answer next."
          >
            <Tag>This page</Tag>
          </span>
        )}
      </span>
      <span className="sm t3 num cut">
        {row.startedAt !== null &&
          `${isSeen(row) ? 'Since' : 'Started'} ${formatClock(row.startedAt, row.now)}`}
      </span>
    </div>
  )
}

function VersionCell({ row: { version, isOdd } }: Cell) {
  if (version === null) return <Unknown />
  return (
    <span
      className={isOdd ? 'num warn' : 'num'}
      title={isOdd ? 'Other nodes have another version' : undefined}
    >
      {version}
    </span>
  )
}

function HealthCell({ row: { health, isStale } }: Cell) {
  return <Pill tone={isStale ? 'mute' : health.tone}>{health.label}</Pill>
}
