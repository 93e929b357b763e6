import type { FastifyReply } from 'fastify'
import type { ErrorData, ServiceError } from '#shared/errors.ts'

/** The body of an error answered over REST (interface: `{code, message, data?}`). */
export function errorBody(error: ServiceError): { code: string; message: string; data?: ErrorData } {
  const { code, message, data } = error
  return data === undefined ? { code, message } : { code, message, data }
}

export function refuse(reply: FastifyReply, error: ServiceError): FastifyReply {
  return reply.code(error.status).send(errorBody(error))
}
