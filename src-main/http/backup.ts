import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Backups } from '#main/backup/backups.ts'
import type { RandomBytes } from '#main/connections/identifiers.ts'
import type { Logger } from '#main/lib/logger.ts'
import { sha256Hex } from '#main/lib/sha256-hex.ts'
import { restPrefix } from '#shared/contract/base.ts'
import { ServiceError } from '#shared/errors.ts'
import { type Authority, hasCsrfHeader } from './authorization.ts'
import { refuse } from './errors.ts'
import type { SignedIn } from './serve-session.ts'
import type { SessionProof, Sessions } from './sessions.ts'

type BackupParts = {
  readonly backups: Backups
  readonly logger: Logger
  readonly authority: Authority
}

/** Answers `POST /api/v1/backup` with a backup of the data folder, made now (interface: REST). */
export function serveBackup(app: FastifyInstance, parts: BackupParts): void {
  const { authority } = parts
  app.post(`${restPrefix}/backup`, {
    async onRequest(request, reply) {
      if (!authority.isAuthorized(request)) return refuse(reply, authority.refusal(request, reply))
    },
    handler: (_request, reply) => sendBackup(reply, parts),
  })
}

type BackupLinkParts = BackupParts & {
  readonly sessions: Sessions
  readonly proofOf: SignedIn['proofOf']
  /** Milliseconds since 1970. */
  readonly clock: () => number
  readonly random: RandomBytes
}

/**
 * Serves the dashboard's page a backup: `POST /download/backup` answers with the path of a one-time link, for a
 * minute, which the browser then follows without the page's headers.
 */
export function serveBackupLink(app: FastifyInstance, parts: BackupLinkParts): void {
  const { authority, sessions, proofOf, clock, random } = parts
  const links = createDownloadLinks(clock, random)

  app.post('/download/backup', {
    async onRequest(request, reply) {
      if (!sessions.isOpen(proofOf(request))) return refuse(reply, authority.refusal(request, reply))
      if (!hasCsrfHeader(request)) return refuse(reply, new ServiceError('missing_csrf_header'))
    },
    handler: request => ({ path: `download/backup/${links.issue(proofOf(request))}` }),
  })
  app.route<{ Params: { ticket: string } }>({
    method: 'GET',
    url: '/download/backup/:ticket',
    exposeHeadRoute: false,
    async handler(request, reply) {
      if (isForeign(request)) return refuse(reply, new ServiceError('forbidden_origin'))
      const proof = links.redeem(request.params.ticket)
      // Only to the browser that asked for it, and only while it is signed in.
      const isTheirs = proof !== null && proof.id === proofOf(request).id && sessions.isOpen(proof)
      if (!isTheirs) return refuse(reply, new ServiceError('link_expired'))
      return sendBackup(reply, parts)
    },
  })
}

/** Streams a backup. One that breaks off is not ended, so that nobody takes it for a whole one. */
async function sendBackup(reply: FastifyReply, { backups, logger }: BackupParts): Promise<FastifyReply> {
  const { fileName, manifest, stream } = await backups.create()
  stream.once('error', err => logger.warn({ err }, 'A backup broke off'))
  const bytes = manifest.files.reduce((sum, file) => sum + file.bytes, 0)
  logger.info({ bytes }, 'A backup is sent')
  return reply
    .type('application/gzip')
    .header('content-disposition', `attachment; filename="${fileName}"`)
    .send(stream)
}

/** A page of another port counts as the same site, so the cookie goes with what it embeds. */
function isForeign({ headers }: FastifyRequest): boolean {
  const site = headers['sec-fetch-site']
  return site !== undefined && site !== 'same-origin' && site !== 'none'
}

/** How long a link may wait to be followed, in milliseconds. */
const linkMs = 60_000
const maxLinks = 100
const ticketBytes = 32

type Link = { readonly proof: SessionProof; readonly expiresAt: number }

/**
 * One-time links for downloads. A browser follows a link without the page's headers, so the page asks for a link
 * with its key first, and the key itself is never in an address.
 */
type DownloadLinks = {
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
