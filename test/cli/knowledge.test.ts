import { existsSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { request } from 'undici'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { restPrefix } from '#shared/contract/base.ts'
import { runCliHere as runCli } from '../support/cli-here.ts'
import { jsonOf } from '../support/cli-process.ts'
import { keptToken, rest, serve, stop, temporaryFolder } from '../support/cli-service.ts'

test('adds files that survive kill -9, and that a backup restores', async () => {
  const folder = temporaryFolder()
  const zones = join(folder, 'zones.csv')
  const picture = join(folder, 'Holiday hours.html')
  writeFileSync(zones, 'zone,price\nNorth,4.90\nSouth,5.90,x\n')
  writeFileSync(picture, '<!doctype html><p>Closed')
  const data = join(folder, 'data')
  const running = await serve(data)
  const knowledge = (args: readonly string[], from = data) => runCli(['knowledge', ...args, '--data', from])

  const added = await knowledge(['add', zones, picture])
  expect(added).toMatchObject({
    code: 1,
    stdout: expect.stringMatching(/^file_\S+ {2}zones\.csv .*2 rows {2}warning: Row 3: 3 columns, not 2\n$/),
    stderr: expect.stringContaining('Web pages cannot be read. Print the page to a PDF'),
  })
  running.process.signal('SIGKILL')
  await running.process.ended

  const restarted = await serve(data)
  const [fileId = ''] = (await knowledge(['list'])).stdout.split(' ')
  expect(await knowledge(['search', 'north'])).toMatchObject({
    stdout: expect.stringContaining('zones.csv, rows 2 to 3: zone: North; price: 4.90'),
  })
  expect((await knowledge(['text', fileId])).stdout).toContain('zone: South; price: 5.90; x')
  const polish = join(folder, 'miasto.txt')
  writeFileSync(polish, Buffer.from([0xa3, 0xf3, 0x64, 0x9f]))
  const inRussian = await knowledge(['add', polish, '--encoding', 'windows-1251', '--json'])
  const [{ fileId: polishId }] = z.tuple([z.object({ fileId: z.string() })]).parse(jsonOf(inRussian))
  expect((await knowledge(['text', polishId])).stdout).toContain('Јуdџ')
  const again = await knowledge(['read', polishId, '--encoding', 'windows-1250', '--separator', 'auto'])
  expect(again.stdout).toContain('miasto.txt  Windows-1250')
  expect((await knowledge(['text', polishId])).stdout).toContain('Łódź')
  expect(await knowledge(['read', polishId, '--encoding', 'latin'])).toMatchObject({ code: 2 })
  await knowledge(['delete', polishId])
  const backup = join(folder, 'backup.tar.gz')
  expect((await runCli(['backup', backup, '--data', data])).code).toBe(0)
  expect((await knowledge(['delete', fileId])).stdout).toBe('Deleted.\n')
  expect(jsonOf(await knowledge(['list', '--json']))).toEqual([])
  await stop(restarted)

  const restored = join(folder, 'restored')
  expect((await runCli(['restore', backup, '--data', restored])).code).toBe(0)
  expect(existsSync(join(restored, 'uploads'))).toBe(false)
  await serve(restored)
  expect((await knowledge(['text', fileId], restored)).stdout).toContain('zone: South; price: 5.90; x')
  expect((await knowledge(['search', 'north'], restored)).stdout).toContain('zones.csv, rows 2 to 3')
  expect(jsonOf(await knowledge(['show', fileId, '--json'], restored))).toMatchObject({ name: 'zones.csv' })
})

test('keeps nothing of uploads that kill -9 interrupts', async () => {
  const data = join(temporaryFolder(), 'data')
  const running = await serve(data)
  const path = '/platform/knowledge/uploads'
  const { body } = await rest(running, 'POST', path, { body: { name: 'parts.txt', bytes: 10 } })
  const { uploadId } = z.object({ uploadId: z.string() }).parse(body)
  const base64 = Buffer.from('Half').toString('base64')
  await rest(running, 'POST', `${path}/${uploadId}`, { body: { offset: 0, base64 } })
  async function* half() {
    yield Buffer.from('Half of a file\n')
    await running.process.ended
  }
  const posting = request(`${running.dashboardUrl}${restPrefix}/platform/knowledge?name=raw.txt`, {
    method: 'POST',
    headers: { authorization: `Bearer ${keptToken(data)}` },
    body: Readable.from(half()),
  })
  const lost = expect(posting).rejects.toThrow()
  const uploads = join(data, 'uploads')
  const sizes = () => readdirSync(uploads).map(name => statSync(join(uploads, name)).size)
  await expect.poll(() => sizes().toSorted((one, other) => one - other)).toEqual([4, 15])
  running.process.signal('SIGKILL')
  await lost

  const again = await serve(data)
  expect(existsSync(uploads)).toBe(false)
  expect((await rest(again, 'GET', '/platform/knowledge')).body).toEqual([])
  expect((await rest(again, 'POST', `${path}/${uploadId}/finish`, { body: {} })).body).toMatchObject({
    code: 'upload_not_found',
  })
})
