import { sha256Hex } from '#main/lib/sha256-hex.ts'
import { asciiWords } from '#shared/model/tool-name.ts'

/** Returns `size` cryptographically secure random bytes. */
export type RandomBytes = (size: number) => Buffer

type IdPrefix = 'conn' | 'ws' | 'act' | 'case' | 'evtype' | 'wf' | 'tok' | 'client' | 'appr' | 'file' | 'upl'

/** Returns a prefix such as `conn_` and 21 random URL-safe characters (126 bits). */
export function newId(prefix: IdPrefix, random: RandomBytes): string {
  return `${prefix}_${random(16).toString('base64url').slice(0, 21)}`
}

/** Returns 32 random bytes as base64url: 43 characters. */
export function newInboundToken(random: RandomBytes): string {
  return random(32).toString('base64url')
}

/** Returns `whsec_` and 32 random bytes as base64url. The whole string is the HMAC key. */
export function newSigningSecret(random: RandomBytes): string {
  return `whsec_${random(32).toString('base64url')}`
}

const maxSlugLength = 20

/**
 * Returns the connection's part of combined tool names: the lower-case ASCII words of its name, joined by `_`, at most
 * 20 characters. It never changes after the connection is created.
 */
export function slugOf(name: string): string {
  const words = asciiWords(
    name
      .normalize('NFKD')
      .replace(/\p{Mark}/gu, '')
      .toLowerCase(),
  )
  const slug = words.join('_').slice(0, maxSlugLength).replace(/_+$/, '')
  if (/^[a-z]/.test(slug)) return slug
  if (slug !== '') return `c_${slug}`.slice(0, maxSlugLength).replace(/_+$/, '')
  return `c_${sha256Hex(name).slice(0, 8)}`
}
