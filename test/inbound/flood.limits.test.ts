import { statSync } from 'node:fs'
import { expect, test } from 'vitest'
import { startInbound } from '../support/inbound-fixture.ts'
import { bytesInUse } from '../support/memory.ts'
import { pathOf, signedRequest } from '../support/sender.ts'

const mebibyte = 1024 * 1024

test.each([
  ['bad signatures', { signedBody: '' }, 401],
  ['unknown tokens', { target: pathOf('unknown') }, 404],
])('a flood of %s takes a bounded amount of memory and writes nothing', async (_name, options, status) => {
  const fixture = await startInbound({ ownLog: true })
  const client = await fixture.open()
  // 9 KiB each: 8 KiB of each are kept, for 200 requests at most. Larger ones are slowed down: slow-senders.test.ts.
  const refused = signedRequest(fixture.connection, fixture.clock.now, {
    ...options,
    body: JSON.stringify({ event: 'a', data: { fill: 'x'.repeat(9 * 1024) } }),
  })
  const flood = async (count: number) => {
    for (let sent = 0; sent < count; sent += 10) {
      for (let index = 0; index < 10; index++) client.socket.write(refused.bytes)
      for (let index = 0; index < 10; index++) expect((await client.read()).status).toBe(status)
    }
    // The fixture's own list of what was announced is not a part of the service.
    fixture.outcomes.length = 0
  }
  const files = ['', '-wal'].map(suffix => fixture.eventLogFile + suffix)
  const sizes = () => files.map(file => statSync(file).size)
  const sizesBefore = sizes()
  await flood(100)
  const before = bytesInUse()
  await flood(6000)
  await expect.poll(() => bytesInUse() - before).toBeLessThan(24 * mebibyte)
  expect(sizes()).toEqual(sizesBefore)
  expect((await fixture.post({}, fixture.other)).status).toBe(200)
})
