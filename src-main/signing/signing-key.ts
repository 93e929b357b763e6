import { hash } from 'node:crypto'

/** SHA-256's block and digest, in bytes. */
const blockSize = 64
const digestSize = 32
const innerPad = 0x36
const outerPad = 0x5c

/**
 * A signing secret made ready for HMAC-SHA256 (RFC 2104). Its bytes stay inside: printing or logging it
 * shows nothing.
 *
 * It stands on one-shot hashes in the place of createHmac, whose native object lives until its wrapper is
 * collected: in a listener that answers tens of thousands of requests a second some wrappers grow old, and
 * their memory with them. It is also somewhat faster. A test holds it to createHmac.
 */
export class SigningKey {
  /** The key with each pad, followed in `#outer` by room for the inner digest. */
  readonly #inner: Buffer
  readonly #outer: Buffer

  /** @throws RangeError for an empty secret. HMAC would take one, and everybody can sign with it. */
  constructor(secret: string) {
    if (secret === '') throw new RangeError('A signing secret must not be empty.')
    const bytes = Buffer.from(secret, 'utf8')
    const key = bytes.length > blockSize ? hash('sha256', bytes, 'buffer') : bytes
    this.#inner = Buffer.alloc(blockSize, innerPad)
    this.#outer = Buffer.alloc(blockSize + digestSize, outerPad)
    for (const [index, byte] of key.entries()) {
      this.#inner[index] = byte ^ innerPad
      this.#outer[index] = byte ^ outerPad
    }
  }

  /** HMAC-SHA256 of `prefix` (ASCII) followed by `body`, as 64 lowercase hexadecimal digits. */
  digest(prefix: string, body: Uint8Array): string {
    const message = Buffer.allocUnsafe(blockSize + prefix.length + body.length)
    this.#inner.copy(message)
    message.write(prefix, blockSize, 'latin1')
    message.set(body, blockSize + prefix.length)
    this.#outer.write(hash('sha256', message, 'hex'), blockSize, 'hex')
    return hash('sha256', this.#outer, 'hex')
  }
}
