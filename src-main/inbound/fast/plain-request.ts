/** A whole request in its plainest form. */
export type PlainRequest = {
  readonly target: string
  /** Alternating names and values, like those of node:http. */
  readonly rawHeaders: readonly string[]
  readonly body: Buffer
  /** Whether the body's ArrayBuffer holds this request only. */
  readonly isAlone: boolean
}

/** Bytes of a head that is read here; longer ones are node:http's. */
const maxHead = 8 * 1024

/**
 * A head without its last empty line. Its parts have no characters in common with what ends them, so matching takes
 * linear time.
 */
const plainHead =
  /^POST (\/api\/connect\/[\w-]+\/events(?:\?[\w\-.~%&=+,:;/@!$'()*]*)?) HTTP\/1\.1((?:\r\n[\w!#$%&'*+.^`|~-]+:[\t -~]*)+)$/

/** Fields that change how a request is read or answered, by length. */
const framing = new Set([
  'connection',
  'expect',
  'keep-alive',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
])
const lengthField = 'content-length'
const looked = new Set([...framing, lengthField].map(({ length }) => length))

/** A length as it is usually written, of at most eight digits. */
const plainLength = /^(?:0|[1-9]\d{0,7})$/

/**
 * Reads a chunk that is exactly one request in its plainest form; null for anything else, malformed or merely rare.
 * node:http reads the same from what is read here (docs/fast-path.md).
 */
export function readPlainRequest(chunk: Buffer): PlainRequest | null {
  const text = chunk.toString('latin1', 0, Math.min(chunk.length, maxHead))
  const headEnd = text.indexOf('\r\n\r\n')
  if (headEnd === -1) return null
  const [, target, fields] = plainHead.exec(text.slice(0, headEnd)) ?? []
  if (target === undefined || fields === undefined) return null
  const rawHeaders: string[] = []
  let length: string | null = null
  // Each line begins with its CRLF.
  for (let at = 2; at < fields.length; ) {
    const colon = fields.indexOf(':', at)
    const next = fields.indexOf('\r\n', colon)
    const end = next === -1 ? fields.length : next
    const name = fields.slice(at, colon)
    const value = fields.slice(colon + 1, end).trim()
    if (looked.has(name.length)) {
      const lower = name.toLowerCase()
      if (lower === lengthField) {
        if (length !== null) return null
        length = value
      } else if (framing.has(lower) && !(lower === 'connection' && value.toLowerCase() === 'keep-alive'))
        return null
    }
    rawHeaders.push(name, value)
    at = end + 2
  }
  if (length === null || !plainLength.test(length)) return null
  const body = chunk.subarray(headEnd + 4)
  const isAlone = chunk.length === chunk.buffer.byteLength
  return body.length === Number(length) ? { target, rawHeaders, body, isAlone } : null
}
