import { signatureHeader, timestampHeader } from '#main/signing/sign.ts'

/** Header fields that the endpoint checks, as sent; undefined if missing. */
export type SignedHeaders = {
  timestamp: string | undefined
  signature: string | undefined
  contentEncoding: string | undefined
  contentLength: string | undefined
  /** Whether the timestamp or the signature was sent more than once, even with the same value. */
  repeated: 'timestamp' | 'signature' | null
}

/**
 * Picks these fields from the raw header list. `message.headers` would hide repeated fields and build an object for
 * every request.
 *
 * @param rawHeaders alternating names and values, from node:http.
 */
export function pickSignedHeaders(rawHeaders: readonly string[]): SignedHeaders {
  const picked: SignedHeaders = {
    timestamp: undefined,
    signature: undefined,
    contentEncoding: undefined,
    contentLength: undefined,
    repeated: null,
  }
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index]
    const value = rawHeaders[index + 1]
    if (name === undefined || value === undefined) break
    // The four names have three lengths. Comparing lengths first skips nearly all other fields.
    if (name.length === timestampHeader.length) {
      const lower = name.toLowerCase()
      if (lower === timestampHeader) {
        if (picked.timestamp !== undefined) picked.repeated = 'timestamp'
        picked.timestamp = value
      } else if (lower === signatureHeader) {
        if (picked.signature !== undefined) picked.repeated = 'signature'
        picked.signature = value
      }
    } else if (name.length === 16 && name.toLowerCase() === 'content-encoding') {
      picked.contentEncoding =
        picked.contentEncoding === undefined ? value : `${picked.contentEncoding}, ${value}`
    } else if (name.length === 14 && name.toLowerCase() === 'content-length') {
      picked.contentLength = value
    }
  }
  return picked
}

/**
 * Returns `Name: value` lines joined by "\\n".
 *
 * @param omitted the header to leave out, in lower case; by default the signature, for stored copies. Null for none.
 */
export function headerLines(rawHeaders: readonly string[], omitted: string | null = signatureHeader): string {
  let lines = ''
  for (let index = 0; index + 1 < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] ?? ''
    if (omitted !== null && name.length === omitted.length && name.toLowerCase() === omitted) continue
    lines += lines === '' ? `${name}: ${rawHeaders[index + 1]}` : `\n${name}: ${rawHeaders[index + 1]}`
  }
  return lines
}

/** The inverse of `headerLines`. */
export function parseHeaderLines(lines: string): [name: string, value: string][] {
  if (lines === '') return []
  return lines.split('\n').map(line => {
    const colon = line.indexOf(': ')
    return [line.slice(0, colon), line.slice(colon + 2)]
  })
}
