import { createHash, hash, timingSafeEqual } from 'node:crypto'
import { type Algorithm, digestBytes } from '#shared/model/sender/sender-template.ts'

/** The hash functions of an HMAC. Only tokens have SHA-384. */
export type HmacAlgorithm = Algorithm | 'sha384'

/** The bytes of a hash function's block and digest. */
const sizes = {
  sha256: { block: 64, digest: digestBytes.sha256 },
  sha1: { block: 64, digest: digestBytes.sha1 },
  sha384: { block: 128, digest: 48 },
  sha512: { block: 128, digest: digestBytes.sha512 },
} as const satisfies Record<HmacAlgorithm, unknown>
/** Bytes from which on copying a body costs more than a hash that is updated in pieces. */
const largeBody = 16 * 1024
const innerPad = 0x36
const outerPad = 0x5c

/**
 * A signing secret prepared for HMAC (RFC 2104), by default with SHA-256: the whole displayed string, including `whsec_`,
 * as UTF-8 bytes, or the bytes of another key. Create it once per secret, because this costs as much as a signature. Its
 * bytes are private, so printing or logging it shows nothing.
 *
 * It uses one-shot hashes instead of createHmac, whose native object lives until its wrapper is collected. At tens
 * of thousands of requests a second some wrappers reach the old generation, and memory grows. One-shot hashes are
 * also somewhat faster, up to 16 KiB. A test compares the results with createHmac.
 */
export class SigningKey {
  readonly #algorithm: HmacAlgorithm
  /** The key with each pad; `#outer` also has room for the inner digest. */
  readonly #inner: Buffer
  readonly #outer: Buffer

  /** @throws RangeError for an empty secret. HMAC accepts one, and everybody can sign with it. */
  constructor(secret: string | Uint8Array, algorithm: HmacAlgorithm = 'sha256') {
    if (secret.length === 0) throw new RangeError('A signing secret must not be empty.')
    const { block, digest } = sizes[algorithm]
    const bytes = Buffer.from(secret)
    const key = bytes.length > block ? hash(algorithm, bytes, 'buffer') : bytes
    this.#algorithm = algorithm
    this.#inner = Buffer.alloc(block, innerPad)
    this.#outer = Buffer.alloc(block + digest, outerPad)
    for (const [index, byte] of key.entries()) {
      this.#inner[index] = byte ^ innerPad
      this.#outer[index] = byte ^ outerPad
    }
  }

  /**
   * Returns the HMAC of `prefix`, `body` and `suffix` in lowercase hexadecimal digits. Prefix and suffix are Latin-1, as
   * Node reads header fields.
   */
  digest(prefix: string, body: Uint8Array, suffix = ''): string {
    const inner =
      body.length < largeBody ? this.#hashCopy(prefix, body, suffix) : this.#hashPieces(prefix, body, suffix)
    this.#outer.write(inner, this.#inner.length, 'hex')
    return hash(this.#algorithm, this.#outer, 'hex')
  }

  /** Returns whether bytes are the secret itself. Compares in constant time. */
  isMadeOf(bytes: Uint8Array): boolean {
    return bytes.length > 0 && timingSafeEqual(this.#inner, new SigningKey(bytes, this.#algorithm).#inner)
  }

  #hashCopy(prefix: string, body: Uint8Array, suffix: string): string {
    const block = this.#inner.length
    const message = Buffer.allocUnsafe(block + prefix.length + body.length + suffix.length)
    this.#inner.copy(message)
    message.write(prefix, block, 'latin1')
    message.set(body, block + prefix.length)
    if (suffix !== '') message.write(suffix, block + prefix.length + body.length, 'latin1')
    return hash(this.#algorithm, message, 'hex')
  }

  #hashPieces(prefix: string, body: Uint8Array, suffix: string): string {
    return createHash(this.#algorithm)
      .update(this.#inner)
      .update(prefix, 'latin1')
      .update(body)
      .update(suffix, 'latin1')
      .digest('hex')
  }
}
