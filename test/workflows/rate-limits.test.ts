import { beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { z } from 'zod'
import { RunDetails } from '#shared/model/run.ts'
import { CheckedWorkflow } from '#shared/model/workflow.ts'
import { createAction } from '../support/actions.ts'
import { eventually } from '../support/eventually.ts'
import { type ExternalSystem, startExternalSystem } from '../support/external-system.ts'
import { createConnection, type Rest } from '../support/rest-client.ts'
import { type ServiceFixture, sharedService, startOfTests } from '../support/service-fixture.ts'

const cleanService = sharedService()
let service: ServiceFixture
let rest: Rest
beforeEach(async () => {
  service = await cleanService()
  rest = service.rest
})

const List = z.object({ runs: z.array(z.object({ runId: z.string(), status: z.string() })) })

/** A connection to a system, and a workflow that calls one of its actions for each event. */
async function connect(system: ExternalSystem, fields: object = {}, step: object = {}, more: object = {}) {
  const { connectionId } = await createConnection(rest, { name: 'Acme', baseUrl: system.url, ...fields })
  const { toolName } = await createAction(rest, connectionId)
  const trigger = { type: 'external.event', connectionId }
  const call = { key: 'call', type: 'action', connectionId, toolName, arguments: {}, ...step }
  const created = await rest('POST', '/workflows', { name: 'W', trigger, steps: [call], ...more })
  const { workflowId } = CheckedWorkflow.parse(created.body)
  const list = async () =>
    List.parse((await rest('GET', `/runs?workflowId=${workflowId}&limit=200`)).body).runs
  return {
    ...{ connectionId, workflowId, list },
    send: async (count: number) => {
      for (let sent = 0; sent < count; sent++)
        await rest('POST', `/connections/${connectionId}/send`, { event: 'a', data: {} })
    },
    statuses: async () => (await list()).map(({ status }) => status),
    details: async () =>
      Promise.all(
        (await list()).map(async ({ runId }) => RunDetails.parse((await rest('GET', `/runs/${runId}`)).body)),
      ),
  }
}

/** A system that answers 429 with `Retry-After: 5` while `asksToWait`. */
async function startBusySystem(state: { asksToWait: boolean }): Promise<ExternalSystem> {
  return startExternalSystem((_request, response) => {
    response.statusCode = state.asksToWait ? 429 : 200
    if (state.asksToWait) response.setHeader('retry-after', '5')
    response.setHeader('content-type', 'application/json').end('{"ok":true}')
  })
}

describe('runs whose connection was asked to wait', () => {
  test('make no call until then, and none of them loses an attempt', async () => {
    const state = { asksToWait: true }
    const system = await startBusySystem(state)
    const { send, statuses, details } = await connect(system)
    await send(1)
    await eventually(async () => expect(await statuses()).toEqual(['waiting']))
    await send(19)
    await eventually(async () => expect(await statuses()).toEqual(Array(20).fill('waiting')))
    expect(system.requests).toHaveLength(1)
    for (const { nextAttemptAt, attempt, steps, error } of await details()) {
      expect(nextAttemptAt).toBe(new Date(startOfTests + 5000).toISOString())
      expect({ attempt, steps }).toEqual({ attempt: 1, steps: [] })
      expect(error?.code).toBe('rate_limited')
    }
    state.asksToWait = false
    service.clock.now += 4999
    // A run that is claimed now comes after all that were due.
    await send(1)
    await eventually(async () => expect(await statuses()).toEqual(Array(21).fill('waiting')))
    expect(system.requests).toHaveLength(1)
    service.clock.now += 1
    await eventually(async () => expect(await statuses()).toEqual(Array(21).fill('succeeded')))
    expect(system.requests).toHaveLength(22)
    for (const { steps } of await details()) expect(steps[0]?.attempts).toMatchObject([{ attempt: 1 }])
  })

  test('lose no attempt however often they are asked, within a day', async () => {
    const state = { asksToWait: true }
    const system = await startBusySystem(state)
    const { send, details } = await connect(system)
    await send(1)
    const attempts = async () => (await details())[0]?.steps[0]?.attempts ?? []
    for (let asked = 1; asked <= 10; asked++) {
      await eventually(() => expect(system.requests).toHaveLength(asked))
      await eventually(async () =>
        expect(Date.parse((await details())[0]?.nextAttemptAt ?? '')).toBeGreaterThan(service.clock.now),
      )
      expect(await attempts()).toEqual([])
      service.clock.now += 2 * 3_600_000
    }
    // By now, it has waited for 20 hours.
    service.clock.now += 5 * 3_600_000
    await eventually(async () =>
      expect(await attempts()).toMatchObject([{ attempt: 1, error: { code: 'http_429' } }]),
    )
    // No attempt begins another day.
    service.clock.now += 2 * 3_600_000
    await eventually(async () => expect(await attempts()).toHaveLength(2))
  })

  test('fail at once with a step that is not tried again', async () => {
    const system = await startBusySystem({ asksToWait: true })
    const { send, statuses } = await connect(system, {}, { onFailure: 'stop' })
    await send(1)
    await eventually(async () => expect(await statuses()).toEqual(['failed']))
    // Nothing was sent of this one, so it waits.
    await send(1)
    await eventually(async () => expect(await statuses()).toEqual(['waiting', 'failed']))
    expect(system.requests).toHaveLength(1)
  })

  test('go on when the pause is ended', async () => {
    const state = { asksToWait: true }
    const system = await startBusySystem(state)
    const { connectionId, send, statuses } = await connect(system)
    await send(3)
    await eventually(async () => expect(await statuses()).toEqual(Array(3).fill('waiting')))
    state.asksToWait = false
    await rest('POST', `/connections/${connectionId}/resume`)
    await eventually(async () => expect(await statuses()).toEqual(Array(3).fill('succeeded')))
  })

  test('keep the steps that they have carried out, and the order of an ordered workflow', async () => {
    const state = { asksToWait: true }
    const system = await startBusySystem(state)
    const other = await startExternalSystem()
    const { workflowId, connectionId, statuses, details } = await connect(system, {}, {}, { ordered: true })
    const { body } = await rest('GET', `/workflows/${workflowId}`)
    const { steps } = z.object({ steps: z.array(z.unknown()) }).parse(body)
    const first = { key: 'first', type: 'http', method: 'POST', url: `${other.url}/{{n}}` }
    await rest('PATCH', `/workflows/${workflowId}`, { steps: [first, ...steps] })
    await rest('POST', `/connections/${connectionId}/send`, { event: 'a', data: { n: 1 } })
    await rest('POST', `/connections/${connectionId}/send`, { event: 'a', data: { n: 2 } })
    await eventually(async () => expect(await statuses()).toEqual(['queued', 'waiting']))
    expect([other.requests, system.requests].map(({ length }) => length)).toEqual([1, 1])
    state.asksToWait = false
    service.clock.now += 5000
    await eventually(async () => expect(await statuses()).toEqual(['succeeded', 'succeeded']))
    expect(other.requests.map(({ url }) => url)).toEqual(['/1', '/2'])
    for (const run of await details())
      expect(run.steps.map(({ key, attempts }) => `${key} ${attempts.length}`)).toEqual(['first 1', 'call 1'])
  })

  test('are not those of http steps that call another system', async () => {
    const state = { asksToWait: true }
    const system = await startBusySystem(state)
    const { connectionId, send, details } = await connect(
      await startExternalSystem(),
      {},
      {
        type: 'http',
        method: 'POST',
        url: `${system.url}/other`,
        connectionId: undefined,
        toolName: undefined,
        arguments: undefined,
      },
    )
    await send(1)
    await eventually(async () => expect((await details())[0]?.steps[0]?.attempts).toHaveLength(1))
    expect((await rest('GET', `/connections/${connectionId}`)).body).toMatchObject({ pausedUntil: null })
  })

  test('are those of http steps below the base URL', async () => {
    const system = await startBusySystem({ asksToWait: true })
    const { connectionId, send, statuses, details } = await connect(
      system,
      {},
      {
        type: 'http',
        method: 'POST',
        url: `${system.url}/a`,
        connectionId: undefined,
        toolName: undefined,
        arguments: undefined,
      },
    )
    await send(1)
    await eventually(async () => expect(await statuses()).toEqual(['waiting']))
    expect((await details())[0]?.steps).toEqual([])
    expect((await rest('GET', `/connections/${connectionId}`)).body).toMatchObject({
      pausedUntil: new Date(startOfTests + 5000).toISOString(),
    })
  })
})

test('runs wait for room in a rate limit, and come again one after another', async () => {
  const system = await startExternalSystem()
  const { send, statuses, details } = await connect(system, { rateLimit: { calls: 2, perSeconds: 60 } })
  await send(6)
  await eventually(async () => {
    const now = await statuses()
    expect(now.filter(status => status === 'succeeded')).toHaveLength(2)
    expect(now.filter(status => status === 'waiting')).toHaveLength(4)
  })
  const due = (await details()).flatMap(({ nextAttemptAt }) => nextAttemptAt ?? [])
  const after = due.map(at => Date.parse(at) - startOfTests).sort((a, b) => a - b)
  expect(after.map((at, index) => at - (after[index - 1] ?? 0))).toEqual([
    expect.any(Number),
    30_000,
    30_000,
    30_000,
  ])
  expect(system.requests).toHaveLength(2)
  for (let minutes = 0; minutes < 6; minutes++) {
    service.clock.now += 65_000
    // No run is under way when the clock moves: its lease would end.
    await eventually(async () => {
      for (const { status, nextAttemptAt } of await details())
        if (status !== 'succeeded')
          expect([status, Date.parse(nextAttemptAt ?? '') > service.clock.now]).toEqual(['waiting', true])
    })
  }
  expect(await statuses()).toEqual(Array(6).fill('succeeded'))
  expect((await details()).flatMap(({ steps }) => steps[0]?.attempts ?? [])).toHaveLength(6)
})

test('runs that wait make a new line when their limit is raised', async () => {
  const system = await startExternalSystem()
  const { connectionId, send, details } = await connect(system, { rateLimit: { calls: 2, perSeconds: 60 } })
  await send(12)
  const dueAfter = async () =>
    (await details())
      .flatMap(({ nextAttemptAt: at }) => (at == null ? [] : Date.parse(at) - startOfTests))
      .sort((a, b) => a - b)
  await eventually(async () => expect(await dueAfter()).toHaveLength(10))
  await rest('PATCH', `/connections/${connectionId}`, { rateLimit: { calls: 6, perSeconds: 60 } })
  await eventually(async () => {
    const due = await dueAfter()
    expect(due.map(at => at - (due[0] ?? 0))).toEqual([0, 10_000, 20_000, 30_000, 40_000, 50_000])
    expect(due[0]).toBeLessThan(65_000)
  })
})

test('runs that wait come at once only if their limit or their connection is changed, or a pause ended', async () => {
  const system = await startExternalSystem()
  const rateLimit = { calls: 1, perSeconds: 3600 }
  const { connectionId, send, statuses, details } = await connect(system, { rateLimit })
  await send(3)
  await eventually(async () =>
    expect(await statuses()).toEqual(expect.arrayContaining(['succeeded', 'waiting', 'waiting'])),
  )
  const beginLine = vi.spyOn(service.service.storage.callLimits, 'beginLine')
  onTestFinished(() => beginLine.mockRestore())
  const path = `/connections/${connectionId}`
  await rest('PATCH', path, { rateLimit, enabled: true, name: 'Other' })
  expect(beginLine).not.toHaveBeenCalled()
  await rest('POST', `${path}/resume`)
  expect(beginLine).toHaveBeenCalledTimes(1)
  await rest('PATCH', path, { enabled: false })
  expect(beginLine).toHaveBeenCalledTimes(2)
  await eventually(async () =>
    expect((await details()).flatMap(({ error }) => error?.code ?? [])).toEqual(
      Array(2).fill('connection_off'),
    ),
  )
  expect(system.requests).toHaveLength(1)
})

test('the test of a workflow does not wait for its turn', async () => {
  const system = await startExternalSystem()
  const { workflowId } = await connect(system, { rateLimit: { calls: 1, perSeconds: 3600 } })
  const run = async () => RunDetails.parse((await rest('POST', `/workflows/${workflowId}/test`, {})).body)
  expect((await run()).status).toBe('succeeded')
  const refused = await run()
  expect(refused).toMatchObject({ status: 'failed', error: { code: 'rate_limited' } })
  expect(system.requests).toHaveLength(1)
})

test('the test of a workflow says that its action was deleted while it waited', async () => {
  const system = await startExternalSystem()
  const { connectionId, workflowId } = await connect(system, { rateLimit: { calls: 1, perSeconds: 3600 } })
  const actions = `/connections/${connectionId}/actions`
  const [{ actionId = '' } = {}] = z
    .array(z.object({ actionId: z.string() }))
    .parse((await rest('GET', actions)).body)
  const take = vi.spyOn(service.service.storage.callLimits, 'take').mockImplementationOnce(async () => {
    await rest('DELETE', `${actions}/${actionId}`)
    return { place: service.clock.now }
  })
  onTestFinished(() => take.mockRestore())
  const { body } = await rest('POST', `/workflows/${workflowId}/test`, {})
  expect(RunDetails.parse(body)).toMatchObject({ status: 'failed', error: { code: 'unknown_action' } })
  expect(system.requests).toHaveLength(0)
})
