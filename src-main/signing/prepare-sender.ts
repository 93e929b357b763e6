import type { KeyObject } from 'node:crypto'
import { defaultSender, type Sender, templatesOf } from '#shared/model/sender/sender.ts'
import { keyPrefix, secretProblem } from '#shared/model/sender/sender-secret.ts'
import {
  type JwtAlgorithm,
  namePlacesOf,
  type Place,
  type SenderTemplate,
} from '#shared/model/sender/sender-template.ts'
import { movableBetween, parseSignedText, type SignedPart } from '#shared/model/sender/signed-text.ts'
import { isPreset, schemes } from '#shared/model/sender/templates.ts'
import { KeyProblem, keyFamilyOf, readPublicKey } from './public-key.ts'
import { type HmacAlgorithm, SigningKey } from './signing-key.ts'
import type { VerificationKey } from './verify.ts'

/** A secret of a sender; `expiresAt` in ms since 1970, null for the current one. */
export type DatedSecret = { readonly secret: string; readonly expiresAt: number | null }

/** A template with its keys and its signed text parsed. Names of headers are in lower case. */
export type PreparedTemplate = {
  readonly template: SenderTemplate
  /** The header with the signature or the token; empty if it is elsewhere. */
  readonly signatureHeader: string
  readonly timestampHeader: string | null
  readonly idHeader: string | null
  /** Where the signature or the token, the time and the id are, with headers in lower case. */
  readonly signature: Place | null
  readonly timestamp: Place | null
  readonly id: Place | null
  /** The parts that are signed before the body and after it. All are before it if its bytes are not signed themselves. */
  readonly before: readonly SignedPart[]
  readonly after: readonly SignedPart[]
  readonly hasBody: boolean
  /** Whether its proof is judged only with the body. */
  readonly needsBody: boolean
  /** Whether values are refused whose bytes could move between them. Other providers sign as they do. */
  readonly isApart: boolean
  /** Whether it is the default scheme, whose hexadecimal digits must be in lower case. */
  readonly isDefault: boolean
  /** Whether a body that is not JSON may be form fields. */
  readonly readsForms: boolean
  /** Whether one set of signed bytes could be several events, because what is not signed tells which. */
  readonly isAmbiguous: boolean
  /** Whether its proof is made with a secret. */
  readonly usesSecret: boolean
  /** Its secrets. */
  readonly keys: readonly VerificationKey[]
  /** The public key that is given, if it can be one; null if there is none. */
  readonly publicKey: KeyObject | null
}

/** A sender prepared for requests, so that each only looks things up. */
export type PreparedSender = readonly [PreparedTemplate, ...PreparedTemplate[]]

/**
 * Prepares a sender for requests. A secret that is empty or cannot be its key yields no key, so without another one every
 * request is refused.
 */
export function prepareSender(sender: Sender, secrets: readonly DatedSecret[]): PreparedSender {
  const [first, ...rest] = templatesOf(sender)
  const usable = secrets.filter(
    ({ secret, expiresAt }) =>
      secret !== '' && (expiresAt === null || expiresAt > 0) && secretProblem(secret, sender) === null,
  )
  const { readsForms = false } = schemes[sender.scheme]
  const isDefault = sender.scheme === defaultSender.scheme
  const isApart = !isPreset(sender.scheme)
  const prepare = (template: SenderTemplate) => ({
    ...prepareTemplate(template, usable),
    ...{ isDefault, isApart, readsForms },
  })
  return [prepare(first), ...rest.map(prepare)]
}

function prepareTemplate(
  template: SenderTemplate,
  secrets: readonly DatedSecret[],
): Omit<PreparedTemplate, 'isDefault' | 'isApart' | 'readsForms'> {
  const parts = parseSignedText(template.signed, true)
  const body = parts.findIndex(({ kind }) => kind === 'body')
  const [signature, timestamp, id] = [proofPlaceOf(template), template.timestamp, template.id].map(lowerCased)
  const algorithm = hmacOf(template)
  const isIso = template.timestampUnit === 'iso'
  return {
    template,
    ...{ signature: signature ?? null, timestamp: timestamp ?? null, id: id ?? null },
    signatureHeader: headerOf(signature) ?? '',
    timestampHeader: headerOf(timestamp),
    idHeader: headerOf(id),
    before: body === -1 ? parts : parts.slice(0, body),
    after: body === -1 ? [] : parts.slice(body + 1),
    hasBody: body !== -1,
    needsBody: needsBody(template, parts),
    isAmbiguous: !isNameSigned(template, parts) || movableBetween(template.signed, isIso) !== null,
    usesSecret: algorithm !== null,
    keys:
      algorithm === null
        ? []
        : secrets.map(({ secret, expiresAt }) => ({
            key: new SigningKey(isText(template) ? secret : keyOf(secret, template), algorithm),
            kind: expiresAt === null ? 'current' : 'previous',
            expiresAt,
          })),
    publicKey: publicKeyOf(template),
  }
}

/** Returns a place with the name of its header in lower case. */
const lowerCased = (place: Place | null): Place | null =>
  place !== null && 'header' in place ? { header: place.header.toLowerCase() } : place

const headerOf = (place: Place | null | undefined) =>
  place != null && 'header' in place ? place.header : null

/** Returns where a request has its signature or its token. */
function proofPlaceOf({ verify, signature, jwt }: SenderTemplate): Place | null {
  if (verify === 'basic') return { header: 'authorization' }
  return verify === 'jwt' ? (jwt?.header === undefined ? null : { header: jwt.header }) : signature
}

/** Returns whether a request has the secret itself, as it is. */
const isText = ({ verify }: SenderTemplate) => verify === 'token' || verify === 'basic'

/** Returns the hash function of the keys that are made of secrets; null if a proof has none. */
function hmacOf({ verify, algorithm, jwt }: SenderTemplate): HmacAlgorithm | null {
  if (verify === 'hmac') return algorithm
  if (verify === 'token' || verify === 'basic') return 'sha256'
  if (verify !== 'jwt' || jwt === undefined) return null
  return hmacOfJwt[jwt.algorithm] ?? null
}

const hmacOfJwt: Readonly<Partial<Record<JwtAlgorithm, HmacAlgorithm>>> = {
  ...{ HS256: 'sha256', HS384: 'sha384', HS512: 'sha512' },
}

const inBody: ReadonlySet<SignedPart['kind']> = new Set([
  ...(['bodyHash', 'bodyCrc32', 'sortedForm', 'field', 'line'] as const),
])

function needsBody(
  { signature, timestamp, id, when = [], jwt }: SenderTemplate,
  parts: readonly SignedPart[],
) {
  return (
    jwt?.body === true ||
    parts.some(({ kind }) => inBody.has(kind)) ||
    [signature, timestamp, id, ...when.map(({ place }) => place)].some(
      place => place != null && 'path' in place,
    )
  )
}

function publicKeyOf(template: SenderTemplate): KeyObject | null {
  const family = keyFamilyOf(template)
  if (template.publicKey === undefined || family === null) return null
  try {
    return readPublicKey(template.publicKey, family)
  } catch (error) {
    if (error instanceof KeyProblem) return null
    throw error
  }
}

/** Returns whether a signature covers the name of the event. */
function isNameSigned({ eventName }: SenderTemplate, parts: readonly SignedPart[]): boolean {
  return namePlacesOf(eventName).every(place => {
    if ('query' in place) return parts.some(({ kind }) => kind === 'url' || kind === 'query')
    if (!('header' in place)) return true
    const name = place.header.toLowerCase()
    return parts.some(part => part.kind === 'header' && part.name === name)
  })
}

/** Returns the HMAC key of a secret. The secret must have no problem. */
export function keyOf(secret: string, { key }: Pick<SenderTemplate, 'key'>): string | Uint8Array {
  if (key === 'text') return secret
  if (key === 'hex') return Buffer.from(secret, 'hex')
  return Buffer.from(secret.startsWith(keyPrefix) ? secret.slice(keyPrefix.length) : secret, 'base64')
}
