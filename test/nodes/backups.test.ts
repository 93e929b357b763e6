import { expect } from 'vitest'
import { bearer } from '../http/http.ts'
import { openTwoNodes, test } from './open-nodes.ts'

test('a backup that one node has made or was told of is in the list of the other', async () => {
  const [a, b] = await openTwoNodes()
  expect((await a.rest('POST', '/backups/note', { bytes: 7, label: 'pg_dump' })).status).toBe(200)
  const noted = [{ source: 'noted', bytes: 7, label: 'pg_dump', ok: true }]
  expect((await b.rest('GET', '/backups')).body).toMatchObject(noted)
  const response = await fetch(`${b.dashboardUrl}/api/v1/backup`, { method: 'POST', headers: bearer })
  await response.arrayBuffer()
  const list = async () => (await a.rest('GET', '/backups')).body
  await expect.poll(list).toEqual(expect.arrayContaining([expect.objectContaining({ source: 'rest' })]))
  expect(await a.service.backupList.newestGoodAt()).toBe(await b.service.backupList.newestGoodAt())
})
