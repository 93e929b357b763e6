import { ORPCError, onError } from '@orpc/server'
import { RPCHandler } from '@orpc/server/fastify'
import { SimpleCsrfProtectionHandlerPlugin } from '@orpc/server/plugins'
import type { FastifyInstance, FastifyReply } from 'fastify'
import { toRpcError } from '#main/rpc/base.ts'
import { errorCatalogue, ServiceError } from '#shared/errors.ts'
import { parseExact } from '#shared/json/exact-json.ts'
import { bearerOf, csrfHeader } from './authorization.ts'
import { toServiceError } from './errors.ts'
import { createPieceWriter } from './large-answers.ts'
import { readJsonBodies } from './request-body.ts'
import type { RestParts } from './rest.ts'
import { jsonSender } from './send-json.ts'
import type { SignedIn } from './serve-session.ts'

const prefix = '/rpc'

const signedOut = 'You are not signed in, or your session has ended. Sign in with the admin token.'

type RpcParts = Omit<RestParts, 'lists'> & { readonly signedIn: SignedIn }

/** Serves the contract to the dashboard's page below /rpc, while it is signed in. */
export async function serveRpc(app: FastifyInstance, parts: RpcParts): Promise<void> {
  await app.register(async scope => serveBelow(scope, parts), { prefix })
}

function serveBelow(
  scope: FastifyInstance,
  { router, logger, authority, signedIn, importBodies, makeRoom }: RpcParts,
): void {
  const handler = new RPCHandler(router, {
    rootInterceptors: [createPieceWriter(makeRoom)],
    plugins: [
      new SimpleCsrfProtectionHandlerPlugin({
        headerName: csrfHeader.name,
        headerValue: csrfHeader.value,
        error: toRpcError(new ServiceError('missing_csrf_header')),
      }),
    ],
    interceptors: [
      onError(error => {
        throw toCatalogued(error)
      }),
    ],
  })

  scope.addHook('onRequest', async (request, reply) => {
    if (!(await signedIn.isSignedIn(request))) {
      if (bearerOf(request) !== undefined) return refuse(reply, authority.refusal(request, reply))
      return refuse(reply, new ServiceError('unauthorized', { detail: signedOut }))
    }
    signedIn.cutOffWhenOver(request, reply)
  })
  scope.setErrorHandler((error, request, reply) => {
    const known = toServiceError(error)
    if (known.code === 'internal_error')
      logger.error({ err: error, method: request.method, route: prefix }, 'A request failed')
    return refuse(reply, known)
  })
  const bodyOf = readJsonBodies(scope, importBodies)
  scope.route({
    method: ['GET', 'POST'],
    exposeHeadRoute: false,
    url: '/*',
    async handler(request, reply) {
      const { text, importText } = bodyOf(request)
      const context = {
        ...(text !== undefined && { inputText: () => inputIn(text) }),
        importText,
        sendJson: jsonSender(reply, makeRoom, ['{"json":', '}']),
      }
      const { matched } = await handler.handle(request, reply, { prefix, context })
      if (!matched) return refuse(reply, new ServiceError('no_such_path'))
    },
  })
}

/** Returns the input from the field `json` of the handler's envelope. */
function inputIn(text: string): string {
  const envelope = parseExact(text)
  const input = typeof envelope === 'object' && envelope !== null ? Reflect.get(envelope, 'json') : undefined
  return JSON.stringify(input) ?? '{}'
}

/** Converts an error that is not from the catalogue. Such errors come from the handler, not from procedures. */
function toCatalogued(error: unknown): ORPCError<string, unknown> {
  if (!(error instanceof ORPCError)) return toRpcError(new ServiceError('invalid_input', { cause: error }))
  if (Object.hasOwn(errorCatalogue, error.code)) return error
  const { status } = error
  if (status === 404 || status === 405) return toRpcError(new ServiceError('no_such_path'))
  return toRpcError(new ServiceError(status < 500 ? 'invalid_input' : 'internal_error'))
}

/** Writes an error like the handler does, so that the page's client can read it. */
function refuse(reply: FastifyReply, error: ServiceError): FastifyReply {
  return reply.code(error.status).send({ json: toRpcError(error).toJSON() })
}
