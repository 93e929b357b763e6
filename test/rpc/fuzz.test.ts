import { expect, test } from 'vitest'
import { createRandom } from '../support/fuzz/random.ts'
import { fuzzRest } from '../support/fuzz/run-rest.ts'
import { adminToken, startService } from '../support/service-fixture.ts'

test('answers fuzzed REST calls with a result or a refusal that has a code', async () => {
  const service = await startService()
  const result = await fuzzRest({
    baseUrl: `${service.dashboardUrl}/api/v1`,
    token: adminToken,
    random: createRandom(20261123),
    requests: 1500,
  })
  expect(result.wrong).toEqual([])
  expect(result.answered).toBe(1500)
  // Half-right input is part of it: some calls are taken, some refused.
  for (const status of ['200', '400', '404']) expect(result.statuses[status], status).toBeGreaterThan(0)
})
