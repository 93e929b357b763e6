import { OpenAPIGenerator } from '@orpc/openapi'
import { ZodToJsonSchemaConverter } from '@orpc/zod/zod4'
import { z } from 'zod'
import { version } from '#main/version.ts'
import { route } from '#shared/contract/base.ts'
import { contract } from '#shared/contract/index.ts'

/** The contract, and what REST answers beside it: a backup is streamed, which no procedure of the contract does. */
const documented = {
  ...contract,
  backup: route('POST', '/backup', {
    tag: 'backup',
    summary: 'A backup of the whole data folder, secrets included, as a gzipped tar file',
  }).output(z.file().mime('application/gzip')),
}

/**
 * The OpenAPI document of the REST interface, made from the contract.
 *
 * @param serverUrl what the paths are relative to.
 */
export function describeRest(serverUrl: string): Promise<object> {
  return new OpenAPIGenerator({ schemaConverters: [new ZodToJsonSchemaConverter()] }).generate(documented, {
    info: { title: 'Custom Connection', version },
    servers: [{ url: serverUrl }],
    security: [{ adminToken: [] }],
    components: { securitySchemes: { adminToken: { type: 'http', scheme: 'bearer' } } },
    // As error-body.ts writes them.
    customErrorResponseBodySchema: errors => ({
      oneOf: errors.map(([code, message, , data]) => ({
        type: 'object',
        properties: { code: { const: code }, message: { type: 'string', examples: [message] }, data },
        required: ['code', 'message'],
      })),
    }),
  })
}
