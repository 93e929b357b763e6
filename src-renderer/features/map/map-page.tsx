import { Button, SegmentedControl } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { useRef, useState } from 'react'
import { type HistoryRange, historyRanges } from '../../entities/connection/connection-history.ts'
import { Counted } from '../../ui/badges.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { formatNumber } from '../../ui/format.ts'
import { MasterDetail } from '../../ui/master-detail.tsx'
import { Body, Foot, Top, useTitle } from '../../ui/page.tsx'
import { QueryState } from '../../ui/query-state.tsx'
import { SearchField } from '../../ui/search-field.tsx'
import { useSearchState } from '../../ui/search-state.ts'
import { useNarrow } from '../../ui/use-narrow.ts'
import { BesideMap } from './beside-map.tsx'
import { ChosenNode } from './chosen-node.tsx'
import type { layoutOf } from './layout.ts'
import classes from './map.module.css'
import { MapCanvas } from './map-canvas.tsx'
import { totalsOf } from './map-labels.ts'
import { useMap } from './use-map.ts'
import { useMapKeys } from './use-map-keys.ts'
import { useOpenNode } from './use-open-node.ts'

const group = 'Map'
const ranges = ['day', 'week', 'month'] as const satisfies readonly HistoryRange[]

/** Which events start which workflows, which actions these call, and where that fails. */
export function MapPage() {
  useTitle('Map')
  const [place, change] = useSearchState('/map')
  const { node: chosen = null, text = '', range = 'day', failing = false, pane } = place
  const isNarrow = useNarrow()
  const map = useMap({ range, text, onlyFailing: failing, chosen })
  const { graph, nodes } = map
  const node = chosen === null ? undefined : graph.nodes.get(chosen)
  const wanted = useRef<string | null>(null)
  const canvas = useRef<HTMLDivElement>(null)
  const [layout, setLayout] = useState<ReturnType<typeof layoutOf> | null>(null)
  const choose = (id: string | undefined) => change({ node: id })
  const go = (id: string) => {
    wanted.current = id
    choose(id)
  }
  const { openOf, start, startOf } = useOpenNode(map)
  const isList = isNarrow && pane === 'list'
  useMapKeys({ group, map, chosen: node, columns: layout?.columns, canvas, go, openOf, start, startOf })
  /** Where ↓ leads from the field: to the first node. */
  const list = {
    current: {
      focus() {
        const [id] = layout === null ? [] : Object.values(layout.columns).flat()
        if (id !== undefined) go(id)
      },
    },
  }

  const controls = (
    <>
      <SearchField
        className={classes.find}
        label="Find in the map"
        placeholder="Find in the map"
        value={text}
        onChange={value => change({ text: value === '' ? undefined : value })}
        does="Find in the map"
        group={group}
        list={list}
      />
      <SegmentedControl
        aria-label="Show"
        value={failing ? 'failing' : 'all'}
        onChange={value => change({ failing: value === 'failing' || undefined })}
        data={[
          { value: 'all', label: 'All' },
          {
            value: 'failing',
            label: <Counted label="Failing" count={map.isKnown ? map.failing : undefined} />,
          },
        ]}
      />
      <SegmentedControl
        aria-label="How far back"
        value={range}
        onChange={value => change({ range: ranges.find(one => one === value) })}
        data={ranges.map(value => ({ value, label: historyRanges[value].label }))}
      />
      {isNarrow && (
        <Button onClick={() => change({ pane: isList ? undefined : 'list' })}>
          {isList
            ? 'Show the map'
            : `Start nothing ${map.isKnown ? formatNumber(graph.startNothing.length) : ''}`}
        </Button>
      )}
    </>
  )
  const isEmpty = map.isKnown && nodes.length === 0
  const content = (
    <section className={classes.pane} aria-label="Map">
      {map.isKnown && (nodes.length < map.of || map.isLimited) && (
        <p className={classes.note} role="status">
          {nodes.length < map.of
            ? `The failing and the busiest ${formatNumber(nodes.length)} of ${formatNumber(map.of)} are shown. Find or choose one to see its neighbours.`
            : 'The least busy are left out, because there are too many.'}
        </p>
      )}
      {map.query.data === undefined && map.query.error !== null ? (
        <QueryState query={map.query} failed="The map could not be read" />
      ) : isEmpty ? (
        <Empty
          range={range}
          isNarrowed={graph.nodes.size > 0}
          reset={() => change({ text: undefined, failing: undefined })}
        />
      ) : (
        <MapCanvas
          map={map}
          chosen={chosen}
          choose={choose}
          open={id => openOf(graph.nodes.get(id))?.()}
          wanted={wanted}
          canvas={canvas}
          onLayout={setLayout}
        />
      )}
    </section>
  )
  const side = (
    <section className={classes.side} aria-label="Chosen, and events that start nothing" data-scroll-room>
      {node && (
        <ChosenNode
          map={map}
          node={node}
          range={range}
          open={openOf(node)}
          start={startOf(node) === null ? null : () => start(startOf(node))}
          clear={() => choose(undefined)}
        />
      )}
      <BesideMap map={map} hasBack={node === undefined} start={start} />
    </section>
  )
  return (
    <>
      <Top
        crumbs={[
          <Link key="connections" to="/connections">
            Connections
          </Link>,
        ]}
        title="Map"
        beside={
          !isNarrow && <span className="sm t3 cut">what starts what in {historyRanges[range].over}</span>
        }
        actions={!isNarrow && controls}
      />
      {isNarrow && <div className={classes.tools}>{controls}</div>}
      <Body scrolls={false}>
        <MasterDetail
          name="map"
          panes={[
            { id: 'map', content },
            { id: 'side', size: 280, min: 220, content: side },
          ]}
          lead={isList ? 'side' : 'map'}
          home="map"
          back={{ label: 'Back to the map', group, go: () => change({ pane: undefined }) }}
        />
      </Body>
      <Foot
        hints={{
          updown: 'in a column',
          'arrowleft arrowright': 'follow an edge',
          ...(node && { enter: 'open' }),
          ...(map.failing > 0 && { f8: 'next that fails' }),
          ...(node && startOf(node) !== null && { w: 'start a workflow' }),
          ...(node && { escape: 'clear' }),
        }}
      >
        {map.isKnown && <span className="num">{totalsOf(graph)}</span>}
      </Foot>
    </>
  )
}

function Empty(props: {
  readonly range: HistoryRange
  /** Whether there is something that the filters leave out. */
  readonly isNarrowed: boolean
  readonly reset: () => void
}) {
  const { range, isNarrowed, reset } = props
  if (isNarrowed)
    return (
      <EmptyState title="Nothing of this" actions={<Button onClick={reset}>Show all</Button>}>
        The map has nothing that fits the filters.
      </EmptyState>
    )
  return (
    <EmptyState
      title={`Nothing happened in ${historyRanges[range].over}`}
      actions={<Button renderRoot={own => <Link to="/connections" {...own} />}>Show connections</Button>}
    >
      Events, the workflows that they start and the actions that these call appear here.
    </EmptyState>
  )
}
