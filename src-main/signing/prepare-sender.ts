import { defaultSender, type Sender, templatesOf } from '#shared/model/sender/sender.ts'
import { keyPrefix, secretProblem } from '#shared/model/sender/sender-secret.ts'
import { namePlacesOf, type SenderTemplate } from '#shared/model/sender/sender-template.ts'
import { movableBetween, parseSignedText, type SignedPart } from '#shared/model/sender/signed-text.ts'
import { schemes } from '#shared/model/sender/templates.ts'
import { SigningKey } from './signing-key.ts'
import type { VerificationKey } from './verify.ts'

/** A secret of a sender; `expiresAt` in ms since 1970, null for the current one. */
export type DatedSecret = { readonly secret: string; readonly expiresAt: number | null }

/** A template with its keys and its signed text parsed. Names of headers are in lower case. */
export type PreparedTemplate = {
  readonly template: SenderTemplate
  readonly signatureHeader: string
  readonly timestampHeader: string | null
  readonly idHeader: string | null
  /** The parts that are signed before the body and after it. */
  readonly before: readonly SignedPart[]
  readonly after: readonly SignedPart[]
  /** Whether it is the default scheme, whose hexadecimal digits must be in lower case. */
  readonly isDefault: boolean
  /** Whether a body that is not JSON may be form fields. */
  readonly readsForms: boolean
  /** Whether one set of signed bytes could be several events, because what is not signed tells which. */
  readonly isAmbiguous: boolean
  readonly keys: readonly VerificationKey[]
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
  const prepare = (template: SenderTemplate) => ({
    ...prepareTemplate(template, usable),
    ...{ isDefault, readsForms },
  })
  return [prepare(first), ...rest.map(prepare)]
}

function prepareTemplate(
  template: SenderTemplate,
  secrets: readonly DatedSecret[],
): Omit<PreparedTemplate, 'isDefault' | 'readsForms'> {
  const parts = parseSignedText(template.signed)
  const body = parts.findIndex(({ kind }) => kind === 'body')
  return {
    template,
    signatureHeader: template.signatureHeader.toLowerCase(),
    timestampHeader: template.timestampHeader?.toLowerCase() ?? null,
    idHeader: template.idHeader?.toLowerCase() ?? null,
    before: parts.slice(0, body),
    after: parts.slice(body + 1),
    isAmbiguous: !isNameSigned(template, parts) || movableBetween(template.signed) !== null,
    keys: secrets.map(({ secret, expiresAt }) => ({
      key: new SigningKey(keyOf(secret, template), template.algorithm),
      kind: expiresAt === null ? 'current' : 'previous',
      expiresAt,
    })),
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
