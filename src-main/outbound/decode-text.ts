import { isUtf8 } from 'node:buffer'

/** The media types that hold no text, whatever charset they declare. */
const binaryType =
  /^\s*(?:image\/(?!svg)|audio\/|video\/|font\/|application\/(?:octet-stream|pdf|zip|gzip)\b)/i
const charsetParameter = /;\s*charset\s*=\s*["']?([^\s;"']+)/i

/**
 * Decodes a body as text: by its byte order mark, else by the charset that its Content-Type declares, else as
 * UTF-8 (decisions: response). A mark in UTF-8 stays in the text.
 *
 * @returns null for what is binary, or not in the encoding that it claims.
 */
export function decodeText(body: Buffer, contentType: string | undefined): string | null {
  const charset = charsetOf(body, contentType ?? '')
  if (charset === 'utf-8') return isUtf8(body) ? body.toString('utf8') : null
  try {
    return new TextDecoder(charset, { fatal: true }).decode(body)
  } catch {
    return null
  }
}

/** Returns the name of an encoding that TextDecoder has. */
function charsetOf(body: Buffer, contentType: string): string {
  const [first, second, third] = body
  if (first === 0xef && second === 0xbb && third === 0xbf) return 'utf-8'
  if (binaryType.test(contentType)) return 'utf-8'
  if (first === 0xff && second === 0xfe) return 'utf-16le'
  if (first === 0xfe && second === 0xff) return 'utf-16be'
  const [, declared] = charsetParameter.exec(contentType) ?? []
  try {
    return new TextDecoder(declared).encoding
  } catch {
    // A charset that nobody knows says nothing.
    return 'utf-8'
  }
}
