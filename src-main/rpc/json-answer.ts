/**
 * Thrown by a procedure whose answer is JSON that another thread has made and checked. It leaves out oRPC's check of the
 * output and its serializer, which would keep the main thread busy for up to a second.
 */
export class JsonAnswer extends Error {
  /** In UTF-8. */
  readonly bytes: Uint8Array

  constructor(bytes: Uint8Array) {
    super('An answer that is not an error.')
    this.bytes = bytes
  }
}

const decoder = new TextDecoder()

/** Returns an answer for transports that cannot send its bytes as they are. */
export function parsedAnswer(bytes: Uint8Array): unknown {
  return JSON.parse(decoder.decode(bytes))
}
