import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify'
import type { Logger } from '#main/logger.ts'
import type { Router } from '#main/rpc/router.ts'
import type { TlsFiles } from '#main/tls-files.ts'
import { version } from '#main/version.ts'
import { ServiceError } from '#shared/errors.ts'
import { allowedHostNames, isAllowedHost, isAllowedOrigin } from './allowed-hosts.ts'
import { createTokenCheck } from './authorization.ts'
import { errorBody } from './error-body.ts'
import { plainPage } from './plain-page.ts'
import { restPrefix, serveRest } from './rest.ts'

const maxRequestBytes = 12 * 1024 * 1024

export type DashboardOptions = {
  readonly router: Router
  readonly isHealthy: () => Promise<boolean>
  readonly logger: Logger
  /** The bearer token that REST asks for. */
  readonly token: string
  /** Null on a Unix socket, which no page can reach; else the address and the further names to answer to. */
  readonly hosts: { readonly listenHost: string; readonly allowed: readonly string[] } | null
  readonly tls: TlsFiles | null
}

/** The HTTP server of REST and the dashboard: never the inbound listener's, so that a tunnel cannot expose it. */
export async function createDashboard(options: DashboardOptions): Promise<FastifyInstance> {
  const { router, isHealthy, logger, token, hosts, tls } = options
  const app: FastifyInstance = Fastify({
    bodyLimit: maxRequestBytes,
    forceCloseConnections: true,
    https: tls?.current() ?? null,
  })
  if (tls !== null) {
    const stop = tls.onChange(files => {
      if ('setSecureContext' in app.server && typeof app.server.setSecureContext === 'function')
        app.server.setSecureContext(files)
    })
    app.addHook('onClose', async () => stop())
  }

  if (hosts !== null) {
    const names = allowedHostNames(hosts.listenHost, hosts.allowed)
    app.addHook('onRequest', async (request, reply) => refuseForeign(request, reply, names))
  }
  const isAuthorized = createTokenCheck(token)
  app.addHook('onRequest', async (request, reply) => {
    if (!isBelow(request.url, restPrefix) || isAuthorized(request.headers.authorization)) return
    await refuse(reply.header('www-authenticate', 'Bearer'), new ServiceError('unauthorized'))
  })
  app.addHook('onSend', async (_request, reply) => {
    reply.header('x-content-type-options', 'nosniff').header('referrer-policy', 'no-referrer')
    if (!reply.hasHeader('cache-control')) reply.header('cache-control', 'no-store')
  })
  app.setNotFoundHandler((_request, reply) => refuse(reply, new ServiceError('no_such_path')))
  app.setErrorHandler((error, request, reply) => {
    const status = statusOf(error)
    if (status < 500) return refuse(reply, new ServiceError('invalid_input'), status)
    logger.error({ err: error, method: request.method, route: request.routeOptions.url }, 'A request failed')
    return refuse(reply, new ServiceError('internal_error'))
  })

  app.get('/healthz', async (_request, reply) => {
    const ok = await isHealthy()
    return reply.code(ok ? 200 : 503).send({ ok, version })
  })
  app.get('/', (_request, reply) =>
    reply
      .type('text/html; charset=utf-8')
      .header(
        'content-security-policy',
        "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'",
      )
      .send(plainPage(version)),
  )
  await serveRest(app, router)
  await app.ready()
  return app
}

async function refuseForeign(
  request: FastifyRequest,
  reply: FastifyReply,
  names: ReadonlySet<string>,
): Promise<void> {
  const { host, origin } = request.raw.headers
  if (!isAllowedHost(host, names)) await refuse(reply, new ServiceError('forbidden_host'))
  else if (!isAllowedOrigin(origin, host ?? '')) await refuse(reply, new ServiceError('forbidden_origin'))
}

function refuse(reply: FastifyReply, error: ServiceError, status: number = error.status): FastifyReply {
  return reply.code(status).send(errorBody(error))
}

function isBelow(url: string, prefix: string): boolean {
  return url === prefix || url.startsWith(`${prefix}/`) || url.startsWith(`${prefix}?`)
}

/** The status that an error of the framework asks for; 500 for any other. */
function statusOf(error: unknown): number {
  const status = error instanceof Error && 'statusCode' in error ? error.statusCode : undefined
  return typeof status === 'number' ? status : 500
}
