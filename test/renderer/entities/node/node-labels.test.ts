import { describe, expect, it } from 'vitest'
import {
  clockLabel,
  fateOfRuns,
  healthOf,
  readyNodes,
  sortNodes,
} from '#renderer/entities/node/node-labels.ts'
import type { ServiceNode } from '#shared/model/nodes.ts'

const seenAt = '2026-11-21T09:30:00.000Z'

const node = (changes: Partial<ServiceNode> = {}): ServiceNode => ({
  ...{ nodeId: 'node_1', slot: 0, name: 'cc-1', version: '1.0.0', startedAt: seenAt, seenAt, silentMs: 700 },
  ...{
    state: 'ready',
    configVersion: 7,
    runsUnderWay: 0,
    heldRuns: 0,
    eventsPerSecond: 0,
    clockOffsetMs: 0,
    databaseMs: 1,
    disk: null,
    certificateEndsAt: null,
  },
  ...{ hasSameToken: true, isThis: false, ...changes },
})
const label = (changes: Partial<ServiceNode>) => healthOf(node(changes), 7, 8000).label

describe('the words for nodes', () => {
  it('name the health of each', () => {
    expect(label({})).toBe('Ready')
    expect(label({ configVersion: 6 })).toBe('Configuration behind')
    expect(label({ hasSameToken: null })).toBe('Ready')
    expect(label({ hasSameToken: false, configVersion: 6 })).toBe('Other admin token')
    expect(label({ state: 'unready', configVersion: 6 })).toBe('Not ready')
    expect(label({ state: 'draining', runsUnderWay: 4 })).toBe('Draining: 4 runs left')
    expect(label({ state: 'draining', runsUnderWay: 1 })).toBe('Draining: 1 run left')
    expect(label({ state: 'draining', runsUnderWay: 0 })).toBe('Draining')
    expect(label({ state: 'draining', runsUnderWay: null })).toBe('Draining')
    expect(label({ state: 'silent' })).toBe('Not seen for 8 s')
    expect(label({ state: 'lost', silentMs: 62 * 60_000 })).toBe('Not seen for 1 h 2 min')
  })

  it('say what became of the runs of lost nodes, and no more than is known', () => {
    const lost = { state: 'lost' } as const
    expect(fateOfRuns([node({ ...lost, runsUnderWay: 0 })])).toBe('No run was under way.')
    expect(fateOfRuns([node({ ...lost, runsUnderWay: 1 })])).toBe(
      'Other nodes go on with the run that it had under way.',
    )
    expect(fateOfRuns([node({ ...lost, runsUnderWay: 12 }), node({ ...lost, runsUnderWay: 3 })])).toBe(
      'Other nodes go on with the 15 runs that they had under way.',
    )
    expect(fateOfRuns([node({ ...lost, runsUnderWay: null }), node({ ...lost, runsUnderWay: 0 })])).toBe(
      'Other nodes go on with their runs.',
    )
    expect(fateOfRuns([node({ ...lost, runsUnderWay: 12, heldRuns: 2 })])).toBe(
      'Other nodes go on with its runs in a few seconds: 2 still wait.',
    )
  })

  it('count those that are ready', () => {
    expect(readyNodes([node()])).toBe('1 node')
    expect(readyNodes([node(), node({ state: 'draining' }), node({ state: 'lost' })])).toBe('1 of 3 nodes')
  })

  it('begin with what needs attention, and keep the order otherwise', () => {
    const states = ['ready', 'draining', 'lost', 'ready', 'silent', 'unready'] as const
    const nodes = states.map((state, index) => node({ state, nodeId: String(index) }))
    expect(sortNodes(nodes).map(({ nodeId }) => nodeId)).toEqual(['2', '4', '5', '1', '0', '3'])
  })

  it('tell no difference between clocks that cannot be measured', () => {
    expect([99, -3, 2940, -61_000].map(clockLabel)).toEqual([
      'Under 0.1 s',
      'Under 0.1 s',
      '2.9 s ahead',
      '1 min behind',
    ])
  })
})
