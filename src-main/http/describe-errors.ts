import type { OpenAPI } from '@orpc/contract'
import { z } from 'zod'
import { type ErrorCode, errorCatalogue } from '#shared/errors.ts'

/** Possible responses of every operation, and additional ones of operations with a body. */
const always: readonly ErrorCode[] = ['forbidden_host', 'forbidden_origin', 'too_many_attempts']
const withBody: readonly ErrorCode[] = ['body_too_large', 'unsupported_media_type']

/** Returns the schema of an error body with one of these codes. */
export const schemaOf = (codes: readonly string[]) => ({
  allOf: [{ $ref: '#/components/schemas/Error' }],
  properties: { code: { enum: [...codes] } },
})

function responseOf(codes: readonly string[]): OpenAPI.ResponseObject {
  const sentences = codes.map(code => `\`${code}\`: ${messages[code]?.message}`)
  return { description: sentences.join('\n'), content: { 'application/json': { schema: schemaOf(codes) } } }
}

const messages: Readonly<Record<string, { readonly message: string }>> = errorCatalogue

export type Shared = Record<string, OpenAPI.ResponseObject>

/**
 * Describes each error of an operation, and adds the errors that no procedure declares. The responses themselves are
 * added to `shared`, because most operations share theirs.
 */
export function describeErrors(operation: OpenAPI.OperationObject, shared: Shared): void {
  const responses = operation.responses ?? {}
  const refTo = (codes: readonly string[]) => {
    const name = codes.filter(isNamed).map(pascalCase).join('Or')
    shared[name] ??= responseOf(codes)
    return { $ref: `#/components/responses/${name}` }
  }
  const codesByStatus = new Map<string, readonly string[]>()
  for (const [status, response] of Object.entries(responses))
    if (Number(status) >= 400) codesByStatus.set(status, codesOf(response))
  for (const code of [...always, ...(operation.requestBody === undefined ? [] : withBody)]) {
    const status = String(errorCatalogue[code].status)
    codesByStatus.set(status, [...(codesByStatus.get(status) ?? []), code])
  }
  for (const [status, codes] of codesByStatus) responses[status] = refTo(codes)
  const isStream = JSON.stringify(responses['200'] ?? '').includes('text/event-stream')
  // A conversation’s stream begins with all of it.
  const isResumable = isStream && operation.tags?.includes('conversations') !== true
  if (isResumable) operation.parameters = [...(operation.parameters ?? []), lastEventId]
}

/** Every operation can answer `damaged_data`, and its responses keep the names of documents that did not list it. */
const isNamed = (code: string) => code !== 'damaged_data'

const pascalCase = (code: string) =>
  code.replace(/(?:^|_)([a-z])/g, (_, letter: string) => letter.toUpperCase())

const Codes = z.object({
  content: z.object({
    'application/json': z.object({
      schema: z.object({ properties: z.object({ code: z.object({ enum: z.array(z.string()) }) }) }),
    }),
  }),
})
const codesOf = (response: unknown) =>
  Codes.parse(response).content['application/json'].schema.properties.code.enum

/** The header with which a client of server-sent events reconnects. */
const lastEventId: OpenAPI.ParameterObject = {
  name: 'Last-Event-ID',
  in: 'header',
  required: false,
  description: 'The id of the last item seen. The stream continues after it.',
  schema: { type: 'string' },
}
