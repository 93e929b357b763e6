import { readdirSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { connect } from 'node:net'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { z } from 'zod'
import { restoreBackup } from '#main/backup/restore.ts'
import { saveBackup } from '#main/backup/save-backup.ts'
import { Backup } from '#shared/model/backup.ts'
import { bearer } from '../http/http.ts'
import { newFolder } from '../storage/config-fixtures.ts'
import { errorCode, issuePaths, type Rest } from '../support/rest-client.ts'
import { sharedService, startOfTests, startService } from '../support/service-fixture.ts'

const cleanService = sharedService()

const at = (ms: number) => new Date(startOfTests + ms).toISOString()
const listed = async (rest: Rest, query = '') =>
  z.array(z.strictObject(Backup.shape)).parse((await rest('GET', `/backups${query}`)).body)

const noted = { bytes: null, source: 'noted', label: null, ok: true, error: null }

test('backups over REST, and those that were noted, are listed in pages, also after a restart', async () => {
  const fixture = await startService()
  const { rest, clock } = fixture
  expect(await listed(rest)).toEqual([])
  const response = await fetch(`${fixture.dashboardUrl}/api/v1/backup`, { method: 'POST', headers: bearer })
  const { byteLength } = await response.arrayBuffer()
  const sent = { ...noted, at: at(0), bytes: byteLength, source: 'rest' }
  await expect.poll(() => listed(rest)).toEqual([sent])

  clock.now += 60_000
  const pg = { at: startOfTests - 5000, bytes: 12, label: ' pg_dump ' }
  expect(await rest('POST', '/backups/note', pg)).toMatchObject({
    status: 200,
    body: { ...noted, at: at(-5000), bytes: 12, label: 'pg_dump' },
  })
  expect((await rest('POST', '/backups/note', {})).body).toEqual({ ...noted, at: at(60_000) })
  const all = await listed(rest)
  expect(all.map(one => one.at)).toEqual([at(60_000), at(0), at(-5000)])
  expect(await listed(rest, '?limit=1')).toEqual(all.slice(0, 1))
  expect(await listed(rest, `?limit=1&after=${all[0]?.at}`)).toEqual(all.slice(1, 2))
  expect(await listed(rest, `?after=${all[1]?.at}`)).toEqual(all.slice(2))
  expect(await listed(rest, `?after=${all[2]?.at}`)).toEqual([])
  await fixture.restart()
  expect(await listed(rest)).toEqual(all)
  // The activity is about connections.
  expect((await rest('GET', '/activity/list')).body).toMatchObject({ items: [] })
})

test('a backup has the list of those before it, and a restore brings it back', async () => {
  const fixture = await startService()
  await fixture.rest('POST', '/backups/note', { label: 'of yesterday' })
  const before = await listed(fixture.rest)
  const folder = await newFolder()
  const { stream } = await fixture.service.backups.create()
  const { file } = await saveBackup(stream, { file: `${folder}/b.tar.gz`, force: false })
  const dataFolder = `${folder}/data`
  await restoreBackup({ dataFolder, file, force: false, clock: () => startOfTests })
  const restored = await startService({ service: { dataFolder } })
  onTestFinished(() => rm(dataFolder, { recursive: true, force: true }))
  expect(await listed(restored.rest)).toEqual(before)
})

const schedule = { every: 'day', at: '03:00', keep: 7 } as const

test('a schedule is part of the settings, makes backups at its time and says when the next is', async () => {
  const checks: (() => Promise<unknown>)[] = []
  const { rest, clock } = await startService({
    of: storage => ({
      ...storage,
      housekeeping: {
        every(step, run) {
          if (step.name === 'scheduled-backup') checks.push(run)
          return storage.housekeeping.every(step, run)
        },
      },
    }),
  })
  expect((await rest('GET', '/backups/next')).body).toEqual({ at: null })
  const backup = { ...schedule, folder: await newFolder() }
  const set = await rest('PATCH', '/settings', { backup })
  expect(set).toMatchObject({ status: 200, body: { backup } })
  expect((await rest('GET', '/settings')).body).toMatchObject({ backup })
  const { at: next } = z.object({ at: z.string() }).parse((await rest('GET', '/backups/next')).body)
  expect(Date.parse(next) - startOfTests).toBeGreaterThan(0)
  const local = new Date(next)
  expect([local.getHours(), local.getMinutes()]).toEqual([3, 0])
  expect(checks).toHaveLength(1)
  for (const ms of [startOfTests, Date.parse(next) + 4000]) {
    clock.now = ms
    await checks[0]?.()
  }
  const made = await listed(rest)
  expect(made).toMatchObject([{ source: 'schedule', ok: true, at: new Date(clock.now).toISOString() }])
  expect(readdirSync(backup.folder)).toEqual([made[0]?.label])
  expect(await rest('PATCH', '/settings', { backup: null })).toMatchObject({ body: { backup: null } })
  expect((await rest('GET', '/backups/next')).body).toEqual({ at: null })
})

test.each([
  [{ at: '24:00' }, 'backup.at'],
  [{ at: '3:00' }, 'backup.at'],
  [{ every: 'month' }, 'backup.every'],
  [{ keep: 0 }, 'backup.keep'],
  [{ keep: 366 }, 'backup.keep'],
  [{ folder: '' }, 'backup.folder'],
  [{ folder: 'relative' }, 'backup.folder'],
  [{ folder: join(import.meta.dirname, 'none', 'below') }, 'backup.folder'],
  [{ folder: import.meta.filename }, 'backup.folder'],
  [{ hour: 3 }, 'backup.hour'],
])('a schedule with %j is refused', async (change, path) => {
  const { rest } = await cleanService()
  const backup = { ...schedule, folder: await newFolder(), ...change }
  const answer = await rest('PATCH', '/settings', { backup })
  expect([answer.status, errorCode(answer), issuePaths(answer)]).toEqual([400, 'invalid_input', [path]])
  expect((await rest('GET', '/settings')).body).toMatchObject({ backup: null, updatedAt: null })
})

test('a download that ends early is listed as failed', async () => {
  const { rest, dashboardUrl } = await startService()
  const { hostname, port } = new URL(dashboardUrl)
  const socket = connect(Number(port), hostname)
  socket.write(
    `POST /api/v1/backup HTTP/1.1\r\nhost: ${hostname}:${port}\r\nauthorization: ${bearer.authorization}\r\n\r\n`,
  )
  socket.destroySoon()
  const error = expect.any(String)
  await expect.poll(() => listed(rest)).toMatchObject([{ ok: false, bytes: null, source: 'rest', error }])
})

test.each([
  [{ at: startOfTests + 3_600_000 }, 'at'],
  [{ at: 'yesterday' }, 'at'],
  [{ at: startOfTests / 1000 }, 'at'],
  [{ bytes: -1 }, 'bytes'],
  [{ label: ' ' }, 'label'],
  [{ label: 'x'.repeat(201) }, 'label'],
  [{ source: 'schedule' }, 'source'],
  [{ ok: false }, 'ok'],
])('a note of %j is refused', async (note, path) => {
  const { rest } = await cleanService()
  const answer = await rest('POST', '/backups/note', note)
  expect([answer.status, errorCode(answer), issuePaths(answer)]).toEqual([400, 'invalid_input', [path]])
  expect(await listed(rest)).toEqual([])
})
