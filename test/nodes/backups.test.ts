import { expect } from 'vitest'
import { bearer } from '../http/http.ts'
import { sharedNodes, test } from './open-nodes.ts'

const takeNodes = sharedNodes()

test('a backup that one node has made or was told of is in the list of the other', async () => {
  const [a, b] = await takeNodes()
  expect((await a.rest('POST', '/backups/note', { bytes: 7, label: 'pg_dump' })).status).toBe(200)
  const noted = [{ source: 'noted', bytes: 7, label: 'pg_dump', ok: true }]
  expect((await b.rest('GET', '/backups')).body).toMatchObject(noted)
  const response = await fetch(`${b.dashboardUrl}/api/v1/backup`, { method: 'POST', headers: bearer })
  await response.arrayBuffer()
  const list = async () => (await a.rest('GET', '/backups')).body
  await expect.poll(list).toEqual(expect.arrayContaining([expect.objectContaining({ source: 'rest' })]))
  expect(await a.service.backupList.newestGoodAt()).toBe(await b.service.backupList.newestGoodAt())
})

test('nodes make no backups on a schedule, and show none that came with the data of a folder', async () => {
  const [a, b] = await takeNodes()
  const backup = { every: 'day', at: '03:00', folder: import.meta.dirname, keep: 7 } as const
  expect(await a.rest('PATCH', '/settings', { backup })).toMatchObject({
    status: 409,
    body: { code: 'scheduled_backup_not_available' },
  })
  expect((await a.rest('PATCH', '/settings', { backup: null })).status).toBe(200)
  await a.service.storage.config.update(config => ({
    next: { ...config, settings: { ...config.settings, backup } },
    result: null,
  }))
  for (const { rest } of [a, b]) {
    expect((await rest('GET', '/settings')).body).toMatchObject({ backup: null })
    expect((await rest('GET', '/backups/next')).body).toEqual({ at: null })
  }
})
