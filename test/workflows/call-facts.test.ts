import type { ServerResponse } from 'node:http'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { z } from 'zod'
import { RunDetails } from '#shared/model/run.ts'
import { CheckedWorkflow, Workflow } from '#shared/model/workflow.ts'
import { createAction } from '../support/actions.ts'
import { rest as cliRest, serve, temporaryFolder } from '../support/cli-service.ts'
import { eventually } from '../support/eventually.ts'
import { openExternalSystem, type SystemRequest, startExternalSystem } from '../support/external-system.ts'
import { expectNowhere } from '../support/leaks.ts'
import { createConnection, type Rest } from '../support/rest-client.ts'
import { placesOfRuns } from '../support/run-places.ts'
import { type ServiceFixture, sharedService } from '../support/service-fixture.ts'

const cleanService = sharedService()
let system: Awaited<ReturnType<typeof openExternalSystem>>
const answers: Record<string, (request: SystemRequest, response: ServerResponse) => void> = {
  '/tickets/1': (_request, response) => {
    response.writeHead(404, { 'X-Reason': 'none', Link: '<https://a.example/?page=2>; rel="next"' })
    response.end('{"error":"not_found"}')
  },
  '/text': (_request, response) => response.end('<order>5</order>'),
  '/token': (_request, response) => {
    response.setHeader('X-Token', 'canary-header-4713')
    response.end('{"access_token":"canary-body-4713"}')
  },
}
beforeAll(async () => {
  system = await openExternalSystem((request, response) => {
    const answer = answers[request.url]
    if (answer !== undefined) answer(request, response)
    else if (request.url.startsWith('/echo')) response.end(JSON.stringify({ echo: request.body }))
    else response.writeHead(Number(request.url.slice(1)) || 200).end(request.url)
  })
})
afterAll(() => system.close())
let service: ServiceFixture
let rest: Rest
beforeEach(async () => {
  service = await cleanService()
  rest = service.rest
  system.requests.length = 0
})

const trigger = { type: 'external.event' }
const get = (key: string, path: string, more: object = {}) => ({
  ...{ key, type: 'http', method: 'GET', url: `${system.url}${path}`, ...more },
})
const goesOn = { onFailure: 'continue' }
const tell = (message: string, key = 'tell') => ({ key, type: 'notify', message })

async function create(steps: unknown[], more: object = {}) {
  const { body } = await rest('POST', '/workflows', { name: 'Calls', trigger, steps, ...more })
  return CheckedWorkflow.parse(body)
}
async function run(steps: unknown[], payload: object = {}) {
  const { workflowId, issues } = await create(steps)
  expect(issues.filter(({ severity }) => severity === 'error')).toEqual([])
  const { body } = await rest('POST', `/workflows/${workflowId}/test`, { payload })
  return { workflowId, details: RunDetails.parse(body) }
}
const messages = ({ steps }: RunDetails) =>
  steps.flatMap(({ type, output }) =>
    type === 'notify' ? [z.object({ message: z.string() }).parse(output).message] : [],
  )

test('a later step reads status, headers and body of a call that failed with an answer', async () => {
  const { details } = await run([
    get('find', '/tickets/1', goesOn),
    tell(
      '{{$calls.find.status}} {{$calls.find.headers["x-reason"]}} {{$calls.find.headers.link}} {{$calls.find.bodyText}}',
    ),
    tell('{{$calls.find.error.code}}|{{$calls.find}}', 'all'),
    {
      ...{ key: 'missing', type: 'branch' },
      cases: [
        { when: { value: '{{$calls.find.error.code}}', operator: 'exists' }, steps: [tell('none', 'none')] },
        {
          when: { value: '{{$calls.find.status}}', operator: 'equals', operand: 404 },
          steps: [tell('create', 'made')],
        },
      ],
    },
  ])
  expect(details.status).toBe('succeeded')
  const [first, all, made] = messages(details)
  expect(first).toBe('404 none <https://a.example/?page=2>; rel="next" {"error":"not_found"}')
  expect(all).toMatch(/^\|\{"status":404,"headers":\{.*"x-reason":"none".*\},"bodyText":"\{/)
  expect(made).toBe('create')
})

test('a call without an answer has an error and no status, and one that succeeded has its text', async () => {
  const closed = await openExternalSystem((_request, response) => response.end())
  closed.close()
  const { connectionId } = await createConnection(rest, { baseUrl: system.url })
  await createAction(rest, connectionId, {
    toolName: 'act',
    name: 'Act',
    method: 'POST',
    path: '/201',
    parameters: [],
  })
  const { details } = await run([
    { ...get('down', '', goesOn), url: closed.url },
    tell(
      '{{$calls.down.status}}|{{$calls.down.error.code}}|{{$calls.down.error.message}}|{{$calls.down.bodyText}}',
    ),
    get('wrong', '/{{nothing}}', goesOn),
    tell('{{$calls.wrong.error.code}}', 'why'),
    get('text', '/text'),
    tell('{{$calls.text.bodyText}} {{$calls.text.status}}', 'xml'),
    { key: 'act', type: 'action', connectionId, toolName: 'act', arguments: {} },
    tell('{{$calls.act.status}}', 'acted'),
  ])
  expect(messages(details)).toEqual([
    expect.stringMatching(/^\|connection_refused\|.+\|$/),
    'missing_value',
    '<order>5</order> 200',
    '201',
  ])
})

test('inside a loop, a call is that of the same item, and after it, there is none', async () => {
  const { workflowId, issues } = await create([
    {
      ...{ key: 'loop', type: 'each', items: '{{codes}}' },
      steps: [get('ask', '/{{item}}', goesOn), tell('{{item}} {{$calls.ask.status}}')],
    },
  ])
  expect(issues).toEqual([])
  const { body } = await rest('POST', `/workflows/${workflowId}/test`, {
    payload: { codes: [404, 204, 409] },
  })
  expect(messages(RunDetails.parse(body))).toEqual(['404 404', '204 204', '409 409'])
})

test('a name that no call has, and a step that does not call, is an error when it is saved', async () => {
  const { issues } = await create([
    tell('{{$calls.find.status}}', 'early'),
    get('find', '/text'),
    tell('{{$calls.early.status}} {{$calls.fnd.status}} {{$calls.find.statsu}} {{$calls}}', 'late'),
    {
      ...{ key: 'loop', type: 'each', items: '{{$calls.find.headers}}' },
      steps: [get('inner', '/text')],
    },
    tell('{{$calls.inner.status}}', 'after'),
    tell('{{$calls.find.headers.ETag}} {{$calls.find.headers["X-Id"].0}} {{$calls.find.links.Next}}', 'case'),
  ])
  expect(issues).toMatchObject([
    { stepKey: 'early', severity: 'error', code: 'unknown_step' },
    { stepKey: 'late', severity: 'error', code: 'unknown_step' },
    { stepKey: 'late', severity: 'error', code: 'unknown_step', nearest: '{{$calls.find}}' },
    { stepKey: 'late', severity: 'error', code: 'unknown_variable', nearest: '{{$calls.find.status}}' },
    { stepKey: 'late', severity: 'error', code: 'unknown_variable' },
    { stepKey: 'after', severity: 'error', code: 'unknown_step' },
    { stepKey: 'case', severity: 'error', nearest: '{{$calls.find.headers.etag}}' },
    { stepKey: 'case', severity: 'error', nearest: '{{$calls.find.headers.x-id.0}}' },
    { stepKey: 'case', severity: 'error', nearest: '{{$calls.find.links.next}}' },
  ])
})

test('what is read of the call of a private step reaches the other side, and is shown nowhere', async () => {
  const { connectionId } = await createConnection(rest, { persistEvents: true })
  const secrets = '{{$calls.token.headers["x-token"]}} {{$calls.token.bodyText}}'
  const { workflowId } = await create(
    [
      get('token', '/token', { private: true }),
      get('use', '/echo', {
        method: 'POST',
        headers: { 'X-Token': '{{$calls.token.headers["x-token"]}}' },
        body: secrets,
      }),
      tell('{{$calls.use.status}} {{$calls.use.bodyText}}'),
    ],
    { trigger: { ...trigger, connectionId } },
  )
  await rest('POST', `/connections/${connectionId}/send`, { event: 'a', data: {} })
  const Runs = z.object({ runs: z.array(z.object({ status: z.string() })) })
  await eventually(async () =>
    expect(Runs.parse((await rest('GET', `/runs?workflowId=${workflowId}`)).body).runs).toMatchObject([
      { status: 'succeeded' },
    ]),
  )
  expect(system.requests[1]).toMatchObject({
    headers: { 'x-token': 'canary-header-4713' },
    body: 'canary-header-4713 {"access_token":"canary-body-4713"}',
  })
  const canaries = { header: 'canary-header-4713', body: 'canary-body-4713' }
  expectNowhere(new Map(Object.entries(canaries)), await placesOfRuns(service, workflowId))
})

test('the headers of a private step that tell nothing hide nothing in later calls', async () => {
  const secret = 'canary-header-4715'
  const { url } = await startExternalSystem((_request, response) => {
    response.writeHead(200, {
      ...{ 'Content-Type': 'application/json; charset=utf-8', Date: 'Mon, 30 Nov 2026 10:00:00 GMT' },
      ...{ 'Cache-Control': 'key-of-4715', 'X-Token': secret, Constructor: 'key-of-4716' },
    })
    response.end(JSON.stringify({ secret }))
  })
  const { workflowId, details } = await run([
    { ...get('token', '', { private: true }), url },
    { ...get('use', ''), url, headers: { 'X-Token': '{{$calls.token.headers.x-token}}' } },
  ])
  const { body } = await rest('GET', `/calls/${details.steps[1]?.attempts[0]?.callId}`)
  expect(body).toMatchObject({
    response: {
      headers: {
        ...{ connection: 'keep-alive', 'keep-alive': expect.stringMatching(/^timeout=\d+$/) },
        ...{ 'content-type': 'application/json; charset=utf-8', date: 'Mon, 30 Nov 2026 10:00:00 GMT' },
        ...{ 'cache-control': '••••', 'x-token': '••••', constructor: '••••' },
      },
    },
  })
  expectNowhere(new Map([['secret', secret]]), await placesOfRuns(service, workflowId))
})

test('a run that goes on after kill -9 reads the earlier call', async () => {
  const held: ServerResponse[] = []
  const target = await startExternalSystem(({ url }, response) => {
    if (url === '/find') response.writeHead(409, { 'X-Reason': 'there' }).end('taken')
    else held.push(response)
  })
  const data = temporaryFolder()
  const first = await serve(data)
  const http = { type: 'http', method: 'POST', body: '{}' }
  const steps = [
    { ...http, ...goesOn, key: 'find', url: `${target.url}/find` },
    {
      ...http,
      key: 'use',
      url: `${target.url}/use`,
      body: '{{$calls.find.status}} {{$calls.find.headers.x-reason}} {{$calls.find.bodyText}}',
    },
  ]
  const created = await cliRest(first, 'POST', '/workflows', { body: { name: 'W', trigger, steps } })
  const { workflowId } = Workflow.loose().parse(created.body)
  // Its answer ends with the process.
  cliRest(first, 'POST', `/workflows/${workflowId}/test`, { body: {} }).catch(() => {})
  await eventually(() => expect(held).toHaveLength(1))
  first.process.signal('SIGKILL')
  await first.process.ended
  const second = await serve(data)
  await eventually(() => expect(held).toHaveLength(2))
  expect(target.requests.map(({ body }) => body)).toEqual(['{}', '409 there taken', '409 there taken'])
  second.process.signal('SIGKILL')
  await second.process.ended
})

test('a repeated header is a list, as an answer of an action and of a request', async () => {
  const links = ['<https://a.example/?page=2>; rel="next"', '<https://a.example/?page=9, 9>; rel="last"']
  const { url } = await startExternalSystem((_request, response) => {
    response.setHeader('Link', links).setHeader('X-One', 'a, b').end('{}')
  })
  const { connectionId } = await createConnection(rest, { baseUrl: url })
  await createAction(rest, connectionId, { toolName: 'act', name: 'Act', path: '/', parameters: [] })
  const { details } = await run([
    { ...get('first', ''), url },
    { key: 'act', type: 'action', connectionId, toolName: 'act', arguments: {} },
    tell('{{$calls.first.headers.link.1}} {{$calls.act.headers["link"].$length}}'),
    tell('{{$calls.first.headers["x-one"]}}', 'one'),
    {
      ...{ key: 'all', type: 'each', items: '{{$calls.act.headers.link}}' },
      steps: [tell('{{index}} {{item}}', 'link')],
    },
  ])
  expect(details.status).toBe('succeeded')
  expect(messages(details)).toEqual([`${links[1]} 2`, 'a, b', `0 ${links[0]}`, `1 ${links[1]}`])
  const { body } = await rest('GET', `/calls/${details.steps[0]?.attempts[0]?.callId}`)
  expect(body).toMatchObject({
    response: { headers: { link: links.join(', ') }, repeatedHeaders: { link: links } },
  })
})

test('a secret in a repeated header is masked in each of its values', async () => {
  await rest('PUT', '/environment/TOKEN', { value: 'canary-value-4714' })
  const { url } = await startExternalSystem((request, response) => {
    const { authorization = '' } = request.headers
    response.setHeader('X-Echo', ['plain', `you sent ${authorization}`]).end('{}')
  })
  const { workflowId, details } = await run([
    { ...get('first', ''), url, headers: { Authorization: '{{$env.TOKEN}}' } },
    tell('{{$calls.first.headers["x-echo"].0}} {{$calls.first.headers["x-echo"].1}}'),
  ])
  expect(messages(details)).toEqual(['plain you sent ••••'])
  expectNowhere(new Map([['token', 'canary-value-4714']]), await placesOfRuns(service, workflowId))
})

test('steps read a list at the root, the status and a header by the aliases of an action', async () => {
  const { url } = await startExternalSystem((_request, response) => {
    response.writeHead(201, { Location: '/orders/7' }).end('[{"id":9007199254740993},{"id":2}]')
  })
  const { connectionId } = await createConnection(rest, { baseUrl: url })
  const responseMapping = { items: '$body', at: '$headers.location', status: '$status' }
  await createAction(rest, connectionId, { toolName: 'act', path: '/', parameters: [], responseMapping })
  const { details } = await run([
    { key: 'act', type: 'action', connectionId, toolName: 'act', arguments: {} },
    { key: 'all', type: 'each', items: '{{steps.act.items}}', steps: [tell('{{item.id}}')] },
    tell('{{steps.act.at}} {{steps.act.status}} {{steps.act.items.$length}}', 'rest'),
  ])
  expect(messages(details)).toEqual(['9007199254740993', '2', '/orders/7 201 2'])
})
