import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { Agent, request } from 'undici'
import { afterAll, expect, onTestFinished, test, vi } from 'vitest'
import { Credentials } from '#shared/model/connection.ts'
import { createConnection } from '../support/rest-client.ts'

/** Whether the disk has no room left for what only others read. */
const disk = vi.hoisted(() => ({ isFull: false }))

function refuse(path: unknown): void {
  if (disk.isFull && /(lock\.pid|service\.json\.tmp)$/.test(String(path)))
    throw Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' })
}

vi.mock('node:fs', async importOriginal => {
  const original = await importOriginal<typeof import('node:fs')>()
  return {
    ...original,
    writeFileSync(...given: Parameters<typeof original.writeFileSync>) {
      refuse(given[0])
      original.writeFileSync(...given)
    },
  }
})

vi.mock('node:fs/promises', async importOriginal => {
  const original = await importOriginal<typeof import('node:fs/promises')>()
  return {
    ...original,
    async open(...given: Parameters<typeof original.open>) {
      refuse(given[0])
      return original.open(...given)
    },
  }
})

afterAll(() => {
  disk.isFull = false
  vi.doUnmock('node:fs')
  vi.doUnmock('node:fs/promises')
  vi.resetModules()
})

test('a service on a disk too full for service.json and lock.pid serves, and logs both', async () => {
  // Files of one worker share what they load: only what is loaded from here on has the disk above.
  vi.resetModules()
  const { postInbound, startService } = await import('../support/service-fixture.ts')
  const { answerLocally } = await import('#main/http/open-dashboard.ts')
  const fixture = await startService()
  const { dataFolder, rest, log } = fixture
  const { connectionId } = await createConnection(rest, { persistEvents: true })
  disk.isFull = true
  await fixture.restart()
  const end = await answerLocally(fixture.service, fixture.dashboardUrl, {
    clock: Date.now,
    random: randomBytes,
    logger: log.logger,
  })
  onTestFinished(end)
  for (const name of ['service.json', 'lock.pid']) {
    expect(existsSync(join(dataFolder, name))).toBe(false)
    expect(log.text()).toContain(`${join(dataFolder, name)} cannot be written: ENOSPC`)
  }

  const { body } = await rest('GET', `/connections/${connectionId}/credentials`)
  expect((await postInbound(Credentials.parse(body), '{"event":"order.paid"}')).status).toBe(200)
  expect((await rest('GET', `/connections/${connectionId}/events`)).body).toMatchObject({
    events: [{ eventName: 'order.paid' }],
  })
  const socket = new Agent({ connect: { socketPath: fixture.service.machine.folder.socketPath } })
  onTestFinished(() => socket.close())
  expect((await request('http://localhost/healthz', { dispatcher: socket })).statusCode).toBe(200)
})
