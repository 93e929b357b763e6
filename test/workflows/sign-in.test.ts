import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { z } from 'zod'
import { RunDetails } from '#shared/model/run.ts'
import { CheckedWorkflow } from '#shared/model/workflow.ts'
import { createAction } from '../support/actions.ts'
import { openExternalSystem } from '../support/external-system.ts'
import { createConnection, type Rest } from '../support/rest-client.ts'
import { sharedService } from '../support/service-fixture.ts'

const cleanService = sharedService()
const secret = 'canary-client-secret-4711'

let system: Awaited<ReturnType<typeof openExternalSystem>>
let tokenServer: Awaited<ReturnType<typeof openExternalSystem>>
/** The next answer of the token server; null for a token. */
let refusal: { status: number; error: string } | null = null
/** The status of the system's answers. */
let status = 200
beforeAll(async () => {
  system = await openExternalSystem(({ headers, url }, response) => {
    response.statusCode = status
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify({ got: headers, url }))
  })
  tokenServer = await openExternalSystem((_request, response) => {
    response.statusCode = refusal?.status ?? 200
    const token = { access_token: `canary-token-${tokenServer.requests.length}` }
    response.end(JSON.stringify(refusal === null ? token : { error: refusal.error }))
  })
})
afterAll(() => {
  system.close()
  tokenServer.close()
})

let rest: Rest
let clients = 0
beforeEach(async () => {
  const service = await cleanService()
  // Tokens are kept by all that they are asked for with, so each test has a client of its own.
  const clientId = `client-${++clients}`
  rest = service.rest
  refusal = null
  status = 200
  system.requests.length = 0
  tokenServer.requests.length = 0
  await rest('PUT', '/environment/ACME_SECRET', { value: secret })
  const oauth2 = { tokenUrl: tokenServer.url, clientId, secretVariable: 'ACME_SECRET', clientAuth: 'basic' }
  await rest('PUT', '/environment/ACME_TOKEN', { oauth2 })
  await rest('PUT', '/environment/ACME_KEY', { value: 'canary-key-4711' })
})

const bearer = { in: 'header', name: 'Authorization', value: 'Bearer {{ACME_TOKEN}}' }
const apiKey = { in: 'query', name: 'key', value: '{{ACME_KEY}}' }

/** Creates a workflow of one step, tests it, and returns the attempt. */
async function attempt(step: object, payload: object = {}) {
  const trigger = { type: 'external.event' }
  const created = await rest('POST', '/workflows', { name: 'a', trigger, steps: [{ key: 'send', ...step }] })
  const { workflowId, issues } = CheckedWorkflow.parse(created.body)
  const tested = await rest('POST', `/workflows/${workflowId}/test`, { payload })
  const { steps } = RunDetails.parse(tested.body)
  const [made] = steps[0]?.attempts ?? []
  const call = made?.callId == null ? '' : (await rest('GET', `/calls/${made.callId}`)).text
  for (const text of [tested.text, call]) expect(text).not.toMatch(/canary-(token|client|key)/)
  return { ...made, issues, call }
}

test('a token in a header of an http step is fetched when it is sent, and shown nowhere', async () => {
  const headers = { Authorization: 'Bearer {{ACME_TOKEN}}', 'X-Note': '{{note}} {{ACME_TOKEN}}' }
  const step = { type: 'http', method: 'POST', url: `${system.url}/in`, headers }
  const { issues, input, call } = await attempt(step, { note: '{{ACME_TOKEN}}' })
  expect(issues).toEqual([])
  expect(system.requests[0]?.headers).toMatchObject({
    authorization: 'Bearer canary-token-1',
    'x-note': '{{ACME_TOKEN}} canary-token-1',
  })
  expect(input).toMatchObject({
    headers: { Authorization: 'Bearer ••••', 'X-Note': '{{ACME_TOKEN}} ••••' },
  })
  expect(JSON.parse(call)).toMatchObject({ request: { headers: { Authorization: 'Bearer ••••' } } })
  await attempt(step, { note: '' })
  expect(tokenServer.requests).toHaveLength(1)
  status = 401
  await attempt(step, { note: '' })
  status = 200
  await attempt(step, { note: '' })
  expect(system.requests.at(-1)?.headers.authorization).toBe('Bearer canary-token-2')
})

test('an http step below the base URL of the connection that signs it carries its sign-in', async () => {
  const baseUrl = `${system.url}/v2`
  const { connectionId } = await createConnection(rest, { baseUrl, auth: bearer })
  const keyed = await createConnection(rest, { name: 'Keyed', baseUrl, auth: apiKey })
  const send = (path: string, signWith: string | undefined, more: object = {}) =>
    attempt({ type: 'http', method: 'GET', url: system.url + path, ...(signWith && { signWith }), ...more })
  await send('/v2/a', connectionId)
  await send('/v2', connectionId)
  await send('/v20/a', connectionId)
  await send('/v2/..%2fa', connectionId)
  await send('/v2/a', undefined)
  await send('/v2/a', connectionId, { headers: { authorization: 'mine' } })
  const { call } = await send('/v2/a?x=1', keyed.connectionId)
  await send('/v2/a?key=mine', keyed.connectionId)
  await send('/a', keyed.connectionId)
  expect(system.requests.map(({ url, headers }) => `${url} ${headers.authorization}`)).toEqual([
    '/v2/a Bearer canary-token-1',
    '/v2 Bearer canary-token-1',
    '/v20/a undefined',
    '/v2/..%2fa undefined',
    '/v2/a undefined',
    '/v2/a mine',
    '/v2/a?x=1&key=canary-key-4711 undefined',
    '/v2/a?key=mine undefined',
    '/a undefined',
  ])
  expect(JSON.parse(call)).toMatchObject({ request: { url: `${system.url}/v2/a?x=1&key=••••` } })
})

test.each([
  [503, true],
  [429, true],
  [401, false],
  [400, false],
])('after an answer %i of the token server, a workflow tries again: %s', async (answered, again) => {
  refusal = { status: answered, error: 'not_now' }
  const { connectionId } = await createConnection(rest, { baseUrl: system.url, auth: bearer })
  const { toolName } = await createAction(rest, connectionId)
  const step = { key: 'a', type: 'action', connectionId, toolName, arguments: {} }
  const trigger = { type: 'external.event', connectionId }
  const { body } = await rest('POST', '/workflows', { name: 'a', trigger, steps: [step] })
  const { workflowId } = CheckedWorkflow.parse(body)
  await rest('POST', `/connections/${connectionId}/send`, { event: 'a', data: {} })
  const List = z.object({ runs: z.array(z.object({ runId: z.string(), status: z.string() })) })
  const list = async () => List.parse((await rest('GET', `/runs?workflowId=${workflowId}`)).body).runs
  await expect.poll(list).toMatchObject([{ status: again ? 'waiting' : 'failed' }])
  const [run] = await list()
  const details = RunDetails.parse((await rest('GET', `/runs/${run?.runId}`)).body)
  expect(details.steps[0]?.attempts).toMatchObject([{ error: { code: 'token_unavailable' } }])
  expect(system.requests).toEqual([])
})
