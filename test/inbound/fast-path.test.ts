import { expect, test } from 'vitest'
import { fuzzFastPath } from '../support/fuzz/fast-path.ts'
import { createRandom } from '../support/fuzz/random.ts'
import { startInbound } from '../support/inbound-fixture.ts'

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
