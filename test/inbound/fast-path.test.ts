import { expect, test } from 'vitest'
import { fuzzFastPath } from '../support/fuzz/fast-path.ts'
import { createRandom } from '../support/fuzz/random.ts'
import { heldLog } from '../support/held-log.ts'
import { startInbound } from '../support/inbound-fixture.ts'
import { signedRequest } from '../support/sender.ts'

test('reads and answers fuzzed requests like node:http', async () => {
  const withIt = await startInbound({ fastPath: true })
  const without = await startInbound({ fastPath: false, ownLog: true })
  const result = await fuzzFastPath({
    withIt,
    without,
    account: withIt.connection,
    random: createRandom(20261122),
    requests: 3000,
    now: () => withIt.clock.now,
  })
  expect(result.wrong).toEqual([])
  expect(result.requests).toBe(3000)
  expect(result.taken).toBeGreaterThan(500)
  expect(result.accepted).toBeGreaterThan(500)
})

test('an answer that waits for a slow disk is not taken for a request that does not come', async () => {
  const slow = heldLog()
  const timeouts = { headers: 100, checkInterval: 20 }
  const fixture = await startInbound({ fastPath: true, timeouts, wrapLog: slow.wrapLog })
  slow.hold()
  const client = await fixture.open()
  await client.write(signedRequest(fixture.connection, fixture.clock.now).bytes)
  // Two connections later that send nothing have been given up by now.
  for (let count = 0; count < 2; count++)
    expect(await (await fixture.open()).closed()).toContain('408 Request Timeout')
  slow.release()
  expect((await client.read()).status).toBe(200)
})
