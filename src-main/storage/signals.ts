/**
 * Short messages to all nodes, the sending one included. Each arrives at most once, in no order, and may be lost. So
 * nothing may depend on one: it only lets a node look at once for what it would find by polling a second later.
 */
export type Signals = {
  /** Never waits and never fails. @throws RangeError for a text of more than 4,000 bytes of UTF-8. */
  send(topic: string, text: string): void
  /** Calls back with each text of a topic. @returns the function that ends the subscription. */
  on(topic: string, listener: (text: string) => void): () => void
}

/** A notification of PostgreSQL has to be shorter than 8,000 bytes, its topic included. */
const mostBytes = 4000

/** @throws RangeError if the text is too long for a signal. */
export function requireShort(text: string): void {
  const bytes = Buffer.byteLength(text)
  if (bytes > mostBytes) throw new RangeError(`A signal of ${bytes} bytes exceeds ${mostBytes} bytes`)
}
