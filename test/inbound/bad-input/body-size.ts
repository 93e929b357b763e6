import { expect } from 'vitest'
import { chunked, pathOf } from '../../support/sender.ts'
import { one, type Piece, type Row, raw, type Scene } from './case.ts'

const tooLarge = [413, 'body_too_large'] as const
const invalidSignature = [401, 'invalid_signature'] as const
const limit = 1024

/** A body of so many bytes that is an event. */
function bodyOf(bytes: number): string {
  const [start, end] = ['{"event":"order.created","data":{"fill":"', '"}}']
  return start + 'x'.repeat(bytes - start.length - end.length) + end
}

const inChunks = (scene: Scene, body: string, pieces: readonly (string | Uint8Array)[]) => {
  const { head } = scene.request({ body, contentLength: false, headers: ['Transfer-Encoding: chunked'] })
  return [head, chunked(...pieces)]
}

const split = (bytes: Buffer, size: number): Buffer[] =>
  Array.from({ length: Math.ceil(bytes.length / size) }, (_, index) =>
    bytes.subarray(index * size, (index + 1) * size),
  )

const manyScripts = '{"event":"bestellung.ge\u00e4ndert","data":{"text":"\u20ac \u4f60\u597d \ud83d\ude00"}}'

/** Neither an attempt nor an outcome nor an event. */
function nothingRecorded({ fixture, connection }: Scene): void {
  expect(fixture.inbound.attempts.list(connection.connectionId)).toEqual([])
  expect(fixture.outcomes.filter(outcome => outcome.kind !== 'event.accepted')).toEqual([])
}

const reset = (scene: Scene, ...pieces: Piece[]): Piece[] => [scene.request().head, ...pieces]

/** Bodies that are too large, come in odd pieces, or do not come. */
export const bodySizeRows: Row[] = [
  {
    row: 11,
    title: 'a body over the limit',
    options: { settings: { maxBodyBytes: limit } },
    cases: [
      raw(
        'declared: refused before it is sent',
        ({ request }) => [request({ body: bodyOf(limit + 1) }).head],
        tooLarge,
        {
          socket: 'closes',
        },
      ),
      one('declared and sent', { body: bodyOf(limit + 1) }, tooLarge, { socket: 'closes' }),
      one('declared and sent, 1 MiB', { body: bodyOf(1024 * 1024) }, tooLarge, { socket: 'closes' }),
      raw('declared as 2^53', ({ request }) => [request({ contentLength: 2 ** 53 }).head], tooLarge, {
        socket: 'closes',
      }),
      one('declared, without a signature', { body: bodyOf(limit + 1), signature: null }, tooLarge, {
        socket: 'closes',
      }),
      raw(
        'declared as more than 64 bits hold',
        ({ request }) => [
          request({ contentLength: false, headers: [`Content-Length: ${'9'.repeat(30)}`] }).head,
        ],
        [400, 'malformed_request'],
        { socket: 'closes' },
      ),
      raw(
        'chunked: refused at the limit, before its end',
        scene => {
          const [head, body] = inChunks(scene, bodyOf(limit + 1), [bodyOf(limit + 1)])
          return [head ?? '', body?.subarray(0, -5) ?? '']
        },
        tooLarge,
        { socket: 'closes' },
      ),
      raw(
        'chunked and endless',
        scene => [
          inChunks(scene, '', [])[0] ?? '',
          ...Array.from({ length: 50 }, () => `400\r\n${'x'.repeat(1024)}\r\n`),
        ],
        tooLarge,
        { socket: 'closes' },
      ),
      raw(
        'chunked: what follows the refusal is not answered, however malformed',
        scene => [inChunks(scene, '', [])[0] ?? '', `800\r\n${'x'.repeat(2048)}\r\n`, 'no chunk size\r\n'],
        tooLarge,
        { socket: 'closes' },
      ),
      raw(
        'of an unknown token is 404',
        ({ request }) => [request({ target: pathOf('x'), body: bodyOf(limit) }).bytes],
        [404, 'unknown_token'],
      ),
      one('at the limit passes', { body: bodyOf(limit) }, 200),
      raw('chunked, at the limit passes', scene => inChunks(scene, bodyOf(limit), [bodyOf(limit)]), 200),
      raw(
        'chunked, in one-byte chunks at the limit passes',
        scene => inChunks(scene, bodyOf(limit), [...bodyOf(limit)]),
        200,
      ),
    ],
  },
  {
    row: 12,
    title: 'a body in odd pieces',
    cases: [
      ...[1, 2, 3, 7].map(size =>
        raw(
          `${size} bytes at a time`,
          ({ request }) => split(request({ body: manyScripts }).bytes, size),
          200,
          {
            check: ({ fixture, connection }) =>
              expect(
                fixture.triggers.findLast(({ connectionId }) => connectionId === connection.connectionId)
                  ?.payload,
              ).toMatchObject({
                eventName: 'bestellung.ge\u00e4ndert',
                text: '\u20ac \u4f60\u597d \ud83d\ude00',
              }),
          },
        ),
      ),
      ...[1, 2, 5].map(size =>
        raw(
          `in chunks of ${size} bytes`,
          scene => inChunks(scene, manyScripts, split(Buffer.from(manyScripts), size)),
          200,
        ),
      ),
      raw(
        'in chunks with extensions and a trailer',
        ({ request }) => {
          const body = '{"event":"a"}'
          const { head } = request({ body, contentLength: false, headers: ['Transfer-Encoding: chunked'] })
          return [head, `d;name=value\r\n${body}\r\n0\r\nX-Service-Signature: sha256=0\r\n\r\n`]
        },
        200,
      ),
    ],
  },
  {
    row: 12,
    title: 'a body that does not come whole',
    cases: [
      raw('shorter than declared', ({ request }) => [request({ contentLength: 200 }).bytes], 200, {
        answers: [],
        socket: 'leaves',
        check: nothingRecorded,
      }),
      raw('no byte of it', ({ request }) => [request().head], 200, {
        answers: [],
        socket: 'leaves',
        check: nothingRecorded,
      }),
      raw('chunks that do not end', scene => [...inChunks(scene, '{}', []).slice(0, 1), '2\r\n{}\r\n'], 200, {
        answers: [],
        socket: 'leaves',
        check: nothingRecorded,
      }),
      raw('half a head', ({ request }) => [request().head.subarray(0, 40)], 200, {
        answers: [],
        socket: 'leaves',
        check: nothingRecorded,
      }),
      raw('a reset in the middle', scene => reset(scene, '{"event":'), 200, {
        answers: [],
        socket: 'resets',
        check: nothingRecorded,
      }),
      raw('a reset before the body', scene => reset(scene), 200, {
        answers: [],
        socket: 'resets',
        check: nothingRecorded,
      }),
    ],
  },
  {
    row: 12,
    title: 'a body longer than declared',
    cases: [
      raw(
        'is cut, and the rest is not a request',
        ({ request }) => [request({ body: '{"event":"a"}', contentLength: 10 }).bytes],
        invalidSignature,
        { answers: [invalidSignature, [400, 'malformed_request']], socket: 'closes' },
      ),
      raw(
        'whose first part was signed counts as that part',
        ({ request }) => [
          request({ body: '{"event":"a"}}}}', signedBody: '{"event":"a"}', contentLength: 13 }).bytes,
        ],
        200,
        { answers: [200, [400, 'malformed_request']], socket: 'closes' },
      ),
    ],
  },
]
