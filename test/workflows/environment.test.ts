import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { z } from 'zod'
import { RunDetails } from '#shared/model/run.ts'
import { CheckedWorkflow } from '#shared/model/workflow.ts'
import { createAction } from '../support/actions.ts'
import { eventually } from '../support/eventually.ts'
import { openExternalSystem } from '../support/external-system.ts'
import { expectNowhere } from '../support/leaks.ts'
import { createConnection, type Rest } from '../support/rest-client.ts'
import { placesOfRuns } from '../support/run-places.ts'
import { type ServiceFixture, sharedService } from '../support/service-fixture.ts'

const secrets = { LONG_KEY: 'canary/4711 of "the" key', PIN: 'q9~7', CLIENT: 'canary-client-4711' }
const mask = '••••'

const cleanService = sharedService()
let system: Awaited<ReturnType<typeof openExternalSystem>>
let tokenServer: Awaited<ReturnType<typeof openExternalSystem>>
/** Whether the token server gives tokens. */
let givesTokens = true
/** The statuses of the system's next answers; 200 by default. */
let statuses: number[]
beforeAll(async () => {
  system = await openExternalSystem(({ url, body }, response) => {
    response.writeHead(statuses.shift() ?? 200, { 'content-type': 'application/json' })
    // A value that is shorter than what is masked in a response would hide words there.
    response.end(JSON.stringify({ echo: { url, body } }).replaceAll(secrets.PIN, ''))
  })
  tokenServer = await openExternalSystem((_request, response) => {
    response.statusCode = givesTokens ? 200 : 400
    response.end(JSON.stringify({ access_token: `canary+token/${tokenServer.requests.length}=` }))
  })
})
afterAll(() => {
  system.close()
  tokenServer.close()
})

let service: ServiceFixture
let rest: Rest
let clients = 0
beforeEach(async () => {
  service = await cleanService()
  rest = service.rest
  system.requests.length = 0
  tokenServer.requests.length = 0
  statuses = []
  givesTokens = true
  for (const [name, value] of Object.entries(secrets)) await rest('PUT', `/environment/${name}`, { value })
  const oauth2 = { tokenUrl: tokenServer.url, secretVariable: 'CLIENT', clientAuth: 'basic' }
  await rest('PUT', '/environment/TOKEN', { oauth2: { ...oauth2, clientId: `client-${++clients}` } })
})

const trigger = { type: 'external.event' }
async function create(steps: unknown[], more: object = {}) {
  const { body } = await rest('POST', '/workflows', { name: 'Keys', trigger, steps, ...more })
  return CheckedWorkflow.parse(body)
}
const testRun = async (workflowId: string, payload: object = {}) => {
  const { text, body } = await rest('POST', `/workflows/${workflowId}/test`, { payload })
  return { text, run: RunDetails.parse(body) }
}

const formType = { 'Content-Type': 'application/x-www-form-urlencoded' }
const http = () => ({
  ...{
    key: 'send',
    type: 'http',
    method: 'POST',
    url: `${system.url}/{{$env.PIN}}/in?key={{$env.LONG_KEY}}`,
  },
  headers: { ...formType, Authorization: 'Bearer {{$env.TOKEN}}', 'X-Pin': '{{ $env["PIN"] }} {{id}}' },
  body: { pin: '{{$env.PIN}}', token: 'of {{$env.TOKEN}}', id: '{{id}}', same: '{{$env.LONG_KEY}}' },
})

test('environment variables are inserted in the URL, the query, headers, the body and arguments', async () => {
  const { connectionId } = await createConnection(rest, { baseUrl: `${system.url}/api` })
  await createAction(rest, connectionId, {
    ...{ toolName: 'act', name: 'Act', method: 'POST', path: '/act' },
    parameters: [{ name: 'keys', type: 'object', description: 'Keys', required: true }],
  })
  const args = { keys: { pin: '{{$env.PIN}}', list: ['{{$env.TOKEN}}', 'a {{$env.LONG_KEY}}'] } }
  const act = { key: 'act', type: 'action', connectionId, toolName: 'act', arguments: args }
  const { workflowId, issues } = await create([http(), act])
  expect(issues).toEqual([])
  const { run } = await testRun(workflowId, { id: 7 })
  expect(run).toMatchObject({ status: 'succeeded' })
  expect(system.requests).toMatchObject([
    {
      url: '/q9~7/in?key=canary%2F4711%20of%20%22the%22%20key',
      headers: { authorization: 'Bearer canary+token/1=', 'x-pin': 'q9~7 7' },
      body: 'pin=q9~7&token=of%20canary%2Btoken%2F1%3D&id=7&same=canary%2F4711%20of%20%22the%22%20key',
    },
    { body: JSON.stringify({ keys: { pin: 'q9~7', list: ['canary+token/1=', `a ${secrets.LONG_KEY}`] } }) },
  ])
  expect(run.steps.map(({ attempts }) => attempts[0]?.input)).toEqual([
    {
      method: 'POST',
      url: `${system.url}/${mask}/in?key=${mask}`,
      headers: { ...formType, Authorization: `Bearer ${mask}`, 'X-Pin': `${mask} 7` },
      body: { pin: mask, token: `of ${mask}`, id: 7, same: mask },
    },
    { keys: { pin: mask, list: [mask, `a ${mask}`] } },
  ])
  const call = await rest('GET', `/calls/${run.steps[0]?.attempts[0]?.callId}`)
  expect(call.body).toMatchObject({
    environmentVariables: ['PIN', 'LONG_KEY', 'TOKEN'],
    request: {
      url: `${system.url}/${mask}/in?key=${mask}`,
      body: `pin=${mask}&token=of%20${mask}&id=7&same=${mask}`,
    },
  })
})

test('no secret is in runs, records, calls, logs, exports, backups or files', async () => {
  const { connectionId } = await createConnection(rest, { baseUrl: `${system.url}/api`, persistEvents: true })
  await createAction(rest, connectionId, {
    ...{ toolName: 'act', name: 'Act', method: 'POST', path: '/act' },
    parameters: ['number', 'string'].map(type => ({ name: type, type, description: 'Pin', required: false })),
  })
  const act = { type: 'action', connectionId, toolName: 'act' }
  const { workflowId } = await create(
    [
      { ...http(), onFailure: 'continue' },
      { ...http(), key: 'again' },
      { key: 'tell', type: 'notify', message: 'Got {{steps.again.echo.body}}' },
      { ...act, key: 'pin', arguments: { string: '{{$env.PIN}}' } },
      { ...act, key: 'wrong', arguments: { number: '{{$env.LONG_KEY}} {{$env.PIN}}' } },
    ],
    { trigger: { ...trigger, connectionId } },
  )
  statuses = [401]
  await rest('POST', `/connections/${connectionId}/send`, { event: 'a', data: { id: 7 } })
  const Runs = z.object({ runs: z.array(z.object({ runId: z.string(), status: z.string() })) })
  const list = async () => Runs.parse((await rest('GET', `/runs?workflowId=${workflowId}`)).body).runs
  await eventually(async () => expect(await list()).toMatchObject([{ status: 'failed' }]))
  await rest('POST', `/runs/${(await list())[0]?.runId}/retry`)
  const { text } = await testRun(workflowId, { id: 7 })
  const places = new Map([
    ['test', text],
    ['variables', (await rest('GET', '/environment')).text],
  ])
  for (const [name, content] of await placesOfRuns(service, workflowId)) places.set(name, content)
  const { PIN, ...long } = secrets
  expect(system.requests.map(({ body }) => body).join()).toContain(PIN)
  expectNowhere(new Map([...Object.entries(long), ['TOKEN', 'canary+token']]), places)
  for (const [name, content] of places) expect(content.includes(PIN), name).toBe(false)
})

test('a step whose environment variable is not set sends nothing, and succeeds once it is set', async () => {
  const { workflowId, issues } = await create([
    { key: 'send', type: 'http', method: 'POST', url: system.url, body: { a: ['{{$env.LATER}}'] } },
  ])
  expect(issues).toMatchObject([
    {
      severity: 'warning',
      code: 'unknown_variable',
      path: 'steps.0.body.a.0',
      message: expect.stringContaining('LATER'),
    },
  ])
  const error = { code: 'missing_environment_variable', message: expect.stringContaining('LATER') }
  expect((await testRun(workflowId)).run).toMatchObject({ status: 'failed', error })
  expect(system.requests).toEqual([])
  expect((await rest('GET', '/environment')).body).toContainEqual(
    expect.objectContaining({ name: 'LATER', sources: [], workflows: 1 }),
  )
  await rest('PUT', '/environment/LATER', { value: 'x' })
  expect((await testRun(workflowId)).run).toMatchObject({ status: 'succeeded' })
  expect(system.requests).toMatchObject([{ body: '{"a":["x"]}' }])
})

test('a token that cannot be fetched fails the step as a call that was not made, and one that was refused is dropped', async () => {
  const url = `${system.url}/in?access_token={{$env.TOKEN}}`
  const { workflowId } = await create([{ key: 'send', type: 'http', method: 'GET', url }])
  statuses = [401]
  expect((await testRun(workflowId)).run).toMatchObject({ status: 'failed', error: { code: 'http_401' } })
  expect((await testRun(workflowId)).run).toMatchObject({ status: 'succeeded' })
  expect(system.requests.map(one => one.url)).toEqual([
    '/in?access_token=canary%2Btoken%2F1%3D',
    '/in?access_token=canary%2Btoken%2F2%3D',
  ])
  statuses = [401]
  await testRun(workflowId)
  givesTokens = false
  const { run } = await testRun(workflowId)
  expect(run).toMatchObject({ status: 'failed', error: { code: 'token_unavailable' } })
  const call = await rest('GET', `/calls/${run.steps[0]?.attempts[0]?.callId}`)
  expect(call.body).toMatchObject({ request: null, error: { code: 'token_unavailable' } })
})

const step = (fields: object) => ({ key: 'a', ...fields })
test.each([
  [
    'branch',
    step({ type: 'branch', cases: [{ when: { value: '{{$env.PIN}}', operator: 'exists' }, steps: [] }] }),
  ],
  ['each', step({ type: 'each', items: '{{$env.PIN}}', steps: [] })],
  ['wait', step({ type: 'wait', until: '{{$env.PIN}}' })],
  ['notify', step({ type: 'notify', message: 'a {{$env.PIN}}' })],
  ['stop', step({ type: 'stop', outcome: 'failed', message: '{{$env.PIN}}' })],
])(
  'in a %s step, an environment variable is an error when it is saved, and when it runs',
  async (_type, one) => {
    const { workflowId, issues } = await create([one])
    expect(issues).toMatchObject([{ severity: 'error', code: 'invalid_variable' }])
    const { run, text } = await testRun(workflowId)
    expect(run).toMatchObject({ status: 'failed', error: { code: 'invalid_variable' } })
    expect(text).not.toContain(secrets.PIN)
  },
)

test('a key of a trigger cannot have an environment variable', async () => {
  const { issues } = await create([], { trigger: { ...trigger, once: { key: '{{$env.PIN}}', hours: 1 } } })
  expect(issues).toMatchObject([{ stepKey: null, severity: 'error', code: 'invalid_variable' }])
})

test('the name of an environment variable that is not inserted is a warning with the spelling that is', async () => {
  const { issues } = await create([
    {
      key: 'a',
      type: 'http',
      method: 'POST',
      url: `${system.url}?key={{LONG_KEY}}`,
      headers: { A: '{{PIN}}' },
    },
    { key: 'b', type: 'notify', message: '{{PIN}}' },
    { key: 'd', type: 'http', method: 'GET', url: `${system.url}?key={{env.LONG_KEY}}&b={{env.OTHER}}` },
    { key: 'c', type: 'http', method: 'GET', url: `${system.url}?key={{$eng.PIN}}&b={{$env}}` },
  ])
  expect(issues).toMatchObject([
    { stepKey: 'a', severity: 'warning', path: 'steps.0.url', nearest: '{{$env.LONG_KEY}}' },
    { stepKey: 'b', severity: 'warning', nearest: null },
    { stepKey: 'd', severity: 'warning', nearest: '{{$env.LONG_KEY}}' },
    { stepKey: 'c', severity: 'error', nearest: '{{$env.PIN}}' },
    { stepKey: 'c', severity: 'error', nearest: null },
  ])
})

test('an import names each variable and the host that gets it', async () => {
  const workflow = { name: 'W', trigger, steps: [http(), { ...http(), key: 'again' }] }
  const { body } = await rest('POST', '/workflows/import', { workflow })
  const { warnings } = z.object({ warnings: z.array(z.object({ message: z.string() })) }).parse(body)
  const { host } = new URL(system.url)
  expect(warnings.map(({ message }) => message)).toEqual(
    ['PIN', 'LONG_KEY', 'TOKEN'].map(name => `The environment variable ${name} is sent to ${host}.`),
  )
})
