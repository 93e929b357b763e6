import type { KeyObject } from 'node:crypto'

/** An address that public keys are fetched from: of a JWKS, or of a certificate. */
export type KeySource = { readonly url: string; readonly as: 'keys' | 'certificate' }

/** A public key that was fetched. */
export type FetchedKey = {
  /** Its id in a JWKS; null without one. */
  readonly kid: string | null
  readonly key: KeyObject
  /** When the certificate is valid, in ms since 1970; null for a key without one. */
  readonly valid: { readonly from: number; readonly to: number } | null
}

/** The keys of an address that are known now. */
export type KnownKeys = {
  /** Null if none was ever fetched. */
  readonly keys: readonly FetchedKey[] | null
  /** Whether they may be used without another look. */
  readonly isFresh: boolean
  /** Whether they may be fetched now: at most once a minute. */
  readonly mayFetch: boolean
}

/** Returns the keys of an address that are known now. Fetches nothing. */
export type FetchedKeys = (source: KeySource) => KnownKeys

/** Knows no keys and fetches none. */
export const noFetchedKeys: FetchedKeys = () => ({ keys: null, isFresh: false, mayFetch: false })
