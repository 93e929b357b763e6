/** A small JSON document, read and replaced as a whole, that survives a restart. */
export type StoredDocument = {
  /** Where it is kept, for messages to the operator. */
  readonly location: string
  /** Returns the parsed document; null when there is none. @throws when it cannot be read or is not JSON. */
  read(): Promise<unknown>
  /** Resolves when the new content survives kill -9 and loss of power; the old one stays when it fails. */
  write(value: unknown): Promise<void>
  remove(): Promise<void>
}
