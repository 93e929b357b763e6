import type { InboundErrorCodeOf } from '#shared/errors/inbound.ts'
import type { FetchedKeys, KeySource } from './fetched-keys.ts'
import type { PreparedTemplate } from './prepare-sender.ts'
import type { ProofBody } from './proof-body.ts'

/** Why a request is refused, in the terms of its scheme. */
export type HeadProblem = {
  readonly code: InboundErrorCodeOf<'timestamp'> | InboundErrorCodeOf<'signature'>
  /** A sentence for the sender. Never contains a secret or an expected signature. */
  readonly detail: string
  /** Whether a header that must be there once was sent again. */
  readonly isRepeated?: true
}

export type SenderRequest = {
  /** Alternating names and values, as in node:http. */
  readonly rawHeaders: readonly string[]
  /** Returns the URL that the sender called. */
  readonly url: () => string
  /** By default POST. */
  readonly method?: string
  /** Left out until it is read. */
  readonly body?: ProofBody
  /** By default, no fetched keys are known. */
  readonly fetchedKeys?: FetchedKeys | undefined
}

/** A check with its problem, or null beside its result. */
type Check<Result> = { readonly problem: HeadProblem | null } & Result
export type Time = Check<{ readonly text: string | undefined; readonly atMs: number | undefined }>

/**
 * The parts of a request that concern its proof. Each check has a problem or null beside its result, so that the decision
 * and its explanation are made of the same parts. What is in the body has no problem while that is not read.
 */
export type SenderHead = {
  readonly prepared: PreparedTemplate
  readonly request: SenderRequest
  readonly header: Check<{ readonly value: string | undefined }>
  /** The values with the prefix, without it, at most 20. */
  readonly prefix: Check<{ readonly texts: readonly string[] }>
  /** The bytes of the signatures. */
  readonly encoding: Check<{ readonly digests: readonly Buffer[] }>
  /** Null for a proof without a timestamp. `atMs` is in milliseconds since 1970. */
  readonly time: Time | null
  readonly signed: Signed
}

/** The signed text around the bytes of the body, or all of it. One character is one byte. */
export type Signed = Check<{
  readonly before: string
  readonly after: string
  /** Whether the bytes of the body are between them. */
  readonly hasBody: boolean
}>

/** Whether a proof is right. */
export type Match =
  | {
      readonly problem: null
      /** The secret that made it; null for a proof without one. */
      readonly secret: 'current' | 'previous' | null
      /** Identifies what was signed, in hexadecimal digits. */
      readonly digest: string
      /** The text of the event, where it is not the body itself. */
      readonly content?: Buffer
    }
  | {
      readonly problem: HeadProblem
      /** Present if the keys of this address must be fetched first. */
      readonly needs?: KeySource
      readonly digest?: undefined
    }

export function invalid(detail: string): HeadProblem {
  return { code: 'invalid_signature', detail }
}

export const repeated = { isRepeated: true } as const
export const noSigned: Signed = { problem: null, before: '', after: '', hasBody: false }
