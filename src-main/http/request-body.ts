import { isUtf8 } from 'node:buffer'
import type { IncomingMessage } from 'node:http'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { isNestedDeeper } from '#main/json/json-depth.ts'
import { readWhole, TooLongError } from '#main/lib/growing-buffer.ts'
import { ServiceError } from '#shared/errors.ts'

/** An import of 10 MiB is sent as a JSON string, in which its quotation marks and line breaks take two bytes. */
export const maxRequestBytes = 24 * 1024 * 1024

/**
 * Reads the body of a call. Not left to the framework, which keeps each chunk as an object of its own: of a body
 * in chunks of 1 byte it would take 400 times its size.
 *
 * @throws ServiceError `body_too_large`, `invalid_input` when it breaks off.
 */
async function readRequestBody(request: IncomingMessage): Promise<Buffer> {
  if (Number(request.headers['content-length']) > maxRequestBytes) throw new ServiceError('body_too_large')
  try {
    return await readWhole(request, maxRequestBytes)
  } catch (cause) {
    throw new ServiceError(cause instanceof TooLongError ? 'body_too_large' : 'invalid_input', { cause })
  }
}

const maxDepth = 1000

/**
 * Lets a scope read the bodies of its calls: JSON objects. An empty one says the same as `{}`, for calls whose every
 * field may be left out, and no content type the same as application/json.
 *
 * @returns the function that gives the text of a request's body, undefined where it has none.
 */
export function readJsonBodies(scope: FastifyInstance): (request: FastifyRequest) => string | undefined {
  const texts = new WeakMap<object, string>()
  scope.removeAllContentTypeParsers()
  scope.addContentTypeParser('*', async (request: FastifyRequest, payload: IncomingMessage) => {
    const { value, text } = readJsonBody(await readRequestBody(payload), request.headers['content-type'])
    texts.set(value, text)
    return value
  })
  return request => {
    request.body ??= {}
    return request.body instanceof Object ? texts.get(request.body) : undefined
  }
}

/** @throws ServiceError `invalid_input`, `unsupported_media_type`. */
export function readJsonBody(
  body: Buffer,
  contentType: string | undefined,
): { readonly value: object; readonly text: string } {
  if (body.length === 0) return { value: {}, text: '{}' }
  // What a form of another site can send without being asked for permission is not even read.
  if (contentType !== undefined && !/^application\/json\s*(;|$)/i.test(contentType))
    throw new ServiceError('unsupported_media_type')
  if (!isUtf8(body)) throw refusal('The body is not valid UTF-8.')
  const text = body.toString('utf8')
  if (isNestedDeeper(text, maxDepth)) throw refusal(`The body is nested deeper than ${maxDepth} levels.`)
  const value = parse(text)
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw refusal('The body must be a JSON object.')
  return { value, text }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw refusal('The body is not valid JSON.', cause)
  }
}

function refusal(message: string, cause?: unknown): ServiceError {
  return new ServiceError('invalid_input', {
    detail: message,
    data: { issues: [{ path: '', message }] },
    cause,
  })
}
