import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { runCliHere } from '../support/cli-here.ts'
import { serve, temporaryFolder } from '../support/cli-service.ts'

const given = 'canary-metrics-token-3f9c'

describe('the metrics token', () => {
  it.each(['option', 'environment naming a file'])('may be given: %s', async way => {
    const file = join(temporaryFolder(), 'token')
    writeFileSync(file, `${given}\n`)
    const isOption = way === 'option'
    const service = await serve(
      temporaryFolder(),
      isOption ? ['--metrics-token', given] : [],
      isOption ? {} : { env: { CUSTOM_CONNECTION_METRICS_TOKEN: `@${file}` } },
    )
    const statuses = await Promise.all(
      [given, `${given}x`].map(
        async token =>
          (await fetch(`${service.dashboardUrl}/metrics`, { headers: { authorization: `Bearer ${token}` } }))
            .status,
      ),
    )
    expect(statuses).toEqual([200, 401])
    const { stdout, stderr } = service.process.output()
    expect(stdout + stderr).not.toContain(given)
    const warnings = stderr.split('\n').filter(line => line.includes('"warn"'))
    expect(warnings).toEqual(
      isOption ? [expect.stringMatching(/--metrics-token @FILE.*CUSTOM_CONNECTION_METRICS_TOKEN/)] : [],
    )
  })

  it.each([
    ['fifteen-charact', /at least 16 characters/],
    ['with a space in between', /visible ASCII/],
    ['with-a-letter-ä-in-it', /visible ASCII/],
  ])('is refused with exit status 2 if it is "%s"', async (token, reason) => {
    const { code, stderr } = await runCliHere(['serve', '--check', '--metrics-token', token])
    expect([code, stderr]).toEqual([2, expect.stringMatching(reason)])
    expect(stderr).not.toContain(token)
  })
})
