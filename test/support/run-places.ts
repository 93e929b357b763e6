import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { z } from 'zod'
import type { Storage } from '#main/storage/storage.ts'
import { OccurrencePage } from '#shared/model/activity.ts'
import { filesBelow } from './leaks.ts'
import type { ServiceFixture } from './service-fixture.ts'

const Runs = z.object({ runs: z.array(z.object({ runId: z.string() })) })

/** Everything that can be read of what has run, and every byte that is stored and backed up. */
export async function placesOfRuns(
  fixture: ServiceFixture,
  workflowId: string,
): Promise<Map<string, string>> {
  const { rest, log, dataFolder, service } = fixture
  const found = new Map<string, string>()
  const read = async (path: string) => void found.set(`GET ${path}`, (await rest('GET', path)).text)
  const { runs } = Runs.parse((await rest('GET', `/runs?workflowId=${workflowId}`)).body)
  for (const { runId } of runs) for (const more of ['', '?contents=text']) await read(`/runs/${runId}${more}`)
  const { items } = OccurrencePage.parse((await rest('GET', '/activity/list?limit=200')).body)
  for (const { id } of items) if (id.startsWith('call_')) await read(`/calls/${id}`)
  for (const path of [
    '/runs',
    '/activity/list',
    `/workflows/${workflowId}`,
    `/workflows/${workflowId}/export`,
  ])
    await read(path)
  found.set('log', log.text())
  for (const [name, content] of await filesBelow(dataFolder)) found.set(name, content)
  for (const [name, content] of await backupOf(service.storage)) found.set(`backup: ${name}`, content)
  return found
}

async function backupOf(storage: Storage): Promise<[string, string][]> {
  const folder = await mkdtemp(join(tmpdir(), 'cc-private-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  await storage.backupSources.copyTo(folder)
  return filesBelow(folder)
}
