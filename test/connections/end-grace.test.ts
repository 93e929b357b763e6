import { join } from 'node:path'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { createGraceEnd, withGraceEnded } from '#main/connections/end-grace.ts'
import { newConfig, openConfigStore } from '#main/storage/local/lowdb-config-store.ts'
import { ServiceError } from '#shared/errors.ts'
import { exampleConnection, newFolder, now, sealer, withConnections } from '../storage/config-fixtures.ts'
import { createConnection } from '../support/rest-client.ts'
import { postInbound, startService } from '../support/service-fixture.ts'

const hour = 3_600_000
const old = (secret: string, expiresAt: number) => ({ secret, expiresAt })
const inGrace = exampleConnection('conn_1', {
  oldSecrets: [old('a', now + 2 * hour), old('b', now + hour), old('c', 0)],
  oldSenderSecrets: [old('d', now + hour)],
})

describe('the grace period of replaced secrets', () => {
  test('ends for those whose time is over, which stay known', () => {
    const config = withConnections(newConfig(now), inGrace, exampleConnection('conn_2'))
    expect(withGraceEnded(config, ['conn_1', 'conn_2', 'conn_3'], now + hour - 1)).toBe(config)
    const { connections } = withGraceEnded(config, ['conn_1'], now + hour)
    expect(connections.get('conn_1')).toEqual({
      ...inGrace,
      oldSecrets: [old('a', now + 2 * hour), old('b', 0), old('c', 0)],
      oldSenderSecrets: [old('d', 0)],
    })
    expect(connections.get('conn_2')).toBe(config.connections.get('conn_2'))
  })

  async function opened() {
    const store = await openConfigStore({
      file: join(await newFolder(), 'config.json'),
      sealer,
      clock: () => now,
      initial: withConnections(newConfig(now), inGrace),
      after: () => () => {},
    })
    onTestFinished(store.close)
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    onTestFinished(() => void vi.useRealTimers())
    const clock = { now }
    const errors: unknown[] = []
    const updates: Promise<unknown>[] = []
    const failing = { next: false }
    const end = createGraceEnd({
      store: {
        ...store,
        update(change) {
          const result = failing.next
            ? Promise.reject(new ServiceError('storage_unavailable'))
            : store.update(change)
          failing.next = false
          updates.push(result)
          return result
        },
      },
      clock: () => clock.now,
      onError: error => errors.push(error),
    })
    onTestFinished(end.stop)
    return { store, clock, updates, failing, errors }
  }

  test('ends without a request, as long as there is one, and then nothing wakes up', async () => {
    const { clock, store, updates } = await opened()
    await vi.advanceTimersByTimeAsync(60_000)
    expect(updates).toHaveLength(0)
    for (const count of [1, 2]) {
      clock.now += hour
      vi.advanceTimersByTime(1000)
      expect(updates).toHaveLength(count)
      await updates.at(-1)
      // The next look is set after the update has resolved.
      await Promise.resolve()
    }
    clock.now = now
    const { oldSecrets = [] } = store.snapshot().connections.get('conn_1') ?? {}
    expect(oldSecrets.map(({ expiresAt }) => expiresAt)).toEqual([0, 0, 0])
    expect(vi.getTimerCount()).toBe(0)
  })

  test('is tried again a minute after it could not be stored', async () => {
    const { clock, updates, failing, errors } = await opened()
    failing.next = true
    clock.now += hour
    await vi.advanceTimersByTimeAsync(1000)
    expect(errors).toMatchObject([{ code: 'storage_unavailable' }])
    await vi.advanceTimersByTimeAsync(59_999)
    expect(updates).toHaveLength(1)
    await vi.advanceTimersByTimeAsync(1)
    expect(updates).toHaveLength(2)
    await updates.at(-1)
  })
})

test('a secret that the service has seen expire stays so after a restart with an earlier clock', async () => {
  const fixture = await startService()
  const { connectionId, credentials } = await createConnection(fixture.rest)
  await fixture.rest('POST', `/connections/${connectionId}/rotate-secret`, { graceHours: 1 })
  const post = () => postInbound(credentials, '{"event":"order.paid"}', fixture.clock.now)
  expect((await post()).status).toBe(200)
  fixture.clock.now += hour
  expect((await post()).status).toBe(401)
  await fixture.stop()
  fixture.clock.now -= hour
  await fixture.restart()
  const { body } = await fixture.rest('GET', `/connections/${connectionId}/credentials`)
  const { inboundUrl } = Object(body)
  expect((await postInbound({ ...credentials, inboundUrl }, '{"event":"a"}', fixture.clock.now)).status).toBe(
    401,
  )
})
