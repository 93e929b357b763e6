import { createHmac } from 'node:crypto'
import { expect } from 'vitest'
import { startOfTests } from '../../support/connection-records.ts'
import { type RequestOptions, signatureFor } from '../../support/sender.ts'
import { one, type Row, raw, type Scene } from './case.ts'

const missingSignature = [401, 'missing_signature'] as const
const missingTimestamp = [401, 'missing_timestamp'] as const
const invalidSignature = [401, 'invalid_signature'] as const
const invalidTimestamp = [401, 'invalid_timestamp'] as const
const staleTimestamp = [401, 'stale_timestamp'] as const

const body = '{"event":"order.created","data":{"orderId":42}}'

/** The signature that would be right, for mistakes to be made with. */
const right = ({ connection, now }: Scene) => signatureFor(connection.secret, String(now), body)

/** One request whose signature header is made from the right one. */
function wrongly(name: string, change: (signature: string, scene: Scene) => string) {
  return one(name, scene => ({ body, signature: change(right(scene), scene) }), invalidSignature)
}

/** One request whose timestamp is sent, and signed, as this text. */
function at(name: string, timestamp: (now: number) => string, answer: Parameters<typeof one>[2]) {
  return one(name, ({ now }): RequestOptions => ({ timestamp: timestamp(now) }), answer)
}

const digestOf = (signature: string) => signature.slice('sha256='.length)

/** Timestamp and signature headers. */
export const signatureRows: Row[] = [
  {
    row: 3,
    title: 'a missing header',
    cases: [
      one('no signature', { signature: null }, missingSignature),
      one('an empty signature', { signature: '' }, missingSignature),
      one('a signature of spaces', { signature: '   ' }, missingSignature),
      one('no timestamp', { timestamp: null }, missingTimestamp),
      one('an empty timestamp', { timestamp: '' }, missingTimestamp),
      one('a timestamp of spaces and tabs', { timestamp: ' \t ' }, missingTimestamp),
      one('neither', { timestamp: null, signature: null }, missingSignature),
      one(
        'under another name',
        { signature: null, headers: ['x-service-signature-256: sha256=00'] },
        missingSignature,
      ),
      one(
        'with an underscore',
        ({ now }) => ({ timestamp: null, headers: [`x_service_timestamp: ${now}`] }),
        missingTimestamp,
      ),
    ],
  },
  {
    row: 4,
    title: 'a timestamp that is not a plain number of milliseconds',
    cases: [
      at('seconds', now => String(Math.floor(now / 1000)), staleTimestamp),
      at('ISO 8601', now => new Date(now).toISOString(), invalidTimestamp),
      at('a plus sign', now => `+${now}`, invalidTimestamp),
      at('a minus sign', now => `-${now}`, invalidTimestamp),
      at('a decimal point', now => `${now}.0`, invalidTimestamp),
      at('seconds with a decimal point', now => String(now / 1000 + 0.5), invalidTimestamp),
      at('an exponent', now => `${now}e0`, invalidTimestamp),
      at('hexadecimal', now => `0x${now.toString(16)}`, invalidTimestamp),
      at('a space inside', now => `${String(now).slice(0, 4)} ${String(now).slice(4)}`, invalidTimestamp),
      at('commas inside', now => now.toLocaleString('en'), invalidTimestamp),
      at('underscores inside', now => `${String(now).slice(0, 4)}_${String(now).slice(4)}`, invalidTimestamp),
      at('Unicode digits', () => Buffer.from('\u0661\u0662\u0663').toString('latin1'), invalidTimestamp),
      at('letters behind it', () => '123abc', invalidTimestamp),
      at('n behind it', now => `${now}n`, invalidTimestamp),
      at('quotes', now => `"${now}"`, invalidTimestamp),
      at('a list', now => `${now}, ${now}`, invalidTimestamp),
      at('16 digits', now => `000${now}`, invalidTimestamp),
      at('microseconds', now => `${now}000`, invalidTimestamp),
      at('200 digits', () => '1'.repeat(200), invalidTimestamp),
      at('NaN', () => 'NaN', invalidTimestamp),
      at('Infinity', () => 'Infinity', invalidTimestamp),
      at('0', () => '0', staleTimestamp),
      at('15 nines', () => '9'.repeat(15), staleTimestamp),
    ],
  },
  {
    row: 5,
    title: 'a timestamp off the clock',
    cases: [
      at('300000 ms behind passes', now => String(now - 300_000), 200),
      at('300000 ms ahead passes', now => String(now + 300_000), 200),
      at('300001 ms behind', now => String(now - 300_001), staleTimestamp),
      at('300001 ms ahead', now => String(now + 300_001), staleTimestamp),
      at('leading zeros are signed as sent', now => `00${now}`, 200),
      one(
        'leading zeros that were not signed',
        ({ now }) => ({ timestamp: `0${now}`, signedTimestamp: String(now) }),
        invalidSignature,
      ),
      one(
        'another timestamp than the one signed',
        ({ now }) => ({ timestamp: String(now + 1), signedTimestamp: String(now) }),
        invalidSignature,
      ),
      one(
        'white space round it is not part of it',
        ({ now }) => ({ timestamp: ` \t${now} \t`, signedTimestamp: String(now) }),
        200,
      ),
    ],
  },
  {
    row: 6,
    title: 'a signature of another form',
    cases: [
      wrongly('uppercase digits', signature => `sha256=${digestOf(signature).toUpperCase()}`),
      wrongly('SHA256=', signature => signature.replace('sha256', 'SHA256')),
      wrongly('sha-256=', signature => signature.replace('sha256', 'sha-256')),
      wrongly('sha512=', signature => signature.replace('sha256', 'sha512')),
      wrongly('a colon', signature => signature.replace('=', ':')),
      wrongly('no scheme', digestOf),
      wrongly('the scheme alone', () => 'sha256='),
      wrongly('base64', signature => `sha256=${Buffer.from(digestOf(signature), 'hex').toString('base64')}`),
      wrongly('63 digits', signature => signature.slice(0, -1)),
      wrongly('65 digits', signature => `${signature}0`),
      wrongly('128 digits', signature => signature + digestOf(signature)),
      wrongly('one character', () => 'x'),
      wrongly('10,000 digits', () => `sha256=${'0'.repeat(10_000)}`),
      wrongly('a list with the right one first', signature => `${signature}, ${signature}`),
      wrongly('a list with the right one last', signature => `v1=x,${signature}`),
      wrongly('parameters behind it', signature => `${signature};v=1`),
      wrongly('quotes', signature => `"${signature}"`),
      wrongly('a space behind the scheme', signature => signature.replace('=', '= ')),
      wrongly('bytes beyond ASCII', signature => `${signature.slice(0, -1)}\u00e9`),
      wrongly('digits of another script', signature => `${signature.slice(0, -1)}\uff11`.slice(0, -1)),
    ],
  },
  {
    row: 7,
    title: 'a signature of something else',
    cases: [
      one(
        'of another secret',
        ({ now }) => ({ body, signature: signatureFor('whsec_wrong', String(now), body) }),
        invalidSignature,
      ),
      one(
        "of another connection's secret",
        ({ now, other }) => ({ body, signature: signatureFor(other.secret, String(now), body) }),
        invalidSignature,
      ),
      one(
        "another connection's event at this one",
        scene => ({
          body,
          signature: signatureFor(scene.other.secret, String(scene.now), body),
          headers: [`x-token: ${scene.other.token}`],
        }),
        invalidSignature,
      ),
      one(
        'with an empty key',
        ({ now }) => ({ body, signature: signatureFor('', String(now), body) }),
        invalidSignature,
      ),
      one(
        'of the secret without whsec_',
        ({ now, connection }) => ({
          body,
          signature: signatureFor(connection.secret.slice(6), String(now), body),
        }),
        invalidSignature,
      ),
      one(
        'of the body alone',
        ({ connection }) => ({
          body,
          signature: `sha256=${createHmac('sha256', connection.secret).update(body).digest('hex')}`,
        }),
        invalidSignature,
      ),
      one('zeros', { body, signature: `sha256=${'0'.repeat(64)}` }, invalidSignature),
      ...[0, 1, 10, 31, body.length - 1].map(index =>
        one(
          `byte ${index} of the body changed`,
          () => {
            const changed = Buffer.from(body)
            changed.writeUInt8(changed.readUInt8(index) ^ 1, index)
            return { body: changed, signedBody: body }
          },
          invalidSignature,
        ),
      ),
      one('a byte more', { body: `${body} `, signedBody: body }, invalidSignature),
      one('a byte fewer', { body: body.slice(0, -1), signedBody: body }, invalidSignature),
      one('no body', { body: '', signedBody: body }, invalidSignature),
      ...[0, 32, 63].map(index =>
        wrongly(`digit ${index} of the signature changed`, signature => {
          const place = 'sha256='.length + index
          const digit = signature[place] === '0' ? '1' : '0'
          return signature.slice(0, place) + digit + signature.slice(place + 1)
        }),
      ),
    ],
  },
  {
    row: 8,
    title: 'a header sent twice',
    cases: [
      one(
        'the same signature',
        scene => ({ body, headers: [`x-service-signature: ${right(scene)}`] }),
        invalidSignature,
      ),
      one('a wrong signature behind', { headers: ['X-Service-Signature: sha256=0'] }, invalidSignature),
      one(
        'a wrong one before',
        scene => ({ body, signature: 'x', headers: [`x-service-signature: ${right(scene)}`] }),
        invalidSignature,
      ),
      one('an empty signature behind', { headers: ['x-service-signature:'] }, invalidSignature),
      one(
        'an empty one before',
        scene => ({ body, signature: '', headers: [`x-service-signature: ${right(scene)}`] }),
        invalidSignature,
      ),
      one(
        'the same timestamp',
        ({ now }) => ({ headers: [`x-service-timestamp: ${now}`] }),
        invalidTimestamp,
      ),
      one(
        'another timestamp',
        ({ now }) => ({ headers: [`X-SERVICE-TIMESTAMP: ${now + 1}`] }),
        invalidTimestamp,
      ),
      one('an empty timestamp behind', { headers: ['x-service-timestamp:'] }, invalidTimestamp),
      one(
        'names in mixed case, once each, are accepted',
        scene => ({
          body,
          signature: null,
          timestamp: null,
          headers: [`X-Service-Signature: ${right(scene)}`, `X-SERVICE-timestamp: ${scene.now}`],
        }),
        200,
      ),
    ],
  },
  {
    row: 9,
    title: 'an exact repeat',
    options: { connection: { ignoreRepeats: true } },
    cases: [
      raw(
        'is answered 200 without a second trigger',
        ({ request }) => [request().bytes, request().bytes],
        200,
        {
          answers: [200, 200],
          triggers: 1,
        },
      ),
      raw(
        'with other headers and query is the same',
        ({ request, connection }) => {
          const options = { body: '{"event":"b"}' }
          const target = `/api/connect/${connection.token}/events?again=1`
          return [request(options).bytes, request({ ...options, target, headers: ['X-Try: 2'] }).bytes]
        },
        200,
        { answers: [200, 200], triggers: 1 },
      ),
      raw(
        'with another timestamp is none',
        ({ request, now }) => [
          request({ body: '{"event":"c"}' }).bytes,
          request({ body: '{"event":"c"}', timestamp: String(now + 1) }).bytes,
        ],
        200,
        { answers: [200, 200], triggers: 2 },
      ),
      raw(
        'of a refused request is refused',
        ({ request }) => [request({ body: '{}' }).bytes, request({ body: '{}' }).bytes],
        [400, 'missing_event'],
        {
          answers: [
            [400, 'missing_event'],
            [400, 'missing_event'],
          ],
        },
      ),
    ],
  },
  {
    row: 10,
    title: 'the old secret in its grace',
    options: { connection: { oldSecrets: [{ secret: 'whsec_old', expiresAt: startOfTests + 1 }] } },
    cases: [
      one(
        'is accepted, and marked',
        ({ now }) => ({ body, signature: signatureFor('whsec_old', String(now), body) }),
        200,
        {
          check: ({ fixture }) =>
            expect(fixture.outcomes).toContainEqual(
              expect.objectContaining({ kind: 'event.accepted', previousSecret: true }),
            ),
        },
      ),
      one(
        'and no other',
        ({ now }) => ({ body, signature: signatureFor('whsec_older', String(now), body) }),
        invalidSignature,
      ),
    ],
  },
  {
    row: 10,
    title: 'the old secret when its grace has ended',
    options: { connection: { oldSecrets: [{ secret: 'whsec_old', expiresAt: startOfTests }] } },
    cases: [
      one(
        'is refused',
        ({ now }) => ({ body, signature: signatureFor('whsec_old', String(now), body) }),
        invalidSignature,
      ),
      one('while the new one is accepted', {}, 200),
    ],
  },
  {
    row: 10,
    title: 'a secret in the store that is empty',
    options: {
      connection: { signingSecret: '', oldSecrets: [{ secret: '', expiresAt: Number.MAX_SAFE_INTEGER }] },
    },
    cases: [
      one('refuses a signature made with it', {}, invalidSignature),
      one(
        'refuses any other',
        ({ now }) => ({ body, signature: signatureFor('undefined', String(now), body) }),
        invalidSignature,
      ),
      one('refuses a missing one', { signature: null }, missingSignature, {
        check: ({ fixture }) =>
          expect(fixture.inbound.attempts.list(fixture.connection.connectionId)[0]?.code).toBe(
            'missing_signature',
          ),
      }),
    ],
  },
]
