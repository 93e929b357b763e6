import { expect, it, onTestFinished } from 'vitest'
import { z } from 'zod'
import { emptyDatabase } from '../storage/postgres/open-database.ts'
import { startCuttableProxy } from '../support/cuttable-proxy.ts'
import { startExternalSystem } from '../support/external-system.ts'
import { noPostgres } from '../support/postgres.ts'
import { createConnection } from '../support/rest-client.ts'
import { postInbound, startService } from '../support/service-fixture.ts'

it.skipIf(noPostgres !== null)('logs an outage of the database once, and its end', async () => {
  const url = new URL(await emptyDatabase())
  const proxy = await startCuttableProxy(url.href)
  url.port = new URL(proxy.url).port
  const env = { CUSTOM_CONNECTION_KEY: 'a1'.repeat(32) }
  const { rest, log, listenerUrl, dashboardUrl } = await startService({
    service: { database: url.href, env, clock: Date.now },
  })
  let release = () => {}
  const released = new Promise<void>(resolve => {
    release = resolve
  })
  onTestFinished(release)
  const system = await startExternalSystem(
    (_request, response) => void released.then(() => response.end('{}')),
  )
  const { connectionId, credentials } = await createConnection(rest, {})
  const steps = [{ key: 'call', type: 'http', method: 'POST', url: system.url, body: '{}' }]
  const trigger = { type: 'external.event', connectionId }
  const workflow = await rest('POST', '/workflows', { name: 'W', trigger, steps, concurrency: 20 })
  expect(workflow.status, workflow.text).toBe(201)
  const { workflowId } = z.object({ workflowId: z.string() }).parse(workflow.body)
  expect((await rest('PATCH', `/workflows/${workflowId}`, { enabled: true })).status).toBe(200)
  const inboundUrl = `${listenerUrl}/api/connect/${credentials.inboundToken}/events`
  for (let n = 0; n < 10; n++)
    expect((await postInbound({ ...credentials, inboundUrl }, `{"event":"e${n}"}`, Date.now())).status).toBe(
      200,
    )
  await expect.poll(() => system.requests.length).toBe(10)
  const before = log.lines.length
  proxy.interrupt()
  release()
  const ready = async () => (await fetch(`${dashboardUrl}/readyz`)).status
  await expect.poll(ready).toBe(503)
  proxy.restore()
  await expect.poll(ready).toBe(200)
  const lines = () => log.lines.slice(before).map(({ message }) => message)
  await expect.poll(lines).toContain('The storage can be used again')
  const logged = ['A part of the service failed', 'The storage can be used again']
  expect(lines().filter(message => logged.includes(message))).toEqual(logged)
})
