import { expect } from 'vitest'
import { pathOf } from '../../support/sender.ts'
import { one, type Row, raw, rewriteHead } from './case.ts'

const malformed = [400, 'malformed_request'] as const
const notFound = [404, 'not_found'] as const
const unknownToken = [404, 'unknown_token'] as const

const target = (of: (token: string) => string) => (scene: { connection: { token: string } }) => ({
  target: of(scene.connection.token),
})

const otherMethods = ['GET', 'OPTIONS', 'TRACE', 'PUT', 'PATCH', 'DELETE', 'PROPFIND', 'QUERY']

/** Where a request is sent, and how. */
export const targetRows: Row[] = [
  {
    row: 1,
    title: 'an unknown token',
    cases: [
      one('that was never given out', { target: pathOf('A'.repeat(43)) }, unknownToken),
      one(
        'cut short',
        target(token => pathOf(token.slice(0, -1))),
        unknownToken,
      ),
      one(
        'cut short at its start',
        target(token => pathOf(token.slice(1))),
        unknownToken,
      ),
      one(
        'with one character more',
        target(token => pathOf(`${token}A`)),
        unknownToken,
      ),
      one('of one character', { target: pathOf('a') }, unknownToken),
      one(
        'in lower case',
        target(token => pathOf(token.toLowerCase())),
        unknownToken,
      ),
      one(
        'in upper case',
        target(token => pathOf(token.toUpperCase())),
        unknownToken,
      ),
      one('of 8,000 characters', { target: pathOf('x'.repeat(8000)) }, unknownToken),
      one(
        'named as the connection',
        scene => ({ target: pathOf(scene.connection.connectionId) }),
        unknownToken,
      ),
      ...['__proto__', 'constructor', 'toString', 'undefined', 'null', '*', '%00', '{token}'].map(token =>
        one(token, { target: pathOf(token) }, unknownToken),
      ),
      one('that is missing', { target: '/api/connect//events' }, notFound),
    ],
  },
  {
    row: 2,
    title: 'a path that only looks like the endpoint',
    cases: [
      one(
        'a letter of the token as %xx',
        target(token => pathOf(`%${token.charCodeAt(0).toString(16)}${token.slice(1)}`)),
        unknownToken,
      ),
      one(
        '%61pi',
        target(token => pathOf(token).replace('/api', '/%61pi')),
        notFound,
      ),
      one(
        '.. before it',
        target(token => `/x/..${pathOf(token)}`),
        notFound,
      ),
      one(
        '.. in it',
        target(token => `/api/connect/x/../${token}/events`),
        notFound,
      ),
      one(
        '. in it',
        target(token => `/api/./connect/${token}/events`),
        notFound,
      ),
      one(
        '// before it',
        target(token => `/${pathOf(token)}`),
        notFound,
      ),
      one(
        '// in it',
        target(token => `/api/connect//${token}/events`),
        notFound,
      ),
      one(
        '// behind the token',
        target(token => `/api/connect/${token}//events`),
        notFound,
      ),
      one(
        'a slash behind it',
        target(token => `${pathOf(token)}/`),
        notFound,
      ),
      one(
        'an encoded slash',
        target(token => `/api/connect/${token}%2Fevents`),
        notFound,
      ),
      one(
        ';x behind the token',
        target(token => `/api/connect/${token};x/events`),
        unknownToken,
      ),
      one(
        ';x behind it',
        target(token => `${pathOf(token)};x`),
        notFound,
      ),
      one(
        'another case',
        target(token => pathOf(token).replace('/api', '/API')),
        notFound,
      ),
      one(
        'a fragment',
        target(token => `${pathOf(token)}#x`),
        notFound,
      ),
      one(
        'absolute form',
        target(token => `http://connect.example${pathOf(token)}`),
        notFound,
      ),
      one('another path', { target: '/' }, notFound),
      one('*', { target: '*', method: 'OPTIONS' }, notFound),
      one(
        'a backslash',
        target(token => `\\api\\connect\\${token}\\events`),
        malformed,
        { socket: 'closes' },
      ),
      one(
        'a NUL',
        target(token => pathOf(`${token}\0`)),
        malformed,
        { socket: 'closes' },
      ),
      one(
        'a space',
        target(token => pathOf(`${token} x`)),
        malformed,
        { socket: 'closes' },
      ),
      one(
        'a tab',
        target(token => pathOf(`${token}\t`)),
        malformed,
        { socket: 'closes' },
      ),
      one(
        'no slash at its start',
        target(token => pathOf(token).slice(1)),
        malformed,
        { socket: 'closes' },
      ),
      one(
        'bytes beyond ASCII',
        target(token => pathOf(`${token}\u00e9`)),
        malformed,
        { socket: 'closes' },
      ),
      one(
        'a query, which the signature does not cover, is ignored',
        target(token => `${pathOf(token)}?a=/b`),
        200,
      ),
    ],
  },
  {
    row: 19,
    title: 'another method than POST',
    cases: [
      ...otherMethods.map(method =>
        one(method, { method }, [405, 'method_not_allowed'], {
          check: (_scene, [answer]) => {
            expect(answer?.headers.get('allow')).toBe('POST')
            expect(
              [...(answer?.headers.keys() ?? [])].filter(name => name.startsWith('access-control-')),
            ).toEqual([])
          },
        }),
      ),
      one('HEAD', { method: 'HEAD' }, [405, 'method_not_allowed'], { toHead: true }),
      one('HEAD with Expect', { method: 'HEAD', headers: ['Expect: x'] }, [417, 'expectation_failed'], {
        toHead: true,
        socket: 'closes',
      }),
      one('CONNECT', { method: 'CONNECT' }, [405, 'method_not_allowed'], { socket: 'closes' }),
      one('in lower case', { method: 'post' }, malformed, { socket: 'closes' }),
      one('none that HTTP knows', { method: 'EVENT' }, malformed, { socket: 'closes' }),
      one('GET with a method override', { method: 'GET', headers: ['X-HTTP-Method-Override: POST'] }, [
        405,
        'method_not_allowed',
      ]),
      one('POST with a method override is a POST', { headers: ['X-HTTP-Method-Override: GET'] }, 200),
      one(
        'a preflight of a browser',
        {
          method: 'OPTIONS',
          headers: ['Origin: https://page.example', 'Access-Control-Request-Method: POST'],
        },
        [405, 'method_not_allowed'],
        {
          check: (_scene, [answer]) => expect(answer?.text.toLowerCase()).not.toContain('access-control'),
        },
      ),
      one(
        'POST with an Upgrade is an ordinary one, and the last of its connection',
        { headers: ['Connection: Upgrade', 'Upgrade: h2c'] },
        200,
        { socket: 'closes' },
      ),
      raw(
        'POST with an Upgrade and another request behind it, which is lost: the connection ends',
        ({ request }) => [
          Buffer.concat([
            request({ headers: ['Connection: Upgrade', 'Upgrade: h2c'] }).bytes,
            request({ body: '{"event":"lost"}' }).bytes,
          ]),
        ],
        200,
        { socket: 'closes' },
      ),
      raw('the preface of HTTP/2', () => ['PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'], malformed, {
        socket: 'closes',
      }),
      raw('a TLS greeting', () => [Buffer.from('16030100a5010000a10303', 'hex')], malformed, {
        socket: 'closes',
      }),
      raw(
        'an HTTP/0.9 request is verified like every other request',
        ({ connection }) => [`POST ${pathOf(connection.token)}\r\n\r\n`],
        [401, 'missing_signature'],
        { socket: 'closes' },
      ),
      raw(
        'HTTP/1.0 without a Host is served',
        ({ request }) => {
          const { head, body } = request()
          const rewrite = ([first = '', , ...rest]: string[]) => [
            first.replace('HTTP/1.1', 'HTTP/1.0'),
            ...rest,
          ]
          return [rewriteHead(head, rewrite), body]
        },
        200,
        { socket: 'closes' },
      ),
    ],
  },
]
