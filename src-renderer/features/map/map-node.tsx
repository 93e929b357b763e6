import { Bot } from 'lucide-react'
import type { Tool } from '#shared/model/tool.ts'
import type { ConnectionRow } from '../../entities/connection/use-connections.ts'
import { Method, Unknown } from '../../ui/badges.tsx'
import { formatNumber } from '../../ui/format.ts'
import { Dot } from '../../ui/pill.tsx'
import { type Count, isFailing, type MapNode } from './graph.ts'
import classes from './map.module.css'
import { connectionLine, counted, workflowLine } from './map-labels.ts'

/** The name and the counts of a node. */
export function NodeContent(props: {
  readonly node: MapNode
  readonly name: string | undefined
  readonly connection: ConnectionRow | undefined
  readonly tool: Tool | undefined
  /** The events of the types that lead to a workflow. */
  readonly events: Count
}) {
  const { node, name, connection, tool, events } = props
  const shown = name ?? <Unknown />
  switch (node.column) {
    case 'connection':
      return (
        <Lines second={connectionLine(node)}>
          <Dot tone={connection?.status.tone ?? 'mute'} />
          <span className="cut w5">{shown}</span>
          {connection !== undefined && connection.status.state !== 'unknown' && (
            <span className="sr">{connection.status.label}</span>
          )}
        </Lines>
      )
    case 'event':
      return (
        <>
          <code className="grow cut">{node.name}</code>
          <span className="num xs t3">
            {counted(node)}
            <span className="sr"> events</span>
          </span>
        </>
      )
    case 'workflow':
      return (
        <Lines isBad={isFailing(node)} second={workflowLine(node, events)}>
          {(node.name === 'client' || node.name === 'other') && <Bot size={14} className="t3" />}
          <span className="cut w5">{shown}</span>
        </Lines>
      )
    case 'action':
      return (
        <Lines
          isBad={isFailing(node)}
          second={
            <>
              {connection?.name ?? <Unknown />}, {formatNumber(node.count)}
              <span className="sr"> calls{node.failed > 0 && `, ${formatNumber(node.failed)} failed`}</span>
            </>
          }
        >
          {tool && (
            <span className={classes.method}>
              <Method method={tool.method} />
            </span>
          )}
          <code className="cut">{node.name}</code>
        </Lines>
      )
  }
}

function Lines(props: {
  readonly children: React.ReactNode
  readonly second: React.ReactNode
  readonly isBad?: boolean
}) {
  return (
    <span className="col grow">
      <span className={classes.first}>{props.children}</span>
      <span className={`xs cut ${props.isBad === true ? 'bad' : 't3'}`}>{props.second}</span>
    </span>
  )
}
