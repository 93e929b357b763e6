import { type AnyContractRouter, isContractProcedure } from '@orpc/contract'
import { OpenAPIHandler } from '@orpc/openapi/fastify'
import { ORPCError, onError } from '@orpc/server'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Logger } from '#main/lib/logger.ts'
import type { Router } from '#main/rpc/router.ts'
import { restPrefix } from '#shared/contract/base.ts'
import { contract } from '#shared/contract/index.ts'
import { errorCatalogue, ServiceError } from '#shared/errors.ts'
import type { Authority } from './authorization.ts'
import { errorBody, refuse } from './errors.ts'
import { sendExport } from './export-answer.ts'
import type { ImportBodies } from './import-bodies.ts'
import { createPieceWriter } from './large-answers.ts'
import { createListAnswers, type ListSources } from './lists.ts'
import { describeRest } from './openapi.ts'
import { readJsonBodies } from './request-body.ts'
import { jsonSender } from './send-json.ts'

export type RestParts = {
  readonly router: Router
  readonly logger: Logger
  readonly authority: Authority
  readonly lists: ListSources
  readonly importBodies: ImportBodies
  /** Is told how many bytes an answer has that is sent as a stream. */
  readonly makeRoom: (bytes: number) => void
}

/** Serves the contract as REST below /api/v1, and its OpenAPI document, to authorized clients. */
export async function serveRest(app: FastifyInstance, parts: RestParts): Promise<void> {
  await app.register(async scope => serveBelow(scope, parts), { prefix: restPrefix })
}

function serveBelow(
  scope: FastifyInstance,
  { router, logger, authority, lists, importBodies, makeRoom }: RestParts,
): void {
  const answerList = createListAnswers(router, lists)
  const handler = new OpenAPIHandler(router, {
    customErrorResponseBodyEncoder: encodeError,
    rootInterceptors: [createPieceWriter(makeRoom), sendExport],
    interceptors: [
      onError(error => {
        // Procedures log their own failures. This one occurred while the answer was written.
        if (!(error instanceof ORPCError)) logger.error({ err: error }, 'A request failed')
      }),
    ],
  })

  // On the scope instead of a path, because Fastify decodes paths before it finds a route.
  scope.addHook('onRequest', async (request, reply) => {
    if (!authority.isAuthorized(request)) return refuse(reply, authority.refusal(request, reply))
  })

  scope.addHook('onSend', async (_request, reply) => {
    if (reply.statusCode >= 400) reply.removeHeader('etag')
  })

  const bodyOf = readJsonBodies(scope, importBodies, ({ url }) => url.startsWith(`${restPrefix}/platform/`))

  let document: Promise<object> | null = null
  scope.get('/openapi.json', () => (document ??= describeRest(restPrefix)))
  scope.all('/*', async (request, reply) => {
    try {
      const sent = await answerList(request, reply)
      if (sent !== null) return sent
    } catch (error) {
      if (error instanceof ORPCError) return reply.code(error.status).send(encodeError(error))
      throw error
    }
    const { text, importText } = bodyOf(request)
    refuseOtherIds(request)
    const context = {
      ...(text !== undefined && { inputText: () => text, bodyText: () => text }),
      importText,
      sendJson: jsonSender(reply, makeRoom),
    }
    const { matched } = await handler.handle(request, reply, { prefix: restPrefix, context })
    if (!matched) return refuseUnmatched(request, reply)
  })
  scope.all('/', (_request, reply) => refuse(reply, new ServiceError('no_such_path')))
}

const operations = [
  ...routesOf(contract),
  { method: 'GET', path: '/openapi.json' },
  { method: 'POST', path: '/backup' },
  { method: 'POST', path: '/platform/knowledge' },
].map(({ method, path }) => ({ method, template: path.split('/') }))

/** Returns the operations of a path below the prefix, with every method. */
function operationsAt(path: string) {
  const steps = path.split('/')
  return operations.filter(({ template }) => fits(template, steps))
}

/**
 * Refuses a body with another id than the path, which would silently overrule it.
 *
 * @throws ServiceError `invalid_input`.
 */
function refuseOtherIds({ url, method, body }: FastifyRequest): void {
  // Most requests have no body, and need no look at all operations.
  if (!(body instanceof Object) || Object.keys(body).length === 0) return
  const { pathname } = new URL(url, 'http://service')
  const path = pathname.slice(restPrefix.length)
  const steps = path.split('/')
  const [operation] = operationsAt(path).filter(one => one.method === method)
  const issues = (operation?.template ?? []).flatMap((step, index) => {
    const [, name] = /^\{(.*)\}$/.exec(step) ?? []
    if (name === undefined || !Object.hasOwn(body, name)) return []
    const isSame = encodeURIComponent(String(Reflect.get(body, name))) === steps[index]
    return isSame ? [] : [{ path: name, message: `The path has another \`${name}\`.` }]
  })
  if (issues.length > 0) throw new ServiceError('invalid_input', { data: { issues } })
}

/** Refuses an unknown path with 404, and an unsupported method with 405. */
function refuseUnmatched(request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const [path = ''] = request.url.split('?')
  const methods = [...new Set(operationsAt(path.slice(restPrefix.length)).map(({ method }) => method))].sort()
  if (methods.length === 0) return refuse(reply, new ServiceError('no_such_path'))
  const allow = methods.join(', ')
  const detail = `This path supports ${allow}, not ${request.method}.`
  return refuse(reply.header('allow', allow), new ServiceError('method_not_allowed', { detail }))
}

function encodeError({ code, message, data, status }: ORPCError<string, unknown>): object {
  if (Object.hasOwn(errorCatalogue, code)) return { code, message, ...(data === undefined ? {} : { data }) }
  // The handler's own error.
  return errorBody(new ServiceError(status < 500 ? 'invalid_input' : 'internal_error'))
}

function routesOf(contract: AnyContractRouter): { method: string; path: string }[] {
  if (!isContractProcedure(contract)) return Object.values(contract).flatMap(routesOf)
  const { method, path } = contract['~orpc'].route
  return method === undefined || path === undefined ? [] : [{ method, path }]
}

/** Matches a path. A step in braces, as in `/connections/{connectionId}`, matches any non-empty step. */
function fits(template: readonly string[], steps: readonly string[]): boolean {
  return (
    template.length === steps.length &&
    template.every((wanted, index) =>
      wanted.startsWith('{') ? steps[index] !== '' : steps[index] === wanted,
    )
  )
}
