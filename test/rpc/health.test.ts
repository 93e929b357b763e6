import { expect, test } from 'vitest'
import { version } from '#main/lib/version.ts'
import { startService } from '../support/service-fixture.ts'

test('health says whether events can be accepted, and the version', async () => {
  const { rest } = await startService()
  const { status, body } = await rest('GET', '/health')
  expect(status).toBe(200)
  expect(body).toEqual({ ok: true, version })
})
