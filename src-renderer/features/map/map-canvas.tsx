import { Skeleton } from '@mantine/core'
import { useElementSize, useMergedRef } from '@mantine/hooks'
import { type RefObject, useEffect, useMemo, useState } from 'react'
import { formatNumber } from '../../ui/format.ts'
import { type Count, columns, isFailing, type MapEdge } from './graph.ts'
import { curve, edgeWidth, layoutOf, type Place } from './layout.ts'
import classes from './map.module.css'
import { edgeLabel } from './map-labels.ts'
import { NodeContent } from './map-node.tsx'
import { pathsOf } from './select-nodes.ts'
import type { MapData } from './use-map.ts'

const titles = { connection: 'Connections', event: 'Event types', workflow: 'Workflows', action: 'Actions' }

/** Nodes in four columns over the drawing of their edges. */
export function MapCanvas(props: {
  readonly map: MapData
  readonly chosen: string | null
  readonly choose: (id: string) => void
  readonly open: (id: string) => void
  /** The node that gets the focus once it is shown. */
  readonly wanted: RefObject<string | null>
  readonly canvas: RefObject<HTMLDivElement | null>
  /** Receives the nodes of the columns, from top to bottom. */
  readonly onLayout: (layout: ReturnType<typeof layoutOf>) => void
}) {
  const { map, chosen, choose, open, wanted, canvas, onLayout } = props
  const { nodes, edges, isKnown } = map
  const { ref, width } = useElementSize<HTMLDivElement>()
  const merged = useMergedRef(ref, canvas)
  const layout = useMemo(() => layoutOf(nodes, edges, width), [nodes, edges, width])
  const path = useMemo(() => (chosen === null ? null : pathsOf({ edges }, [chosen])), [edges, chosen])
  const eventsOf = useMemo(() => eventsInto(edges, map.graph.nodes), [edges, map.graph])
  const [hovered, hover] = useState<string | null>(null)
  useEffect(() => onLayout(layout), [layout, onLayout])
  useEffect(() => {
    const id = wanted.current
    if (id === null || width === 0) return
    const button = canvas.current?.querySelector<HTMLElement>(`[data-node=${CSS.escape(id)}]`)
    if (button == null) return
    wanted.current = null
    button.focus()
  })
  const isShown = chosen !== null && layout.places.has(chosen)
  const first = columns.map(column => layout.columns[column][0]).find(id => id !== undefined)
  const stop = isShown ? chosen : first
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for a form
    <div
      ref={merged}
      className={classes.map}
      role="group"
      aria-label="Connections, event types, workflows and actions"
      aria-busy={!isKnown}
      tabIndex={isKnown && nodes.length > 0 ? undefined : 0}
    >
      <div className={classes.canvas} style={{ width: layout.width, height: layout.height }}>
        {columns.map(column => (
          <h2 key={column} className={classes.head} style={{ left: layout.x[column] }}>
            {titles[column]}
            {isKnown && <span className="num t3"> {formatNumber(layout.columns[column].length)}</span>}
          </h2>
        ))}
        {!isKnown &&
          columns.flatMap(column =>
            [0, 1, 2, 3].map(row => (
              <Skeleton
                key={`${column} ${row}`}
                className={classes.skeleton}
                left={layout.x[column]}
                top={56 + row * 84 + (column === 'event' ? 9 : 0)}
                height={column === 'event' ? 34 : 52}
                width={layout.x.event - layout.x.connection - 64}
              />
            )),
          )}
        {isKnown && width > 0 && (
          <>
            <svg width={layout.width} height={layout.height} aria-hidden="true">
              {edges.map(edge => (
                <Edge
                  key={edge.id}
                  edge={edge}
                  places={layout.places}
                  isOn={path?.edges.has(edge) === true}
                />
              ))}
              {nodes.map(({ id, nothing }) => {
                const place = layout.places.get(id)
                return nothing > 0 && place && <Stub key={id} place={place} />
              })}
            </svg>
            {edges
              .filter(
                edge =>
                  edge.isFailing ||
                  path?.edges.has(edge) === true ||
                  edge.from === hovered ||
                  edge.to === hovered,
              )
              .map(edge => (
                <Label
                  key={edge.id}
                  edge={edge}
                  places={layout.places}
                  isOn={path?.edges.has(edge) === true}
                />
              ))}
            {nodes.map(node => {
              const { id } = node
              const place = layout.places.get(id)
              return (
                place && (
                  <button
                    key={id}
                    type="button"
                    className={classes.node}
                    style={{ left: place.x, top: place.y, width: place.width, height: place.height }}
                    data-node={id}
                    data-on={path?.nodes.has(id) || undefined}
                    data-bad={(node.column !== 'event' && isFailing(node)) || undefined}
                    aria-pressed={id === chosen}
                    tabIndex={id === stop ? 0 : -1}
                    onClick={() => choose(id)}
                    onDoubleClick={() => open(id)}
                    onMouseEnter={() => hover(id)}
                    onMouseLeave={() => hover(null)}
                    onKeyDown={event => {
                      if (event.key !== 'Enter') return
                      event.preventDefault()
                      open(id)
                    }}
                  >
                    <NodeContent
                      node={node}
                      name={map.nameOf(node)}
                      connection={map.connectionOf?.(node.connectionId)}
                      tool={map.toolOf(id)}
                      events={eventsOf.get(id) ?? { count: 0, atLeast: false }}
                    />
                  </button>
                )
              )
            })}
          </>
        )}
      </div>
    </div>
  )
}

type Drawn = {
  readonly edge: MapEdge
  readonly places: ReadonlyMap<string, Place>
  /** Whether it is on the path of the chosen node. */
  readonly isOn: boolean
}

function curveOf({ edge, places }: Drawn) {
  const [from, to] = [places.get(edge.from), places.get(edge.to)]
  return from && to && curve(from, to)
}

function Edge(props: Drawn) {
  const { edge, isOn } = props
  return (
    <path
      d={curveOf(props)?.path}
      strokeWidth={edgeWidth(edge.count)}
      data-bad={edge.isFailing || undefined}
      data-on={isOn || undefined}
    />
  )
}

function Label(props: Drawn) {
  const { edge, isOn } = props
  const at = curveOf(props)
  return (
    at && (
      <span
        className={classes.label}
        style={{ left: at.x, top: at.y }}
        data-bad={edge.isFailing || undefined}
        data-on={isOn || undefined}
        // The pane beside the map says the same of the chosen node.
        aria-hidden="true"
      >
        {edgeLabel(edge)}
      </span>
    )
  )
}

/** The end of events that start nothing. */
function Stub({ place }: { readonly place: Place }) {
  const [x, y] = [place.x + place.width, place.y + place.height / 2 + 14]
  return (
    <>
      <path className={classes.stub} strokeDasharray="3 3" d={`M${x} ${y}h22`} />
      <path className={classes.stub} d={`M${x + 22} ${y - 4}v8`} />
    </>
  )
}

/** Returns the events of the types that lead to each workflow. */
function eventsInto(edges: readonly MapEdge[], nodes: MapData['graph']['nodes']): ReadonlyMap<string, Count> {
  const sums = new Map<string, Count>()
  for (const { from, to } of edges) {
    const type = nodes.get(from)
    if (type?.column !== 'event') continue
    const sum = sums.get(to)
    sums.set(to, {
      count: (sum?.count ?? 0) + type.count,
      atLeast: sum?.atLeast === true || type.atLeast,
    })
  }
  return sums
}
