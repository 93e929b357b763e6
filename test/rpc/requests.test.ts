import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { OpenApiDocument } from '../support/openapi-document.ts'
import { createConnection, errorCode, issuePaths, readAnswer } from '../support/rest-client.ts'
import { adminToken, openService, type ServiceFixture } from '../support/service-fixture.ts'

let fixture: ServiceFixture
beforeAll(async () => {
  fixture = await openService()
})
afterAll(() => fixture.close())

async function call(method: string, path: string, body?: string | Uint8Array<ArrayBuffer>, type?: string) {
  const headers = {
    authorization: `Bearer ${adminToken}`,
    ...(type !== undefined && { 'content-type': type }),
  }
  const init: RequestInit = body === undefined ? { method, headers } : { method, headers, body }
  return readAnswer(await fetch(`${fixture.dashboardUrl}/api/v1${path}`, init))
}

describe('a body', () => {
  test.each([
    ['text that is not JSON', 'name=Shop'],
    ['half a document', '{"name":'],
    ['a comment', '{"name":"x"} // x'],
    ['a trailing comma', '{"name":"x",}'],
    ['null', 'null'],
    ['a list', '[{"name":"x"}]'],
    ['a text', '"x"'],
    ['a number', '7'],
    ['a byte order mark', '\ufeff{"name":"x"}'],
    ['bytes that are not UTF-8', new Uint8Array([0x7b, 0xff, 0x7d])],
    ['a hundred thousand levels', `{"name":"x","deep":${'['.repeat(100_000)}${']'.repeat(100_000)}}`],
  ])('of %s is 400 invalid_input', async (_what, body) => {
    const { connectionId } = await createConnection(fixture.rest)
    for (const [method, path] of [
      ['POST', '/connections'],
      ['PATCH', `/connections/${connectionId}`],
      ['POST', `/connections/${connectionId}/regenerate-token`],
    ] as const) {
      const answer = await call(method, path, body, 'application/json')
      expect([answer.status, errorCode(answer)]).toEqual([400, 'invalid_input'])
      expect(issuePaths(answer)).toEqual([''])
    }
    expect(fixture.log.lines.filter(line => line.level === 'error')).toEqual([])
  })

  test.each([
    ['{"name":', 'Line 1, column 9: ', { line: 1, column: 9 }],
    ['{\n  "name": "x",\n}', 'Line 2, column 14: Remove this trailing comma', { line: 2, column: 14 }],
    ["{'name': 'x'}", 'Line 1, column 2: ', { line: 1, column: 2 }],
  ])('that is not valid JSON is refused with line and column: %j', async (body, words, position) => {
    for (const path of ['/connections', '/workflows', '/imports/preview']) {
      const message = expect.stringContaining(words)
      expect((await call('POST', path, body, 'application/json')).body).toMatchObject({
        ...{ code: 'invalid_input', message, data: { issues: [{ path: '', ...position }] } },
      })
    }
  })

  test.each([
    'text/plain',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'application/jsonp',
  ])('of type %s is 415 with the type to send, though it holds JSON', async type => {
    const answer = await call('POST', '/connections', '{"name":"from a form"}', type)
    expect([answer.status, errorCode(answer)]).toEqual([415, 'unsupported_media_type'])
    expect(answer.text).toContain('Content-Type: application/json')
    expect((await fixture.rest('GET', '/connections')).text).not.toContain('from a form')
  })

  test.each(['application/json; charset=utf-8', 'Application/JSON', 'application/json;charset=UTF-8'])(
    'of type %s is read',
    async type => {
      expect((await call('POST', '/connections', '{"name":"x"}', type)).status).toBe(201)
    },
  )

  test('without a type is read as JSON', async () => {
    expect((await call('POST', '/connections', new TextEncoder().encode('{"name":"x"}'))).status).toBe(201)
  })

  test.each([undefined, ''])('that is empty (%o) names the fields that are missing', async body => {
    const answer = await call('POST', '/connections', body, 'application/json')
    expect([answer.status, errorCode(answer), issuePaths(answer)]).toEqual([400, 'invalid_input', ['name']])
  })

  test('over 40 MiB is 413, with its length declared or not', async () => {
    const large = new Uint8Array(40 * 1024 * 1024 + 1).fill(0x20)
    const declared = await call('POST', '/connections', large, 'application/json')
    expect([declared.status, errorCode(declared)]).toEqual([413, 'body_too_large'])
    const chunked = await fetch(`${fixture.dashboardUrl}/api/v1/connections`, {
      method: 'POST',
      headers: { authorization: `Bearer ${adminToken}`, 'content-type': 'application/json' },
      body: new Blob([large]).stream(),
      duplex: 'half',
    })
    expect(chunked.status).toBe(413)
  })

  test('with fields that the resource does not have is refused, and none is taken', async () => {
    const body = '{"name":"x","__proto__":{"enabled":false},"inboundToken":"mine","actionCount":7}'
    const answer = await call('POST', '/connections', body, 'application/json')
    expect(answer.status).toBe(400)
    expect(issuePaths(answer)).toEqual(['__proto__', 'actionCount', 'inboundToken'])
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
    const answer = await call('GET', path)
    expect(answer.status).toBe(404)
    // A path that leaves /api/v1 is another one, outside REST.
    expect(errorCode(answer)).toBe('no_such_path')
  })

  test.each([
    ['PUT', '/connections', 'GET, POST'],
    ['DELETE', '/connections?workspaceId=x', 'GET, POST'],
    ['PATCH', '/workspaces', 'GET, POST'],
    ['GET', '/workspaces/default', 'DELETE, PATCH'],
    ['POST', '/settings', 'GET, PATCH'],
    ['POST', '/activity', 'GET'],
    ['GET', '/connections/x%2Fy/send', 'POST'],
    ['OPTIONS', '/connections', 'GET, POST'],
    ['PUT', '/openapi.json', 'GET'],
    ['GET', '/backup', 'POST'],
  ])('%s %s has no such method: 405 with Allow: %s', async (method, path, allow) => {
    const answer = await call(method, path)
    expect([answer.status, errorCode(answer)]).toEqual([405, 'method_not_allowed'])
    expect(answer.headers.get('allow')).toBe(allow)
    expect(answer.text).toContain(allow)
  })

  test('that the contract has takes its own methods and no others, each', async () => {
    const document = OpenApiDocument.parse((await fixture.rest('GET', '/openapi.json')).body)
    const paths = Object.entries(document.paths)
    for (const [template] of paths) {
      const path = template.replace(/\{\w+\}/g, 'x')
      // `/workflows/overview` is a path of `/workflows/{workflowId}` too.
      const methods = paths.flatMap(([other, item]) =>
        new RegExp(`^${other.replace(/\{\w+\}/g, '[^/]+')}$`).test(path)
          ? Object.keys(item).map(method => method.toUpperCase())
          : [],
      )
      for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'].filter(
        method => !methods.includes(method),
      )) {
        const answer = await call(method, path)
        expect([path, answer.status, answer.headers.get('allow')]).toEqual([
          path,
          405,
          [...new Set(methods)].sort().join(', '),
        ])
      }
    }
  })
})
