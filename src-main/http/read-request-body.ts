import type { IncomingMessage } from 'node:http'
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
export async function readRequestBody(request: IncomingMessage): Promise<Buffer> {
  if (Number(request.headers['content-length']) > maxRequestBytes) throw new ServiceError('body_too_large')
  try {
    return await readWhole(request, maxRequestBytes)
  } catch (cause) {
    throw new ServiceError(cause instanceof TooLongError ? 'body_too_large' : 'invalid_input', { cause })
  }
}
