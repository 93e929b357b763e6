import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { type StarterSource, sampleSource, startersOf } from '#renderer/features/workflows/starters.ts'
import { Action } from '#shared/model/action.ts'
import { ConnectionSummary } from '#shared/model/connection.ts'
import { EventType } from '#shared/model/event-type.ts'
import { RunDetails } from '#shared/model/run.ts'
import { CheckedWorkflow } from '#shared/model/workflow.ts'
import { workflowIssues } from '#shared/workflows/references.ts'
import type { Rest } from '../../support/rest-client.ts'
import { sharedService } from '../../support/service-fixture.ts'

const cleanService = sharedService()

/** Loads the sample. @returns it with what it declares. */
async function loadSample(rest: Rest): Promise<StarterSource & { eventTypes: readonly EventType[] }> {
  const { body } = await rest('POST', '/samples', {})
  const { connectionId } = z.object({ connectionId: z.string() }).parse(body)
  const path = `/connections/${connectionId}`
  const [connection, actions, eventTypes] = await Promise.all([
    rest('GET', path),
    rest('GET', `${path}/actions`),
    rest('GET', `${path}/event-types`),
  ])
  return {
    ...ConnectionSummary.pick({ connectionId: true, name: true, baseUrl: true }).parse(connection.body),
    actions: z.array(Action).parse(actions.body),
    eventTypes: z.array(EventType).parse(eventTypes.body),
  }
}

test('each starter of the loaded sample has no issues and succeeds with the sample event, every step taken', async () => {
  const { rest } = await cleanService()
  const sample = await loadSample(rest)
  const taken: string[][] = []
  for (const { title, workflow, needsSample } of startersOf([sample])) {
    expect(needsSample).toBe(false)
    const created = CheckedWorkflow.parse((await rest('POST', '/workflows', workflow)).body)
    expect([created.name, created.enabled, created.issues]).toEqual([title, false, []])
    const eventName = created.trigger.eventName ?? 'order.paid'
    const payload = sample.eventTypes.find(type => type.eventName === eventName)?.samplePayload
    const tested = await rest('POST', `/workflows/${created.workflowId}/test`, {
      payload: { ...payload, eventName },
    })
    const run = RunDetails.parse(tested.body)
    expect([title, run.status, run.error]).toEqual([title, 'succeeded', null])
    taken.push(run.steps.map(({ key }) => key))
  }
  expect(taken).toEqual([['is_large', 'tell'], ['pass_on'], ['forward']])
})

test('the parts of the sample that are drawn before it is loaded are those of the loaded one', async () => {
  const { rest } = await cleanService()
  const loaded = startersOf([await loadSample(rest)])
  const drawn = startersOf([])
  expect(drawn.map(({ lines }) => lines)).toEqual(loaded.map(({ lines }) => lines))
  expect(drawn.map(({ needsSample }) => needsSample)).toEqual([true, true, true])
})

const parameter = (name: string, type: 'string' | 'number' = 'string', required = true) => ({
  name,
  type,
  description: name,
  required,
})
const shop: StarterSource = {
  connectionId: 'conn_shop',
  name: 'Storefront',
  baseUrl: null,
  eventTypes: [
    { eventName: 'cart.abandoned', samplePayload: { cart: { grand_total: 1200.5, number: 'C-1' } } },
    { eventName: 'stock.low', samplePayload: { lines: [{ sku: 'KB-87' }], left: 3 } },
  ],
  actions: [],
}
const warehouse: StarterSource = {
  connectionId: 'conn_wms',
  name: 'Warehouse WMS',
  baseUrl: 'https://wms.example.com/v1/',
  eventTypes: [{ eventName: 'stock.counted', samplePayload: { sku: 'A', left: 4 } }],
  actions: [
    { toolName: 'drop_stock', method: 'DELETE', isEnabled: true, parameters: [parameter('sku')] },
    { toolName: 'off', method: 'POST', isEnabled: false, parameters: [parameter('sku')] },
    { toolName: 'needs_more', method: 'POST', isEnabled: true, parameters: [parameter('colour')] },
    { toolName: 'reserve_stock', method: 'POST', isEnabled: true, parameters: [parameter('sku')] },
  ],
}

describe('starters of other connections', () => {
  const [large, pass, forward] = startersOf([shop, warehouse])

  test('find the amount of a declared event and a round limit below it', () => {
    expect(large?.lines).toEqual([
      { kind: 'trigger', eventName: 'cart.abandoned', connection: 'Storefront' },
      { kind: 'branch', variable: 'cart.grand_total', above: 1000 },
      { kind: 'notify', text: 'Check', variable: 'cart.number' },
    ])
  })

  test('call an action of another connection that needs nothing else, deletes nothing and is on', () => {
    expect(pass?.lines).toEqual([
      { kind: 'trigger', eventName: 'stock.low', connection: 'Storefront' },
      { kind: 'action', method: 'POST', toolName: 'reserve_stock' },
      { kind: 'argument', name: 'sku', variable: 'lines.0.sku' },
    ])
  })

  test('forward the events of a connection that has a base URL', () => {
    expect(forward?.workflow.steps).toMatchObject([
      { url: 'https://wms.example.com/v1/events', signWith: 'conn_wms' },
    ])
  })

  test('are switched off and refer to nothing wrongly', () => {
    const connections = new Map(
      [shop, warehouse].map(source => [
        source.connectionId,
        {
          ...source,
          enabled: true,
          actions: source.actions.map(action => ({ ...action, responseMapping: null })),
        },
      ]),
    )
    for (const { workflow, needsSample } of startersOf([shop, warehouse])) {
      expect([workflow.enabled, needsSample]).toEqual([false, false])
      expect(workflowIssues(workflow, { connections, sample: null })).toEqual([])
    }
  })

  test('use the sample where nothing is declared that fits', () => {
    const bare = { ...warehouse, baseUrl: null, eventTypes: [], actions: [] }
    expect(startersOf([bare]).map(({ needsSample }) => needsSample)).toEqual([true, true, false])
    expect(startersOf([bare])[2]?.workflow.steps).toMatchObject([{ url: 'https://api.example.com/events' }])
    expect(sampleSource.eventTypes).toHaveLength(1)
  })

  test('keep a limit below any amount', () => {
    const limitOf = (total: number) => {
      const eventTypes = [{ eventName: 'a', samplePayload: { total } }]
      return startersOf([{ ...shop, eventTypes }])[0]?.lines[1]
    }
    for (const [total, above] of [
      [149, 100],
      [500, 200],
      [1, 0.5],
      [0.07, 0.05],
      [51, 50],
    ] as const)
      expect(limitOf(total)).toEqual({ kind: 'branch', variable: 'total', above })
  })
})
