import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { edgesOf } from '#main/history/statistics/edges.ts'
import { EdgeList } from '#shared/model/edges.ts'
import { createAction, testAction } from '../support/actions.ts'
import { startExternalSystem } from '../support/external-system.ts'
import { createConnection, type Rest } from '../support/rest-client.ts'
import { postInbound, startService } from '../support/service-fixture.ts'
import { addWorkflow } from '../support/workflows.ts'

const hourMs = 3_600_000

async function edgesFrom(rest: Rest, query = '') {
  return z.strictObject(EdgeList.shape).parse((await rest('GET', `/statistics/edges${query}`)).body)
}

describe('the edges', () => {
  test('are what events started, and what called actions, in all hours, also after a restart', async () => {
    const fixture = await startService()
    const { rest, clock } = fixture
    const system = await startExternalSystem((_request, response) => void response.writeHead(404).end('{}'))
    const { connectionId, credentials } = await createConnection(rest, { baseUrl: system.url })
    const other = await createConnection(rest, { name: 'Other' })
    const { actionId, toolName } = await createAction(rest, connectionId)
    const workflowId = await addWorkflow(
      rest,
      { connectionId, eventName: 'fail' },
      {
        ...{ key: 'call', type: 'action', connectionId, toolName, arguments: {} },
      },
    )
    await testAction(rest, { connectionId, actionId })
    for (const event of ['fail', 'fail', 'other']) await postInbound(credentials, `{"event":"${event}"}`)
    await postInbound(other.credentials, '{"event":"b"}')
    const event = { connectionId, eventName: 'fail', workflowId, events: 2, runs: 2, failed: 2 }
    const nothing = { workflowId: null, events: 1, runs: 0, failed: 0 }
    const call = { connectionId, toolName, client: false }
    const first = {
      events: [
        event,
        { ...nothing, connectionId, eventName: 'other' },
        { ...nothing, connectionId: other.connectionId, eventName: 'b' },
      ],
      calls: [
        { ...call, workflowId, calls: 2, failed: 2 },
        { ...call, workflowId: null, calls: 1, failed: 1 },
      ],
      limited: false,
    }
    await expect.poll(() => edgesFrom(rest)).toEqual(first)
    expect(await edgesFrom(rest, '?workspaceId=default')).toEqual(first)
    expect(await edgesFrom(rest, `?connectionId=${other.connectionId}`)).toEqual({
      ...{ events: [first.events[2]], calls: [], limited: false },
    })

    clock.now += 2 * hourMs
    const twoHoursAgo = clock.now - 2 * hourMs
    expect(await edgesFrom(rest)).toEqual(first)
    await postInbound(credentials, '{"event":"other"}', clock.now)
    const later = { ...nothing, connectionId, eventName: 'other', events: 2 }
    const second = { ...first, events: [event, later, first.events[2]] }
    expect(await edgesFrom(rest)).toEqual(second)
    expect((await edgesFrom(rest, `?since=${clock.now}`)).events).toEqual([{ ...later, events: 1 }])
    // The sum of the hours before goes on.
    const sinceFirst = `?since=${twoHoursAgo}`
    expect(await edgesFrom(rest, sinceFirst)).toEqual(second)
    clock.now += hourMs
    expect(await edgesFrom(rest, sinceFirst)).toEqual(second)
    await postInbound(credentials, '{"event":"other"}', clock.now)
    later.events++
    expect(await edgesFrom(rest, sinceFirst)).toEqual(second)
    await fixture.restart()
    for (const since of [twoHoursAgo, clock.now - 30 * 24 * hourMs])
      expect(await edgesFrom(rest, `?since=${since}`)).toEqual(second)

    await rest('DELETE', `/connections/${other.connectionId}`)
    expect((await edgesFrom(rest)).events).toEqual([event, later])
  })

  test('are at most 2,000 of a kind, those that fail and the busiest', () => {
    const started = Object.fromEntries(
      Array.from({ length: 1500 }, (_, index): [string, [number, number]] => [`wf_1 a ${index}`, [index, 0]]),
    )
    const pairs = { started, called: { 'client t': [1, 0] as [number, number] }, limited: false }
    const failing = { ...pairs, started: { ...started, 'wf_1 bad': [1, 1] as [number, number] } }
    const { events, calls, limited } = edgesOf(
      new Map([
        ['conn_1', pairs],
        ['conn_2', failing],
      ]),
    )
    expect(events).toHaveLength(2000)
    expect(events.slice(0, 2).map(({ eventName }) => eventName)).toEqual(['bad', 'a 1499'])
    expect(calls).toHaveLength(2)
    expect(limited).toBe(true)
    expect(edgesOf(new Map([['conn_1', pairs]])).limited).toBe(false)
  })
})
