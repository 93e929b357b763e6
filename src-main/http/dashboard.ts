import { createHash } from 'node:crypto'
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify'
import { MessageError } from '#main/assistant/mcp/parse-message.ts'
import type { RandomBytes } from '#main/connections/identifiers.ts'
import type { Logger } from '#main/lib/logger.ts'
import type { TlsFiles } from '#main/lib/tls-files.ts'
import { version } from '#main/lib/version.ts'
import type { Service } from '#main/service.ts'
import type { Config } from '#main/storage/config.ts'
import { restPrefix } from '#shared/contract/base.ts'
import type { Health } from '#shared/contract/health.ts'
import { ServiceError } from '#shared/errors.ts'
import { defaultWorkspaceId } from '#shared/model/identifiers.ts'
import { allowedHostNames, isAllowedHost, isAllowedOrigin } from './allowed-hosts.ts'
import { createAuthority } from './authorization.ts'
import { serveBackup, serveBackupLink } from './backup.ts'
import { refuse, toServiceError } from './errors.ts'
import { type ConnectionBounds, connectionBounds, guardConnections } from './guard-connections.ts'
import { createImportBodies } from './import-bodies.ts'
import { serveKnowledge } from './knowledge.ts'
import { serveMcp } from './mcp.ts'
import { serveMetrics } from './metrics.ts'
import { plainPage, serveRenderer } from './page.ts'
import { maxRequestBytes } from './request-body.ts'
import { serveRest } from './rest.ts'
import { serveRpc } from './rpc.ts'
import { serveSession } from './serve-session.ts'
import type { Sessions } from './sessions.ts'

/** Milliseconds for a whole request to arrive, for its head, and between requests on one connection. */
const requestTimeout = 120_000
const headersTimeout = 10_000
const keepAliveTimeout = 65_000
/** How often the first two are checked. */
const connectionsCheckingInterval = 2000
/** Longer than any path that Node's HTTP parser accepts. */
const maxParamLength = 64 * 1024

export type DashboardOptions = {
  readonly service: Pick<
    Service,
    | 'router'
    | 'health'
    | 'unready'
    | 'backups'
    | 'backupList'
    | 'assistant'
    | 'knowledge'
    | 'storage'
    | 'changeCounts'
    | 'metrics'
    | 'metricsTokens'
  >
  readonly logger: Logger
  /** The bearer token for REST. */
  readonly token: string
  /** The listening address and additional host names; null on a Unix socket, which no page can reach. */
  readonly hosts: { readonly listenHost: string; readonly allowed: readonly string[] } | null
  readonly tls: TlsFiles | null
  /** Null on a Unix socket, which serves only REST. */
  readonly sessions: Sessions | null
  /** The folder of the built dashboard; null if it has not been built, and a page explains how to build it. */
  readonly rendererFolder: string | null
  /** Milliseconds since 1970. */
  readonly clock: () => number
  readonly random: RandomBytes
  /** The limits of TCP connections. */
  readonly bounds?: ConnectionBounds
}

/** Creates the HTTP server of REST and the dashboard. The inbound listener is another one: a tunnel exposes only that. */
export async function createDashboard(options: DashboardOptions): Promise<FastifyInstance> {
  const { logger, token, hosts, tls, sessions, clock, random } = options
  const { router, health, unready, backups, backupList, assistant } = options.service
  const { knowledge, storage, changeCounts, metrics, metricsTokens } = options.service
  const common = {
    bodyLimit: maxRequestBytes,
    requestTimeout,
    keepAliveTimeout,
    forceCloseConnections: true,
    routerOptions: { maxParamLength },
    // Fastify calls this, without any hook, for a path that it cannot decode.
    frameworkErrors: (_error: unknown, _request: unknown, reply: FastifyReply) => {
      refuse(secure(reply), new ServiceError('no_such_path'))
    },
  }
  const timeouts = { headersTimeout, connectionsCheckingInterval }
  const app: FastifyInstance =
    tls === null
      ? Fastify({ ...common, http: timeouts })
      : Fastify({ ...common, https: { ...tls.current(), ...timeouts, handshakeTimeout: headersTimeout } })
  if (tls !== null) {
    const stop = tls.onChange(files => {
      if ('setSecureContext' in app.server && typeof app.server.setSecureContext === 'function')
        app.server.setSecureContext(files)
    })
    app.addHook('onClose', async () => stop())
  }

  // Only this user's programs can reach a Unix socket.
  const guard = hosts && guardConnections(app.server, options.bounds ?? connectionBounds)
  const makeRoom = (bytes: number) => guard?.makeRoom(bytes)
  app.addHook('onSend', async (_request, _reply, payload) => {
    if (typeof payload === 'string' || Buffer.isBuffer(payload)) makeRoom(payload.length)
  })

  app.addHook('onRequest', async (_request, reply) => {
    secure(reply)
    // So that a client's next request reaches another node.
    if (unready() === 'stopping') reply.raw.shouldKeepAlive = false
  })
  if (hosts !== null) {
    const names = allowedHostNames(hosts.listenHost, hosts.allowed)
    app.addHook('onRequest', async (request, reply) => refuseForeign(request, reply, names))
  }
  const { confirmCurrent } = storage
  if (confirmCurrent !== null)
    app.addHook('preHandler', async ({ url, routeOptions }, reply) => {
      if (!decides(routeOptions.url ?? '', url)) return
      await confirmCurrent().catch(error => {
        reply.header('retry-after', '1')
        throw error
      })
    })
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', (_request, _payload, done) => done(null))
  app.setNotFoundHandler((_request, reply) => refuse(reply, new ServiceError('no_such_path')))
  app.setErrorHandler((error, request, reply) => {
    if (error instanceof MessageError) return refuse(reply, error)
    const known = toServiceError(error)
    if (known.code === 'internal_error')
      logger.error(
        { err: error, method: request.method, route: request.routeOptions.url },
        'A request failed',
      )
    return refuse(reply, known)
  })

  let look: Promise<Health> | null = null
  app.get('/healthz', async (_request, reply) => {
    // Needs no token, but each check writes to the disk, so concurrent requests share one.
    look ??= health().finally(() => {
      look = null
    })
    const answer = await look
    return reply.code(answer.ok ? 200 : 503).send(answer)
  })
  // For load balancers, which ask often: touches nothing.
  app.get('/readyz', (_request, reply) => {
    const reason = unready()
    return reply
      .code(reason === null ? 200 : 503)
      .send(reason === null ? { ready: true } : { ready: false, reason })
  })
  const authority = createAuthority({ token, clock, logger })
  const lists = { changeCounts, clock, start: random(9).toString('base64url') }
  const importBodies = createImportBodies()
  app.addHook('onClose', () => importBodies.stop())
  const calls = { router, logger, authority, importBodies, makeRoom }
  await serveRest(app, { ...calls, lists })
  serveBackup(app, { backups, backupList, logger, authority })
  await serveKnowledge(app, { knowledge, authority })
  const mcpParts = {
    assistant,
    store: storage.config,
    isCurrent: storage.isCurrent,
    authority,
    logger,
    isLocal: hosts === null,
    makeRoom,
  }
  await serveMcp(app, mcpParts)
  if (sessions !== null) {
    serveMetrics(app, { metrics, metricsTokens, authority })
    const signedIn = await serveSession(app, {
      ...{ sessions, authority, tls: tls !== null },
      dataId: () => dataIdOf(storage.config.snapshot()),
    })
    await serveRpc(app, { ...calls, signedIn })
    const { once } = storage
    serveBackupLink(app, { backups, backupList, logger, authority, sessions, signedIn, once, random })
    await servePage(app, options.rendererFolder)
  }
  await app.ready()
  return app
}

/**
 * Returns whether the answer depends on the configuration. What tells that the database is away is answered without it, as
 * is the page.
 *
 * @param route that the router has found: a URL can be written in many ways.
 */
function decides(route: string, url: string): boolean {
  return decidingRoutes.some(prefix => route.startsWith(prefix)) && !toldWithout.test(url)
}
const decidingRoutes = [restPrefix, '/rpc', '/mcp', '/download']
const toldWithout = /^\/(?:api\/v1|rpc)\/(?:service|nodes|live|health)(?:[/?]|$)/

async function servePage(app: FastifyInstance, folder: string | null): Promise<void> {
  if (folder !== null) return serveRenderer(app, folder)
  app.get('/', (_request, reply) =>
    reply
      .type('text/html; charset=utf-8')
      .header(
        'content-security-policy',
        "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'",
      )
      .send(plainPage(version)),
  )
}

/** Sets the headers of every answer. Pages replace the content security policy. */
function secure(reply: FastifyReply): FastifyReply {
  return reply.headers({
    'cache-control': 'no-store',
    'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
    'cross-origin-resource-policy': 'same-origin',
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
  })
}

/**
 * Paths that answer to every host name, since monitors and load balancers ask a node by its address. A page of another
 * site does not know the token of the first, and the others tell nothing secret.
 */
const anyHost: ReadonlySet<string> = new Set(['/metrics', '/readyz', '/healthz'])

async function refuseForeign(
  request: FastifyRequest,
  reply: FastifyReply,
  names: ReadonlySet<string>,
): Promise<void> {
  const { host, origin } = request.raw.headers
  const isKnown = anyHost.has(request.routeOptions.url ?? '') || isAllowedHost(host, names)
  if (!isKnown) await refuse(reply, new ServiceError('forbidden_host'))
  else if (!isAllowedOrigin(origin, host ?? '')) await refuse(reply, new ServiceError('forbidden_origin'))
}

/** Returns a text that differs from one data folder or database to another: from when its first workspace was made. */
function dataIdOf({ workspaces }: Pick<Config, 'workspaces'>): string {
  const { createdAt = '' } = workspaces.get(defaultWorkspaceId) ?? {}
  return createHash('sha256').update(createdAt).digest('base64url').slice(0, 22)
}
