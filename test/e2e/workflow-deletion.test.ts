import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { RunDetails, RunPage, type RunStatus } from '#shared/model/run.ts'
import { Workflow } from '#shared/model/workflow.ts'
import {
  newFolder,
  type RunningService,
  removeFolder,
  startService as startProcess,
} from '../bench/support/processes.ts'
import { startExternalSystem } from '../support/external-system.ts'
import { createConnection, type Rest } from '../support/rest-client.ts'
import { postInbound, startService } from '../support/service-fixture.ts'

const trigger = { type: 'external.event', connectionId: null, eventName: 'order.paid' }
const each = (steps: unknown[]) => ({ key: 'lines', type: 'each', items: '{{lines}}', steps })
const http = (url: string) => ({ key: 'call', type: 'http', method: 'POST', url, body: '{{eventName}}' })
const wait = { key: 'pause', type: 'wait', seconds: 86_400 }

/** Computes for long: each item compares a long text again. */
const computing = {
  ...each([
    {
      ...{ key: 'check', type: 'branch' },
      cases: Array(20).fill({
        ...{ when: { value: '{{text}}', operator: 'contains', operand: `${'a'.repeat(50)}b` }, steps: [] },
      }),
    },
  ]),
  key: 'inner',
}
const event = (data: object) => JSON.stringify({ event: 'order.paid', data })
const lines = Array(500).fill(1)
const text = 'a'.repeat(40_000)

async function create(rest: Rest, steps: unknown[], more = {}): Promise<Workflow> {
  const { body } = await rest('POST', '/workflows', { name: 'W', trigger, steps, ...more })
  return Workflow.parse(body)
}

async function statuses(rest: Rest): Promise<RunStatus[]> {
  const { body } = await rest('GET', '/runs?limit=200')
  return RunPage.parse(body).runs.map(({ status }) => status)
}

/** A service with a connection, and a system that holds back its answers until it is released. */
async function prepare() {
  const fixture = await startService()
  const { credentials } = await createConnection(fixture.rest, { name: 'Orders', persistEvents: true })
  let aborted = 0
  const system = await startExternalSystem((_request, response) => {
    response.on('close', () => {
      if (!response.writableEnded) aborted++
    })
  })
  const send = async (data: object) =>
    expect((await postInbound(credentials, event(data), fixture.clock.now)).status).toBe(200)
  return { ...fixture, system, send, aborted: () => aborted }
}

describe('deleting a workflow', () => {
  test('aborts the requests under way, and no further request follows', async () => {
    const { rest, system, send, aborted } = await prepare()
    const { workflowId } = await create(rest, [each([http(system.url)])], { concurrency: 3 })
    for (let run = 0; run < 3; run++) await send({ lines })
    await expect.poll(() => system.requests.length).toBe(3)
    expect((await rest('DELETE', `/workflows/${workflowId}`)).status).toBe(200)
    await expect.poll(() => statuses(rest)).toEqual(['cancelled', 'cancelled', 'cancelled'])
    await expect.poll(aborted).toBe(3)
    expect(system.requests).toHaveLength(3)
  })

  test('makes no request after its answer while a loop calls as fast as it can', async () => {
    const { rest, send } = await prepare()
    const system = await startExternalSystem()
    const { workflowId } = await create(rest, [each([http(system.url)])])
    await send({ lines })
    await expect.poll(() => system.requests.length).toBeGreaterThan(5)
    await rest('DELETE', `/workflows/${workflowId}`)
    const before = system.requests.length
    await expect.poll(() => statuses(rest)).toEqual(['cancelled'])
    // The receiver may still be reading one that was sent before.
    expect(system.requests.length).toBeLessThanOrEqual(before + 1)
  })

  test('cancels runs that wait for their turn at a busy connection', async () => {
    const { rest, system, send } = await prepare()
    const busy = await create(rest, [http(system.url)], { concurrency: 20 })
    for (let run = 0; run < 16; run++) await send({})
    await expect.poll(() => system.requests.length).toBe(16)
    await rest('PATCH', `/workflows/${busy.workflowId}`, { enabled: false })
    const { workflowId } = await create(rest, [http(system.url)])
    await send({})
    await expect.poll(async () => (await statuses(rest)).filter(one => one === 'running').length).toBe(17)
    await rest('DELETE', `/workflows/${workflowId}`)
    await expect.poll(async () => (await statuses(rest))[0]).toBe('cancelled')
    expect(system.requests).toHaveLength(16)
  })

  test('cancels a run that only computes', async () => {
    const { rest, send } = await prepare()
    const { workflowId } = await create(rest, [each([computing])])
    await send({ lines, text })
    await expect.poll(() => statuses(rest)).toEqual(['running'])
    await rest('DELETE', `/workflows/${workflowId}`)
    await expect.poll(() => statuses(rest)).toEqual(['cancelled'])
  })

  test('cancels queued and waiting runs at once', async () => {
    const { rest, send } = await prepare()
    const { workflowId } = await create(rest, [wait], { ordered: true })
    for (let run = 0; run < 3; run++) await send({})
    await expect.poll(() => statuses(rest)).toEqual(['queued', 'queued', 'waiting'])
    await rest('DELETE', `/workflows/${workflowId}`)
    await expect.poll(() => statuses(rest)).toEqual(['cancelled', 'cancelled', 'cancelled'])
  })

  test('cancels a test under way, which answers so', async () => {
    const { rest, system } = await prepare()
    const { workflowId } = await create(rest, [http(system.url)])
    const tested = rest('POST', `/workflows/${workflowId}/test`, {})
    await expect.poll(() => system.requests.length).toBe(1)
    await rest('DELETE', `/workflows/${workflowId}`)
    expect(RunDetails.parse((await tested).body).status).toBe('cancelled')
  })
})

test('disabling a workflow lets a running run end and holds back the others', async () => {
  const { rest, send } = await prepare()
  const held: (() => void)[] = []
  const slow = await startExternalSystem((_request, response) => {
    held.push(() => response.setHeader('content-type', 'application/json').end('{}'))
  })
  const { workflowId } = await create(rest, [http(slow.url), { ...http(slow.url), key: 'again' }], {
    ordered: true,
  })
  for (let run = 0; run < 2; run++) await send({})
  await expect.poll(() => held.length).toBe(1)
  await rest('PATCH', `/workflows/${workflowId}`, { enabled: false })
  held[0]?.()
  await expect.poll(() => held.length).toBe(2)
  held[1]?.()
  await expect.poll(() => statuses(rest)).toEqual(['queued', 'succeeded'])
  expect(held).toHaveLength(2)
})

test('removing the webhook of a workspace cancels its deliveries, also one under way', async () => {
  const { rest, system, aborted } = await prepare()
  await rest('PUT', '/environment/HOOK_SECRET', { value: 'whsec_of-the-webhook-0123456789' })
  const webhook = { url: system.url, secretVariable: 'HOOK_SECRET' }
  await rest('PATCH', '/workspaces/default', { webhook })
  await rest('POST', '/conversations', {})
  await expect.poll(() => system.requests.length).toBe(1)
  await rest('PATCH', '/workspaces/default', { webhook: null })
  await expect.poll(() => statuses(rest)).toEqual(['cancelled'])
  await expect.poll(aborted).toBe(1)
})

test('deleting a connection aborts the request of a run that its event started', async () => {
  const { rest, system, send, aborted } = await prepare()
  await create(rest, [each([http(system.url)])])
  await send({ lines })
  await expect.poll(() => system.requests.length).toBe(1)
  const [connection] = z
    .array(z.object({ connectionId: z.string() }))
    .parse((await rest('GET', '/connections')).body)
  await rest('DELETE', `/connections/${connection?.connectionId}`)
  await expect.poll(aborted).toBe(1)
  expect(await statuses(rest)).toEqual([])
  expect(system.requests).toHaveLength(1)
})

test('a run of a deleted workflow is not taken up again after kill -9', async () => {
  const folder = newFolder()
  const system = await startExternalSystem(() => {})
  let service: RunningService | null = await startProcess(folder)
  try {
    const { call } = service
    for (const steps of [[http(system.url)], [wait], [{ ...wait, key: 'a' }, http(system.url)]])
      await call('POST', '/workflows', { name: 'W', trigger, steps, concurrency: 2 })
    await call('POST', `/connections/${service.connectionId}/send`, { event: 'order.paid', data: { n: 1 } })
    await expect.poll(() => system.requests.length).toBe(1)
    await expect.poll(() => call('GET', '/runs/counts')).toMatchObject({ running: 1, waiting: 2 })
    const { process } = service
    const workflows = z.array(Workflow.loose()).parse(await call('GET', '/workflows'))
    await Promise.all(workflows.map(({ workflowId }) => call('DELETE', `/workflows/${workflowId}`)))
    process.kill('SIGKILL')
    service = await startProcess(folder)
    const again = service
    await expect
      .poll(() => again.call('GET', '/runs/counts'))
      .toMatchObject({ queued: 0, waiting: 0, running: 0, cancelled: 3 })
    expect(system.requests).toHaveLength(1)
  } finally {
    await service?.stop()
    removeFolder(folder)
  }
})
