import { createHash } from 'node:crypto'

/** Returns the SHA-256 of a text's UTF-8 as 64 lowercase hexadecimal digits. */
export function sha256Hex(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}
