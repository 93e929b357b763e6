import { expect, test } from 'vitest'
import { createRandom } from '../support/fuzz/random.ts'
import { fuzzInbound } from '../support/fuzz/run-inbound.ts'
import { startInbound } from '../support/inbound-fixture.ts'

test('answers fuzzed requests as an independent reading of the specification does', async () => {
  const inbound = await startInbound()
  const { connection, other, host, port } = inbound
  // The second connection is switched off for half of the requests to be refused for that alone.
  await inbound.change({ enabled: false })
  const connections = new Map([
    [connection.token, { enabled: false, secret: connection.secret }],
    [other.token, { enabled: true, secret: other.secret }],
  ])
  const result = await fuzzInbound({
    address: { host, port },
    world: { connections, maxBodyBytes: 1024 * 1024 },
    accounts: [other, other, other, connection],
    random: createRandom(20261122),
    requests: 4000,
    now: () => inbound.clock.now,
  })
  expect(result.wrong).toEqual([])
  expect(result.answered).toBe(4000)
  expect(inbound.triggers.length).toBe(result.codes.ok)
  // Every way to be refused that a whole, well-formed request has was met.
  expect(Object.keys(result.codes).sort()).toEqual([
    'connection_disabled',
    'invalid_data',
    'invalid_event',
    'invalid_json',
    'invalid_signature',
    'invalid_timestamp',
    'method_not_allowed',
    'missing_event',
    'missing_signature',
    'missing_timestamp',
    'not_found',
    'ok',
    'stale_timestamp',
    'unknown_token',
    'unsupported_encoding',
  ])
})
