import { createServer } from 'node:http'
import { expect, onTestFinished, test } from 'vitest'
import type { Listener } from '#main/inbound/listener.ts'
import { createMovableListener } from '#main/inbound/listening.ts'
import { listenOn } from '#main/lib/listen-on.ts'
import { ServiceError } from '#shared/errors.ts'
import { startInbound } from '../support/inbound-fixture.ts'
import { openRawClient } from '../support/raw-http.ts'
import { signedRequest } from '../support/sender.ts'

test.each(['another port', 'the same port'])(
  'an address that cannot be kept (%s) is given up, and the one before goes on',
  async where => {
    const fixture = await startInbound()
    const { listener } = fixture.inbound
    const next =
      where === 'another port' ? { host: '127.0.0.1', port: 0 } : { host: '0.0.0.0', port: fixture.port }
    const taken: number[] = []
    const moved = listener.move(next, async ({ port }) => {
      taken.push(port)
      throw new ServiceError('storage_unavailable')
    })
    await expect(moved).rejects.toMatchObject({ code: 'storage_unavailable' })
    expect(listener.now()).toMatchObject({ host: '127.0.0.1', address: { port: fixture.port } })
    expect((await fixture.post()).status).toBe(200)
    expect(taken).toHaveLength(1)
    if (where === 'another port')
      await expect(fetch(`http://127.0.0.1:${taken[0]}`)).rejects.toThrow('fetch failed')
    await listener.move({ host: '127.0.0.1', port: 0 }, async () => {})
  },
)

test('a move ends only the connections of the old address, those that hang too', async () => {
  const fixture = await startInbound({ timeouts: { stopGrace: 50 } })
  const { connection, clock, inbound } = fixture
  const hanging = await fixture.open()
  await hanging.write('POST /api')
  const { host, address } = await inbound.listener.move({ host: '127.0.0.1', port: 0 }, async () => {})
  const place = { host, port: address.port }
  const [used, unused] = [await openRawClient(place), await openRawClient(place)]
  const event = () => signedRequest(connection, clock.now).bytes
  await used.write(event())
  await used.read()
  await hanging.closed()
  for (const client of [used, unused]) {
    await client.write(event())
    expect((await client.read()).status).toBe(200)
  }
})

test('one whose old address was taken meanwhile listens nowhere, says so, and can be moved again', async () => {
  const errors: unknown[] = []
  let starts = 0
  const movable = createMovableListener(
    ({ host, port }): Listener => {
      const server = createServer()
      return {
        async start() {
          // Between giving up the old address and taking it back, somebody else has it.
          if (++starts === 4) throw new ServiceError('port_in_use')
          return listenOn(server, host, port)
        },
        drain() {},
        stop: () => new Promise(resolve => server.close(() => resolve())),
      }
    },
    () => 7,
    error => errors.push(error),
  )
  onTestFinished(() => movable.stop())
  const { address } = await movable.start({ host: '127.0.0.1', port: 0 })
  const failing = async () => {
    throw new Error('Not kept.')
  }
  await expect(movable.move({ host: '0.0.0.0', port: address.port }, failing)).rejects.toThrow('Not kept.')
  expect(starts).toBe(4)
  expect(errors).toMatchObject([{ code: 'port_in_use' }])
  expect(movable.now()).toBeNull()
  const again = await movable.move({ host: '127.0.0.1', port: 0 }, async () => {})
  expect(movable.now()).toBe(again)
  expect(again).toMatchObject({ host: '127.0.0.1', since: 7 })
})
