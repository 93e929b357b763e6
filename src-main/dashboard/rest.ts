import { OpenAPIGenerator } from '@orpc/openapi'
import { OpenAPIHandler } from '@orpc/openapi/fastify'
import { ZodToJsonSchemaConverter } from '@orpc/zod/zod4'
import type { FastifyInstance } from 'fastify'
import type { Router } from '#main/rpc/router.ts'
import { version } from '#main/version.ts'
import { contract } from '#shared/contract/index.ts'
import { errorCatalogue, ServiceError } from '#shared/errors.ts'
import { errorBody } from './error-body.ts'

export const restPrefix = '/api/v1'

/**
 * Serves the contract as REST below /api/v1, and its OpenAPI document. Whoever calls it must be
 * authorized already.
 */
export async function serveRest(app: FastifyInstance, router: Router): Promise<void> {
  const handler = new OpenAPIHandler(router, {
    customErrorResponseBodyEncoder: error => {
      // What the handler itself refuses, such as a body that is no JSON, has a code of its own.
      if (!Object.hasOwn(errorCatalogue, error.code))
        return errorBody(new ServiceError('invalid_input', { detail: error.message }))
      return {
        code: error.code,
        message: error.message,
        ...(error.data === undefined ? {} : { data: error.data }),
      }
    },
  })

  let document: Promise<object> | null = null
  app.get(`${restPrefix}/openapi.json`, () => (document ??= describe()))

  await app.register(async scope => {
    // The handler reads the bodies itself.
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser('*', (_request, _payload, done) => done(null))
    scope.all(`${restPrefix}/*`, async (request, reply) => {
      const { matched } = await handler.handle(request, reply, { prefix: restPrefix, context: {} })
      if (!matched) return reply.code(404).send(errorBody(new ServiceError('no_such_path')))
    })
  })
}

function describe(): Promise<object> {
  return new OpenAPIGenerator({ schemaConverters: [new ZodToJsonSchemaConverter()] }).generate(contract, {
    info: { title: 'Custom Connection', version },
    servers: [{ url: restPrefix }],
    security: [{ adminToken: [] }],
    components: { securitySchemes: { adminToken: { type: 'http', scheme: 'bearer' } } },
  })
}
