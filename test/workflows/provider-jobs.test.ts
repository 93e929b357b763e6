import { expect, test } from 'vitest'
import { z } from 'zod'
import { RunDetails } from '#shared/model/run.ts'
import { CheckedWorkflow } from '#shared/model/workflow.ts'
import { eventually } from '../support/eventually.ts'
import { startExternalSystem } from '../support/external-system.ts'
import { expectNowhere } from '../support/leaks.ts'
import { createConnection } from '../support/rest-client.ts'
import { placesOfRuns } from '../support/run-places.ts'
import { sharedService } from '../support/service-fixture.ts'

const cleanService = sharedService()

const Runs = z.object({ runs: z.array(z.object({ runId: z.string() })) })

/** Starts a workflow by an event, waits until its run has ended well, and returns all places where it may have left something. */
async function runOf(
  stepsOf: (url: string) => object[],
  data: object,
  variables: Record<string, string>,
  url: string,
) {
  const fixture = await cleanService()
  const { rest } = fixture
  const { connectionId } = await createConnection(rest, { persistEvents: true })
  for (const [name, value] of Object.entries(variables)) await rest('PUT', `/environment/${name}`, { value })
  const body = { name: 'Job', trigger: { type: 'external.event', connectionId }, steps: stepsOf(url) }
  const { workflowId, issues } = CheckedWorkflow.parse((await rest('POST', '/workflows', body)).body)
  expect(issues).toEqual([])
  await rest('POST', `/connections/${connectionId}/send`, { event: 'order.paid', data })
  const run = await eventually(async () => {
    const { runs } = Runs.parse((await rest('GET', `/runs?workflowId=${workflowId}`)).body)
    const found = RunDetails.parse((await rest('GET', `/runs/${runs[0]?.runId}`)).body)
    expect(found.status).toBe('succeeded')
    return found
  })
  return { run, places: await placesOfRuns(fixture, workflowId) }
}

test('an OAuth token is fetched with a secret in the body, used by the next call, and kept nowhere', async () => {
  const [secret, token] = ['canary-client-secret-4711', 'canary-access-token-4712']
  const system = await startExternalSystem(({ url, headers, body }, response) => {
    response.setHeader('content-type', 'application/json')
    const form = new URLSearchParams(body)
    if (url === '/oauth/token') {
      const isRight = form.get('grant_type') === 'client_credentials' && form.get('client_secret') === secret
      response.statusCode = isRight ? 200 : 401
      response.end(JSON.stringify({ access_token: token, token_type: 'Bearer', expires_in: 3600 }))
    } else {
      response.statusCode = headers.authorization === `Bearer ${token}` ? 200 : 401
      response.end(JSON.stringify({ id: 'ORD-1', seenWith: headers.authorization }))
    }
  })
  const { run, places } = await runOf(
    url => [
      {
        ...{ key: 'token', type: 'http', method: 'POST', url: `${url}/oauth/token`, private: true },
        headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
        body: {
          grant_type: 'client_credentials',
          client_id: 'shop',
          client_secret: '{{$env.CLIENT_SECRET}}',
        },
      },
      {
        ...{ key: 'order', type: 'http', method: 'GET', url: `${url}/orders/{{order_id}}` },
        headers: { Authorization: 'Bearer {{steps.token.access_token}}' },
      },
    ],
    { order_id: 'ORD-1' },
    { CLIENT_SECRET: secret },
    system.url,
  )
  expect(system.requests.map(({ method, url }) => `${method} ${url}`)).toEqual([
    'POST /oauth/token',
    'GET /orders/ORD-1',
  ])
  expect(run.steps[1]?.attempts[0]?.output).toEqual({ id: 'ORD-1', seenWith: 'Bearer ••••' })
  expectNowhere(new Map(Object.entries({ secret, token })), places)
})

test('a Google key is sent in the query, also with other parameters, and shown nowhere', async () => {
  const key = 'AIzaSyCanary-4711_0123456789abcdefghijk'
  const system = await startExternalSystem(({ url }, response) => {
    const { pathname, searchParams } = new URL(url, 'http://maps.example')
    response.setHeader('content-type', 'application/json')
    response.statusCode = searchParams.get('key') === key ? 200 : 403
    response.end(JSON.stringify({ status: 'OK', asked: searchParams.get('address'), pathname, url }))
  })
  const { run, places } = await runOf(
    url => [
      {
        ...{ key: 'place', type: 'http', method: 'GET' },
        url: `${url}/maps/api/geocode/json?address={{address}}&region=de&key={{$env.GOOGLE_KEY}}`,
      },
    ],
    { address: 'Ringstraße 1 & 2, Köln' },
    { GOOGLE_KEY: key },
    system.url,
  )
  const [attempt] = run.steps[0]?.attempts ?? []
  expect(attempt?.output).toMatchObject({ status: 'OK', asked: 'Ringstraße 1 & 2, Köln' })
  expect(attempt?.input).toMatchObject({ url: expect.stringMatching(/&region=de&key=••••$/) })
  expectNowhere(new Map([['key', key]]), places)
})
