import type { RandomBytes } from '#main/connections/identifiers.ts'
import { sha256Hex } from '#main/lib/sha256-hex.ts'
import type { SessionProof } from './sessions.ts'

/** How long a link may wait to be followed, in milliseconds. */
const linkMs = 60_000
const maxLinks = 100
const ticketBytes = 32

type Link = { readonly proof: SessionProof; readonly expiresAt: number }

/**
 * One-time links for downloads. A browser follows a link without the page's headers, so the page asks for a link
 * with its key first, and the key itself is never in an address.
 */
export type DownloadLinks = {
  /** Returns the ticket of a new link, 43 characters. The oldest link makes room when there are 100. */
  issue(proof: SessionProof): string
  /**
   * Uses a link up.
   *
   * @returns the session that asked for it; null when the ticket is unknown, used, or older than a minute.
   */
  redeem(ticket: string): SessionProof | null
}

export function createDownloadLinks(clock: () => number, random: RandomBytes): DownloadLinks {
  // By the ticket's digest, so that how long a look-up takes says nothing of the ticket.
  const links = new Map<string, Link>()
  return {
    issue(proof) {
      const ticket = random(ticketBytes).toString('base64url')
      for (const [key, { expiresAt }] of links) {
        if (expiresAt > clock() && links.size < maxLinks) break
        links.delete(key)
      }
      links.set(sha256Hex(ticket), { proof, expiresAt: clock() + linkMs })
      return ticket
    },
    redeem(ticket) {
      const link = links.get(sha256Hex(ticket))
      links.delete(sha256Hex(ticket))
      return link === undefined || link.expiresAt <= clock() ? null : link.proof
    },
  }
}
