import { isUtf8 } from 'node:buffer'
import { ServiceError } from '#shared/errors.ts'

const maxDepth = 1000

/** A request's body: what it says, and its own text. */
export type JsonBody = { readonly value: object; readonly text: string }

/**
 * Reads the body of a REST call, a JSON object. An empty one says the same as `{}`, for calls whose every
 * field may be left out.
 *
 * @param contentType absent says the same as application/json.
 * @throws ServiceError `invalid_input`, `unsupported_media_type`.
 */
export function readJsonBody(body: Buffer, contentType: string | undefined): JsonBody {
  if (body.length === 0) return { value: {}, text: '{}' }
  // What a form of another site can send without being asked for permission is not even read.
  if (contentType !== undefined && !/^application\/json\s*(;|$)/i.test(contentType))
    throw new ServiceError('unsupported_media_type')
  if (!isUtf8(body)) throw refusal('The body is not valid UTF-8.')
  const text = body.toString('utf8')
  const value = parse(text)
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw refusal('The body must be a JSON object.')
  if (isDeeperThan(maxDepth, value)) throw refusal(`The body is nested deeper than ${maxDepth} levels.`)
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

/** Level by level and not recursively: a deep value must not overflow the stack here either. */
function isDeeperThan(levels: number, value: object): boolean {
  let level: unknown[] = [value]
  for (let depth = 0; level.length > 0; depth++) {
    if (depth >= levels && level.some(isContainer)) return true
    level = level.filter(isContainer).flatMap(container => Object.values(container))
  }
  return false
}

function isContainer(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}
