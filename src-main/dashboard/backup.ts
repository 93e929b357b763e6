import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Backups } from '#main/backup/backups.ts'
import type { Logger } from '#main/logger.ts'
import { ServiceError } from '#shared/errors.ts'
import { refuse } from './error-body.ts'

export type BackupRoute = {
  readonly method: 'GET' | 'POST'
  readonly url: string
  readonly backups: Backups
  readonly logger: Logger
  /** Whether whoever sends a request may have all secrets, which is what a backup is. */
  readonly isAllowed: (request: FastifyRequest) => boolean
}

/**
 * Answers with a backup of the data folder, made now: `/api/v1/backup` for programs (interface: REST),
 * `/download/backup` for the dashboard's page. One that breaks off is not ended, so that nobody takes it for a
 * whole one.
 */
export function serveBackup(app: FastifyInstance, route: BackupRoute): void {
  const { method, url, backups, logger, isAllowed } = route
  app.route({
    method,
    url,
    exposeHeadRoute: false,
    onRequest: async (request, reply) => {
      if (isForeign(request)) return refuse(reply, new ServiceError('forbidden_origin'))
      if (isAllowed(request)) return
      await refuse(reply.header('www-authenticate', 'Bearer'), new ServiceError('unauthorized'))
    },
    async handler(_request, reply) {
      const { fileName, manifest, stream } = await backups.create()
      stream.once('error', err => logger.warn({ err }, 'A backup broke off'))
      const bytes = manifest.files.reduce((sum, file) => sum + file.bytes, 0)
      logger.info({ bytes }, 'A backup is sent')
      return reply
        .type('application/gzip')
        .header('content-disposition', `attachment; filename="${fileName}"`)
        .send(stream)
    },
  })
}

/**
 * A page of another port of this host counts as the same site, so the cookie goes with what it embeds. It could
 * read nothing of a backup, but have one made again and again.
 */
function isForeign({ headers }: FastifyRequest): boolean {
  const site = headers['sec-fetch-site']
  return site !== undefined && site !== 'same-origin' && site !== 'none'
}
