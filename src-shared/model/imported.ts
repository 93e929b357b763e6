import { z } from 'zod'
import { Moment } from './identifiers.ts'

/** A field that differs from the document: since when, and the digest of its value there, null if it had none. */
const OwnField = z.object({ at: Moment, was: z.string().nullable() })

/**
 * The record that an action or an event type keeps of its document. A field that is not in `own` is as the document had
 * it, so that only edits take space.
 */
export const Imported = z.object({
  operation: z.string(),
  own: z.record(z.string(), OwnField).optional(),
})
export type Imported = Readonly<z.infer<typeof Imported>>

/** The record of a connection's last import. It has no rules for texts, so that it stays readable when they change. */
export const StoredSource = z.object({
  format: z.string(),
  url: z.string().optional(),
  header: z.object({ name: z.string(), value: z.string() }).optional(),
  /** The server whose operations the connection has; missing for the first one of the document. */
  server: z.string().optional(),
  /** The server of the document that was chosen in place of its first one. */
  base: z.string().optional(),
  placeholders: z.record(z.string(), z.string()).optional(),
  importedAt: Moment,
  /** SHA-256 of the text, as lowercase hex. */
  hash: z.string(),
  /** Digests of all operations of the document, so that one that was left out is not offered as a new one. */
  seen: z.string(),
})
export type StoredSource = Readonly<z.infer<typeof StoredSource>>
