import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { CallRecord } from '#shared/model/call.ts'
import { RunDetails } from '#shared/model/run.ts'
import { CheckedWorkflow } from '#shared/model/workflow.ts'
import { createAction } from '../support/actions.ts'
import { eventually } from '../support/eventually.ts'
import { openExternalSystem, type SystemRequest } from '../support/external-system.ts'
import { expectNowhere } from '../support/leaks.ts'
import { createConnection, type Rest } from '../support/rest-client.ts'
import { placesOfRuns } from '../support/run-places.ts'
import { sharedService } from '../support/service-fixture.ts'

const canary = 'canary/4711+of "the" token'
const pin = '9043'
const mask = '••••'

const cleanService = sharedService()
let system: Awaited<ReturnType<typeof openExternalSystem>>
/** How the next requests to `/use` are answered; 200 by default. */
let statuses: number[]

/** Answers with the token, and with what it was sent, in several spellings. */
function answer({ url, headers, body }: SystemRequest): [status: number, body: unknown] {
  if (url === '/token') return [200, { access_token: canary, pin: Number(pin), expires_in: 3600 }]
  if (url.startsWith('/customers'))
    return [200, Array.from({ length: 300 }, (_, id) => ({ id: `cus_${1e6 + id}` }))]
  const { authorization = '' } = headers
  const echo = {
    token: authorization.replace('Bearer ', ''),
    encoded: encodeURIComponent(authorization),
    body,
  }
  const status = statuses.shift() ?? 200
  return status === 200 ? [200, { echo, [canary]: 1 }] : [status, { message: `Not with ${canary}`, echo }]
}

beforeAll(async () => {
  system = await openExternalSystem((request, response) => {
    const [status, body] = answer(request)
    response.writeHead(status, { 'content-type': 'application/json', 'x-echo': encodeURIComponent(canary) })
    response.end(JSON.stringify(body))
  })
})
afterAll(() => system.close())
beforeEach(() => {
  system.requests.length = 0
  statuses = []
})

const token = () => ({
  key: 'token',
  type: 'http',
  method: 'POST',
  url: `${system.url}/token`,
  body: '{}',
  private: true,
})
const use = () => ({
  ...{ key: 'use', type: 'http', method: 'POST' },
  url: `${system.url}/use?token={{steps.token.access_token}}&pin={{steps.token.pin}}`,
  headers: { Authorization: 'Bearer {{steps.token.access_token}}', 'X-Pin': '{{steps.token.pin}}' },
  body: { all: '{{steps.token}}', text: 'pin {{steps.token.pin}}', order: '{{order_id}}' },
})
const condition = (value: string, operator: string, operand: unknown) => ({ value, operator, operand })

/** Every place in which a step can use the output of another one. */
const everywhere = (connectionId: string) => [
  token(),
  {
    ...{ key: 'check', type: 'branch', otherwise: [] },
    cases: [
      {
        when: {
          all: [
            condition('{{steps.token.access_token}}', 'starts_with', 'canary'),
            condition(pin, 'equals', '{{steps.token.pin}}'),
          ],
        },
        steps: [
          use(),
          {
            key: 'act',
            type: 'action',
            connectionId,
            toolName: 'act',
            arguments: {
              token: '{{steps.token.access_token}}',
              pin: '{{steps.token.pin}}',
              echo: '{{steps.use.echo.token}}',
            },
          },
          {
            key: 'ask',
            type: 'action',
            connectionId,
            toolName: 'ask',
            arguments: { token: '{{steps.token.access_token}}', pin: '{{steps.token.pin}}' },
          },
          {
            key: 'tell',
            type: 'notify',
            message: 'With {{steps.token.access_token}} and {{steps.token.pin}} for {{order_id}}',
          },
        ],
      },
    ],
  },
]

async function create(rest: Rest, steps: unknown[]) {
  const created = await rest('POST', '/workflows', {
    name: 'Private',
    trigger: { type: 'external.event' },
    steps,
  })
  expect(created.status, created.text).toBe(201)
  return CheckedWorkflow.parse(created.body)
}

async function connect(rest: Rest): Promise<string> {
  const { connectionId } = await createConnection(rest, {
    name: 'System',
    baseUrl: system.url,
    persistEvents: true,
  })
  for (const [name, method] of [
    ['act', 'POST'],
    ['ask', 'GET'],
  ] as const)
    await createAction(rest, connectionId, {
      ...{ name, toolName: name, method, path: '/use' },
      parameters: ['token', 'pin', 'echo'].map(one => ({
        name: one,
        type: one === 'pin' ? 'number' : 'string',
        description: 'x',
        required: false,
      })),
    })
  return connectionId
}

/** Sends an event and returns its run once it has ended. */
async function run(rest: Rest, connectionId: string, workflowId: string): Promise<RunDetails> {
  await rest('POST', `/connections/${connectionId}/send`, {
    event: 'order.paid',
    data: { order_id: 'ORD-1' },
  })
  return endedRun(rest, workflowId)
}

const Runs = z.object({ runs: z.array(z.object({ runId: z.string() })) })
function endedRun(rest: Rest, workflowId: string): Promise<RunDetails> {
  return eventually(async () => {
    const { runs } = Runs.parse((await rest('GET', `/runs?workflowId=${workflowId}`)).body)
    const details = RunDetails.parse((await rest('GET', `/runs/${runs[0]?.runId}`)).body)
    expect(details.endedAt).not.toBeNull()
    return details
  })
}

const stepOf = ({ steps }: RunDetails, key: string) => {
  const step = steps.find(one => one.key === key)
  if (step === undefined) throw new Error(`The run has no step ${key}.`)
  return step
}

const secrets = new Map([['token', canary]])

describe('the output of a private step', () => {
  test('reaches the other side, and is stored and shown nowhere', async () => {
    const fixture = await cleanService()
    const { rest } = fixture
    const connectionId = await connect(rest)
    const { workflowId, issues } = await create(rest, everywhere(connectionId))
    expect(issues).toEqual([])
    const ended = await run(rest, connectionId, workflowId)
    expect(ended).toMatchObject({ status: 'succeeded', error: null })

    const [, sent, act, ask] = system.requests
    expect(sent).toMatchObject({
      url: `/use?token=${encodeURIComponent(canary)}&pin=${pin}`,
      headers: { authorization: `Bearer ${canary}`, 'x-pin': pin },
    })
    expect(JSON.parse(sent?.body ?? '')).toEqual({
      all: { access_token: canary, pin: Number(pin), expires_in: 3600 },
      text: `pin ${pin}`,
      order: 'ORD-1',
    })
    // The later step has what the other side sent back, although nobody sees it.
    expect(JSON.parse(act?.body ?? '')).toEqual({ token: canary, pin: Number(pin), echo: canary })
    expect(new URL(`http://host${ask?.url}`).searchParams.get('token')).toBe(canary)

    const hidden = stepOf(ended, 'token')
    expect(hidden).toMatchObject({
      private: true,
      output: null,
      attempts: [{ input: null, output: null, error: null }],
    })
    const call = CallRecord.parse((await rest('GET', `/calls/${hidden.attempts[0]?.callId}`)).body)
    expect(call).toMatchObject({
      ...{
        private: true,
        ok: true,
        status: 200,
        method: 'POST',
        response: null,
        result: null,
        arguments: {},
      },
      request: { method: 'POST', url: system.url, headers: {}, body: '' },
    })
    expect(stepOf(ended, 'check').attempts[0]?.input).toEqual([
      {
        holds: true,
        all: [
          { holds: true, value: mask, operator: 'starts_with', operand: 'canary' },
          { holds: true, value: pin, operator: 'equals', operand: mask },
        ],
      },
    ])
    const shown = {
      url: `${system.url}/use?token=${mask}&pin=${mask}`,
      headers: { Authorization: `Bearer ${mask}`, 'X-Pin': mask },
    }
    const body = { all: mask, text: `pin ${mask}`, order: 'ORD-1' }
    const { attempts, output, private: isPrivate } = stepOf(ended, 'use')
    expect(attempts[0]?.input).toMatchObject({ ...shown, body })
    expect(output).toEqual({
      echo: { token: mask, encoded: expect.stringContaining(mask), body: expect.stringContaining(mask) },
      [mask]: 1,
    })
    expect(isPrivate).toBeUndefined()
    const { request } = CallRecord.parse((await rest('GET', `/calls/${attempts[0]?.callId}`)).body)
    expect(request).toMatchObject({ ...shown, body: JSON.stringify(body) })
    const given = { token: mask, pin: mask }
    for (const [key, more, url, text] of [
      ['act', { echo: mask }, `${system.url}/use`, `{"token":"${mask}","pin":"${mask}","echo":"${mask}"}`],
      ['ask', {}, `${system.url}/use?token=${mask}&pin=${mask}`, ''],
    ] as const) {
      const [attempt] = stepOf(ended, key).attempts
      expect(attempt?.input).toEqual({ ...given, ...more })
      expect((await rest('GET', `/calls/${attempt?.callId}`)).body).toMatchObject({
        arguments: { ...given, ...more },
        request: { url, body: text },
      })
    }
    expect(stepOf(ended, 'tell').output).toEqual({ message: `With ${mask} and ${mask} for ORD-1` })
    const all = await placesOfRuns(fixture, workflowId)
    expect(all.get('GET /activity/list')).toContain(`With ${mask}`)
    expectNowhere(secrets, all)
  })

  test('is not in the errors of a failed run, which fetches it again when it is retried', async () => {
    const fixture = await cleanService()
    const { rest } = fixture
    const connectionId = await connect(rest)
    const end = {
      key: 'end',
      type: 'stop',
      outcome: 'failed',
      message: 'Refused {{steps.token.pin}} {{steps.use.echo.token}}',
    }
    const { workflowId } = await create(rest, [token(), use(), end])
    statuses = [400]
    const failed = await run(rest, connectionId, workflowId)
    expect(failed).toMatchObject({
      status: 'failed',
      error: { code: 'http_400', message: expect.stringContaining(mask) },
    })
    expectNowhere(secrets, await placesOfRuns(fixture, workflowId))
    const { steps } = (await fixture.service.storage.runs.get(failed.runId)) ?? {}
    expect(steps?.[0]).toMatchObject({ isPrivate: true, sealed: null })

    await rest('POST', `/runs/${failed.runId}/retry`, {})
    const again = await endedRun(rest, workflowId)
    expect(again).toMatchObject({
      status: 'failed',
      error: { code: 'stopped', message: `Refused ${mask} ${mask}` },
    })
    expect(stepOf(again, 'token').attempts).toHaveLength(2)
    const keys = system.requests.map(({ url, headers }) => [url.split('?')[0], headers['idempotency-key']])
    const once = [
      ['/token', `${failed.runId}.token`],
      ['/use', `${failed.runId}.use`],
    ]
    expect(keys).toEqual([...once, ...once])
    expect(system.requests[3]?.headers.authorization).toBe(`Bearer ${canary}`)

    // The step whose output had the token in it is called again too: what it showed must not be sent.
    await rest('POST', `/runs/${failed.runId}/retry`, {})
    await eventually(() => expect(system.requests).toHaveLength(6))
    await endedRun(rest, workflowId)
    expectNowhere(secrets, await placesOfRuns(fixture, workflowId))
  })

  test('is made to a host that is hidden itself: of a variable, or of a private step', async () => {
    const { rest } = await cleanService()
    await rest('PUT', '/environment/BASE', { value: system.url })
    const http = { type: 'http', method: 'GET', hosts: ['127.0.0.1'] }
    const steps = [
      { ...token(), body: { url: system.url } },
      { ...http, key: 'by_variable', url: '{{$env.BASE}}/use', private: true },
      { ...http, key: 'by_output', url: '{{base}}/use' },
      { ...http, key: 'closed', url: 'http://{{$env.CLOSED}}/x', private: true, onFailure: 'continue' },
      { ...http, key: 'unknown', url: 'http://{{$env.SUB}}.app.invalid/x', hosts: ['*.app.invalid'] },
    ]
    await rest('PUT', '/environment/CLOSED', { value: '127.0.0.1:1' })
    await rest('PUT', '/environment/SUB', { value: 'Tenant' })
    const created = await rest('POST', '/workflows', {
      name: 'Hidden',
      trigger: { type: 'external.event' },
      steps,
    })
    const { workflowId } = CheckedWorkflow.parse(created.body)
    const { body } = await rest('POST', `/workflows/${workflowId}/test`, { payload: { base: system.url } })
    const { error, steps: made } = RunDetails.parse(body)
    expect(made.map(step => step.attempts.at(-1)?.error?.message ?? null)).toEqual([
      null,
      null,
      null,
      `No program listens at ${mask}.`,
      `The host name ${mask}.app.invalid cannot be resolved (ENOTFOUND).`,
    ])
    expect(error?.message).toBe(`The host name ${mask}.app.invalid cannot be resolved (ENOTFOUND).`)
    const calls = await Promise.all(
      made.map(async ({ attempts }) =>
        CallRecord.parse((await rest('GET', `/calls/${attempts.at(-1)?.callId}`)).body),
      ),
    )
    expect(calls.map(({ request }) => request?.url)).toEqual([
      mask,
      mask,
      `${mask}/use`,
      `http://${mask}`,
      `http://${mask}.app.invalid/x`,
    ])
  })

  test('is shown by no test, also of steps in loops and branches', async () => {
    const fixture = await cleanService()
    const { rest } = fixture
    const list = { ...token(), key: 'list' }
    const { workflowId } = await create(rest, [
      {
        key: 'all',
        type: 'each',
        items: '{{lines}}',
        private: true,
        steps: [
          list,
          {
            ...use(),
            url: `${system.url}/use/{{item.secret}}`,
            headers: { Authorization: 'Bearer {{steps.list.access_token}}' },
            body: '{{item}}',
          },
        ],
      },
      { ...token(), key: 'first' },
      {
        key: 'made',
        type: 'http',
        method: 'POST',
        url: `${system.url}/use`,
        headers: { Authorization: '{{steps.first.access_token}}' },
      },
      {
        key: 'fields',
        type: 'branch',
        private: true,
        cases: [{ when: condition('{{lines.0.secret}}', 'exists', null), steps: [] }],
        otherwise: [],
      },
    ])
    const payload = { lines: [{ secret: 'of-the-event' }] }
    const tested = RunDetails.parse((await rest('POST', `/workflows/${workflowId}/test`, { payload })).body)
    expect(tested.status).toBe('succeeded')
    expect(system.requests.map(({ url }) => url)).toEqual(['/token', '/use/of-the-event', '/token', '/use'])
    expect(system.requests[1]).toMatchObject({
      headers: { authorization: `Bearer ${canary}` },
      body: '{"secret":"of-the-event"}',
    })
    expect(stepOf(tested, 'use').attempts[0]?.input).toMatchObject({
      ...{ url: `${system.url}/use/${mask}`, headers: { Authorization: `Bearer ${mask}` }, body: mask },
    })
    for (const key of ['all', 'list', 'first', 'fields'])
      expect(stepOf(tested, key)).toMatchObject({
        private: true,
        output: null,
        attempts: [{ input: null, output: null }],
      })
    expectNowhere(secrets, await placesOfRuns(fixture, workflowId))

    const dry = await rest('POST', `/workflows/${workflowId}/test`, { payload, dryRun: true })
    expect(RunDetails.parse(dry.body).steps[0]).toMatchObject({ private: true, output: null })
    expect(system.requests).toHaveLength(4)
  })

  test('hides everything that follows if it has more values than are looked for', async () => {
    const { rest } = await cleanService()
    const { workflowId } = await create(rest, [
      { key: 'list', type: 'http', method: 'GET', url: `${system.url}/customers`, private: true },
      { key: 'use', type: 'http', method: 'POST', url: `${system.url}/use`, body: '{{steps.list.299}}' },
      { key: 'tell', type: 'notify', message: 'Told {{steps.use.echo.body}}' },
    ])
    const tested = RunDetails.parse((await rest('POST', `/workflows/${workflowId}/test`, {})).body)
    expect(tested.status).toBe('succeeded')
    expect(system.requests[1]?.body).toBe('{"id":"cus_1000299"}')
    expect(tested.steps.map(({ key, private: isPrivate, output }) => [key, isPrivate, output])).toEqual([
      ['list', true, null],
      ['use', true, null],
      ['tell', true, null],
    ])
    expect((await rest('GET', '/activity/list')).text).not.toContain('cus_1000299')
  })

  test('is part of the document of a workflow, and may only be true', async () => {
    const { rest } = await cleanService()
    const { workflowId } = await create(rest, [token()])
    expect((await rest('GET', `/workflows/${workflowId}/export`)).body).toMatchObject({
      workflow: { steps: [{ private: true }] },
    })
    const refused = await rest('PATCH', `/workflows/${workflowId}`, {
      steps: [{ ...token(), private: 'yes' }],
    })
    expect(refused).toMatchObject({ status: 400, body: { code: 'invalid_input' } })
  })
})
