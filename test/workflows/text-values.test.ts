import { beforeEach, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { CallRecord } from '#shared/model/call.ts'
import { RunDetails } from '#shared/model/run.ts'
import { CheckedWorkflow } from '#shared/model/workflow.ts'
import { createAction } from '../support/actions.ts'
import { eventually } from '../support/eventually.ts'
import { type ExternalSystem, startExternalSystem } from '../support/external-system.ts'
import { createConnection, type Rest } from '../support/rest-client.ts'
import { sharedService } from '../support/service-fixture.ts'

const cleanService = sharedService()
let rest: Rest
let system: ExternalSystem
let connectionId: string

const input = (name: string, type: string, more: object = {}) => ({
  ...{ name, type, description: `The ${name}`, required: false },
  ...more,
})

beforeEach(async () => {
  rest = (await cleanService()).rest
  system = await startExternalSystem()
  connectionId = (await createConnection(rest, { baseUrl: system.url, persistEvents: true })).connectionId
  await createAction(rest, connectionId, {
    ...{ name: 'Reserve', toolName: 'reserve', method: 'POST', path: '/reserve' },
    parameters: [
      input('quantity', 'number', { required: true }),
      input('express', 'boolean'),
      input('tags', 'string', { isList: true }),
      input('more', 'object'),
      input('sku', 'string'),
    ],
  })
})

async function create(given: object, more: object = {}): Promise<z.infer<typeof CheckedWorkflow>> {
  const step = { key: 'step', type: 'action', connectionId, toolName: 'reserve', arguments: given, ...more }
  const body = { name: 'Reserve', trigger: { type: 'external.event' }, steps: [step] }
  return CheckedWorkflow.parse((await rest('POST', '/workflows', body)).body)
}

const tested = async (workflowId: string, payload: object, more: object = {}) =>
  RunDetails.parse((await rest('POST', `/workflows/${workflowId}/test`, { payload, ...more })).body)

const Runs = z.object({ runs: z.array(z.object({ runId: z.string(), test: z.boolean() })) })

async function runByEvent(workflowId: string, data: object): Promise<RunDetails> {
  await rest('POST', `/connections/${connectionId}/send`, { event: 'order.paid', data })
  return eventually(async () => {
    const { runs } = Runs.parse((await rest('GET', `/runs?workflowId=${workflowId}`)).body)
    const runId = runs.find(({ test }) => !test)?.runId
    const run = RunDetails.parse((await rest('GET', `/runs/${runId}`)).body)
    expect(run.endedAt).not.toBeNull()
    return run
  })
}

const texts = {
  quantity: '{{quantity}}',
  express: '{{express}}',
  tags: '["{{first}}", "b"]',
  more: '{{more}}',
  sku: '{{quantity}}',
}
const payload = { quantity: '12345678901234567890.10', express: 'false', first: 'a', more: '' }
const sent =
  '{"quantity":12345678901234567890.10,"express":false,"tags":["a","b"],"sku":"12345678901234567890.10"}'
const converted = [
  { name: 'quantity', as: 'number' },
  { name: 'express', as: 'boolean' },
  { name: 'tags', as: 'list' },
  { name: 'more', as: null },
]

describe('texts of templates', () => {
  test('are taken as the JSON that they are: in a dry run, a test, and a run by an event', async () => {
    const { workflowId, issues } = await create(texts)
    expect(issues).toEqual([])
    expect(await tested(workflowId, payload, { dryRun: true })).toMatchObject({ status: 'succeeded' })
    expect(system.requests).toEqual([])

    for (const run of [await tested(workflowId, payload), await runByEvent(workflowId, payload)]) {
      expect(run).toMatchObject({ status: 'succeeded' })
      const [attempt] = run.steps[0]?.attempts ?? []
      expect(attempt?.input).toMatchObject({ express: false, tags: ['a', 'b'] })
      expect(attempt?.input).not.toHaveProperty('more')
      const { body } = await rest('GET', `/calls/${attempt?.callId}`)
      expect(CallRecord.parse(body).converted).toEqual(converted)
    }
    expect(system.requests.map(({ body }) => body)).toEqual([sent, sent])
  })

  test.each([' 5', '5 ', '05', '1e', 'NaN', '"5"', ''])(
    'that are only almost JSON stay texts: %j',
    async quantity => {
      const { workflowId } = await create({ quantity: '{{quantity}}' })
      for (const dryRun of [true, false])
        expect(await tested(workflowId, { quantity }, { dryRun })).toMatchObject({
          status: 'failed',
          error: { code: 'invalid_arguments', message: expect.stringContaining('quantity must be a number') },
        })
      expect(system.requests).toEqual([])
    },
  )

  test('with secrets become numbers, masked, but neither lists nor objects', async () => {
    await rest('PUT', '/environment/COUNT', { value: '98765432100' })
    await rest('PUT', '/environment/MORE', { value: '{"pin":"canary-4711"}' })
    const { workflowId, issues } = await create({ quantity: '{{$env.COUNT}}', express: 'true' })
    expect(issues).toEqual([])
    const run = await tested(workflowId, {})
    expect(system.requests.map(({ body }) => body)).toEqual(['{"quantity":98765432100,"express":true}'])
    const [attempt] = run.steps[0]?.attempts ?? []
    expect(attempt?.input).toEqual({ quantity: '••••', express: true })
    const { text, body } = await rest('GET', `/calls/${attempt?.callId}`)
    expect(CallRecord.parse(body)).toMatchObject({
      arguments: { quantity: '••••', express: true },
      request: { body: '{"quantity":"••••","express":true}' },
    })
    expect(text + JSON.stringify(run)).not.toContain('98765432100')

    const other = await create({ quantity: 1, more: '{{$env.MORE}}' })
    const failed = await tested(other.workflowId, {})
    expect(failed).toMatchObject({ status: 'failed', error: { code: 'invalid_arguments' } })
    expect(JSON.stringify(failed)).not.toContain('4711')
    expect(system.requests).toHaveLength(1)
  })

  test('of a private step are named in no record', async () => {
    const { workflowId } = await create({ quantity: '5' }, { private: true })
    const run = await tested(workflowId, {})
    expect(run).toMatchObject({ status: 'succeeded' })
    const { body } = await rest('GET', `/calls/${run.steps[0]?.attempts[0]?.callId}`)
    expect(CallRecord.parse(body)).toMatchObject({ private: true, arguments: {} })
    expect(body).not.toHaveProperty('converted')
  })
})

describe('the check when a workflow is saved', () => {
  test.each([
    { quantity: '5' },
    { quantity: '{{a}}.{{b}}' },
    { quantity: '{{$env.COUNT}}' },
    { quantity: 1, express: 'true', tags: '[]', more: '{"a": {{a}}}' },
    { quantity: 1, express: '', more: '' },
  ])('takes texts as a call does: %j', async given => {
    await rest('PUT', '/environment/COUNT', { value: '5' })
    expect((await create(given)).issues).toEqual([])
  })

  test.each([
    [{ quantity: '5 ' }, 'quantity expects a number, not a text.'],
    [{ quantity: '' }, 'quantity expects a number, not a text.'],
    [{ quantity: '{{a}} pieces' }, 'quantity expects a number, not a text.'],
    [{ quantity: '{}' }, 'quantity expects a number, not a text.'],
    [{ quantity: 1, express: 'yes' }, 'express expects true or false, not a text.'],
    [{ quantity: 1, tags: 'a,{{b}}' }, 'tags expects a list, not a text.'],
  ])('names what can be none: %j', async (given, message) => {
    expect((await create(given)).issues).toMatchObject([{ code: 'type_mismatch', message }])
  })
})
