import type { SenderTemplate } from '#shared/model/sender/sender-template.ts'
import type { SignedPart } from '#shared/model/sender/signed-text.ts'
import type { PreparedTemplate } from '../prepare-sender.ts'
import type { HeadProblem, Match, SenderHead, SenderRequest } from '../sender-head.ts'
import { SigningKey } from '../signing-key.ts'
import type { VerificationKey } from '../verify.ts'

/** A kind of proof that a request can have. */
export type ProofKind = {
  /** Reads the proof of a request, and what it covers. Never throws. @param nowMs milliseconds since 1970. */
  readonly read: (prepared: PreparedTemplate, request: SenderRequest, nowMs: number) => SenderHead
  /** Returns whether the proof of a head without a problem is right for a body. Never throws. */
  readonly match: (head: SenderHead, body: Uint8Array, nowMs: number) => Match
  /** Returns whether the proof is another one if the body is another one. */
  readonly coversBody: (template: SenderTemplate, parts: readonly SignedPart[]) => boolean
  /** Present if a header of the request has the secret itself. */
  readonly secretText?: SecretText
}

/** How a header has a secret. */
export type SecretText = {
  /** Returns the secret of a header and the text before it; null for another value. @param prefix of the template. */
  readonly read: (value: string, prefix: string) => { readonly before: string; readonly bytes: Buffer } | null
  /** Returns a secret as the header has it. */
  readonly write: (secret: string) => string
}

/** Returns whether a signed text has the bytes of the body, their hash or their fields. */
export function signsBody({ bodyDigest }: SenderTemplate, parts: readonly SignedPart[]): boolean {
  const isBody = ({ kind }: SignedPart) => kind === 'body' || kind === 'bodyHash' || kind === 'sortedForm'
  return bodyDigest !== undefined || parts.some(isBody)
}

/** Not a secret: it only names bytes. */
export const bytesKey = new SigningKey('signed bytes')
export const noBytes = new Uint8Array(0)

/** Returns the keys that are not expired. */
export function validKeys({ keys }: PreparedTemplate, nowMs: number): VerificationKey[] {
  return keys.filter(({ expiresAt }) => expiresAt === null || nowMs < expiresAt)
}

export const mismatch = (problem: HeadProblem): Match => ({ problem })
