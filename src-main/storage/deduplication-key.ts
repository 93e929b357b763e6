import { hash } from 'node:crypto'

/** A key that only one run of a workflow, or one event of a connection, may have until it expires. */
export type DeduplicationKey = {
  /** The id of the workflow or the connection. */
  readonly scope: string
  /** Identifies the key among those of all scopes. */
  readonly digest: string
  /** Milliseconds since 1970. A kept key that has expired by then does not count. */
  readonly from: number
  /** When it expires, in milliseconds since 1970. */
  readonly until: number
}

/** 132 bits rule a collision out, and the whole digest would make the table a third larger. */
const digestLength = 22

/** Returns the key of a text, whatever its length. Different texts have different keys. */
export function deduplicationKey(scope: string, text: string, from: number, forMs: number): DeduplicationKey {
  const digest = hash('sha256', exactBytes(`${scope}\n${text}`), 'base64url').slice(0, digestLength)
  return { scope, digest, from, until: from + forMs }
}

/**
 * Returns what a text is hashed as: itself, which is UTF-8. In UTF-8 all lone surrogates are the same character, so a text
 * with one is its UTF-16 units, after a byte that UTF-8 never has.
 */
function exactBytes(text: string): string | Uint8Array {
  return text.isWellFormed() ? text : Buffer.concat([Buffer.of(0xff), Buffer.from(text, 'utf16le')])
}
