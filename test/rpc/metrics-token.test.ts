import { expect, test } from 'vitest'
import { CreatedMetricsToken, MetricsToken } from '#shared/model/metrics.ts'
import { http } from '../http/http.ts'
import { filesBelow } from '../support/leaks.ts'
import { errorCode, type Rest } from '../support/rest-client.ts'
import { adminToken, type ServiceFixture, startService } from '../support/service-fixture.ts'

const path = '/metrics/token'

async function tokenOf(rest: Rest): Promise<MetricsToken> {
  return MetricsToken.parse((await rest('GET', path)).body)
}

async function createToken(rest: Rest): Promise<string> {
  const answer = await rest('POST', path)
  expect(answer.status).toBe(200)
  return CreatedMetricsToken.parse(answer.body).token
}

const scrape = async ({ dashboardUrl }: ServiceFixture, token: string, of = '/metrics') =>
  (await http(dashboardUrl, { path: of, headers: { authorization: `Bearer ${token}` } })).status

test('the metrics token reads the metrics and nothing else, until it is replaced or revoked', async () => {
  const fixture = await startService()
  const { rest, clock } = fixture
  expect(await tokenOf(rest)).toEqual({ setAt: null, lastScrapeAt: null, source: null })
  const first = await createToken(rest)
  expect(first).toMatch(/^ccm_[\w-]{43}$/)
  const setAt = new Date(clock.now).toISOString()
  expect(await tokenOf(rest)).toEqual({ setAt, lastScrapeAt: null, source: 'settings' })

  clock.now += 1000
  expect(await scrape(fixture, first)).toBe(200)
  const lastScrapeAt = new Date(clock.now).toISOString()
  expect(await tokenOf(rest)).toEqual({ setAt, lastScrapeAt, source: 'settings' })
  for (const other of ['/api/v1/connections', '/api/v1/metrics/token', '/mcp'])
    expect(await scrape(fixture, first, other), other).toBe(401)
  for (const wrong of [first.slice(0, -1), `${first}x`, first.toUpperCase(), first.slice(4)])
    expect(await scrape(fixture, wrong), wrong).toBe(401)

  const second = await createToken(rest)
  expect([await scrape(fixture, first), await scrape(fixture, second)]).toEqual([401, 200])
  expect((await rest('DELETE', path)).body).toEqual({ deleted: 1 })
  expect((await rest('DELETE', path)).body).toEqual({ deleted: 0 })
  expect([await scrape(fixture, second), await scrape(fixture, adminToken)]).toEqual([401, 200])
  expect(await tokenOf(rest)).toMatchObject({ setAt: null, source: null })
})

test('the metrics token survives a restart, and is in no file', async () => {
  const fixture = await startService()
  const token = await createToken(fixture.rest)
  await fixture.restart()
  expect(await scrape(fixture, token)).toBe(200)
  await fixture.stop()
  for (const [file, content] of await filesBelow(fixture.dataFolder)) {
    expect(content.includes(token), file).toBe(false)
    expect(content.includes(token.slice('ccm_'.length)), file).toBe(false)
  }
  expect(fixture.log.text()).not.toContain(token)
})

test('a metrics token that was given at the start holds alone, and cannot be changed', async () => {
  const metricsToken = 'given-metrics-token-1'
  const before = await startService()
  const created = await createToken(before.rest)
  const config = before.service.storage.config.snapshot()
  const fixture = await startService({ service: { metricsToken } })
  const { rest } = fixture
  await fixture.service.storage.config.update(() => ({ next: config, result: null }))
  expect([await scrape(fixture, metricsToken), await scrape(fixture, created)]).toEqual([200, 401])
  expect(await tokenOf(rest)).toEqual({
    setAt: null,
    lastScrapeAt: new Date(fixture.clock.now).toISOString(),
    source: 'start',
  })
  for (const method of ['POST', 'DELETE'] as const) {
    const answer = await rest(method, path)
    expect([answer.status, errorCode(answer)]).toEqual([409, 'metrics_token_given'])
  }
  expect(fixture.service.storage.config.snapshot().metricsToken).toEqual(config.metricsToken)
})
