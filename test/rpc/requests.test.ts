import { describe, expect, test } from 'vitest'
import { createConnection, errorCode, issuePaths, readAnswer } from '../support/rest-client.ts'
import { adminToken, type ServiceFixture, startService } from '../support/service-fixture.ts'

async function call(
  { dashboardUrl }: ServiceFixture,
  method: string,
  path: string,
  body?: string | Uint8Array<ArrayBuffer>,
  type?: string,
) {
  const headers = {
    authorization: `Bearer ${adminToken}`,
    ...(type !== undefined && { 'content-type': type }),
  }
  const init: RequestInit = body === undefined ? { method, headers } : { method, headers, body }
  return readAnswer(await fetch(`${dashboardUrl}/api/v1${path}`, init))
}

describe('a body', () => {
  test.each([
    ['text that is no JSON', 'name=Shop'],
    ['half a document', '{"name":'],
    ['a comment', '{"name":"x"} // x'],
    ['a trailing comma', '{"name":"x",}'],
    ['null', 'null'],
    ['a list', '[{"name":"x"}]'],
    ['a text', '"x"'],
    ['a number', '7'],
    ['a byte order mark', '\ufeff{"name":"x"}'],
    ['bytes that are no UTF-8', new Uint8Array([0x7b, 0xff, 0x7d])],
    ['a hundred thousand levels', `{"name":"x","deep":${'['.repeat(100_000)}${']'.repeat(100_000)}}`],
  ])('of %s is 400 invalid_input', async (_what, body) => {
    const fixture = await startService()
    const { connectionId } = await createConnection(fixture.rest)
    for (const [method, path] of [
      ['POST', '/connections'],
      ['PATCH', `/connections/${connectionId}`],
      ['POST', `/connections/${connectionId}/regenerate-token`],
    ] as const) {
      const answer = await call(fixture, method, path, body, 'application/json')
      expect([answer.status, errorCode(answer)]).toEqual([400, 'invalid_input'])
      expect(issuePaths(answer)).toEqual([''])
    }
    expect(fixture.log.lines.filter(line => line.level === 'error')).toEqual([])
  })

  test.each([
    'text/plain',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'application/jsonp',
  ])('of type %s is 400 invalid_input, though it holds JSON', async type => {
    const fixture = await startService()
    const answer = await call(fixture, 'POST', '/connections', '{"name":"x"}', type)
    expect([answer.status, errorCode(answer)]).toEqual([400, 'invalid_input'])
    expect((await fixture.rest('GET', '/connections')).body).toEqual([])
  })

  test.each(['application/json; charset=utf-8', 'Application/JSON', 'application/json;charset=UTF-8'])(
    'of type %s is read',
    async type => {
      const fixture = await startService()
      expect((await call(fixture, 'POST', '/connections', '{"name":"x"}', type)).status).toBe(201)
    },
  )

  test('without a type is read as JSON', async () => {
    const fixture = await startService()
    expect(
      (await call(fixture, 'POST', '/connections', new TextEncoder().encode('{"name":"x"}'))).status,
    ).toBe(201)
  })

  test.each([undefined, ''])('that is empty (%o) names the fields that are missing', async body => {
    const fixture = await startService()
    const answer = await call(fixture, 'POST', '/connections', body, 'application/json')
    expect([answer.status, errorCode(answer), issuePaths(answer)]).toEqual([400, 'invalid_input', ['name']])
  })

  test('over 12 MiB is 413, with its length declared or not', async () => {
    const fixture = await startService()
    const large = new Uint8Array(12 * 1024 * 1024 + 1).fill(0x20)
    const declared = await call(fixture, 'POST', '/connections', large, 'application/json')
    expect([declared.status, errorCode(declared)]).toEqual([413, 'body_too_large'])
    const chunked = await fetch(`${fixture.dashboardUrl}/api/v1/connections`, {
      method: 'POST',
      headers: { authorization: `Bearer ${adminToken}`, 'content-type': 'application/json' },
      body: new Blob([large]).stream(),
      duplex: 'half',
    })
    expect(chunked.status).toBe(413)
  })

  test('may hold fields that nobody knows; they are left out', async () => {
    const fixture = await startService()
    const body = '{"name":"x","__proto__":{"enabled":false},"inboundToken":"mine","enabled":false}'
    const answer = await call(fixture, 'POST', '/connections', body, 'application/json')
    expect(answer).toMatchObject({ status: 201, body: { enabled: true } })
    expect(answer.text).not.toContain('mine')
  })
})

describe('a path', () => {
  test.each([
    '',
    '/',
    '/nope',
    '/connections/a/b/c',
    '/connectionsx',
    '/%zz',
    '/openapi.yaml',
    '/../../etc/passwd',
  ])('%s that is none is 404 no_such_path', async path => {
    const answer = await call(await startService(), 'GET', path)
    expect(answer.status).toBe(404)
    // A path that leaves /api/v1 is another one, outside REST.
    expect(errorCode(answer)).toBe('no_such_path')
  })

  test.each([
    ['PUT', '/connections'],
    ['DELETE', '/connections'],
    ['PATCH', '/workspaces'],
    ['GET', '/workspaces/default'],
    ['POST', '/settings'],
    ['POST', '/activity'],
    ['GET', '/connections/x/send'],
    ['OPTIONS', '/connections'],
    ['PUT', '/openapi.json'],
  ])('%s %s has no such method: 404 no_such_path', async (method, path) => {
    const answer = await call(await startService(), method, path)
    expect([answer.status, errorCode(answer)]).toEqual([404, 'no_such_path'])
  })
})
