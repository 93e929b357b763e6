import { signatureHeader, signedHeaders, timestampHeader } from '#main/signing/sign.ts'
import { SigningKey } from '#main/signing/signing-key.ts'
import type { CheckId, CheckReason } from '#shared/model/receiver-check.ts'
import type { HeaderMap } from '../header-values.ts'
import type { OutboundRequest } from '../outbound-request.ts'
import { respelledJson, respelledTarget, tampered } from './respell.ts'

/** Milliseconds in which a receiver accepts a timestamp, before and after its own time. */
const oldMs = 290_000
const staleMs = 360_000

/** A body that no parser of JSON takes. */
const notJson = 'This is not JSON.'

/** Everything that the requests of checks are made of. */
export type Material = {
  /** The request of the action, right in every way. */
  readonly request: OutboundRequest
  /** A secret that the receiver does not know. */
  readonly wrongSecret: string
  /** The last replaced secret that is no longer accepted; null if there is none. */
  readonly replacedSecret: string | null
  /** Whether the receiver has accepted the first call; null while it is not known. */
  readonly wasAccepted: boolean | null
  /** The headers with which the first call was signed; null if it was not sent. */
  readonly firstHeaders: Readonly<HeaderMap> | null
}

type Sign = NonNullable<OutboundRequest['sign']>
/** How a request differs from that of the action, or why it is not sent. */
type Variation =
  | Partial<Pick<OutboundRequest, 'body' | 'target' | 'sign'>>
  | { readonly skipped: CheckReason }

/** Signs with another timestamp. */
const signedAt =
  (offsetMs: number): Sign =>
  (key, nowMs, bytes) => ({ ...signedHeaders(key, nowMs + offsetMs, bytes) })

/** Signs with another key. */
const signedWith =
  (secret: string | Uint8Array): Sign =>
  (_key, nowMs, bytes) => ({ ...signedHeaders(new SigningKey(secret), nowMs, bytes) })

/** Signs, then changes the headers. */
const changed =
  (change: (headers: Readonly<HeaderMap>) => HeaderMap): Sign =>
  (key, nowMs, bytes) =>
    change({ ...signedHeaders(key, nowMs, bytes) })

const without = (name: string) =>
  changed(headers => Object.fromEntries(Object.entries(headers).filter(([other]) => other !== name)))

const inCapitals = changed(headers =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toUpperCase(), value])),
)

/** Returns whether the body of a request is JSON. */
function isJson({ body, headers, rawHeaders, encoding }: OutboundRequest): boolean {
  const type = Object.entries({ ...headers, ...rawHeaders }).find(
    ([name]) => name.toLowerCase() === 'content-type',
  )?.[1]
  return body !== '' && encoding === 'utf8' && (type ?? '').toLowerCase().includes('json')
}

/** Returns the variation of a request with a JSON body, or why there is none. */
const ofJson = (request: OutboundRequest, variation: () => Variation): Variation => {
  if (request.body === '') return { skipped: 'no_body' }
  return isJson(request) ? variation() : { skipped: 'body_is_not_json' }
}

/** Every check: how its call differs from a right one. */
export const checkKinds: Readonly<Record<CheckId, (material: Material) => Variation>> = {
  accepted_now: () => ({}),
  accepted_old: () => ({ sign: signedAt(-oldMs) }),
  accepted_header_case: () => ({ sign: inCapitals }),
  accepted_spacing: ({ request, wasAccepted }) => {
    if (request.method === 'GET') {
      const target = respelledTarget(request.target)
      return target === null ? { skipped: 'nothing_to_respell' } : { target }
    }
    const style = wasAccepted === false ? 'python' : 'unusual'
    return ofJson(request, () => ({ body: respelledJson(request.body, style) }))
  },
  refused_stale: () => ({ sign: signedAt(-staleMs) }),
  refused_future: () => ({ sign: signedAt(staleMs) }),
  refused_unsigned: () => ({ sign: without(signatureHeader) }),
  refused_no_timestamp: () => ({ sign: without(timestampHeader) }),
  refused_empty_signature: () => ({ sign: changed(headers => ({ ...headers, [signatureHeader]: '' })) }),
  refused_tampered: ({ request }) => {
    if (request.body === '') return { skipped: 'no_body' }
    const signed = Buffer.from(request.body, request.encoding)
    return {
      body: tampered(request.body),
      sign: (key, nowMs) => ({ ...signedHeaders(key, nowMs, signed) }),
    }
  },
  refused_timestamp_changed: () => ({
    sign: changed(headers => ({
      ...headers,
      [timestampHeader]: String(Number(headers[timestampHeader]) - 1000),
    })),
  }),
  refused_wrong_secret: ({ wrongSecret }) => ({ sign: signedWith(wrongSecret) }),
  refused_replaced_secret: ({ replacedSecret }) =>
    replacedSecret === null ? { skipped: 'no_replaced_secret' } : { sign: signedWith(replacedSecret) },
  survives_replay: ({ firstHeaders }) => (firstHeaders === null ? {} : { sign: () => firstHeaders }),
  survives_not_json: ({ request }) => ofJson(request, () => ({ body: notJson })),
}

/** The variants of a refused call: a receiver that accepts one makes the mistake of that name. */
export const variants = [
  ['key_without_prefix', secret => signedWith(secret.replace(/^whsec_/, ''))],
  ['key_decoded', secret => signedWith(Buffer.from(secret.replace(/^whsec_/, ''), 'base64'))],
  ['seconds', () => (key, nowMs, bytes) => ({ ...signedHeaders(key, Math.floor(nowMs / 1000), bytes) })],
  [
    'body_alone',
    () => (key, nowMs, bytes) => ({
      [timestampHeader]: String(nowMs),
      [signatureHeader]: `sha256=${key.digest('', bytes)}`,
    }),
  ],
] as const satisfies readonly (readonly [string, (secret: string) => Sign])[]
