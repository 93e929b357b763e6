import { pipeline, Transform } from 'node:stream'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { BackupList } from '#main/backup/backup-list.ts'
import type { Backups } from '#main/backup/backups.ts'
import type { RandomBytes } from '#main/connections/identifiers.ts'
import { messageOf } from '#main/lib/file-system.ts'
import type { Logger } from '#main/lib/logger.ts'
import { sha256Hex } from '#main/lib/sha256-hex.ts'
import type { OnceStore } from '#main/storage/once-store.ts'
import { restPrefix } from '#shared/contract/base.ts'
import { ServiceError } from '#shared/errors.ts'
import { type Authority, hasCsrfHeader } from './authorization.ts'
import { refuse } from './errors.ts'
import { cutOffWhenOver, type SignedIn } from './serve-session.ts'
import type { Sessions } from './sessions.ts'

type BackupParts = {
  readonly backups: Backups
  readonly backupList: BackupList
  readonly logger: Logger
  readonly authority: Authority
}

/** Serves `POST /api/v1/backup`, which creates and returns a backup of the data folder. */
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
  readonly signedIn: SignedIn
  readonly once: OnceStore
  readonly random: RandomBytes
}

/**
 * Serves backups to the dashboard's page: `POST /download/backup` returns the path of a one-time link, valid for a
 * minute. The browser follows it without the page's headers.
 */
export function serveBackupLink(app: FastifyInstance, parts: BackupLinkParts): void {
  const { authority, sessions, signedIn, once, random } = parts
  const links = createDownloadLinks(once, random)

  app.post('/download/backup', {
    async onRequest(request, reply) {
      if (!(await sessions.isOpen(signedIn.sessionOf(request))))
        return refuse(reply, authority.refusal(request, reply))
      if (!hasCsrfHeader(request)) return refuse(reply, new ServiceError('missing_csrf_header'))
    },
    async handler(request) {
      const ticket = await links.issue(signedIn.cookieOf(request), signedIn.sessionOf(request))
      return { path: `download/backup/${ticket}` }
    },
  })
  app.route<{ Params: { ticket: string } }>({
    method: 'GET',
    url: '/download/backup/:ticket',
    exposeHeadRoute: false,
    async handler(request, reply) {
      if (isForeign(request)) return refuse(reply, new ServiceError('forbidden_origin'))
      const session = await links.redeem(request.params.ticket, signedIn.cookieOf(request))
      if (session === null || !(await sessions.isOpen(session)))
        return refuse(reply, new ServiceError('link_expired'))
      cutOffWhenOver(sessions, session, reply)
      return sendBackup(reply, parts)
    },
  })
}

/** Streams a backup. After an error the response stays incomplete, so that nobody mistakes it for a whole backup. */
async function sendBackup(
  reply: FastifyReply,
  { backups, backupList, logger }: BackupParts,
): Promise<FastifyReply> {
  const { fileName, manifest, stream } = await backups.create().catch(async error => {
    await backupList.failed('rest', error)
    throw error
  })
  let problem = 'The download was interrupted.'
  stream.once('error', err => {
    problem = messageOf(err)
    logger.warn({ err }, 'A backup was interrupted')
  })
  let sent = 0
  const counter = new Transform({
    transform(chunk: Buffer, _encoding, passOn) {
      sent += chunk.length
      passOn(null, chunk)
    },
  })
  const ended = () => {
    const ok = reply.raw.writableFinished
    const outcome = ok ? { bytes: sent, ok, error: null } : { bytes: null, ok, error: problem }
    void backupList.sent({ at: Date.parse(manifest.createdAt), source: 'rest', label: null, ...outcome })
  }
  // It may have ended while the copies were made.
  if (reply.raw.closed) ended()
  else reply.raw.once('close', ended)
  const bytes = manifest.files.reduce((sum, file) => sum + file.bytes, 0)
  logger.info({ bytes }, 'A backup is sent')
  return reply
    .type('application/gzip')
    .header('content-disposition', `attachment; filename="${fileName}"`)
    .send(pipeline(stream, counter, () => {}))
}

/** Returns whether another site or port sent the request. Browsers send the cookie to all ports of a host. */
function isForeign({ headers }: FastifyRequest): boolean {
  const site = headers['sec-fetch-site']
  return site !== undefined && site !== 'same-origin' && site !== 'none'
}

/** How long a link is valid, in milliseconds. */
const linkMs = 60_000
const ticketBytes = 32

/**
 * One-time links for downloads. A browser follows a link without the page's headers, so the page first requests a link
 * with its key. The key itself is never part of an address.
 */
function createDownloadLinks(once: OnceStore, random: RandomBytes) {
  const kind = 'download'
  // Only the browser that requested a link has both, and nobody can follow it with what is stored.
  const keyOf = (ticket: string, cookie: string) => sha256Hex(`${ticket}.${cookie}`)
  return {
    /** Returns the ticket of a new link, 43 characters. */
    async issue(cookie: string, session: string) {
      const ticket = random(ticketBytes).toString('base64url')
      await once.put(kind, keyOf(ticket, cookie), session, linkMs)
      return ticket
    },
    /** Uses a link. Returns the session that requested it; null if the ticket is unknown, used or expired. */
    redeem: (ticket: string, cookie: string) => once.take(kind, keyOf(ticket, cookie)),
  }
}
