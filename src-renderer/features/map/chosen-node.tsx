import { Button } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { X } from 'lucide-react'
import type { HistoryRange } from '../../entities/connection/connection-history.ts'
import { Unknown } from '../../ui/badges.tsx'
import { Fact } from '../../ui/fact.tsx'
import { formatNumber } from '../../ui/format.ts'
import { IconButton } from '../../ui/icon-button.tsx'
import { KeyButton } from '../../ui/keys.tsx'
import { BackButton } from '../../ui/master-detail.tsx'
import type { Column, MapEdge, MapNode } from './graph.ts'
import classes from './map.module.css'
import { counted } from './map-labels.ts'
import type { MapData } from './use-map.ts'

/** The terms of what is left and right of a node. */
const terms: Readonly<Record<Column, readonly [string, string]>> = {
  connection: ['', 'Events'],
  event: ['From', 'Starts'],
  workflow: ['Takes', 'Calls'],
  action: ['Called by', ''],
}
const mostNamed = 20

/** The chosen node with the counts of its edges. */
export function ChosenNode(props: {
  readonly map: MapData
  readonly node: MapNode
  readonly range: HistoryRange
  /** Opens its screen; null without one. */
  readonly open: (() => void) | null
  readonly start: (() => void) | null
  readonly clear: () => void
}) {
  const { map, node, range, open, start, clear } = props
  const { edges, nodes } = map.graph
  const [before, after] = terms[node.column]
  const sideOf = (near: 'from' | 'to', far: 'from' | 'to') =>
    edges
      .filter(edge => edge[near] === node.id)
      .sort((one, other) => other.count - one.count)
      .map(edge => ({ edge, other: nodes.get(edge[far]) }))
  const failures = failuresOf(node)
  return (
    <>
      <div className={classes.bar}>
        <BackButton />
        <h2 className="h3 cut grow">{map.nameOf(node) ?? <Unknown />}</h2>
        <IconButton size="xs" icon={X} label="Clear the choice" onClick={clear} />
      </div>
      <div className={classes.section}>
        <dl className="facts">
          <Side term={before} edges={sideOf('to', 'from')} map={map} />
          <Side term={after} edges={sideOf('from', 'to')} map={map} />
          {node.nothing > 0 && <Fact name="Start nothing">{formatNumber(node.nothing)}</Fact>}
          {failures.length > 0 && (
            <Fact name="Fails">
              {failures.map(text => (
                <div key={text} className="bad">
                  {text}
                </div>
              ))}
            </Fact>
          )}
        </dl>
        <div className={classes.buttons}>
          {open !== null && (
            <KeyButton size="xs" keys="enter" onClick={open}>
              Open
            </KeyButton>
          )}
          {node.column === 'workflow' && node.failed > 0 && (
            <Button
              size="xs"
              renderRoot={own => (
                <Link
                  to="/workflows/runs"
                  search={{ workflow: node.name, status: 'failed', since: sinceOf(range, map.since) }}
                  {...own}
                />
              )}
            >
              Show the {formatNumber(node.failed)}
            </Button>
          )}
          {start !== null && (
            <KeyButton size="xs" keys="w" onClick={start}>
              Start a workflow
            </KeyButton>
          )}
        </div>
      </div>
    </>
  )
}

/** The period of the list of runs. */
const sinceOf = (range: HistoryRange, since: number) =>
  range === 'month' ? new Date(since).toISOString() : range

function failuresOf({ column, count, failed, calls, callsFailed }: MapNode): string[] {
  const of = (some: number, all: number, noun: string) =>
    some === 0 ? [] : [`${formatNumber(some)} of ${formatNumber(all)} ${noun}`]
  if (column === 'action') return of(failed, count, 'calls')
  return [...of(failed, count, 'runs'), ...of(callsFailed, calls, 'calls')]
}

function Side(props: {
  readonly term: string
  readonly edges: readonly { readonly edge: MapEdge; readonly other: MapNode | undefined }[]
  readonly map: MapData
}) {
  const { term, edges, map } = props
  if (edges.length === 0) return null
  const rest = edges.length - mostNamed
  return (
    <Fact name={term}>
      {edges.slice(0, mostNamed).map(({ edge, other }) => {
        const name = (other && map.nameOf(other)) ?? <Unknown />
        const isCode = other?.column === 'event' || other?.column === 'action'
        return (
          <div key={edge.id}>
            {isCode ? <code>{name}</code> : name} <span className="num">{counted(edge)}</span>
          </div>
        )
      })}
      {rest > 0 && <div className="t3">and {formatNumber(rest)} more</div>}
    </Fact>
  )
}
