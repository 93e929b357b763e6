import { brotliCompressSync, gzipSync } from 'node:zlib'
import { chunked, pathOf } from '../../support/sender.ts'
import { type Case, one, type Row, raw, rewriteHead, type Scene } from './case.ts'

const malformed = [400, 'malformed_request'] as const
const invalidSignature = [401, 'invalid_signature'] as const
const timedOut = [408, 'request_timeout'] as const
const headersTooLarge = [431, 'headers_too_large'] as const
const unsupported = [415, 'unsupported_encoding'] as const
const unknownToken = [404, 'unknown_token'] as const
const closes = { socket: 'closes' } as const

const plain = '{"event":"a"}'

/** A good request whose head is written otherwise. */
function reframed(name: string, rewrite: (lines: string[]) => string[], newline?: string): Case {
  return raw(
    name,
    ({ request }) => {
      const { head, body } = request({ body: plain })
      return [Buffer.concat([rewriteHead(head, rewrite, newline), body])]
    },
    malformed,
    closes,
  )
}

/** A good request with these lines for its length and encoding. */
function framedBy(name: string, headers: string[], sent: string | Buffer = plain): Case {
  return raw(
    name,
    ({ request }) => [
      Buffer.concat([request({ body: plain, contentLength: false, headers }).head, Buffer.from(sent)]),
    ],
    malformed,
    closes,
  )
}

const expecting = ({ request }: Scene, options: Parameters<Scene['request']>[0] = {}) =>
  request({ ...options, headers: ['Expect: 100-continue'] })

/** How requests are cut, encoded and put on the wire. */
export const framingRows: Row[] = [
  {
    row: 13,
    title: 'a slow sender',
    options: { timeouts: { headers: 100, request: 200, checkInterval: 20 } },
    cases: [
      raw('half a head', ({ request }) => [request().head.subarray(0, 100)], timedOut, closes),
      raw('one byte', () => ['P'], timedOut, closes),
      raw('no byte', () => [], timedOut, closes),
      raw('no body', ({ request }) => [request().head], timedOut, closes),
      raw('half a body', ({ request }) => [request({ contentLength: 100 }).bytes], timedOut, closes),
      raw(
        'a chunked body without end',
        ({ request }) => [
          request({ contentLength: false, headers: ['Transfer-Encoding: chunked'] }).head,
          '1\r\n{\r\n',
        ],
        timedOut,
        closes,
      ),
      raw('half a head behind a good request', ({ request }) => [request().bytes, 'POST /api'], 200, {
        answers: [200, timedOut],
        socket: 'closes',
      }),
      raw(
        'no body for a request already refused',
        ({ request }) => [request({ target: pathOf('x') }).head],
        unknownToken,
        { socket: 'cut' },
      ),
    ],
  },
  {
    row: 14,
    title: 'too many or too large headers',
    cases: [
      one('100 fields pass', { headers: Array.from({ length: 95 }, (_, index) => `x-${index}: 1`) }, 200),
      one(
        '101 fields',
        { headers: Array.from({ length: 96 }, (_, index) => `x-${index}: 1`) },
        headersTooLarge,
        closes,
      ),
      one('2,000 fields', { headers: Array.from({ length: 2000 }, () => 'a: 1') }, headersTooLarge, closes),
      one('one of 15 KiB passes', { headers: [`x-large: ${'x'.repeat(15 * 1024)}`] }, 200),
      one('one of 17 KiB', { headers: [`x-large: ${'x'.repeat(17 * 1024)}`] }, headersTooLarge, closes),
      one('a name of 17 KiB', { headers: [`${'x'.repeat(17 * 1024)}: 1`] }, headersTooLarge, closes),
      one('one of 1 MiB', { headers: [`x-large: ${'x'.repeat(1024 * 1024)}`] }, headersTooLarge, closes),
      one('a target of 20 KiB', { target: `/${'x'.repeat(20 * 1024)}` }, headersTooLarge, closes),
      raw(
        '100 empty lines before a request pass',
        ({ request }) => ['\r\n'.repeat(100), request().bytes],
        200,
      ),
      raw(
        'a trailer of 17 KiB',
        ({ request }) => [
          request({ body: plain, contentLength: false, headers: ['Transfer-Encoding: chunked'] }).head,
          `d\r\n${plain}\r\n0\r\nx: ${'x'.repeat(17 * 1024)}\r\n\r\n`,
        ],
        headersTooLarge,
        closes,
      ),
    ],
  },
  {
    row: 15,
    title: 'an encoded body',
    cases: [
      one('gzip', { body: gzipSync(plain), headers: ['Content-Encoding: gzip'] }, unsupported),
      one('br', { body: brotliCompressSync(plain), headers: ['Content-Encoding: br'] }, unsupported),
      one(
        'gzip, signed over the plain text',
        { body: gzipSync(plain), signedBody: plain, headers: ['Content-Encoding: gzip'] },
        unsupported,
      ),
      one('gzip in name only', { headers: ['content-encoding: GZIP'] }, unsupported),
      one(
        'stacked',
        { body: gzipSync(gzipSync(plain)), headers: ['Content-Encoding: gzip, gzip'] },
        unsupported,
      ),
      one(
        'stacked on identity',
        { headers: ['Content-Encoding: identity', 'Content-Encoding: gzip'] },
        unsupported,
      ),
      one('unknown', { headers: ['Content-Encoding: x-secret'] }, unsupported),
      one(
        'deflate without a signature',
        { signature: null, headers: ['Content-Encoding: deflate'] },
        unsupported,
      ),
      one(
        'a bomb',
        { body: gzipSync(Buffer.alloc(64 * 1024 * 1024)), headers: ['Content-Encoding: gzip'] },
        unsupported,
      ),
      one('for an unknown token', { target: pathOf('x'), headers: ['Content-Encoding: gzip'] }, unknownToken),
      one('identity passes', { headers: ['Content-Encoding: Identity'] }, 200),
      one('an empty field passes', { headers: ['Content-Encoding:'] }, 200),
      one('gzip without the field is a body that is not JSON', { body: gzipSync(plain) }, [
        400,
        'invalid_json',
      ]),
    ],
  },
  {
    row: 16,
    title: 'a sender that waits for 100 Continue',
    cases: [
      raw(
        'an unknown token is refused before it',
        scene => [expecting(scene, { target: pathOf('x') }).head],
        unknownToken,
        closes,
      ),
      raw(
        'a stale timestamp too',
        scene => [expecting(scene, { timestamp: '1' }).head],
        [401, 'stale_timestamp'],
        closes,
      ),
      raw(
        'a missing signature too',
        scene => [expecting(scene, { signature: null }).head],
        [401, 'missing_signature'],
        closes,
      ),
      raw(
        'a body too large too',
        scene => [expecting(scene, { contentLength: 2 ** 30 }).head],
        [413, 'body_too_large'],
        closes,
      ),
      raw('another path too', scene => [expecting(scene, { target: '/' }).head], [404, 'not_found'], closes),
      raw(
        'another method too',
        scene => [expecting(scene, { method: 'PUT' }).head],
        [405, 'method_not_allowed'],
        closes,
      ),
      raw('a good one gets it', scene => [expecting(scene).head, expecting(scene).body], 200, {
        answers: [100, 200],
      }),
      raw(
        'though it may be wrong after all',
        scene => [expecting(scene).head, plain.padEnd(expecting(scene).body.length)],
        200,
        {
          answers: [100, invalidSignature],
        },
      ),
      raw(
        'in HTTP/1.0 there is none',
        scene => {
          const { head, body } = expecting(scene)
          return [rewriteHead(head, ([first = '', ...rest]) => [first.replace('1.1', '1.0'), ...rest]), body]
        },
        200,
        closes,
      ),
      one(
        'other expectations are refused',
        { headers: ['Expect: 200-ok'] },
        [417, 'expectation_failed'],
        closes,
      ),
      one(
        'whatever the token',
        { target: pathOf('x'), headers: ['Expect: x'] },
        [417, 'expectation_failed'],
        closes,
      ),
    ],
  },
  {
    row: 17,
    title: 'a request that two parsers would read in two ways',
    cases: [
      framedBy(
        'Content-Length and Transfer-Encoding',
        ['Content-Length: 13', 'Transfer-Encoding: chunked'],
        chunked(plain),
      ),
      framedBy(
        'Transfer-Encoding and Content-Length',
        ['Transfer-Encoding: chunked', 'Content-Length: 13'],
        chunked(plain),
      ),
      framedBy('two lengths', ['Content-Length: 13', 'Content-Length: 5']),
      framedBy('the same length twice', ['Content-Length: 13', 'Content-Length: 13']),
      framedBy('a list of lengths', ['Content-Length: 13, 13']),
      framedBy('a length with a plus sign', ['Content-Length: +13']),
      framedBy('a length below zero', ['Content-Length: -13']),
      framedBy('a length in hexadecimal', ['Content-Length: 0xd']),
      framedBy('no length', ['Content-Length:']),
      framedBy('chunked, but not last', ['Transfer-Encoding: chunked, gzip'], chunked(plain)),
      framedBy('chunked, misspelt', ['Transfer-Encoding: xchunked'], chunked(plain)),
      framedBy('chunked, behind a vertical tab', ['Transfer-Encoding: \vchunked'], chunked(plain)),
      framedBy('chunk sizes that are not numbers', ['Transfer-Encoding: chunked'], 'g\r\n'),
      framedBy('chunk sizes below zero', ['Transfer-Encoding: chunked'], '-1\r\n'),
      framedBy('chunk sizes with 0x', ['Transfer-Encoding: chunked'], `0xd\r\n${plain}\r\n0\r\n\r\n`),
      framedBy('chunk sizes beyond 64 bits', ['Transfer-Encoding: chunked'], 'fffffffffffffffff\r\n'),
      framedBy('chunks without their line ends', ['Transfer-Encoding: chunked'], `d\r\n${plain}0\r\n\r\n`),
      framedBy('chunks with bare line feeds', ['Transfer-Encoding: chunked'], `d\n${plain}\n0\n\n`),
      reframed('bare line feeds', lines => lines, '\n'),
      reframed('bare carriage returns', lines => lines, '\r'),
      reframed('a folded header', lines => [...lines, 'X-Folded: a', ' b']),
      reframed('a folded header first', ([first = '', ...rest]) => [first, ' x: 1', ...rest]),
      reframed('a space before the colon', lines => [...lines, 'X-Spaced : 1']),
      reframed('a header without a colon', lines => [...lines, 'nothing']),
      reframed('a header without a name', lines => [...lines, ': 1']),
      reframed('a NUL in a header', lines => [...lines, 'X-Nul: a\0b']),
      reframed('a carriage return in a header', lines => [...lines, 'X-Cr: a\rb']),
      reframed('HTTP/9.9', ([first = '', ...rest]) => [first.replace('1.1', '9.9'), ...rest]),
      reframed('spaces before the method', ([first = '', ...rest]) => [`  ${first}`, ...rest]),
      reframed('a word more', ([first = '', ...rest]) => [`${first} x`, ...rest]),
      raw('no HTTP at all', () => ['\0\0\0\0'], malformed, closes),
    ],
  },
  {
    row: 18,
    title: 'several requests on one socket',
    cases: [
      raw(
        'each is verified by itself',
        ({ request }) => [
          Buffer.concat([
            request().bytes,
            request({ signature: `sha256=${'0'.repeat(64)}` }).bytes,
            request({ body: plain }).bytes,
          ]),
        ],
        200,
        { answers: [200, invalidSignature, 200] },
      ),
      raw(
        'with bodies that were not read between them',
        ({ request }) => [
          Buffer.concat([
            request({ target: pathOf('x'), body: 'x'.repeat(5000) }).bytes,
            request({ timestamp: '1', body: request().bytes }).bytes,
            request({ method: 'PUT' }).bytes,
            request({ target: '/', contentLength: false, headers: ['Transfer-Encoding: chunked'] }).head,
            chunked('POST / HTTP/1.1\r\n\r\n'),
            request().bytes,
          ]),
        ],
        200,
        {
          answers: [
            unknownToken,
            [401, 'stale_timestamp'],
            [405, 'method_not_allowed'],
            [404, 'not_found'],
            200,
          ],
        },
      ),
      raw(
        'a request hidden in a body is a body',
        ({ request }) => [request({ body: request().bytes }).bytes],
        [400, 'invalid_json'],
      ),
      raw(
        'a request hidden in the body of a GET is a body',
        ({ request }) => [request({ method: 'GET', body: request().bytes }).bytes],
        [405, 'method_not_allowed'],
      ),
      raw(
        '50 at once',
        ({ request }) => [
          Buffer.concat(
            Array.from({ length: 50 }, (_, index) => request({ body: `{"event":"e${index}"}` }).bytes),
          ),
        ],
        200,
        { answers: Array.from({ length: 50 }, () => 200 as const) },
      ),
      raw(
        'a malformed one behind others',
        ({ request }) => [
          Buffer.concat([request().bytes, request({ body: '{}' }).bytes, Buffer.from('nonsense\r\n\r\n')]),
        ],
        200,
        { answers: [200, [400, 'missing_event'], malformed], socket: 'closes' },
      ),
      raw(
        'nothing is served behind one that closes',
        ({ request }) => [
          Buffer.concat([request({ headers: ['Connection: close'] }).bytes, request().bytes]),
        ],
        200,
        { socket: 'closes' },
      ),
      raw(
        'nothing is served behind a malformed one',
        ({ request }) => [Buffer.concat([Buffer.from('nonsense\r\n\r\n'), request().bytes])],
        malformed,
        closes,
      ),
    ],
  },
]
