import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, onTestFinished, test } from 'vitest'
import { z } from 'zod'
import { RunDetails } from '#shared/model/run.ts'
import { Workflow } from '#shared/model/workflow.ts'
import { eventually } from '../support/eventually.ts'
import { startExternalSystem } from '../support/external-system.ts'
import { startService } from '../support/service-fixture.ts'

const fixture = join(import.meta.dirname, '../fixtures/earlier-workflows')
/** A second after the time until which the run waits. */
const now = Date.parse('2026-12-01T00:00:01Z')
const connectionId = 'conn_oWh3-ngzU5rTKY0sYacfP'
const Payload = z.looseObject({ eventName: z.string(), connectionId: z.string() })
const Runs = z.object({ runs: z.array(z.object({ runId: z.string(), status: z.string() })) })

/** Writes the folder of the earlier version, whose requests go to a system of this test. */
async function earlierFolder(systemUrl: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'cc-earlier-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  const read = (file: string) => readFile(join(fixture, file), 'utf8')
  const config = (await read('config.json')).replaceAll('http://127.0.0.1:9', systemUrl)
  await writeFile(join(folder, 'config.json'), config)
  await writeFile(join(folder, 'secret.key'), await read('secret.key'))
  const database = new DatabaseSync(join(folder, 'events.sqlite'))
  database.exec(await read('events.sql'))
  database.close()
  return folder
}

const requestsOfRun = [
  {
    url: '/of%20env?of=of%20%24run',
    headers: { 'x-of': 'of service of $calls' },
    body: JSON.stringify([
      ...['of env', 'of service', 'of calls', 'of run', 'of $env', 'of $run', 'of $calls', 'of $length'],
    ]),
  },
  { url: '/act', body: '{"given":"of $env of calls of $env inside"}' },
]

test('workflows that read fields named as variables of the service run as before, also runs that wait', async () => {
  const system = await startExternalSystem((_request, response) => response.end('{"$env":"kept"}'))
  const dataFolder = await earlierFolder(system.url)
  const { rest, log } = await startService({ service: { dataFolder, clock: () => now } })
  const ended = (count: number) =>
    eventually(async () => {
      const { runs } = Runs.parse((await rest('GET', '/runs')).body)
      expect(runs.map(({ status }) => status)).toEqual(Array(count).fill('succeeded'))
      return RunDetails.parse((await rest('GET', `/runs/${runs[0]?.runId}`)).body)
    })
  const { payload, steps } = await ended(1)
  expect(system.requests).toMatchObject(requestsOfRun)
  expect(steps.flatMap(({ type, output }) => (type === 'notify' ? [output] : []))).toEqual([
    { message: 'x of $env 0' },
    { message: 'y of $env 1' },
  ])
  const [workflow] = z.array(Workflow.loose()).parse((await rest('GET', '/workflows')).body)
  expect(workflow?.trigger.once?.key).toBe('{{event.$env.a}} {{env.a}}')
  expect(log.text()).toContain('Reads names of the service')

  system.requests.length = 0
  const { eventName: _, connectionId: __, ...data } = Payload.parse(payload)
  const send = () => rest('POST', `/connections/${connectionId}/send`, { event: 'order.paid', data })
  await send()
  await ended(2)
  // It has the key of the one before.
  await send()
  expect(Runs.parse((await rest('GET', '/runs')).body).runs).toHaveLength(2)
  expect(system.requests).toMatchObject([
    { url: '/sent/of%20%24env', body: '{"calls":"of calls"}' },
    ...requestsOfRun,
  ])
})
