import { sha256Hex } from '#main/lib/sha256-hex.ts'
import { asciiWords } from '#shared/model/tool-name.ts'

/** Gives `size` random bytes, of cryptographic quality where it makes credentials. */
export type RandomBytes = (size: number) => Buffer

/** `conn_` and the like + 21 URL-safe random characters, 126 bits (decisions: connectionId). */
export function newId(prefix: 'conn' | 'ws' | 'act' | 'evtype', random: RandomBytes): string {
  return `${prefix}_${random(16).toString('base64url').slice(0, 21)}`
}

/** 32 random bytes, base64url: 43 characters (decisions: inbound token). */
export function newInboundToken(random: RandomBytes): string {
  return random(32).toString('base64url')
}

/** `whsec_` + 32 random bytes, base64url. The whole string is the key (decisions: signing secret). */
export function newSigningSecret(random: RandomBytes): string {
  return `whsec_${random(32).toString('base64url')}`
}

const maxSlugLength = 20

/**
 * The part of a combined tool name that stands for the connection: lower-case ASCII words of its name,
 * joined by `_`, at most 20 characters. Fixed when the connection is created (decisions: Assistant).
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
