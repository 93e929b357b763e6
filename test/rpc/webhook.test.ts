import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { WebhookEvent } from '#shared/model/platform/webhook-event.ts'
import { Run, RunDetails } from '#shared/model/run.ts'
import { isSigned, startExternalSystem } from '../support/external-system.ts'
import { createConnection, errorCode, issuePaths, type Rest } from '../support/rest-client.ts'
import { sharedService, startOfTests, startService } from '../support/service-fixture.ts'

const secret = 'whsec_of-the-webhook-0123456789'
const webhookPath = '/workspaces/default'

const cleanService = sharedService()

const Workspace = z.object({ workspaceId: z.string() })

/** The shared service with a new workspace, whose webhook has no deliveries: those of other tests stay. */
async function withWorkspace() {
  const { rest, clock } = await cleanService()
  const { workspaceId } = Workspace.parse((await rest('POST', '/workspaces', { name: 'Shop' })).body)
  return {
    rest,
    clock,
    workspaceId,
    path: `/workspaces/${workspaceId}`,
    set: (url: string, more: object = {}) => setWebhook(rest, url, more, workspaceId),
    start: () => startConversation(rest, { workspaceId }),
    delivered: () => deliveries(rest, workspaceId),
  }
}

async function setWebhook(
  rest: Rest,
  url: string,
  more: object = {},
  workspaceId = 'default',
): Promise<void> {
  expect((await rest('PUT', '/environment/HOOK_SECRET', { value: secret })).status).toBe(200)
  const webhook = { url, secretVariable: 'HOOK_SECRET', ...more }
  expect(await rest('PATCH', `/workspaces/${workspaceId}`, { webhook })).toMatchObject({
    status: 200,
    body: { webhook: { enabled: true, ...webhook } },
  })
}

const startConversation = async (rest: Rest, fields: object = {}) =>
  expect((await rest('POST', '/conversations', fields)).status).toBe(201)

async function deliveries(rest: Rest, workspaceId = 'default'): Promise<Run[]> {
  const { body } = await rest('GET', `/runs?workflowId=wf_webhook_${workspaceId}`)
  return z.object({ runs: z.array(Run) }).parse(body).runs
}

describe('the webhook of a workspace', () => {
  test('warns while the variable of its secret is not set', async () => {
    const env: NodeJS.ProcessEnv = {}
    const { rest } = await startService({ service: { env } })
    const webhook = { url: 'https://example.com/', secretVariable: 'HOOK_SECRET' }
    const warnings = [
      { path: 'webhook.secretVariable', message: expect.stringContaining('HOOK_SECRET is not set') },
    ]
    const listed = async () => z.array(z.looseObject({})).parse((await rest('GET', '/workspaces')).body)[0]
    const used = { name: 'HOOK_SECRET', kind: 'value', usedBy: [], webhooks: 1 }
    expect((await rest('PATCH', webhookPath, { webhook })).body).toMatchObject({ webhook, warnings })
    expect(await listed()).toMatchObject({ warnings })
    expect((await rest('POST', '/workspaces', { name: 'Other', webhook })).body).toMatchObject({ warnings })
    expect((await rest('GET', '/environment')).body).toEqual([{ ...used, sources: [], webhooks: 2 }])
    env.HOOK_SECRET = secret
    expect(await listed()).not.toHaveProperty('warnings')
    await rest('PATCH', '/settings', { environmentPatterns: [] })
    expect(await listed()).toMatchObject({ warnings })
    await rest('PATCH', webhookPath, { webhook: { ...webhook, enabled: false } })
    expect(await listed()).not.toHaveProperty('warnings')
    await rest('PATCH', webhookPath, { webhook })
    await rest('PUT', '/environment/HOOK_SECRET', { value: secret })
    expect(await listed()).not.toHaveProperty('warnings')
    expect((await rest('PATCH', webhookPath, { name: 'Shop' })).body).not.toHaveProperty('warnings')
  })

  test('gets a signed conversation.started for each conversation of its workspace', async () => {
    const { rest } = await startService()
    const system = await startExternalSystem()
    await startConversation(rest)
    await setWebhook(rest, `${system.url}/in?from=here`)
    const { workspaceId } = Workspace.parse((await rest('POST', '/workspaces', { name: 'Other' })).body)
    await startConversation(rest, { workspaceId })
    await startConversation(rest)
    await expect.poll(async () => (await deliveries(rest)).map(({ status }) => status)).toEqual(['succeeded'])
    const [request] = system.requests
    if (request === undefined) throw new Error('Nothing came.')
    expect(system.requests).toHaveLength(1)
    expect([request.method, request.url]).toEqual(['POST', '/in?from=here'])
    expect(isSigned(request, secret)).toBe(true)
    const timestamp = new Date(startOfTests).toISOString()
    expect(request.body).toBe(
      `{"event":"conversation.started","agentId":"default","channel":"web","timestamp":"${timestamp}"}`,
    )
    expect(WebhookEvent.safeParse(JSON.parse(request.body)).success).toBe(true)
    const [run] = await deliveries(rest)
    expect(request.headers['idempotency-key']).toBe(`${run?.runId}.deliver`)
    expect(await deliveries(rest, workspaceId)).toEqual([])
  })

  test('is received by another service, which verifies the signature', async () => {
    const [sender, receiver] = [await startService(), await cleanService()]
    const { connectionId, credentials } = await createConnection(receiver.rest, { persistEvents: true })
    await sender.rest('PUT', '/environment/THEIR_SECRET', { value: credentials.signingSecret })
    const webhook = { url: credentials.inboundUrl, secretVariable: 'THEIR_SECRET' }
    await sender.rest('PATCH', webhookPath, { webhook })
    await startConversation(sender.rest)
    await expect
      .poll(async () => (await receiver.rest('GET', `/connections/${connectionId}/events`)).body)
      .toMatchObject({ events: [{ eventName: 'conversation.started', dataText: '{}' }] })
  })

  test('is tried again with the same key and body, also after a restart', async () => {
    const fixture = await startService()
    const { rest, clock } = fixture
    const state = { isUp: false }
    const system = await startExternalSystem((_request, response) =>
      response.writeHead(state.isUp ? 204 : 503).end(),
    )
    await setWebhook(rest, system.url)
    await startConversation(rest)
    await expect
      .poll(() => deliveries(rest))
      .toMatchObject([{ status: 'waiting', error: { code: 'http_503' } }])
    await fixture.restart()
    state.isUp = true
    clock.now += 60_000
    await expect.poll(() => deliveries(rest)).toMatchObject([{ status: 'succeeded', attempt: 2 }])
    const [first, second] = system.requests
    expect(second?.headers['idempotency-key']).toBe(first?.headers['idempotency-key'])
    expect(second?.body).toBe(first?.body)
    expect(second?.headers['x-service-timestamp']).not.toBe(first?.headers['x-service-timestamp'])
    expect(system.requests.map(request => isSigned(request, secret))).toEqual([true, true])
    const run = RunDetails.parse((await rest('GET', `/runs/${(await deliveries(rest))[0]?.runId}`)).body)
    const attempts = run.steps[0]?.attempts ?? []
    expect(attempts.map(({ error }) => error?.code ?? null)).toEqual(['http_503', null])
    for (const [index, { callId }] of attempts.entries())
      expect((await rest('GET', `/calls/${callId}`)).body).toMatchObject({
        ...{ connectionId: null, source: 'workflow', step: { runId: run.runId, path: 'deliver' } },
        ...{ request: { body: first?.body }, response: { status: index === 0 ? 503 : 204 } },
      })
  })

  test('sends nothing while it is off, keeps what waits, and cancels it when it is deleted', async () => {
    const { rest, clock, path, set, start, delivered } = await withWorkspace()
    const system = await startExternalSystem((_request, response) => response.writeHead(500).end())
    await set(system.url)
    await start()
    await expect.poll(delivered).toMatchObject([{ status: 'waiting' }])
    await set(system.url, { enabled: false })
    await start()
    clock.now += 3_600_000
    const [waiting, ...others] = await delivered()
    expect([waiting?.status, others, system.requests.length]).toEqual(['waiting', [], 1])
    await set(system.url)
    await expect.poll(() => system.requests.length).toBe(2)
    await rest('PATCH', path, { webhook: null })
    clock.now += 3_600_000
    await expect.poll(delivered).toMatchObject([{ status: 'cancelled' }])
  })

  test('that replaces a removed one gets none of its deliveries, also not by a retry', async () => {
    const { rest, clock, path, set, start, delivered } = await withWorkspace()
    const former = await startExternalSystem((_request, response) => response.writeHead(503).end())
    const latter = await startExternalSystem()
    const states = async () => (await delivered()).map(({ status }) => status)
    await set(former.url)
    await start()
    await start()
    await expect.poll(states).toEqual(['waiting', 'waiting'])
    await rest('PATCH', path, { webhook: null })
    await set(latter.url)
    await start()
    await expect.poll(async () => (await states())[0]).toBe('succeeded')
    clock.now += 3_600_000
    await expect.poll(states).toEqual(['succeeded', 'cancelled', 'cancelled'])
    expect([former.requests.length, latter.requests.length]).toEqual([2, 1])
    const oldest = (await delivered()).at(-1)
    expect(errorCode(await rest('POST', `/runs/${oldest?.runId}/retry`, {}))).toBe('run_not_retriable')
  })

  test('fails without its secret, names the variable, and can be retried', async () => {
    const { rest, set, start, delivered } = await withWorkspace()
    const system = await startExternalSystem()
    await set(system.url)
    await rest('DELETE', '/environment/HOOK_SECRET')
    expect((await rest('GET', '/environment')).body).toMatchObject([{ name: 'HOOK_SECRET', sources: [] }])
    await start()
    await expect.poll(delivered).toMatchObject([
      {
        status: 'failed',
        error: { code: 'missing_environment_variable', message: expect.stringContaining('HOOK_SECRET') },
      },
    ])
    expect(system.requests).toEqual([])
    await rest('PUT', '/environment/HOOK_SECRET', { value: secret })
    await rest('POST', `/runs/${(await delivered())[0]?.runId}/retry`, {})
    await expect.poll(delivered).toMatchObject([{ status: 'succeeded' }])
  })

  test('may not be a link-local address, and hides its secret in what comes back', async () => {
    const { rest, path, set, start, delivered } = await withWorkspace()
    await set('http://169.254.169.254/latest')
    await start()
    await expect.poll(delivered).toMatchObject([{ status: 'failed', error: { code: 'blocked_address' } }])
    const system = await startExternalSystem((_request, response) => response.end(`"${secret}"`))
    await set(system.url)
    const { status, text } = await rest('POST', `${path}/webhook/test`, {})
    expect([status, text.includes(secret), text.includes('••••')]).toEqual([200, false, true])
  })

  test('is tested without retries, also while it is off', async () => {
    const { rest, workspaceId, path, set } = await withWorkspace()
    const tested = () => rest('POST', `${path}/webhook/test`, {})
    expect(errorCode(await tested())).toBe('webhook_not_set')
    const system = await startExternalSystem((_request, response) => response.writeHead(503).end())
    await set(system.url, { enabled: false })
    expect((await tested()).body).toMatchObject({
      status: 'failed',
      test: true,
      eventName: 'conversation.started',
      error: { code: 'http_503' },
    })
    expect(WebhookEvent.parse(JSON.parse(system.requests[0]?.body ?? '')).event).toBe('conversation.started')
    expect((await rest('GET', `/workflows/wf_webhook_${workspaceId}`)).body).toMatchObject({
      name: 'Webhook',
    })
    expect((await rest('GET', '/workflows')).body).toEqual([])
    expect(errorCode(await rest('DELETE', `/workflows/wf_webhook_${workspaceId}`))).toBe('workflow_not_found')
  })

  test.each([
    [{ url: 'nowhere', secretVariable: 'A' }, ['webhook.url']],
    [{ url: 'https://user:pass@x.example/', secretVariable: 'A' }, ['webhook.url']],
    [{ url: 'https://x.example/#part', secretVariable: 'A' }, ['webhook.url']],
    [{ url: 'https://x.example/{{id}}', secretVariable: 'A' }, ['webhook.url']],
    [{ url: `https://x.example/${'a'.repeat(2048)}`, secretVariable: 'A' }, ['webhook.url']],
    [{ url: 'https://x.example/', secretVariable: 'whsec-1' }, ['webhook.secretVariable']],
    [{ url: 'https://x.example/', secret: 'whsec_1' }, ['webhook.secret', 'webhook.secretVariable']],
  ])('is refused if it is %j', async (webhook, paths) => {
    const { rest } = await cleanService()
    const answer = await rest('PATCH', webhookPath, { webhook })
    expect([answer.status, issuePaths(answer)]).toEqual([400, paths])
  })
})
