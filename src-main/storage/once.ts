import { hash } from 'node:crypto'

/** A key that only one run of a workflow, or one event of a connection, may have until it expires. */
export type OnceKey = {
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

/** Returns the key of a text, whatever its length. */
export function onceKey(scope: string, text: string, from: number, forMs: number): OnceKey {
  const digest = hash('sha256', `${scope}\n${text}`, 'base64url').slice(0, digestLength)
  return { scope, digest, from, until: from + forMs }
}
