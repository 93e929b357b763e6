import { readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { z } from 'zod'
import { RunDetails } from '#shared/model/run.ts'
import { CheckedWorkflow } from '#shared/model/workflow.ts'
import { rest as cliRest, serve, temporaryFolder } from '../support/cli-service.ts'
import { eventually } from '../support/eventually.ts'
import { openExternalSystem, startExternalSystem } from '../support/external-system.ts'
import { createConnection, type Rest } from '../support/rest-client.ts'
import { sharedService } from '../support/service-fixture.ts'

const cleanService = sharedService()
let system: Awaited<ReturnType<typeof openExternalSystem>>
/** The statuses of the system's next answers; 200 by default. */
let statuses: number[]
beforeAll(async () => {
  system = await openExternalSystem((_request, response) => {
    response.statusCode = statuses.shift() ?? 200
    response.end('{"ids": [4, 5, 6]}')
  })
})
afterAll(() => system.close())
let rest: Rest
beforeEach(async () => {
  rest = (await cleanService()).rest
  system.requests.length = 0
  statuses = []
})

const trigger = { type: 'external.event' }
async function create(steps: unknown[], more: object = {}) {
  const { body } = await rest('POST', '/workflows', { name: 'Names', trigger, steps, ...more })
  return CheckedWorkflow.parse(body)
}

const Runs = z.object({ runs: z.array(z.object({ runId: z.string(), status: z.string() })) })
const runsOf = async (workflowId: string) =>
  Runs.parse((await rest('GET', `/runs?workflowId=${workflowId}`)).body).runs
const detailsOf = async (runId: string | undefined) =>
  RunDetails.parse((await rest('GET', `/runs/${runId}`)).body)

const ids = '{{$run.id}} {{$run.uuid}} {{$run.queuedAt}} {{$run.eventId}}'

test('the id, the UUID, the time and the event of a run are the same in every attempt', async () => {
  const { connectionId } = await createConnection(rest, { persistEvents: true })
  const { workflowId, issues } = await create(
    [{ key: 'send', type: 'http', method: 'POST', url: `${system.url}/{{$run.uuid}}`, body: ids }],
    { trigger: { ...trigger, connectionId } },
  )
  expect(issues).toEqual([])
  statuses = [404]
  await rest('POST', `/connections/${connectionId}/send`, { event: 'a', data: {} })
  await eventually(async () => expect(await runsOf(workflowId)).toMatchObject([{ status: 'failed' }]))
  const [run] = await runsOf(workflowId)
  await rest('POST', `/runs/${run?.runId}/retry`)
  await eventually(async () => expect(await runsOf(workflowId)).toMatchObject([{ status: 'succeeded' }]))
  const { runId, queuedAt, eventId } = await detailsOf(run?.runId)
  const [first, second] = system.requests
  expect(second?.body).toBe(first?.body)
  const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/
  const [id, found, ...others] = first?.body.split(' ') ?? []
  expect([id, ...others]).toEqual([runId, queuedAt, eventId])
  expect(found).toMatch(uuid)
  expect(first?.url).toBe(`/${found}`)
  await rest('POST', `/connections/${connectionId}/send`, { event: 'a', data: {} })
  await eventually(() => expect(system.requests).toHaveLength(3))
  expect(system.requests[2]?.url).not.toBe(first?.url)
})

test('a run that only decides reads its own id too', async () => {
  const { connectionId } = await createConnection(rest, { persistEvents: true })
  const stop = { key: 'end', type: 'stop', outcome: 'failed', message: ids }
  const when = { value: '{{$run.id}}', operator: 'starts_with', operand: 'run_' }
  const { workflowId } = await create([{ key: 'check', type: 'branch', cases: [{ when, steps: [stop] }] }], {
    trigger: { ...trigger, connectionId },
  })
  await rest('POST', `/connections/${connectionId}/send`, { event: 'a', data: {} })
  await eventually(async () => expect(await runsOf(workflowId)).toMatchObject([{ status: 'failed' }]))
  const [run] = await runsOf(workflowId)
  const { runId, queuedAt, eventId, error } = await detailsOf(run?.runId)
  expect(error?.message).toMatch(new RegExp(`^${runId} [0-9a-f-]{36} ${queuedAt} ${eventId}$`))
})

test('a test without an event has no event id', async () => {
  const steps = [{ key: 'tell', type: 'notify', message: 'a {{$run.eventId}} b' }]
  const { workflowId } = await create(steps)
  const { body } = await rest('POST', `/workflows/${workflowId}/test`, {})
  expect(body).toMatchObject({ status: 'succeeded', steps: [{ output: { message: 'a  b' } }] })
})

test('the length of a list is a number: of the event, an output and an item, but not a field of that name', async () => {
  const { workflowId, issues } = await create([
    { key: 'get', type: 'http', method: 'GET', url: system.url },
    {
      ...{ key: 'loop', type: 'each', items: '{{lists}}' },
      steps: [
        {
          key: 'tell',
          type: 'notify',
          message: '{{lists.$length}} {{item.$length}} {{steps.get.ids.$length}}',
        },
      ],
    },
    {
      key: 'send',
      type: 'http',
      method: 'POST',
      url: system.url,
      body: { n: '{{lists.$length}}', own: '{{own.$length}}', none: '{{text.$length}}' },
    },
  ])
  expect(issues).toEqual([])
  const payload = { lists: [[], [1, 2]], own: { $length: 'mine' }, text: 'abc' }
  const { body } = await rest('POST', `/workflows/${workflowId}/test`, { payload })
  expect(RunDetails.parse(body)).toMatchObject({ status: 'succeeded' })
  const messages = RunDetails.parse(body).steps.flatMap(({ type, output }) =>
    type === 'notify' ? [output] : [],
  )
  expect(messages).toEqual([{ message: '2 0 3' }, { message: '2 2 3' }])
  expect(system.requests[1]?.body).toBe('{"n":2,"own":"mine"}')
})

test('an unknown name with $ is an error when it is saved, and when it runs', async () => {
  const { workflowId, issues } = await create(
    [{ key: 'tell', type: 'notify', message: '{{$run.uuidd}} {{$now}} {{$ruin.id}}' }],
    { trigger: { ...trigger, once: { key: '{{$run.id}}', hours: 1 } } },
  )
  expect(issues).toMatchObject([
    { stepKey: null, severity: 'error', code: 'invalid_variable' },
    { severity: 'error', code: 'unknown_variable', nearest: '{{$run.uuid}}' },
    { severity: 'error', code: 'unknown_variable', nearest: null },
    { severity: 'error', code: 'unknown_variable', nearest: '{{$run.id}}' },
  ])
  const { body } = await rest('POST', `/workflows/${workflowId}/test`, {})
  expect(body).toMatchObject({ status: 'failed', error: { code: 'invalid_variable' } })
})

test('workflows of an earlier version that read fields named env, service, calls and $env run as before', async () => {
  const target = await startExternalSystem()
  const data = temporaryFolder()
  const first = await serve(data)
  const names = ['env', 'service', 'calls', 'run', '$env', '$run', '$calls']
  const step = (variables: readonly string[]) => ({
    ...{ key: 'send', type: 'http', method: 'POST', url: `${target.url}/{{env.a}}` },
    headers: { 'X-Env': '{{service.a}}' },
    body: variables.map(variable => `{{${variable}.a}}`),
  })
  const input = { name: 'Earlier', trigger, steps: [step(names.map(name => `event.${name}`))] }
  const created = await cliRest(first, 'POST', '/workflows', { body: input })
  const { workflowId } = CheckedWorkflow.parse(created.body)
  first.process.signal('SIGTERM')
  await first.process.ended
  const file = join(data, 'config.json')
  const { written: _, ...config } = JSON.parse(await readFile(file, 'utf8'))
  config.workflows[0].steps = [step(names)]
  await writeFile(file, JSON.stringify({ ...config, schemaVersion: 4 }))
  await rm(`${file}.bak`, { force: true })

  const second = await serve(data)
  const payload = Object.fromEntries(names.map(name => [name, { a: `of ${name}` }]))
  const tested = await cliRest(second, 'POST', `/workflows/${workflowId}/test`, { body: { payload } })
  expect(tested.body).toMatchObject({ status: 'succeeded' })
  expect(target.requests).toMatchObject([
    {
      url: '/of%20env',
      headers: { 'x-env': 'of service' },
      body: JSON.stringify(names.map(name => `of ${name}`)),
    },
  ])
  second.process.signal('SIGTERM')
  const { stdout, stderr } = await second.process.ended
  expect(stdout + stderr).toContain('Earlier')
})
