import { type Column, columns, type MapEdge, type MapNode } from './graph.ts'

export type Place = {
  readonly x: number
  readonly y: number
  readonly width: number
  readonly height: number
}

export type Layout = {
  readonly places: ReadonlyMap<string, Place>
  /** The nodes of each column, from top to bottom. */
  readonly columns: Readonly<Record<Column, readonly string[]>>
  /** Where each column begins. */
  readonly x: Readonly<Record<Column, number>>
  readonly width: number
  readonly height: number
}

const margin = 16
const headHeight = 40
const leastGap = 64
const leastNode = 128
const mostNode = 236
const rowHeight = 72
/** Between the trees of two connections. */
const treeGap = 12
const heights: Readonly<Record<Column, number>> = { connection: 52, event: 34, workflow: 52, action: 52 }

/**
 * Places nodes in four columns. Each node belongs to the first one that leads to it, and stands at the middle of those
 * that belong to it; so the edges of a tree hardly cross, and nothing moves when counts change.
 *
 * @param nodes in the order in which they are placed.
 * @param available pixels; the map is wider if its columns need it.
 */
export function layoutOf(nodes: readonly MapNode[], edges: readonly MapEdge[], available: number): Layout {
  const gaps = columns.length - 1
  const inner = available - 2 * margin
  const node = Math.min(
    mostNode,
    Math.max(leastNode, Math.floor((inner - gaps * Math.max(leastGap, inner * 0.077)) / columns.length)),
  )
  const gap = Math.min(2 * leastGap, Math.max(leastGap, Math.floor((inner - columns.length * node) / gaps)))
  const x = columnRecord(column => margin + columns.indexOf(column) * (node + gap))

  const order = new Map(nodes.map(({ id }, index) => [id, index]))
  const next = Map.groupBy(edges, ({ from }) => from)
  const middles = new Map<string, number>()
  let row = headHeight + margin

  /** Places a node with those that belong to it. Returns its middle. */
  function place(id: string): number {
    // Reserved, so that no other node takes it.
    middles.set(id, 0)
    const after = (next.get(id) ?? [])
      .map(({ to }) => to)
      .sort((one, other) => (order.get(one) ?? 0) - (order.get(other) ?? 0))
    const own: number[] = []
    for (const to of after) if (order.has(to) && !middles.has(to)) own.push(place(to))
    const [first, last] = [own[0], own.at(-1)]
    let middle: number
    if (first === undefined || last === undefined) {
      middle = row + heights.workflow / 2
      row += rowHeight
    } else middle = (first + last) / 2
    middles.set(id, middle)
    return middle
  }
  for (const column of columns)
    for (const one of nodes)
      if (one.column === column && !middles.has(one.id)) {
        place(one.id)
        row += treeGap
      }

  const places = new Map(
    nodes.map(({ id, column }) => {
      const height = heights[column]
      return [id, { x: x[column], y: (middles.get(id) ?? 0) - height / 2, width: node, height }]
    }),
  )
  return {
    places,
    columns: columnRecord(column =>
      nodes
        .filter(one => one.column === column)
        .map(({ id }) => id)
        .sort((one, other) => (middles.get(one) ?? 0) - (middles.get(other) ?? 0)),
    ),
    x,
    width: 2 * margin + columns.length * node + gaps * gap,
    height: row + margin,
  }
}

function columnRecord<Value>(of: (column: Column) => Value): Readonly<Record<Column, Value>> {
  return { connection: of('connection'), event: of('event'), workflow: of('workflow'), action: of('action') }
}

/** Returns the width of an edge: by the logarithm of its count. */
export const edgeWidth = (count: number) => Math.min(8, Math.max(1.2, 1.7 * Math.log10(Math.max(1, count))))

/** Returns the curve from the right of a place to the left of another one, and its middle. */
export function curve(from: Place, to: Place) {
  const [x1, y1] = [from.x + from.width, from.y + from.height / 2]
  const [x2, y2] = [to.x, to.y + to.height / 2]
  const middle = (x1 + x2) / 2
  return { path: `M${x1} ${y1}C${middle} ${y1} ${middle} ${y2} ${x2} ${y2}`, x: middle, y: (y1 + y2) / 2 }
}
