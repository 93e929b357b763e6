import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished } from 'vitest'
import { z } from 'zod'
import type { Storage } from '#main/storage/storage.ts'
import { RunDetails } from '#shared/model/run.ts'
import { Workflow } from '#shared/model/workflow.ts'
import { eventually } from '../support/eventually.ts'
import { startExternalSystem } from '../support/external-system.ts'
import { expectNowhere, filesBelow } from '../support/leaks.ts'
import { createConnection } from '../support/rest-client.ts'
import { openTwoNodes, test, withOther } from './open-nodes.ts'

const canary = 'canary-4713-of-a-token'
const secrets = new Map([['token', canary]])

/** Everything that is stored, as a backup has it. */
async function stored(storage: Storage): Promise<Map<string, string>> {
  const folder = await mkdtemp(join(tmpdir(), 'cc-private-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  await storage.backupSources.copyTo(folder)
  return new Map(await filesBelow(folder))
}

describe('nodes', () => {
  test('go on with the output of a private step that another node has carried out', async () => {
    let claiming = 0
    const [a, b] = await openTwoNodes({}, (storage, node) => ({
      ...storage,
      runs: withOther(storage.runs, {
        claim: (...of) =>
          node === claiming ? storage.runs.claim(...of) : Promise.resolve({ runs: [], nextDueAt: null }),
      }),
    }))
    const system = await startExternalSystem(({ url }, response) => {
      if (url === '/use' && claiming === 0) {
        claiming = 1
        response.statusCode = 503
      }
      response.end(JSON.stringify(url === '/token' ? { access_token: canary } : { got: canary }))
    })
    const http = { type: 'http', method: 'POST', body: '{}' }
    const headers = { Authorization: '{{steps.auth.header}}' }
    const steps = [
      { ...http, key: 'token', url: `${system.url}/token`, private: true },
      { key: 'auth', type: 'set', values: { header: { value: 'Bearer {{steps.token.access_token}}' } } },
      { ...http, key: 'use', url: `${system.url}/use`, headers },
    ]
    const input = { name: 'W', trigger: { type: 'external.event' }, steps }
    const { workflowId } = Workflow.loose().parse((await a.rest('POST', '/workflows', input)).body)
    const { connectionId } = await createConnection(a.rest, { persistEvents: true })
    await a.rest('POST', `/connections/${connectionId}/send`, { event: 'order.paid', data: {} })
    const Runs = z.object({ runs: z.array(z.object({ runId: z.string(), status: z.string() })) })
    const list = async () => Runs.parse((await b.rest('GET', `/runs?workflowId=${workflowId}`)).body).runs
    await eventually(async () => expect(await list()).toMatchObject([{ status: 'waiting' }]))
    const waiting = await stored(a.service.storage)
    expect([...waiting.values()].join()).toContain('aes-256-gcm:')
    expectNowhere(secrets, waiting)

    const [run] = await list()
    await b.rest('POST', `/runs/${run?.runId}/retry`, {})
    await eventually(async () => expect(await list()).toMatchObject([{ status: 'succeeded' }]))
    expect(system.requests.map(({ url, headers }) => [url, headers.authorization])).toEqual([
      ['/token', undefined],
      ['/use', `Bearer ${canary}`],
      ['/use', `Bearer ${canary}`],
    ])
    const answer = await a.rest('GET', `/runs/${run?.runId}`)
    expect(RunDetails.parse(answer.body).steps).toMatchObject([
      { private: true, output: null },
      { output: { header: 'Bearer ••••' } },
      { output: { got: '••••' } },
    ])
    const places = await stored(b.service.storage)
    expectNowhere(secrets, places.set('REST', answer.text).set('logs', a.log.text() + b.log.text()))
    const details = await b.service.storage.runs.get(run?.runId ?? '')
    expect(details?.steps.map(({ sealed }) => sealed)).toEqual([null, undefined, undefined, null])
  })
})
