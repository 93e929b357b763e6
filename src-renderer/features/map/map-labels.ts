import { formatCount, formatNumber } from '../../ui/format.ts'
import type { Column, Count, MapEdge, MapGraph, MapNode } from './graph.ts'

/** “417”, or “≥ 417” if there may have been more. */
export const counted = ({ count, atLeast }: Count) => `${atLeast ? '≥ ' : ''}${formatNumber(count)}`

/** “151 of 160”, or the count of an edge that does not fail. */
export const edgeLabel = (edge: MapEdge) =>
  edge.isFailing ? `${formatNumber(edge.failed)} of ${formatNumber(edge.count)}` : counted(edge)

/** “1,284 · 867 start nothing”, “3,906 events”. */
export function connectionLine(node: MapNode): string {
  const { count, nothing } = node
  if (nothing === count) return `${counted(node)} start nothing`
  if (nothing > 0) return `${counted(node)} · ${formatNumber(nothing)} start nothing`
  return `${counted(node)} ${count === 1 ? 'event' : 'events'}`
}

/** “3,906 runs, 151 failed”, “38 runs of 424 events”; of what is not started by events, “160 calls, 3 failed”. */
export function workflowLine(node: MapNode, events: Count): string {
  const { count, failed, calls, callsFailed } = node
  if (count === 0) return withFailed(formatCount(calls, 'call'), callsFailed)
  const runs = formatCount(count, 'run')
  if (failed > 0) return withFailed(runs, failed)
  if (callsFailed > 0) return `${runs}, ${formatCount(callsFailed, 'call')} failed`
  return events.count > count ? `${runs} of ${counted(events)} events` : runs
}

const withFailed = (text: string, failed: number) =>
  failed === 0 ? text : `${text}, ${formatNumber(failed)} failed`

/** “6,676 events · 5,920 runs · 1,748 calls”. */
export function totalsOf({ nodes }: Pick<MapGraph, 'nodes'>): string {
  const part = (column: Column, noun: string) => {
    const own = [...nodes.values()].filter(node => node.column === column)
    const count = own.reduce((sum, node) => sum + node.count, 0)
    return `${counted({ count, atLeast: own.some(node => node.atLeast) })} ${count === 1 ? noun : `${noun}s`}`
  }
  return [part('connection', 'event'), part('workflow', 'run'), part('action', 'call')].join(' · ')
}
