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
  /** The same number for the keys of one text in all scopes, so that they can be stored side by side; absent for a key alone. */
  readonly group?: number
}

/** The smallest group. */
export const firstGroup = 2

/** 132 bits rule a collision out, and the whole digest would make the table a third larger. */
const digestLength = 22

/** Returns the key of a text, whatever its length. Different texts have different keys. */
export function deduplicationKey(scope: string, text: string, from: number, forMs: number): DeduplicationKey {
  const digest = hash('sha256', exactBytes(`${scope}\n${text}`), 'base64url').slice(0, digestLength)
  return { scope, digest, from, until: from + forMs }
}

/** Returns the same key with the group of its text: one event has such keys in many scopes. */
export function groupedKey(scope: string, text: string, from: number, forMs: number): DeduplicationKey {
  return { ...deduplicationKey(scope, text, from, forMs), group: groupOf(text) }
}

let newest = { text: '', group: 0 }

/** Returns the group of a text, which is mostly that of the call before. */
function groupOf(text: string): number {
  if (newest.text !== text || newest.group === 0)
    newest = { text, group: firstGroup + Number.parseInt(hash('sha256', exactBytes(text)).slice(0, 7), 16) }
  return newest.group
}

/**
 * Returns what a text is hashed as: itself, which is UTF-8. In UTF-8 all lone surrogates are the same character, so a text
 * with one is its UTF-16 units, after a byte that UTF-8 never has.
 */
function exactBytes(text: string): string | Uint8Array {
  return text.isWellFormed() ? text : Buffer.concat([Buffer.of(0xff), Buffer.from(text, 'utf16le')])
}
