import { afterAll, beforeAll, expect, test } from 'vitest'
import { z } from 'zod'
import { RunDetails } from '#shared/model/run.ts'
import { CheckedWorkflow } from '#shared/model/workflow.ts'
import { eventually } from '../support/eventually.ts'
import { openExternalSystem } from '../support/external-system.ts'
import { expectNowhere } from '../support/leaks.ts'
import { placesOfRuns } from '../support/run-places.ts'
import { sharedService } from '../support/service-fixture.ts'

const token = 'canary-4714-of-a-token'
const inner = 'canary-4715-in-a-text'
const key = 'canary-4716-of-a-key'
const order = 'canary-4717-of-an-order'
const mask = '••••'

const cleanService = sharedService()
let system: Awaited<ReturnType<typeof openExternalSystem>>

beforeAll(async () => {
  system = await openExternalSystem(({ url, headers, body }, response) => {
    response.setHeader('content-type', 'application/json')
    if (url === '/token') response.end(JSON.stringify({ token, session: JSON.stringify({ id: inner }) }))
    else response.end(JSON.stringify({ ...headers, body, order, inner }))
  })
})
afterAll(() => system.close())

test('what a set step computes of private values is sent, and is stored and shown nowhere', async () => {
  const fixture = await cleanService()
  const { rest } = fixture
  await rest('PUT', '/environment/DESK_KEY', { value: key })
  const http = { type: 'http', method: 'POST' }
  const steps = [
    { ...http, key: 'token', url: `${system.url}/token`, private: true },
    {
      ...{ key: 'derived', type: 'set' },
      values: {
        header: { value: 'Bearer {{steps.token.token}}' },
        session: { value: '{{steps.token.session}}', as: 'json' },
        plain: { value: '{{count}}', as: 'number' },
      },
    },
    { key: 'desk', type: 'set', values: { key: { value: '{{$env.DESK_KEY}}' } } },
    { key: 'hidden', type: 'set', private: true, values: { order: { value: '{{order_id}}' } } },
    {
      ...{ ...http, key: 'use', url: `${system.url}/use?key={{steps.desk.key}}` },
      headers: { Authorization: '{{steps.derived.header}}', 'X-Key': '{{steps.desk.key}}' },
      body: {
        session: '{{steps.derived.session}}',
        id: '{{steps.derived.session.id}}',
        count: '{{steps.derived.plain}}',
        order: '{{steps.hidden.order}}',
      },
    },
    {
      ...{ key: 'check', type: 'branch', otherwise: [] },
      cases: [
        {
          when: { value: '{{steps.derived.session.id}}', operator: 'equals', operand: '{{steps.use.inner}}' },
          steps: [
            { key: 'tell', type: 'notify', message: 'With {{steps.derived.header}} and {{steps.desk.key}}' },
            {
              ...{ key: 'end', type: 'stop', outcome: 'failed' },
              message: 'Not {{steps.derived.session.id}}, {{steps.use.order}}, {{steps.derived.plain}}',
            },
          ],
        },
      ],
    },
  ]
  const created = await rest('POST', '/workflows', { name: 'W', trigger: { type: 'external.event' }, steps })
  const { workflowId, issues } = CheckedWorkflow.parse(created.body)
  expect(issues).toEqual([])
  const data = { order_id: order, count: '3' }
  await rest('POST', `/workflows/${workflowId}/test`, { payload: data })
  const Runs = z.object({ runs: z.array(z.object({ runId: z.string() })) })
  const run = await eventually(async () => {
    const { runs } = Runs.parse((await rest('GET', `/runs?workflowId=${workflowId}`)).body)
    const details = RunDetails.parse((await rest('GET', `/runs/${runs[0]?.runId}`)).body)
    expect(details.endedAt).not.toBeNull()
    return details
  })

  const [, sent] = system.requests
  expect(sent).toMatchObject({
    url: `/use?key=${key}`,
    headers: { authorization: `Bearer ${token}`, 'x-key': key },
  })
  expect(JSON.parse(sent?.body ?? '')).toEqual({ session: { id: inner }, id: inner, count: 3, order })

  const message = `Not ${mask}, ${mask}, 3`
  expect(run).toMatchObject({ status: 'failed', error: { code: 'stopped', message } })
  const outputs = new Map(run.steps.map(({ key, output, private: isPrivate }) => [key, [output, isPrivate]]))
  expect(outputs.get('derived')).toEqual([{ header: `Bearer ${mask}`, session: mask, plain: 3 }, undefined])
  expect(outputs.get('desk')).toEqual([null, true])
  expect(outputs.get('hidden')).toEqual([null, true])
  const use = run.steps.find(step => step.key === 'use')
  expect(use?.attempts[0]?.input).toMatchObject({
    url: `${system.url}/use?key=${mask}`,
    headers: { Authorization: `Bearer ${mask}`, 'X-Key': mask },
    body: { session: mask, id: mask, count: 3, order: mask },
  })
  const places = await placesOfRuns(fixture, workflowId)
  expectNowhere(
    new Map([
      ['token', token],
      ['inner', inner],
      ['key', key],
    ]),
    places,
  )
  // The payload itself is not private.
  expect(JSON.stringify(run.steps)).not.toContain(order)
})
