import { describe, expect, test } from 'vitest'
import {
  actionNode,
  connectionNode,
  eventNode,
  graphOf,
  isFailing,
  workflowNode,
} from '#renderer/features/map/graph.ts'
import { curve, edgeWidth, layoutOf } from '#renderer/features/map/layout.ts'
import { alongEdge, matcherOf, mostNodes, pathsOf, shownOf } from '#renderer/features/map/select-nodes.ts'

const event = (
  connectionId: string,
  eventName: string,
  workflowId: string | null,
  count: number,
  failed = 0,
) => ({
  ...{ connectionId, eventName, workflowId, events: count, failed },
  runs: workflowId === null ? 0 : count,
})
const call = (
  workflowId: string | null,
  connectionId: string,
  toolName: string,
  calls: number,
  failed = 0,
) => ({
  ...{ workflowId, connectionId, toolName, calls, failed, client: false },
})

/** The picture of the design, smaller. */
const shop = graphOf({
  events: [
    event('shop', 'order.paid', 'reserve', 417, 9),
    event('shop', 'order.paid', 'ledger', 417),
    event('shop', 'order.created', null, 744),
    event('billing', 'invoice.issued', 'ledger', 138),
    event('stock', 'stock.adjusted', 'correct', 3906, 151),
    event('grid', 'BlobCreated', null, 88),
  ],
  calls: [
    call('reserve', 'stock', 'reserve_stock', 408, 9),
    call('ledger', 'books', 'post_entry', 555),
    call('correct', 'shop', 'set_stock_level', 160, 151),
    { ...call(null, 'books', 'post_entry', 3), client: true },
  ],
})
const everything = { chosen: null, onlyFailing: false, found: null }
const nodeOf = (id: string) => shop.nodes.get(id)
const edgeTo = (id: string) => shop.edges.filter(({ to }) => to === id)

describe('the graph of the map', () => {
  test('has the counts of connections, events, workflows and actions', () => {
    expect(nodeOf(connectionNode('shop'))).toMatchObject({ count: 1161, nothing: 744, atLeast: false })
    expect(nodeOf(eventNode('shop', 'order.paid'))).toMatchObject({ count: 417, atLeast: false })
    expect(nodeOf(workflowNode('ledger'))).toMatchObject({ count: 555, failed: 0, calls: 555 })
    expect(nodeOf(workflowNode('correct'))).toMatchObject({ count: 3906, failed: 151, callsFailed: 151 })
    expect(nodeOf(actionNode('books', 'post_entry'))).toMatchObject({ count: 558, failed: 0 })
    expect(nodeOf(workflowNode('client'))).toMatchObject({ count: 0, calls: 3 })
    expect(shop.startNothing.map(({ eventName }) => eventName)).toEqual(['order.created', 'BlobCreated'])
    expect(nodeOf(eventNode('grid', 'BlobCreated'))).toBeUndefined()
  })

  test('counts events that start several workflows once, and says where there may be more', () => {
    const { nodes } = graphOf({
      events: [event('a', 'x', 'one', 10), event('a', 'x', 'two', 4), event('a', 'x', null, 5)],
      calls: [],
    })
    expect(nodes.get(eventNode('a', 'x'))).toMatchObject({ count: 15, atLeast: true })
    expect(nodes.get(connectionNode('a'))).toMatchObject({ count: 15, atLeast: true, nothing: 0 })
  })

  test('shows a failure where it is caused: at the call, or at the run if no call failed', () => {
    expect(edgeTo(actionNode('shop', 'set_stock_level'))).toMatchObject([{ failed: 151, isFailing: true }])
    expect(edgeTo(workflowNode('correct'))).toMatchObject([{ failed: 151, isFailing: false }])
    const { edges } = graphOf({ events: [event('a', 'x', 'one', 10, 2)], calls: [] })
    expect(edges.find(({ to }) => to === workflowNode('one'))).toMatchObject({ isFailing: true })
    expect([...shop.nodes.values()].filter(isFailing)).toHaveLength(4)
  })
})

describe('the selection of the map', () => {
  test('of a node is what leads to it and what it leads to, not its siblings', () => {
    const { nodes, edges } = pathsOf(shop, [workflowNode('ledger')])
    expect([...nodes].sort()).toEqual(
      [
        ...[connectionNode('shop'), connectionNode('billing'), workflowNode('ledger')],
        ...[eventNode('shop', 'order.paid'), eventNode('billing', 'invoice.issued')],
        actionNode('books', 'post_entry'),
      ].sort(),
    )
    expect(edges.size).toBe(5)
  })

  test('can be what fails, and what has a text', () => {
    const failing = shownOf(shop, { ...everything, onlyFailing: true })
    expect(failing.nodes.map(({ id }) => id)).not.toContain(workflowNode('ledger'))
    expect(failing.nodes).toHaveLength(8)
    const isFound = matcherOf(' INVOICE issued')
    expect(['invoice.issued', 'issued invoice', 'invoice'].map(name => isFound?.(name))).toEqual([
      true,
      true,
      false,
    ])
    expect(matcherOf('  ')).toBeNull()
    const found = new Set([eventNode('billing', 'invoice.issued')])
    expect(shownOf(shop, { ...everything, found }).nodes).toHaveLength(4)
    expect(shownOf(shop, { ...everything, found: new Set() }).nodes).toEqual([])
  })

  test('has at most 200 nodes: those that fail, the busiest, and the path of the chosen one', () => {
    const many = graphOf({
      events: Array.from({ length: 1000 }, (_, index) => event(`c${index}`, 'e', `w${index}`, 1000 + index)),
      calls: Array.from({ length: 1000 }, (_, index) =>
        call(`w${index}`, `c${index}`, 't', 1, index === 5 ? 1 : 0),
      ),
    })
    const { nodes, of } = shownOf(many, everything)
    expect(nodes.length).toBeLessThanOrEqual(mostNodes)
    expect(nodes.length).toBeGreaterThan(mostNodes - 4)
    expect(of).toBe(4000)
    const ids = nodes.map(({ id }) => id)
    expect(ids).toEqual(
      expect.arrayContaining([workflowNode('w5'), actionNode('c5', 't'), workflowNode('w999')]),
    )
    const chosen = eventNode('c17', 'e')
    expect(ids).not.toContain(chosen)
    const path = [connectionNode('c17'), chosen, workflowNode('w17'), actionNode('c17', 't')]
    expect(shownOf(many, { ...everything, chosen }).nodes.map(({ id }) => id)).toEqual(
      expect.arrayContaining(path),
    )
  })

  test('follows the strongest edge', () => {
    const { edges } = shop
    expect(alongEdge(edges, workflowNode('ledger'), 'left')).toBe(eventNode('shop', 'order.paid'))
    expect(alongEdge(edges, actionNode('books', 'post_entry'), 'left')).toBe(workflowNode('ledger'))
    expect(alongEdge(edges, connectionNode('stock'), 'right')).toBe(eventNode('stock', 'stock.adjusted'))
    expect(alongEdge(edges, connectionNode('grid'), 'right')).toBeNull()
  })
})

describe('the layout of the map', () => {
  test('has four columns in which no nodes overlap, and each node at the middle of what belongs to it', () => {
    const nodes = [...shop.nodes.values()]
    const layout = layoutOf(nodes, shop.edges, 927)
    expect(layout.places.size).toBe(nodes.length)
    for (const ids of Object.values(layout.columns)) {
      const places = ids.flatMap(id => layout.places.get(id) ?? [])
      expect(new Set(places.map(({ x }) => x)).size).toBe(1)
      places.forEach((place, index) => {
        const before = places[index - 1]
        if (before !== undefined) expect(place.y).toBeGreaterThan(before.y + before.height)
      })
    }
    const middleOf = (id: string) => {
      const place = layout.places.get(id)
      return place && place.y + place.height / 2
    }
    expect(middleOf(connectionNode('stock'))).toBe(middleOf(actionNode('shop', 'set_stock_level')))
    const paid = middleOf(eventNode('shop', 'order.paid')) ?? 0
    expect(paid).toBe(
      ((middleOf(workflowNode('reserve')) ?? 0) + (middleOf(workflowNode('ledger')) ?? 0)) / 2,
    )
  })

  test('fills the width, down to columns that can still be read', () => {
    const at = (width: number) => layoutOf([...shop.nodes.values()], shop.edges, width)
    expect(at(927).width).toBeGreaterThan(900)
    expect(at(927).width).toBeLessThanOrEqual(927)
    expect(at(320).width).toBe(at(500).width)
    expect(at(320).width).toBe(736)
    expect(at(5000).width).toBeLessThan(1400)
  })

  test('stays the same when counts change', () => {
    const busier = shop.edges.map(edge => ({ ...edge, count: edge.count * 7 }))
    const nodes = [...shop.nodes.values()]
    expect(layoutOf(nodes, busier, 927).places).toEqual(layoutOf(nodes, shop.edges, 927).places)
  })

  test('draws edges by the logarithm of their count', () => {
    expect([1, 138, 417, 3906, 1e9].map(count => Number(edgeWidth(count).toFixed(1)))).toEqual([
      1.2, 3.6, 4.5, 6.1, 8,
    ])
    const from = { x: 0, y: 0, width: 10, height: 10 }
    expect(curve(from, { ...from, x: 20, y: 20 })).toEqual({ path: 'M10 5C15 5 15 25 20 25', x: 15, y: 15 })
  })
})
