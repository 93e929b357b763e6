import { beforeEach, expect, test } from 'vitest'
import { z } from 'zod'
import { RunDetails } from '#shared/model/run.ts'
import { CheckedWorkflow } from '#shared/model/workflow.ts'
import { hmacHex } from '../signing/sender.ts'
import { eventually } from '../support/eventually.ts'
import { startExternalSystem } from '../support/external-system.ts'
import { createConnection, type Rest } from '../support/rest-client.ts'
import { sharedService, startOfTests } from '../support/service-fixture.ts'

const cleanService = sharedService()
let rest: Rest
beforeEach(async () => {
  rest = (await cleanService()).rest
})

const Runs = z.object({ runs: z.array(z.object({ runId: z.string() })) })

/** Creates a workflow for the events of a connection. Returns what waits until its newest run has succeeded. */
async function workflowOf(connectionId: string, steps: object[]) {
  const trigger = { type: 'external.event', connectionId }
  const { body } = await rest('POST', '/workflows', { name: 'Job', trigger, steps })
  const { workflowId, issues } = CheckedWorkflow.parse(body)
  expect(issues).toEqual([])
  return () =>
    eventually(async () => {
      const { runs } = Runs.parse((await rest('GET', `/runs?workflowId=${workflowId}`)).body)
      const run = RunDetails.parse((await rest('GET', `/runs/${runs[0]?.runId}`)).body)
      expect(run).toMatchObject({ status: 'succeeded', error: null })
      return run
    })
}

/** Runs a workflow by an event of the service's own scheme. */
async function runOf(steps: object[], data: object): Promise<RunDetails> {
  const { connectionId } = await createConnection(rest, { persistEvents: true })
  const ended = await workflowOf(connectionId, steps)
  await rest('POST', `/connections/${connectionId}/send`, { event: 'order.paid', data })
  return ended()
}

/** A message at a `response_url`, as Slack reads it. */
const SlackMessage = z.strictObject({
  response_type: z.enum(['in_channel', 'ephemeral']).optional(),
  replace_original: z.boolean().optional(),
  text: z.string().min(1),
})

test('a button of Slack is answered at its response_url', async () => {
  const slack = await startExternalSystem(({ method, headers, body }, response) => {
    const isJson = headers['content-type']?.startsWith('application/json') === true
    const isRight = method === 'POST' && isJson && SlackMessage.safeParse(JSON.parse(body)).success
    response.writeHead(isRight ? 200 : 400).end(isRight ? 'ok' : 'invalid_payload')
  })
  const eventName = [{ path: 'event.type' }, { path: 'type' }, { path: 'command' }]
  const sender = { scheme: 'slack', eventName, data: 'body' }
  const { connectionId, credentials } = await createConnection(rest, { sender, persistEvents: true })
  const secret = 'a secret of Slack'
  await rest('PUT', `/connections/${connectionId}/sender/secret`, { secret })
  const ended = await workflowOf(connectionId, [
    {
      ...{ key: 'answer', type: 'http', method: 'POST', url: '{{response_url}}', hosts: ['127.0.0.1'] },
      body: { replace_original: true, text: 'Order {{actions.0.value}} approved by {{user.username}}' },
    },
  ])
  const payload = {
    ...{ type: 'block_actions', user: { id: 'U1', username: 'ada' }, channel: { id: 'C1' } },
    actions: [{ action_id: 'approve', value: 'ORD-1' }],
    response_url: `${slack.url}/actions/T1DC2JH3J/397700885554/96rGlfmibIGlgcZRskXaIFfN`,
  }
  const body = `payload=${encodeURIComponent(JSON.stringify(payload))}`
  const timestamp = String(startOfTests / 1000)
  const answer = await fetch(credentials.inboundUrl, {
    method: 'POST',
    body,
    headers: {
      'content-type': 'application/x-www-form-urlencoded',
      'x-slack-request-timestamp': timestamp,
      'x-slack-signature': `v0=${hmacHex(secret, `v0:${timestamp}:${body}`)}`,
    },
  })
  expect(answer.status).toBe(200)
  await ended()
  expect(slack.requests).toMatchObject([
    {
      url: '/actions/T1DC2JH3J/397700885554/96rGlfmibIGlgcZRskXaIFfN',
      body: '{"replace_original":true,"text":"Order ORD-1 approved by ada"}',
    },
  ])
})

test('the second page of a list is the next link of the first one, as GitHub and Shopify send it', async () => {
  const github = await startExternalSystem(({ url }, response) => {
    const page = Number(new URL(url, 'http://host').searchParams.get('page') ?? 1)
    const link = (rel: string, to: number) =>
      `<${github.url}/repositories/1/issues?per_page=2&page=${to}>; rel="${rel}"`
    const links = page === 1 ? [link('next', 2), link('last', 2)] : [link('prev', 1), link('first', 1)]
    response.writeHead(200, { 'content-type': 'application/json', link: links.join(', ') })
    response.end(JSON.stringify([{ number: page * 2 - 1 }, { number: page * 2 }]))
  })
  const get = (key: string, url: string) => ({
    ...{ key, type: 'http', method: 'GET', url, hosts: ['127.0.0.1'] },
  })
  const hasNext = { value: '{{$calls.first.links.next}}', operator: 'exists' }
  const run = await runOf(
    [
      get('first', `${github.url}/repos/{{repo}}/issues?per_page=2`),
      {
        ...{ key: 'more', type: 'branch' },
        cases: [{ when: hasNext, steps: [get('second', '{{$calls.first.links.next}}')] }],
      },
      { key: 'tell', type: 'notify', message: '{{$calls.first.links}}' },
    ],
    { repo: 'shop' },
  )
  expect(github.requests.map(({ url }) => url)).toEqual([
    '/repos/shop/issues?per_page=2',
    '/repositories/1/issues?per_page=2&page=2',
  ])
  expect(run.steps.map(({ output }) => output)).toMatchObject([
    [{ number: 1 }, { number: 2 }],
    { case: 0 },
    [{ number: 3 }, { number: 4 }],
    { message: expect.stringMatching(/^\{"next":".*&page=2","last":".*"\}$/) },
  ])
})

test('what is not found is created, and what exists already is taken as it is', async () => {
  const customers = new Map([['ada@example.com', 'cus_1']])
  const crm = await startExternalSystem(({ method, url, body }, response) => {
    const email =
      method === 'GET' ? decodeURIComponent(url.slice('/customers/'.length)) : JSON.parse(body).email
    const answer = (status: number, text: object) =>
      void response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(text))
    if (method === 'GET')
      return customers.has(email) ? answer(200, { id: customers.get(email) }) : answer(404, { error: 'none' })
    if (customers.has(email)) return answer(409, { error: 'exists', id: customers.get(email) })
    customers.set(email, `cus_${customers.size + 1}`)
    answer(201, { id: customers.get(email) })
  })
  const create = {
    ...{ key: 'create', type: 'http', method: 'POST', url: `${crm.url}/customers` },
    body: { email: '{{email}}' },
  }
  const is = (value: string, operand: number) => ({ value, operator: 'equals', operand })
  const steps = [
    {
      key: 'find',
      type: 'http',
      method: 'GET',
      url: `${crm.url}/customers/{{email}}`,
      onFailure: 'continue',
    },
    {
      ...{ key: 'missing', type: 'branch' },
      cases: [{ when: is('{{$calls.find.status}}', 404), steps: [create] }],
    },
    // It exists by now.
    { ...create, key: 'again', onFailure: 'continue' },
    {
      ...{ key: 'done', type: 'branch' },
      cases: [
        {
          when: is('{{$calls.again.status}}', 409),
          steps: [{ key: 'end', type: 'stop', outcome: 'succeeded' }],
        },
      ],
      otherwise: [{ key: 'wrong', type: 'stop', outcome: 'failed', message: 'Made twice.' }],
    },
  ]
  for (const email of ['ada@example.com', 'bob@example.com']) await runOf(steps, { email })
  expect(crm.requests.map(({ method, body }) => `${method} ${body}`)).toEqual([
    'GET ',
    'POST {"email":"ada@example.com"}',
    'GET ',
    'POST {"email":"bob@example.com"}',
    'POST {"email":"bob@example.com"}',
  ])
  expect(customers).toEqual(
    new Map([
      ['ada@example.com', 'cus_1'],
      ['bob@example.com', 'cus_2'],
    ]),
  )
})
