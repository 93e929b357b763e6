import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { adminToken, openService, type ServiceFixture } from '../support/service-fixture.ts'
import { codeOf, type HttpCall, http } from './http.ts'

let fixture: ServiceFixture
beforeAll(async () => {
  fixture = await openService()
})
afterAll(() => fixture.close())

const restPaths = [
  '/api/v1',
  '/api/v1/',
  '/api/v1/connections',
  '/api/v1/openapi.json',
  '/api/v1/activity',
  '/api/v1/nope',
]

async function expectRefusal(call: HttpCall): Promise<void> {
  const answer = await http(fixture.dashboardUrl, call)
  expect({
    ...call,
    status: answer.status,
    code: codeOf(answer),
    scheme: answer.headers['www-authenticate'],
  }).toEqual({
    ...call,
    status: 401,
    code: 'unauthorized',
    scheme: 'Bearer',
  })
}

describe('the admin token', () => {
  test.each(restPaths)('is asked for at %s, on loopback too', async path => {
    await expectRefusal({ path })
    await expectRefusal({
      path,
      method: 'POST',
      body: '{"name":"x"}',
      headers: { 'content-type': 'application/json' },
    })
    await expectRefusal({ path, method: 'OPTIONS' })
  })

  test.each([
    'Bearer',
    'Bearer ',
    'Bearer wrong',
    `Bearer ${adminToken}x`,
    `Bearer ${adminToken.slice(0, -1)}`,
    `Bearer ${adminToken.toUpperCase()}`,
    `Bearer ${adminToken} x`,
    `Basic ${adminToken}`,
    `Basic ${Buffer.from(`admin:${adminToken}`).toString('base64')}`,
    adminToken,
    `Token ${adminToken}`,
  ])('is not %s', async authorization => {
    await expectRefusal({ headers: { authorization } })
  })

  test.each([`Bearer ${adminToken}`, `bearer ${adminToken}`, `Bearer   ${adminToken}  `])(
    'is %s',
    async authorization => {
      expect((await http(fixture.dashboardUrl, { headers: { authorization } })).status).toBe(200)
    },
  )

  test.each([
    `?token=${adminToken}`,
    `?access_token=${adminToken}`,
    `?authorization=Bearer%20${adminToken}`,
    `?adminToken=${adminToken}`,
  ])('is not taken from a query string (%s)', async query => {
    await expectRefusal({ path: `/api/v1/connections${query}` })
  })

  test.each([
    { cookie: `token=${adminToken}` },
    { 'x-api-key': adminToken },
    { 'x-admin-token': adminToken },
  ])('is not taken from %o', async headers => {
    await expectRefusal({ headers })
  })

  test.each([
    '/%61pi/v1/openapi.json',
    '/api/%76%31/connections',
    '/api%2fv1/openapi.json',
    '//api/v1/openapi.json',
    '/api/v1//connections',
    '/api/v1/../v1/connections',
    '/./api/v1/connections',
    '/healthz/../api/v1/connections',
    '/API/v1/connections',
    '/api/v1;x/connections',
    '/api/v1%00/connections',
    'http://127.0.0.1/api/v1/connections',
    'https://../api/v1/openapi.json',
    'http://localhost/%61pi/v1/openapi.json',
  ])('is not got round by writing the path as %s', async path => {
    const { status, text } = await http(fixture.dashboardUrl, { path })
    expect([401, 404]).toContain(status)
    expect(text).not.toContain('paths')
  })
})
