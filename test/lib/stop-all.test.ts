import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { stopAll } from '#main/lib/stop-all.ts'
import { startService } from '../support/service-fixture.ts'

test('every part is stopped in turn, whichever of them fail, and their errors are thrown together', async () => {
  const stopped: string[] = []
  const part = (name: string, error?: Error) => async () => {
    stopped.push(name)
    if (error !== undefined) throw error
  }
  const [first, second] = [new Error('first'), new Error('second')]
  await stopAll([part('a'), part('b')])
  await expect(stopAll([part('c', first), part('d')])).rejects.toBe(first)
  await expect(stopAll([part('e', first), part('f', second), part('g')])).rejects.toMatchObject({
    errors: [first, second],
  })
  expect(stopped.join('')).toBe('abcdefg')
})

test('a service of which a part cannot be stopped lets go of its data folder', async () => {
  const fixture = await startService()
  // service.json cannot be removed when it is a folder.
  const inTheWay = join(fixture.dataFolder, 'service.json')
  await mkdir(inTheWay)
  await expect(fixture.stop()).rejects.toMatchObject({ code: 'ERR_FS_EISDIR' })
  await rm(inTheWay, { recursive: true })
  await fixture.restart()
  expect((await fixture.rest('GET', '/connections')).status).toBe(200)
})
