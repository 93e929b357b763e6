import type { FastifyReply } from 'fastify'
import { MessageError, rpcCodes, rpcError } from '#main/assistant/mcp/parse-message.ts'
import { mcpPath } from '#shared/contract/base.ts'
import { type ErrorData, ServiceError } from '#shared/errors.ts'

/** Returns the body of an error over REST. */
export function errorBody(error: ServiceError): { code: string; message: string; data?: ErrorData } {
  const { code, message, data } = error
  return data === undefined ? { code, message } : { code, message, data }
}

/** Sends an error, in the form of JSON-RPC at the addresses of MCP. */
export function refuse(reply: FastifyReply, error: ServiceError | MessageError): FastifyReply {
  const isRpc = error instanceof MessageError || isMcp(reply.request.url)
  return reply.code(error.status).send(isRpc ? rpcBody(error) : errorBody(error))
}

const isMcp = (url: string) => url.startsWith(mcpPath) && /^(?:[/?]|$)/.test(url.slice(mcpPath.length))

function rpcBody(error: ServiceError | MessageError) {
  if (error instanceof MessageError) return rpcError(error.rpcCode, error.message, undefined, error.id)
  const { code, message, data } = error
  const rpcCode = code === 'internal_error' ? rpcCodes.internal : rpcCodes.server
  return rpcError(rpcCode, message, { code, ...data })
}

/** Converts an error of Fastify, by its status, to one of the catalogue. */
export function toServiceError(error: unknown): ServiceError {
  if (error instanceof ServiceError) return error
  const status = error instanceof Error && 'statusCode' in error ? error.statusCode : undefined
  if (status === 413) return new ServiceError('body_too_large')
  if (status === 415) return new ServiceError('unsupported_media_type')
  // A file that does not exist, or a path that is not normalized.
  if (status === 403 || status === 404) return new ServiceError('no_such_path')
  if (typeof status === 'number' && status < 500) return new ServiceError('invalid_input')
  return new ServiceError('internal_error')
}
