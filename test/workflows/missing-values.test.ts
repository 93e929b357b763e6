import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { RunDetails } from '#shared/model/run.ts'
import { CheckedWorkflow } from '#shared/model/workflow.ts'
import { createAction } from '../support/actions.ts'
import { openExternalSystem } from '../support/external-system.ts'
import { createConnection, type Rest } from '../support/rest-client.ts'
import { sharedService } from '../support/service-fixture.ts'

const cleanService = sharedService()

let system: Awaited<ReturnType<typeof openExternalSystem>>
beforeAll(async () => {
  system = await openExternalSystem((_request, response) => void response.end('ok'))
})
afterAll(() => system.close())
beforeEach(() => {
  system.requests.length = 0
})

const payload = { id: 'ORD-1', empty: '', none: null, customer: {}, lines: [1] }

const trigger = { type: 'external.event' }
const http = (more: object) => ({
  key: 'step',
  type: 'http',
  method: 'DELETE',
  url: `${system.url}/in`,
  ...more,
})
const path = (text: string) => () => http({ url: `${system.url}${text}` })
const callWith = (given: object) => (connectionId: string) => ({
  ...{ key: 'step', type: 'action', connectionId, toolName: 'cancel_order', arguments: given },
})
const wait = (until: string) => () => ({ key: 'step', type: 'wait', until })

/** Creates a workflow of one step, and an action with a required and an optional parameter. */
async function create(rest: Rest, stepOf: (connectionId: string) => object) {
  const { connectionId } = await createConnection(rest, { baseUrl: system.url, persistEvents: true })
  await createAction(rest, connectionId, {
    name: 'Cancel order',
    toolName: 'cancel_order',
    path: '/cancel',
    method: 'POST',
    parameters: [
      { name: 'order_id', type: 'string', description: 'The order', required: true },
      { name: 'note', type: 'string', description: 'Why', required: false },
      { name: 'units', type: 'number', description: 'How many', required: false },
      { name: 'extra', type: 'object', description: 'More', required: false },
    ],
  })
  const body = { name: 'W', trigger, steps: [stepOf(connectionId)] }
  const created = await rest('POST', '/workflows', body)
  return { connectionId, ...CheckedWorkflow.parse(created.body) }
}

async function tested(rest: Rest, workflowId: string, dryRun: boolean): Promise<RunDetails> {
  const { body } = await rest('POST', `/workflows/${workflowId}/test`, { payload, dryRun })
  return RunDetails.parse(body)
}

describe('a step without a value that it needs', () => {
  test.each<[string, (connectionId: string) => object, string, string]>([
    ['at the end of a path', path('/customers/{{customer.id}}'), 'missing_value', '{{customer.id}}'],
    ['in the middle of a path', path('/customers/{{customer.id}}/notes'), 'missing_value', '{{customer.id}}'],
    ['at the start of a path', path('/{{customer.id}}/notes?all={{id}}'), 'missing_value', '{{customer.id}}'],
    ['in a part of a segment', path('/customers/c-{{customer.id}}.json'), 'missing_value', '{{customer.id}}'],
    ['after a value', path('/{{id}}{{customer.id}}'), 'missing_value', '{{customer.id}}'],
    ['as null in a path', path('/customers/{{none}}'), 'missing_value', '{{none}}'],
    [
      'as an output in a path',
      path('/customers/{{event.customer.id}}#x'),
      'missing_value',
      '{{event.customer.id}}',
    ],
    ['as an empty text at the end of a path', path('/customers/{{empty}}'), 'invalid_path', 'empty'],
    ['as an empty text in a path', path('/customers/{{empty}}/notes'), 'invalid_path', 'empty'],
    ['as an empty text before a query', path('/customers/{{empty}}?a=b'), 'invalid_path', 'empty'],
    ['as empty texts side by side', path('/customers/{{empty}}{{empty}}'), 'invalid_path', 'empty'],
    [
      'in a header',
      () => http({ headers: { 'X-Id': 'a {{customer.id}}' } }),
      'missing_value',
      '{{customer.id}}',
    ],
    [
      'in a credential',
      () => http({ headers: { Authorization: 'Bearer {{API_TOKEN}}' } }),
      'missing_value',
      '{{API_TOKEN}}',
    ],
    ['as null in a header', () => http({ headers: { 'X-Id': '{{none}}' } }), 'missing_value', '{{none}}'],
    [
      'as the whole body',
      () => http({ method: 'PUT', body: '{{customer.id}}' }),
      'missing_value',
      '{{customer.id}}',
    ],
    [
      'as null as the whole body',
      () => http({ method: 'PUT', body: '{{none}}' }),
      'missing_value',
      '{{none}}',
    ],
    ['in a wait', wait('{{customer.id}}'), 'missing_value', '{{customer.id}}'],
    ['within a wait', wait('{{customer.id}}T10:00:00Z'), 'missing_value', '{{customer.id}}'],
    ['as null in a wait', wait('{{none}}'), 'missing_value', '{{none}}'],
    ['as an empty text in a wait', wait('{{empty}}'), 'invalid_time', ''],
    [
      'for a required parameter',
      callWith({ order_id: '{{customer.id}}' }),
      'missing_value',
      '{{customer.id}}',
    ],
    ['as null for a required parameter', callWith({ order_id: '{{none}}' }), 'missing_value', '{{none}}'],
    ['that is not given for a required parameter', callWith({}), 'invalid_arguments', 'order_id'],
    ['that is null for a required parameter', callWith({ order_id: null }), 'invalid_arguments', 'order_id'],
    [
      'as the items of a loop',
      () => ({ key: 'step', type: 'each', items: '{{customer.lines}}', steps: [] }),
      'not_a_list',
      '{{customer.lines}}',
    ],
  ])('fails and sends nothing, in a run, a test and a dry run: %s', async (_, stepOf, code, named) => {
    const { rest } = await cleanService()
    const { workflowId, connectionId } = await create(rest, stepOf)
    for (const dryRun of [false, true]) {
      const run = await tested(rest, workflowId, dryRun)
      expect(run).toMatchObject({
        status: 'failed',
        error: { code, message: expect.stringContaining(named) },
      })
    }

    await rest('POST', `/connections/${connectionId}/send`, { event: 'order.paid', data: payload })
    const Runs = z.object({
      runs: z.array(z.object({ runId: z.string(), test: z.boolean(), status: z.string() })),
    })
    const list = async () => {
      const { runs } = Runs.parse((await rest('GET', `/runs?workflowId=${workflowId}`)).body)
      return runs.filter(run => !run.test)
    }
    await expect.poll(list).toMatchObject([{ status: 'failed' }])
    const [run] = await list()
    const { steps } = RunDetails.parse((await rest('GET', `/runs/${run?.runId}`)).body)
    expect(steps).toMatchObject([{ attempts: [{ error: { code } }] }])
    expect(system.requests).toEqual([])
  })

  test.each([
    ['host', 'https://{{host}}/orders'],
    ['part of a host', 'https://api-{{region}}.example.com/orders'],
    ['port', 'https://api.example.com:{{port}}/orders'],
    ['user', 'https://{{user}}@api.example.com/orders'],
    ['whole URL', '{{url}}'],
    ['scheme', '{{scheme}}://api.example.com/'],
    ['path without a slash', 'https://api.example.com{{path}}'],
  ])('cannot have it in the %s, which is refused when it is saved', async (_, url) => {
    const { rest } = await cleanService()
    const { status, body } = await rest('POST', '/workflows', { name: 'W', trigger, steps: [http({ url })] })
    expect([status, body]).toMatchObject([400, { data: { issues: [{ path: 'steps.0.url' }] } }])
  })
})

describe('a step without a value that it does not need', () => {
  test.each<[string, (connectionId: string) => object, object, string[]]>([
    [
      'in a query',
      path('/orders?customer={{customer.id}}&id={{id}}'),
      { url: '/orders?customer=&id=ORD-1' },
      ['customer.id'],
    ],
    [
      'in the text of a body',
      () => http({ method: 'POST', body: 'For {{customer.id}}, {{none}}' }),
      { body: 'For , ' },
      ['customer.id'],
    ],
    [
      'in a field of a body',
      () =>
        http({ method: 'POST', body: { a: '{{customer.id}}', b: '{{none}}', c: [1, '{{customer.id}}'] } }),
      { body: '{"b":null,"c":[1,null]}' },
      ['customer.id'],
    ],
    [
      'in the text of JSON',
      () => http({ method: 'POST', body: '{"a":"{{customer.id}}","b":"<{{customer.id}}>"}' }),
      { body: '{"b":"<>"}' },
      ['customer.id'],
    ],
    [
      'in a form',
      () =>
        http({
          method: 'POST',
          headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
          body: { a: '{{customer.id}}', b: '{{id}}' },
        }),
      { body: 'b=ORD-1' },
      ['customer.id'],
    ],
    [
      'for an optional parameter',
      callWith({ order_id: '{{id}}', note: '{{customer.id}}', units: '{{customer.units}}' }),
      { body: '{"order_id":"ORD-1"}' },
      ['customer.id', 'customer.units'],
    ],
    [
      'as null for an optional parameter',
      callWith({ order_id: '{{id}}', note: '{{none}}', units: null }),
      { body: '{"order_id":"ORD-1"}' },
      [],
    ],
    [
      'in the text of a parameter',
      callWith({ order_id: 'c-{{customer.id}}' }),
      { body: '{"order_id":"c-"}' },
      ['customer.id'],
    ],
    [
      'inside an object',
      callWith({ order_id: '{{id}}', extra: { a: '{{customer.id}}', b: 1 } }),
      { body: '{"order_id":"ORD-1","extra":{"b":1}}' },
      ['customer.id'],
    ],
  ])('leaves it out, or empty in a longer text, and notes it: %s', async (_, stepOf, request, absent) => {
    const { rest } = await cleanService()
    const { workflowId } = await create(rest, stepOf)
    for (const dryRun of [false, true]) {
      const run = await tested(rest, workflowId, dryRun)
      expect(run).toMatchObject({ status: 'succeeded', steps: [{ attempts: [{ absent }] }] })
    }
    expect(system.requests).toMatchObject([request])
  })

  test.each([
    ['a notification', { type: 'notify', message: 'For {{customer.id}}' }, { message: 'For ' }],
    ['a message', { type: 'stop', outcome: 'succeeded', message: '{{customer.id}}' }, { message: '' }],
    [
      'a condition',
      { type: 'branch', cases: [{ when: { value: '{{customer.id}}', operator: 'not_exists' }, steps: [] }] },
      { case: 0 },
    ],
    [
      'an operand',
      {
        type: 'branch',
        cases: [{ when: { value: '', operator: 'equals', operand: '{{customer.id}}' }, steps: [] }],
      },
      { case: 0 },
    ],
  ])('reads it as an empty text in %s, and notes it', async (_, step, output) => {
    const { rest } = await cleanService()
    const { workflowId } = await create(rest, () => ({ key: 'step', ...step }))
    const run = await tested(rest, workflowId, false)
    expect(run).toMatchObject({
      status: 'succeeded',
      steps: [{ output, attempts: [{ absent: ['customer.id'] }] }],
    })
  })
})
