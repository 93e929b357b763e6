import { randomUUID } from 'node:crypto'
import { ServiceError } from '#shared/errors.ts'
import type { Sender } from '#shared/model/sender/sender.ts'
import { secretProblem } from '#shared/model/sender/sender-secret.ts'
import type { SignedPart } from '#shared/model/sender/signed-text.ts'
import { schemes } from '#shared/model/sender/templates.ts'
import { type PreparedTemplate, prepareSender } from './prepare-sender.ts'
import { signedHeaders } from './sign.ts'
import { SigningKey } from './signing-key.ts'

/** The values that are signed besides the body: the id of the request, and the URL that it is sent to. */
export type SignedRequest = { readonly id: string; readonly url: string }

/** Returns the headers that sign a body in a scheme, those of `{{header:NAME}}` with empty values. */
export type Signer = (
  body: Uint8Array | string,
  nowMs: number,
  request: SignedRequest,
) => Record<string, string>

/** Returns an id for a request, as senders give one to each. */
export const newRequestId = () => `msg_${randomUUID()}`

/**
 * Returns a function that signs as a sender does, with a key that is prepared once.
 *
 * @throws ServiceError `invalid_input` for a secret that cannot be its key.
 */
export function signerOf(sender: Sender, secret: string): Signer {
  if (sender.scheme === 'custom-connection') {
    const key = new SigningKey(secret)
    return (body, nowMs) => signedHeaders(key, nowMs, body)
  }
  const problem = secret === '' ? noSecret(schemes[sender.scheme].title) : secretProblem(secret, sender)
  const [prepared] = prepareSender(sender, [{ secret, expiresAt: null }])
  const [current] = prepared.keys
  if (problem !== null || current === undefined)
    throw new ServiceError('invalid_input', { detail: problem ?? noSecret(schemes[sender.scheme].title) })
  return (body, nowMs, request) => signTemplate(prepared, current.key, body, nowMs, request)
}

const noSecret = (title: string) => `No secret is set for the sender, which signs as ${title}. Set it first.`

function signTemplate(
  { template, signatureHeader, timestampHeader, idHeader, before, after }: PreparedTemplate,
  key: SigningKey,
  body: Uint8Array | string,
  nowMs: number,
  { id, url }: SignedRequest,
): Record<string, string> {
  const { timestampUnit, timestampPrefix = '', separator = '', prefix, encoding } = template
  const timestamp = String(timestampUnit === 's' ? Math.floor(nowMs / 1000) : nowMs)
  const textOf = (part: SignedPart) => {
    if (part.kind === 'text') return part.text
    if (part.kind === 'timestamp') return timestamp
    if (part.kind === 'id') return id
    return part.kind === 'url' ? url : ''
  }
  const join = (parts: readonly SignedPart[]) => parts.map(textOf).join('')
  const bytes = typeof body === 'string' ? Buffer.from(body) : body
  const digest = Buffer.from(key.digest(join(before), bytes, join(after)), 'hex')
  const signature = prefix + digest.toString(encoding)
  const signed = [...before, ...after].flatMap(part => (part.kind === 'header' ? [[part.name, '']] : []))
  const isTogether = timestampHeader === signatureHeader
  return {
    ...Object.fromEntries(signed),
    ...(idHeader !== null && { [idHeader]: id }),
    ...(timestampHeader !== null && !isTogether && { [timestampHeader]: timestampPrefix + timestamp }),
    [signatureHeader]: isTogether ? `${timestampPrefix}${timestamp}${separator}${signature}` : signature,
  }
}
