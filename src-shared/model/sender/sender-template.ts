import { z } from 'zod'
import { EventName } from '../inbound-event.ts'
import { HttpUrl } from '../platform/parts.ts'
import { parsePath } from '../variable-path.ts'
import { maxSignedText } from './signed-text.ts'

/** Characters of the name of a header in a scheme. */
export const maxHeaderName = 100

const HeaderName = z
  .string()
  .max(maxHeaderName)
  .regex(
    /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/,
    "A header name may contain only letters, digits and !#$%&'*+-.^_`|~.",
  )

const DotPath = z
  .string()
  .max(200)
  .refine(path => parsePath(path) !== null, 'Write a dot-path: type, event.name or items[0].kind.')

/** Where a request has a value: in a header, at a dot-path of its body, or in the query of its URL. */
export const Place = z.union([
  z.object({ header: HeaderName }),
  z.object({ path: DotPath }),
  z.object({ query: z.string().min(1).max(100) }),
])
export type Place = z.infer<typeof Place>

/**
 * Where the name of an event can be: in a header, at a dot-path of the body or in the query; always the same; or the
 * first of some paths that exists gives its own name.
 */
const NamePlace = z.union([
  Place,
  z.object({ constant: EventName }),
  z.object({ present: z.array(DotPath).min(1).max(50) }),
])
export type NamePlace = z.infer<typeof NamePlace>

/** Where the name of an event is: a place, or several, of which the first that has one wins. */
export const EventNameSource = z.union([NamePlace, z.array(NamePlace).min(1).max(10)])
export type EventNameSource = z.infer<typeof EventNameSource>

/** Returns the places of a name in their order. */
export function namePlacesOf(source: EventNameSource): readonly NamePlace[] {
  return Array.isArray(source) ? source : [source]
}

/** Where the data of an event is: the whole body, an object at a dot-path of it, or each item of a list is an event. */
export const DataSource = z.union([
  z.literal('body'),
  z.object({ path: DotPath }),
  z.object({ items: z.union([z.literal('body'), DotPath]) }),
])
export type DataSource = z.infer<typeof DataSource>

/** How a body is written. JSON is read as JSON whatever this says. */
export const BodyFormat = z.enum(['json', 'form', 'multipart', 'text', 'xml'])
export type BodyFormat = z.infer<typeof BodyFormat>

/** How a request proves who sent it. */
export const Proof = z.enum(['hmac', 'token', 'basic', 'ed25519', 'ecdsa', 'rsa', 'rsa-pss', 'jwt', 'none'])
export type Proof = z.infer<typeof Proof>

export const JwtAlgorithm = z.enum([
  ...(['HS256', 'HS384', 'HS512', 'RS256', 'RS384', 'RS512'] as const),
  ...(['PS256', 'PS384', 'PS512', 'ES256', 'EdDSA'] as const),
])
export type JwtAlgorithm = z.infer<typeof JwtAlgorithm>

export const Jwt = z.object({
  header: HeaderName.optional().describe('The header with the token; a leading `Bearer ` is dropped.'),
  body: z.literal(true).optional().describe('Instead: the body is the token, and its claims are the event.'),
  algorithm: JwtAlgorithm.describe('The only one that is accepted, whatever a token says.'),
  issuer: z.string().min(1).max(500).optional(),
  audience: z.string().min(1).max(500).optional(),
  claims: z
    .record(z.string().min(1).max(100), z.string().max(500))
    .optional()
    .describe('Claims that a token must have, with their texts. One can be `{{setting:NAME}}`.'),
  bodyDigestClaim: z
    .string()
    .min(1)
    .max(100)
    .optional()
    .describe('The claim with the SHA-256 of the body. Without one, the token does not cover the body.'),
})
export type Jwt = z.infer<typeof Jwt>

export const Algorithm = z.enum(['sha256', 'sha1', 'sha512'])
export type Algorithm = z.infer<typeof Algorithm>

/** Bytes of a digest. */
export const digestBytes = { sha1: 20, sha256: 32, sha512: 64 } as const satisfies Record<Algorithm, number>

const Prefix = z
  .string()
  .max(50)
  .regex(/^(?:[!-~]+ ?)?$/, 'A prefix may contain visible ASCII characters only, and a space at its end.')

/** Whether a correctly signed request without an event, such as one that checks the URL, is refused or accepted. */
export const EmptyBody = z.enum(['refuse', 'accept'])

/** Whether a repeat by its id starts again what failed or did nothing. */
export const Redelivery = z
  .enum(['ignore', 'start'])
  .describe('Whether a repeat starts again what failed or did nothing; by default `ignore`.')

/** How far a sender's timestamp may be from this service's clock, in milliseconds. */
export const defaultWindowMs = 300_000
export const WindowMs = z.int().min(1000).max(3_600_000)

export const PublicKey = z
  .string()
  .min(1)
  .max(10_000)
  .describe('A public key: PEM, JWK, raw hex or bare base64. No secret.')
export const KeysUrl = HttpUrl.describe('The address of a JWKS with the public keys.')
export const SenderSettings = z
  .record(z.string().regex(/^[A-Za-z0-9_]{1,50}$/), z.string().max(500))
  .describe('Values of {{setting:NAME}}.')

/** How to find and to check the proof of a request, and what it says. */
export const templateFields = {
  verify: Proof.optional().describe('How a request proves who sent it; by default `hmac`.'),
  signatureHeader: HeaderName.optional().describe('The header with the signature.'),
  signature: Place.optional().describe('Instead of `signatureHeader`: where the signature or the token is.'),
  prefix: Prefix.default('').describe('What comes before the digest, for example `sha256=`.'),
  separator: z
    .enum([' ', ',', ';'])
    .optional()
    .describe('Between several values of the signature header. Those without the prefix are skipped.'),
  encoding: z.enum(['hex', 'base64']).optional(),
  algorithm: Algorithm.default('sha256').describe('The hash function of the signature.'),
  key: z
    .enum(['text', 'base64', 'hex'])
    .default('text')
    .describe('`text`: the whole secret is the key. `base64`: its decoded bytes, without `whsec_`.'),
  signed: z
    .string()
    .max(maxSignedText)
    .optional()
    .describe(
      'The signed text, with one of {{body}}, {{bodyHash}} and {{sortedForm}}, and {{timestamp}}, {{id}}, {{url}}, {{header:NAME}} and others.',
    ),
  publicKey: PublicKey.optional(),
  keysUrl: KeysUrl.optional(),
  certificate: Place.optional().describe('Where a request says the address of the certificate of its key.'),
  certificateHosts: z
    .array(
      z
        .string()
        .max(200)
        .regex(/^(?:(?:\*|[a-z0-9-]+)\.)*[a-z0-9-]+\.[a-z0-9-]+$/),
    )
    .min(1)
    .max(20)
    .optional()
    .describe('The only hosts that a certificate is fetched from: `sns.*.amazonaws.com`.'),
  jwt: Jwt.optional(),
  timestampHeader: HeaderName.optional().describe(
    'The header with the time of the request. Without one, repeats are found for 24 hours.',
  ),
  timestamp: Place.optional().describe('Instead of `timestampHeader`: where the time of the request is.'),
  timestampPrefix: Prefix.optional().describe(
    'For a header with several values: what comes before the timestamp.',
  ),
  timestampUnit: z.enum(['s', 'ms', 'iso']).default('s'),
  windowMs: WindowMs.default(defaultWindowMs).describe(
    'How far the timestamp may be from the time of this service, in milliseconds.',
  ),
  idHeader: HeaderName.optional().describe('The header with {{id}}.'),
  id: Place.optional().describe('Instead of `idHeader`: where the id of the event is.'),
  settings: SenderSettings.optional(),
  body: BodyFormat.optional().describe('How bodies are written that are not JSON; by default as forms.'),
  eventName: EventNameSource,
  data: DataSource.default('body'),
  empty: EmptyBody.optional().describe('Without an event name; by default `refuse`.'),
  redelivery: Redelivery.optional(),
}

/** The parts that the documentation of the interface names. */
export const senderParts = {
  ...{ BodyFormat, DataSource, EmptyBody, EventNameSource, HeaderName, Jwt, KeysUrl, NamePlace, Place },
  ...{ PublicKey, Redelivery, SenderSettings },
}

const TemplateShape = z.object(templateFields)
/** A place whose value is there, equals a text or contains one. */
type Condition = { readonly place: Place; readonly equals?: string; readonly includes?: string }

/** A template as an owner or a preset writes it. */
export type WrittenTemplate = z.input<typeof TemplateShape> & {
  /**
   * Only in presets: the template counts for requests that have all of these values, the most if several templates count;
   * without one, it counts for the others.
   */
  readonly when?: readonly Condition[]
  /** Only in presets: where a request has the hexadecimal SHA-256 of its body, which the signed text contains. */
  readonly bodyDigest?: Place
  /** Only in presets: the data at its path may be a text with a JSON object, also in base64; else the body is the data. */
  readonly decodesData?: true
}

/** A template with what it leaves out. */
export type SenderTemplate = Readonly<
  Omit<z.output<typeof TemplateShape>, 'verify' | 'signatureHeader' | 'encoding' | 'signed' | Parts>
> &
  Pick<WrittenTemplate, 'when' | 'bodyDigest' | 'decodesData'> & {
    readonly verify: Proof
    /** Where the signature or the token is; null for a kind that has no place for it. */
    readonly signature: Place | null
    readonly timestamp: Place | null
    readonly id: Place | null
    /** The header of `signature`; empty if it is elsewhere. */
    readonly signatureHeader: string
    readonly encoding: 'hex' | 'base64'
    /** Empty for a kind that signs no text. */
    readonly signed: string
  }
type Parts = 'signature' | 'timestamp' | 'id'

/** Returns a template with what it leaves out, and each place in both spellings. */
export function resolveTemplate(written: WrittenTemplate): SenderTemplate {
  const { verify = 'hmac', prefix = '', encoding = 'hex', algorithm = 'sha256', key = 'text' } = written
  const { signed = '', timestampUnit = 's', windowMs = defaultWindowMs, data = 'body' } = written
  const { signatureHeader, timestampHeader, idHeader, ...others } = written
  const placeOf = (place: Place | undefined, header: string | undefined) =>
    place ?? (header === undefined ? null : { header })
  const headerOf = (place: Place | null) => (place !== null && 'header' in place ? place.header : undefined)
  const signature = placeOf(written.signature, signatureHeader)
  const timestamp = placeOf(written.timestamp, timestampHeader)
  const id = placeOf(written.id, idHeader)
  return {
    ...others,
    ...{ verify, prefix, encoding, algorithm, key, signed, timestampUnit, windowMs, data },
    ...{ signature, timestamp, id },
    signatureHeader: headerOf(signature) ?? '',
    timestampHeader: headerOf(timestamp),
    idHeader: headerOf(id),
  }
}

/** Returns a template as it is written: with the headers of its places where these say all. The inverse of the above. */
export function writeTemplate(template: SenderTemplate): WrittenTemplate {
  const { verify, signature, timestamp, id, signatureHeader, encoding, signed, ...others } = template
  const inHeader = (place: Place | null) => place === null || 'header' in place
  const hasText = signed !== ''
  return {
    ...others,
    ...(verify !== 'hmac' && { verify }),
    ...(signatureHeader !== '' && { signatureHeader }),
    ...(!inHeader(signature) && { signature: signature ?? undefined }),
    ...(!inHeader(timestamp) && { timestamp: timestamp ?? undefined }),
    ...(!inHeader(id) && { id: id ?? undefined }),
    ...(hasText && { encoding, signed }),
  }
}
